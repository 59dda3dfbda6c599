package resource

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/gather"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// memory is what the reconciler remembers of an object between reconciliations: what each phase does. All of it may be lost at any time:
// it saves calls and keeps conditions calm, and nothing is wrong without it.
type memory struct {
	uid       types.UID
	gathering gather.Memory
	// cloud is what is remembered of the cloud object, and secrets of the connection Secret.
	cloud   plan.Memory
	secrets credential.Memory
	report  report.Memory
}

// begin takes in what people did about an object since it was last reconciled, and returns what gathering starts with.
func (m *memory) begin(object v1alpha1.ResourceObject, now time.Time) gather.Start {
	news, remembered := gather.NewsOf(object, m.gathering)
	m.gathering = remembered
	if news.Any {
		m.cloud.InVain, m.cloud.Steps = false, nil
		edited := time.Time{}
		if news.Edited {
			edited = now
		}
		m.report = m.report.Wanted(news.Urgent, edited)
	}
	return gather.Start{
		Object: object, Now: now, News: news, Priority: m.report.Priority, Memory: m.gathering, Cloud: m.cloud, Published: m.secrets,
	}
}

// gathered takes in what was gathered.
func (m *memory) gathered(known gather.Gathered) {
	m.gathering, m.cloud, m.secrets = known.Memory, known.Cloud, known.Published
}

// executed takes in what was done.
func (m *memory) executed(done execute.Done) {
	m.cloud, m.secrets = done.Memory, done.Published
	if done.StartedOver {
		m.report = m.report.StartedOver()
	}
}

// reported takes in what was reported. published is what the connection Secret holds, which counts once the status is stored.
func (m *memory) reported(said report.Report, published *credential.ConnectionSecret) {
	m.report = said.Memory
	if !said.Recorded {
		return
	}
	m.cloud.Carried = said.Carried
	if published != nil {
		m.secrets.Published = published
	}
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
		mem = &memory{uid: uid, report: report.NewMemory(cadence, now), gathering: gather.Memory{LastObserved: now}, cloud: plan.Memory{Began: now}}
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
