package controllers

import (
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// addMetrics shows the metrics. What they read at a scrape is in memory.
func (s *setup) addMetrics() error {
	s.metrics.Watch(telemetry.Sources{
		Leading: s.mgr.Elected(), Cache: s.mgr.GetCache(), Kinds: s.counted, Accounts: s.accounts, Budgets: s.budgets, Quotas: s.quotas,
		Providers: slices.Sorted(maps.Keys(s.Drivers)), SyncPeriod: s.SyncPeriod, ObjectLimit: s.MetricsObjectLimit,
		Configs: []telemetry.ConfigKind{
			{Name: identity.KindProviderConfig, NewList: func() client.ObjectList { return &v1alpha1.ProviderConfigList{} }},
			{Name: identity.KindClusterProviderConfig, NewList: func() client.ObjectList { return &v1alpha1.ClusterProviderConfigList{} }},
		},
	})
	if err := s.metrics.Register(s.Registry); err != nil {
		return fmt.Errorf("show metrics: %w", err)
	}
	return nil
}

// budgets returns the use of the calls of each account that its cloud limits.
func (s *setup) budgets() (budgets []telemetry.Budget) {
	for _, b := range s.limiters.Budgets() {
		budgets = append(budgets, telemetry.Budget(b))
	}
	return budgets
}

// quotas returns how much is used of the quotas of accounts.
func (s *setup) quotas() (quotas []telemetry.Quota) {
	for _, q := range s.store.Quotas() {
		quotas = append(quotas, telemetry.Quota(q))
	}
	return quotas
}

// accounts returns the use of the concurrency limiter of each account.
func (s *setup) accounts() (accounts []telemetry.Account) {
	for _, usage := range s.limiters.Usage() {
		accounts = append(accounts, telemetry.Account(usage))
	}
	return accounts
}
