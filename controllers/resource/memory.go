package resource

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// memory is what the reconciler remembers of an object between reconciliations: what the phases share, and what the reporter does by itself. All of it may be lost at any
// time: it saves calls and keeps conditions calm, and nothing is wrong without it.
type memory struct {
	uid    types.UID
	shared reconciliation.Memory
	report report.Memory
}

// begin takes in what people did about an object since it was last reconciled, and returns what its reconciliation begins with.
func (m *memory) begin(object v1alpha1.ResourceObject, now time.Time) reconciliation.State {
	news, remembered := reconciliation.NewsOf(object, m.shared)
	m.shared = remembered
	if news.Any {
		m.shared.Cloud.InVain, m.shared.Cloud.Steps = false, nil
		edited := time.Time{}
		if news.Edited {
			edited = now
		}
		m.report = m.report.Wanted(news.Urgent, edited)
	}
	start := reconciliation.Begin(object, now, news, m.shared)
	start.Priority, start.Failures = m.report.Priority, m.report.Failures
	return start
}

// remember takes in what was gathered, or done.
func (m *memory) remember(in reconciliation.State) {
	m.shared = in.Memory
	if in.StartedOver {
		m.report = m.report.StartedOver()
	}
}

// reported takes in what was reported.
func (m *memory) reported(said report.Report) {
	m.report = said.Memory
	if !said.Recorded {
		return
	}
	m.shared.Cloud.Carried = said.Carried
}

// memories keeps a memory for each object. It is safe for concurrent use.
type memories struct {
	mu     sync.Mutex
	byName map[types.NamespacedName]*memory
	// observed is when each cloud object was last observed; nothing for one that this process has not observed yet.
	observed map[types.NamespacedName]time.Time
	// reports are when cloud objects were last observed, as was reported, for whoever asks meanwhile: a memory itself is its reconciliation's.
	reports map[types.NamespacedName]telemetry.LastObservation
	// unrecorded are the objects whose last reconciliation could not be written down.
	unrecorded map[types.NamespacedName]bool
}

// of returns the memory of an object, fresh if there is none or if it is of an earlier object of that name.
func (m *memories) of(name types.NamespacedName, uid types.UID, cadence retry.Cadence, now time.Time) *memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byName == nil {
		m.byName = map[types.NamespacedName]*memory{}
	}
	mem := m.byName[name]
	if mem == nil || mem.uid != uid {
		mem = &memory{uid: uid, report: report.NewMemory(cadence, now), shared: reconciliation.Memory{LastObserved: now, Cloud: plan.Memory{Began: now}}}
		m.byName[name] = mem
	}
	return mem
}

// forget drops the memory of an object that is gone, and returns which it was; empty if it was not known.
func (m *memories) forget(name types.NamespacedName) (uid types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if mem := m.byName[name]; mem != nil {
		uid = mem.uid
	}
	delete(m.byName, name)
	delete(m.observed, name)
	delete(m.reports, name)
	delete(m.unrecorded, name)
	return uid
}

// observe notes when a cloud object was observed.
func (m *memories) observe(name types.NamespacedName, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.observed == nil {
		m.observed = map[types.NamespacedName]time.Time{}
	}
	m.observed[name] = at
}

// observedAt returns when a cloud object was last observed; false if this process has not observed it.
func (m *memories) observedAt(name types.NamespacedName) (time.Time, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, known := m.observed[name]
	return at, known
}

// reported notes what a report says about an object, for whoever asks meanwhile.
func (m *memories) reported(name types.NamespacedName, said report.Memory) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.unrecorded == nil {
		m.unrecorded, m.reports = map[types.NamespacedName]bool{}, map[types.NamespacedName]telemetry.LastObservation{}
	}
	delete(m.unrecorded, name)
	delete(m.reports, name)
	if said.Unwritten {
		m.unrecorded[name] = true
	}
	if said.LastObservation != nil {
		last := *said.LastObservation
		last.Name = name
		m.reports[name] = last
	}
}

// lost counts the objects whose last reconciliation could not be written down.
func (m *memories) lost() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.unrecorded)
}

// seen returns when each cloud object was last observed.
func (m *memories) seen() []telemetry.LastObservation {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.reports))
}
