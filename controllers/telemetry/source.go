package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	logf "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/mooring-dev/mooring/controllers/kind"
)

// Sources are the functions and clients that are read at a scrape.
type Sources struct {
	// Leading is closed once this replica leads. Until then no metrics of objects are exposed. Every replica has the
	// objects in its cache, so without this a sum over all replicas would count each object several times.
	Leading <-chan struct{}
	// Cache reads objects from memory.
	Cache client.Reader
	Kinds []Kind
	// Providers are the names of the clouds that have a driver.
	Providers []string
	// Configs are the kinds of provider configs.
	Configs []ConfigKind
	// Accounts returns the use of each account's concurrency limiter.
	Accounts func() []Account
	// Budgets returns the use of each account's call rates that are limited.
	Budgets func() []Budget
	// Quotas returns the usage of the accounts' quotas.
	Quotas func() []Quota
	// SyncPeriod is the interval at which a converged object is observed.
	SyncPeriod time.Duration
	// ObjectLimit is how many unhealthy objects have series of their own. 0 turns these series off.
	ObjectLimit int
}

// A Kind is a kind of cloud objects, and the functions by which its reconciler reports on them.
type Kind struct {
	*kind.Kind
	// LastObserved returns when each cloud object was last observed.
	LastObserved func() []LastObservation
	// StaleStatuses returns how many objects have an outdated status, because the last write of it failed.
	StaleStatuses func() int
	// Rollouts returns the rollouts of changed classes that are in progress.
	Rollouts func() []Rollout
}

// A LastObservation says when a cloud object was last observed.
type LastObservation struct {
	Name     types.NamespacedName
	Provider string
	At       time.Time
	// Class is the name of the object's class; empty if it has none. Lag is the replication lag of a read replica; nil
	// if it is not known, or if the object is not a replica.
	Class string
	Lag   *time.Duration
}

// A Rollout is the progress of a class change. Changing is how many objects of the class are changing now, and Waiting
// how many wait for their place.
type Rollout struct {
	Class             string
	Changing, Waiting int
}

// A ConfigKind is a kind of provider configs.
type ConfigKind struct {
	Name    string
	NewList func() client.ObjectList
}

// listDeadline bounds what reading from memory may take.
const listDeadline = 5 * time.Second

func (s Sources) collect(now time.Time, to chan<- prometheus.Metric) {
	if !s.leads() {
		show(to, leader, 0)
		return
	}
	show(to, leader, 1)
	ctx, cancel := context.WithTimeout(context.Background(), listDeadline)
	defer cancel()
	var unhealthy []unhealthyObject
	var supported []supportedObject
	for _, k := range s.Kinds {
		objects, err := k.collect(ctx, s.Cache, now, now.Add(-2*s.SyncPeriod), to)
		if err != nil {
			logUncounted(err, k.Name)
		}
		unhealthy = append(unhealthy, objects...)
		with, err := k.supported(ctx, s.Cache)
		if err != nil {
			logUncounted(err, k.Name)
		}
		supported = append(supported, with...)
	}
	showSupport(supported, s.ObjectLimit, to)
	showLags(s.Kinds, s.ObjectLimit, to)
	for _, k := range s.Configs {
		objects, err := k.collect(ctx, s.Cache, to)
		if err != nil {
			logUncounted(err, k.Name)
		}
		unhealthy = append(unhealthy, objects...)
	}
	if s.ObjectLimit > 0 {
		showUnhealthy(unhealthy, s.ObjectLimit, to)
	}
	if s.Accounts != nil {
		collectAccounts(s.Accounts(), to)
	}
	if s.Budgets != nil {
		collectBudgets(s.Budgets(), to)
	}
	if s.Quotas != nil {
		collectQuotas(s.Quotas(), to)
	}
}

// logUncounted logs that a kind can't be counted. The rest is shown all the same: an error would cost the whole scrape.
func logUncounted(err error, kind string) {
	logf.Log.WithName("telemetry").Error(err, "objects can't be counted for a scrape", "kind", kind)
}

func (s Sources) leads() bool {
	select {
	case <-s.Leading: // nil is never
		return true
	default:
		return false
	}
}

func show(to chan<- prometheus.Metric, m *Metric, value float64, labels ...string) {
	to <- prometheus.MustNewConstMetric(m.desc(), prometheus.GaugeValue, value, labels...)
}
