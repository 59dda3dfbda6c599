package controllers

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// addMetrics shows the metrics. What they read at a scrape is in memory.
func (s *setup) addMetrics() error {
	s.metrics.Watch(telemetry.Sources{
		Leading: s.mgr.Elected(), Cache: s.mgr.GetCache(), Kinds: s.counted, Accounts: s.accounts,
		Providers: slices.Sorted(maps.Keys(s.Drivers)), SyncPeriod: s.SyncPeriod, ObjectLimit: s.MetricsObjectLimit,
		Configs: []telemetry.ConfigKind{
			{Name: identity.KindProviderConfig, List: func() client.ObjectList { return &v1alpha1.ProviderConfigList{} }, Of: configOf},
			{Name: identity.KindClusterProviderConfig, List: func() client.ObjectList { return &v1alpha1.ClusterProviderConfigList{} }, Of: configOf},
		},
	})
	if err := s.metrics.Register(s.Registry); err != nil {
		return fmt.Errorf("show metrics: %w", err)
	}
	return nil
}

// accounts returns the use of the concurrency limiter of each account.
func (s *setup) accounts() (accounts []telemetry.Account) {
	for _, usage := range s.limiters.Usage() {
		accounts = append(accounts, telemetry.Account(usage))
	}
	return accounts
}

// configOf returns the provider and the conditions of a provider config.
func configOf(o client.Object) (provider string, conditions []metav1.Condition) {
	var account v1alpha1.Account
	switch c := o.(type) {
	case *v1alpha1.ProviderConfig:
		account, conditions = c.Spec.Account, c.Status.Conditions
	case *v1alpha1.ClusterProviderConfig:
		account, conditions = c.Spec.Account, c.Status.Conditions
	}
	return account.Cloud(), conditions
}
