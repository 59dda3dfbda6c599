package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	accountPlaces = &Metric{
		Name: "mooring_account_places", Type: Gauge, Labels: []string{"provider", "account"},
		Help:  "How many objects of an account may be worked on at once. It falls to 1 while the account's cloud does not answer. account is the cloud's id of it, and empty as long as nobody has said it.",
		Asks:  "How many more objects could be worked on?",
		Query: "sum by (provider, account) (mooring_account_places - mooring_account_places_in_use)",
	}
	accountPlacesInUse = &Metric{
		Name: "mooring_account_places_in_use", Type: Gauge, Labels: []string{"provider", "account"},
		Help:  "How many objects of an account are worked on now.",
		Asks:  "Which accounts are at their limit?",
		Query: "mooring_account_places_in_use >= mooring_account_places",
	}
	accountWaiting = &Metric{
		Name: "mooring_account_waiting", Type: Gauge, Labels: []string{"provider", "account"},
		Help:  "How many objects wait in line for a place of their account.",
		Asks:  "In which account is the line longest?",
		Query: "topk(5, max by (provider, account) (mooring_account_waiting))",
	}
	gateWait = &Metric{
		Name: "mooring_gate_wait_seconds", Type: Histogram, Labels: []string{"provider"},
		Help:    "How long objects waited for a place of their account before they were worked on; 0 for those that found one at once.",
		Asks:    "How long do objects wait for their account?",
		Query:   "histogram_quantile(0.99, sum by (provider, le) (rate(mooring_gate_wait_seconds_bucket[5m])))",
		buckets: []float64{.01, .1, .5, 1, 2.5, 5, 10, 30, 60, 300},
	}
)

// An Account is the places of an account.
type Account struct {
	Provider, ID           string
	Places, InUse, Waiting int
}

// Entered counts an object that found a place of its account.
func (m *Metrics) Entered(provider string, waited time.Duration) {
	m.gateWait.WithLabelValues(provider).Observe(waited.Seconds())
}

func collectAccounts(accounts []Account, to chan<- prometheus.Metric) {
	type key struct{ provider, id string }
	sums := map[key]Account{} // those whose id is not known share one, as do endpoints of one account
	for _, a := range accounts {
		k := key{a.Provider, a.ID}
		sum := sums[k]
		sums[k] = Account{Places: sum.Places + a.Places, InUse: sum.InUse + a.InUse, Waiting: sum.Waiting + a.Waiting}
	}
	for k, sum := range sums {
		show(to, accountPlaces, float64(sum.Places), k.provider, k.id)
		show(to, accountPlacesInUse, float64(sum.InUse), k.provider, k.id)
		show(to, accountWaiting, float64(sum.Waiting), k.provider, k.id)
	}
}
