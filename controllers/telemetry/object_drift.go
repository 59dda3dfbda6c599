package telemetry

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
)

var objectDriftReturns = &Metric{
	Name: "mooring_object_drift_returns", Type: Gauge, PerObject: true,
	Labels: []string{"kind", "provider", "namespace", "name"},
	Help: "For each object whose drift came back within the last hour, how often it did: a field was found changed in the cloud within a day of having been corrected. Other objects have no series. " +
		"The flag --metrics-object-limit bounds the series; the objects with most returns come first.",
	Asks:  "Which objects does somebody else keep changing?",
	Query: "sort_desc(mooring_object_drift_returns)",
}

// returnWindow is the time in which returns of drift are counted.
const returnWindow = time.Hour

// driftReturns remember when the drift of each object came back. The zero value is ready to use.
type driftReturns struct {
	mu sync.Mutex
	at map[driftedObject][]time.Time
}

// A driftedObject is an object whose drift came back.
type driftedObject struct {
	Subject
	name types.NamespacedName
}

// add notes that drift came back.
func (r *driftReturns) add(o driftedObject, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at == nil {
		r.at = map[driftedObject][]time.Time{}
	}
	r.prune(now)
	r.at[o] = append(r.at[o], now)
}

// prune drops what is older than the window. The caller holds the lock.
func (r *driftReturns) prune(now time.Time) {
	for o, times := range r.at {
		times = slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) > returnWindow })
		if r.at[o] = times; len(times) == 0 {
			delete(r.at, o)
		}
	}
}

// collect shows how often the drift of each object came back, of as many objects as the limit allows.
func (r *driftReturns) collect(now time.Time, limit int, to chan<- prometheus.Metric) {
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
		show(to, objectDriftReturns, float64(len(r.at[o])), o.Kind, o.Provider, o.name.Namespace, o.name.Name)
	}
}
