package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/mooring-dev/mooring/providers/driver"
)

var accountQuotaUsed = &Metric{
	Name: "mooring_account_quota_used_ratio", Type: Gauge, Labels: []string{"provider", "account", "location", "quota"},
	Help:     "How much is used of a quota that keeps an account from taking more objects, between 0 and 1, as the cloud said within the last hour. There are series for the locations of provider configs alone, and none where the cloud does not report it.",
	Question: "Which quotas of the clouds are nearly used?",
	Query:    "mooring_account_quota_used_ratio > 0.8",
}

// A Quota reports the usage of one quota of an account in a location.
type Quota struct {
	Provider, Account, Location string
	driver.QuotaUsage
}

func collectQuotas(quotas []Quota, to chan<- prometheus.Metric) {
	type key struct{ provider, account, location, name string }
	worst := map[key]float64{} // configs that lead to one account share its series
	for _, q := range quotas {
		if k := (key{q.Provider, q.Account, q.Location, q.Name}); q.Max > 0 {
			worst[k] = max(worst[k], float64(q.Used)/float64(q.Max))
		}
	}
	for k, ratio := range worst {
		show(to, accountQuotaUsed, ratio, k.provider, k.account, k.location, k.name)
	}
}
