package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	accountCallLimit = &Metric{
		Name: "mooring_account_call_limit", Type: Gauge, Labels: []string{"provider", "account", "calls"},
		Help:     "How many calls a minute Mooring makes at most, because the cloud refused more. The label calls is a class of calls that the cloud counts together. There is no series while the cloud refuses no call.",
		Question: "Of which accounts does the cloud limit the calls?",
		Query:    "mooring_account_call_limit",
	}
	accountResyncCalls = &Metric{
		Name: "mooring_account_resync_calls", Type: Gauge, Labels: []string{"provider", "account", "calls"},
		Help:     "How many calls of the last minute observed objects that nobody edited, of a class of calls that the cloud limits.",
		Question: "How many of the calls do resyncs take?",
		Query:    "mooring_account_resync_calls / mooring_account_call_limit",
	}
	accountResyncPeriod = &Metric{
		Name: "mooring_account_resync_period_seconds", Type: Gauge, Labels: []string{"provider", "account", "calls"},
		Help:     "How long an object goes unobserved between two resyncs, on average, in an account whose calls the cloud limits. It is longer than the sync period if the calls do not suffice.",
		Question: "Which accounts have more objects than their calls suffice for?",
		Query:    "topk(5, max by (provider, account) (mooring_account_resync_period_seconds))",
	}
)

// A Budget reports how much of an account's call rate is used, for one class of API calls that the cloud counts
// together.
type Budget struct {
	Provider, ID, Name string
	// Limit is how many calls per minute are made at most. Resyncs is how many calls of the last minute were made for
	// resyncs.
	Limit, Resyncs float64
	// Period is the average time between two resyncs of one object; 0 while it is not known.
	Period time.Duration
}

func collectBudgets(budgets []Budget, to chan<- prometheus.Metric) {
	type key struct{ provider, id, name string }
	sums := map[key]Budget{} // accounts whose id is unknown share one series, and so do endpoints of one account
	for _, b := range budgets {
		k := key{b.Provider, b.ID, b.Name}
		sum := sums[k]
		sums[k] = Budget{Limit: sum.Limit + b.Limit, Resyncs: sum.Resyncs + b.Resyncs, Period: max(sum.Period, b.Period)}
	}
	for k, sum := range sums {
		show(to, accountCallLimit, sum.Limit, k.provider, k.id, k.name)
		show(to, accountResyncCalls, sum.Resyncs, k.provider, k.id, k.name)
		show(to, accountResyncPeriod, sum.Period.Seconds(), k.provider, k.id, k.name)
	}
}
