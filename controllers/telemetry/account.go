package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	accountConcurrencyLimit = &Metric{
		Name: "mooring_account_concurrency_limit", Type: Gauge, Labels: []string{"provider", "account"},
		Help:     "How many objects of an account may be reconciled at once. It falls to 1 while the account's cloud does not answer. The label account is the cloud's id of the account. It is empty until the cloud has reported that id.",
		Question: "How many more objects of each account could be reconciled now?",
		Query:    "sum by (provider, account) (mooring_account_concurrency_limit - mooring_account_in_flight)",
	}
	accountInFlight = &Metric{
		Name: "mooring_account_in_flight", Type: Gauge, Labels: []string{"provider", "account"},
		Help:     "How many objects of an account are being reconciled now.",
		Question: "Which accounts are at their concurrency limit?",
		Query:    "mooring_account_in_flight >= mooring_account_concurrency_limit",
	}
	accountQueueDepth = &Metric{
		Name: "mooring_account_queue_depth", Type: Gauge, Labels: []string{"provider", "account"},
		Help:     "How many objects of an account wait in its queue for a slot.",
		Question: "Which accounts have the longest queues?",
		Query:    "topk(5, max by (provider, account) (mooring_account_queue_depth))",
	}
	accountQueueWait = &Metric{
		Name: "mooring_account_queue_wait_seconds", Type: Histogram, Labels: []string{"provider"},
		Help:     "How long objects waited for a slot of their account before they were reconciled. It is 0 for objects that got a slot at once.",
		Question: "How long do objects wait for a slot of their account?",
		Query:    "histogram_quantile(0.99, sum by (provider, le) (rate(mooring_account_queue_wait_seconds_bucket[5m])))",
		buckets:  []float64{.01, .1, .5, 1, 2.5, 5, 10, 30, 60, 300},
	}
)

// An Account reports the use of one account's concurrency limiter.
type Account struct {
	Provider, ID string
	// Limit is how many objects may be reconciled at once. InFlight is how many are being reconciled, and Queued how
	// many wait for a slot.
	Limit, InFlight, Queued int
}

// SlotAcquired records that an object got a slot of its account, and how long it waited.
func (m *Metrics) SlotAcquired(provider string, waited time.Duration) {
	m.accountQueueWait.WithLabelValues(provider).Observe(waited.Seconds())
}

func collectAccounts(accounts []Account, to chan<- prometheus.Metric) {
	type key struct{ provider, id string }
	sums := map[key]Account{} // accounts whose id is unknown share one series, and so do endpoints of one account
	for _, a := range accounts {
		k := key{a.Provider, a.ID}
		sum := sums[k]
		sums[k] = Account{Limit: sum.Limit + a.Limit, InFlight: sum.InFlight + a.InFlight, Queued: sum.Queued + a.Queued}
	}
	for k, sum := range sums {
		show(to, accountConcurrencyLimit, float64(sum.Limit), k.provider, k.id)
		show(to, accountInFlight, float64(sum.InFlight), k.provider, k.id)
		show(to, accountQueueDepth, float64(sum.Queued), k.provider, k.id)
	}
}
