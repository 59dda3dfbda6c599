package controllers

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/leadership"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// ManagerOptions says how Mooring's manager is to run.
type ManagerOptions struct {
	// Namespaces limits what is watched; empty means all.
	Namespaces []string
	// MetricsAddress, HealthAddress and PprofAddress are where to listen; "0" switches a server off.
	MetricsAddress string
	HealthAddress  string
	// MetricsSecure serves metrics by TLS, to those whom the API server knows and lets get /metrics. CertDir is a folder with
	// tls.crt and tls.key for that; empty for a certificate that it signs itself.
	MetricsSecure bool
	CertDir       string
	PprofAddress  string
	// Lease makes replicas take turns; nil for one that is alone.
	Lease *leadership.Lease
	// Unnamed lets several managers live in one process, as in tests: their metrics are then mixed.
	Unnamed bool
	// GracePeriod is how long writes in flight may take to finish and be recorded at shutdown. Default: as long as a
	// reconciliation may take for that.
	GracePeriod time.Duration
}

// LeaderLease is the name of the Lease that replicas take turns by.
const LeaderLease = "mooring-leader"

// NewScheme returns a scheme with all kinds that Mooring reads or writes.
func NewScheme() (*runtime.Scheme, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1alpha1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, fmt.Errorf("build scheme: %w", err)
		}
	}
	return scheme, nil
}

// NewManager returns a manager with the cache and client that the controllers rely on: Secrets and
// ConfigMaps are read one by one and never listed or watched, but for the metadata of Mooring's own where that is
// wanted; and what was written is seen by the next read.
func NewManager(cfg *rest.Config, o ManagerOptions) (manager.Manager, error) {
	scheme, err := NewScheme()
	if err != nil {
		return nil, err
	}
	if o.GracePeriod == 0 {
		o.GracePeriod = reconcileDeadline + recordDeadline
	}
	byNamespace := map[string]cache.Config{}
	for _, ns := range o.Namespaces {
		byNamespace[ns] = cache.Config{}
	}
	// Consistency is per resource and knows one list and watch: with several namespaces there are several,
	// and a stale read is caught by resourceVersion alone.
	consistent := len(byNamespace) <= 1
	options := manager.Options{
		Scheme:    scheme,
		Cache:     cache.Options{DefaultNamespaces: byNamespace, DefaultTransform: slim, ByObject: ofMooring()},
		NewClient: newClient,
		Client: client.Options{Cache: &client.CacheOptions{
			DisableFor:                      []client.Object{&corev1.Secret{}, &corev1.ConfigMap{}},
			EnableReadYourWritesConsistency: &consistent,
		}},
		Controller:              config.Controller{SkipNameValidation: &o.Unnamed},
		Metrics:                 o.metrics(),
		HealthProbeBindAddress:  o.HealthAddress,
		PprofBindAddress:        o.PprofAddress,
		GracefulShutdownTimeout: &o.GracePeriod,
	}
	if o.Lease != nil {
		options.LeaderElection, options.LeaderElectionResourceLockInterface = true, o.Lease
		options.LeaderElectionID = LeaderLease // by which the metric calls it
		options.LeaseDuration, options.RenewDeadline, options.RetryPeriod = new(leadership.Duration), new(leadership.RenewDeadline), new(leadership.RetryPeriod)
		options.LeaderElectionReleaseOnCancel = true
	}
	return manager.New(cfg, options)
}

// metrics says how metrics are served.
func (o ManagerOptions) metrics() metricsserver.Options {
	options := metricsserver.Options{BindAddress: o.MetricsAddress}
	if o.MetricsSecure {
		options.SecureServing, options.CertDir, options.FilterProvider = true, o.CertDir, telemetry.RequireAccess
	}
	return options
}

// slim drops from cached objects what nobody reads, and what makes up half of their size.
func slim(o any) (any, error) {
	if obj, ok := o.(metav1.Object); ok {
		obj.SetManagedFields(nil)
		if a := obj.GetAnnotations(); a[corev1.LastAppliedConfigAnnotation] != "" {
			delete(a, corev1.LastAppliedConfigAnnotation)
			obj.SetAnnotations(a)
		}
	}
	return o, nil
}
