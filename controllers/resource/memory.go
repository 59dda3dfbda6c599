package resource

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// memory is what the reconciler remembers of an object between turns. All of it may be lost at any time:
// it saves calls and keeps conditions calm, and nothing is wrong without it.
type memory struct {
	uid types.UID
	// report is what reports remember.
	report report.Memory
	// generation and request are the edit and the annotation that the waits are about.
	generation int64
	request    string
	// queuedSince is when the object began to wait for a slot of its account; zero if it does not.
	queuedSince time.Time
	// queueNews is what the conditions have said since then.
	queueNews queueNews
	// seen is when the cloud was last observed, or the object first met.
	seen time.Time
	// cloud is what is remembered of the cloud object.
	cloud plan.Memory
	// publisher is what the publisher of connection Secrets remembers.
	publisher credential.Memory
	// creation is what the cloud returned for a creation, until it is stored.
	creation *report.Creation
	// failure is why an operation that the cloud had begun failed, until the spec is edited, a reconciliation is asked for, or the
	// object is seen to work.
	failure string
}

// memories keeps a memory for each object. It is safe for concurrent use.
type memories struct {
	mu     sync.Mutex
	byName map[types.NamespacedName]*memory
	// observed is when each cloud object was last observed; nothing for one that this process has not observed yet.
	observed map[types.NamespacedName]time.Time
	// sightings are when cloud objects were last observed, for whoever asks meanwhile: a memory itself is its turn's.
	sightings map[types.NamespacedName]telemetry.Sighting
	// unrecorded are the objects whose last turn could not be written down.
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
		mem = &memory{uid: uid, report: report.NewMemory(cadence, now), seen: now}
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
	delete(m.sightings, name)
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
		m.unrecorded, m.sightings = map[types.NamespacedName]bool{}, map[types.NamespacedName]telemetry.Sighting{}
	}
	delete(m.unrecorded, name)
	delete(m.sightings, name)
	if said.Unwritten {
		m.unrecorded[name] = true
	}
	if said.Sighting != nil {
		sighting := *said.Sighting
		sighting.Name = name
		m.sightings[name] = sighting
	}
}

// lost counts the objects whose last turn could not be written down.
func (m *memories) lost() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.unrecorded)
}

// seen returns when each cloud object was last observed.
func (m *memories) seen() []telemetry.Sighting {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Values(m.sightings))
}
