package telemetry

import (
	"cmp"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

var replicaLag = &Metric{
	Name: "mooring_replica_lag_seconds", Type: Gauge, PerObject: true,
	Labels: []string{"kind", "provider", "namespace", "name", "class"},
	Help: "How far a read replica lags behind its primary, as the cloud said when the replica was last observed. The cloud's value is some minutes old. Where the cloud's values rise and fall by themselves, it is the least of the last 10 minutes. " +
		"There is no series if the cloud does not say the lag, nor for an object that is not a read replica any more. The flag --metrics-object-limit bounds the number of objects. Those that lag most come first.",
	Question: "Which read replicas lag behind by more than 10 minutes?",
	Query:    "sort_desc(mooring_replica_lag_seconds > 600)",
}

// showLags shows how far objects lag behind what they follow, of as many of them as the limit allows.
func showLags(kinds []Kind, limit int, to chan<- prometheus.Metric) {
	type object struct {
		kind string
		LastObservation
	}
	var objects []object
	for _, k := range kinds {
		if k.LastObserved == nil {
			continue
		}
		for _, o := range k.LastObserved() {
			if o.Lag != nil {
				objects = append(objects, object{k.Name, o})
			}
		}
	}
	slices.SortFunc(objects, func(a, b object) int {
		return cmp.Or(cmp.Compare(*b.Lag, *a.Lag), cmp.Compare(a.kind, b.kind), cmp.Compare(a.Name.String(), b.Name.String()))
	})
	for _, o := range objects[:min(limit, len(objects))] {
		show(to, replicaLag, o.Lag.Seconds(), o.kind, o.Provider, o.Name.Namespace, o.Name.Name, o.Class)
	}
}
