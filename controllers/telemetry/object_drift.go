package telemetry

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
)

var objectDriftRecurrences = &Metric{
	Name: "mooring_object_drift_recurrences", Type: Gauge, PerObject: true,
	Labels: []string{"kind", "provider", "namespace", "name"},
	Help: "How often drift of an object recurred within the last hour. Drift recurs if a field differs again within a day after Mooring corrected it. Objects without such drift have no series. " +
		"The flag --metrics-object-limit bounds the number of series. The objects with the most recurrences come first.",
	Question: "Which objects does another tool or person keep changing?",
	Query:    "sort_desc(mooring_object_drift_recurrences)",
}

// recurrenceWindow is the time in which recurrences of drift are counted.
const recurrenceWindow = time.Hour

// driftRecurrences remember when the drift of each object recurred. The zero value is ready to use.
type driftRecurrences struct {
	mu sync.Mutex
	at map[driftedObject][]time.Time
}

// A driftedObject is an object whose drift recurred.
type driftedObject struct {
	Subject
	name types.NamespacedName
}

// add records that drift recurred.
func (r *driftRecurrences) add(o driftedObject, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil {
		r.at = map[driftedObject][]time.Time{}
	}
	r.prune(now)
	r.at[o] = append(r.at[o], now)
}

// prune drops what is older than the window. The caller holds the lock.
func (r *driftRecurrences) prune(now time.Time) {
	for o, times := range r.at {
		times = slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) > recurrenceWindow })
		if r.at[o] = times; len(times) == 0 {
			delete(r.at, o)
		}
	}
}

// collect shows how often the drift of each object recurred, for as many objects as the limit allows.
func (r *driftRecurrences) collect(now time.Time, limit int, to chan<- prometheus.Metric) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.prune(now)
	var objects []driftedObject
	for o := range r.at {
		objects = append(objects, o)
	}
	slices.SortFunc(objects, func(a, b driftedObject) int {
		return cmp.Or(cmp.Compare(len(r.at[b]), len(r.at[a])), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.name.String(), b.name.String()))
	})
	for _, o := range objects[:min(limit, len(objects))] {
		show(to, objectDriftRecurrences, float64(len(r.at[o])), o.Kind, o.Provider, o.name.Namespace, o.name.Name)
	}
}
