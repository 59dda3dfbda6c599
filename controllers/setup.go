package controllers

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/leadership"
	"github.com/mooring-dev/mooring/controllers/resource"
	"github.com/mooring-dev/mooring/controllers/resource/preview"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Options says how the controllers are to run.
type Options struct {
	// Drivers are the clouds, by their name.
	Drivers map[string]driver.Driver
	// Kinds are those that stand for something in a cloud. Default: kind.All.
	Kinds []*kind.Kind
	// ClusterID distinguishes this cluster's cloud objects from those of others.
	ClusterID string
	// Recovery lets namespaces have what namespaces of their names made, after the loss of a cluster.
	Recovery Recovery
	// Namespace is Mooring's own.
	Namespace string
	// SyncPeriod is how often a converged object is observed.
	SyncPeriod time.Duration
	// Workers is how many objects of each kind are worked on at once.
	Workers int
	// ConsistencyWindow is how long the cloud may take to show what was written. Default: 5 seconds.
	ConsistencyWindow time.Duration
	// Refresh is how long credentials are used before their Secret is read again. Default: a minute,
	// or the sync period if that is shorter.
	Refresh time.Duration
	// Lease is the manager's, if it has one: clouds are called only while it is held.
	Lease *leadership.Lease
	// WebhookAddress is where API servers are answered that ask about objects before they store them; empty or 0 for nowhere.
	WebhookAddress string
	// WebhookName is what the webhook's configuration and its Service are called; default admission.DefaultName.
	WebhookName string
	// CertDir is a folder with tls.crt and tls.key that the webhook is served with; empty for certificates of its own.
	CertDir string
	// Tracer makes spans of reconciliations and of requests to the clouds; nil for none.
	Tracer trace.TracerProvider
	// Log has a line for each thing that a person should know. Default: the manager's.
	Log logr.Logger
	// Registry is where metrics are shown; default: what the manager's server serves. There it shows those of one
	// manager, the last: who runs several in a process gives each its own.
	Registry prometheus.Registerer
	// MetricsObjectLimit is how many objects that are not fine the metrics show by name; 0 for none.
	MetricsObjectLimit int
	// WatchSecrets watches the metadata of the Secrets that Mooring made, so that a re-check need not read the connection Secret. It takes the
	// right to list and watch Secrets.
	WatchSecrets bool
	// Version is the program's, for whoever reads the metrics.
	Version string
	// Now is the clock, default time.Now.
	Now func() time.Time
	// NewQueue makes the queues of all controllers; nil for controller-runtime's own. A test gives them a clock.
	NewQueue func(controller string, limiter workqueue.TypedRateLimiter[reconcile.Request]) workqueue.TypedRateLimitingInterface[reconcile.Request]
}

func (o *Options) setDefaults() {
	if o.Kinds == nil {
		o.Kinds = kind.All()
	}
	if o.ConsistencyWindow == 0 {
		o.ConsistencyWindow = min(5*time.Second, o.SyncPeriod)
	}
	if o.Refresh == 0 {
		o.Refresh = min(time.Minute, o.SyncPeriod)
	}
	if o.Registry == nil {
		o.Registry = metrics.Registry
	}
	if o.Now == nil {
		o.Now = time.Now //nolint:forbidigo // the one place where the controllers' clock is chosen
	}
}

// reconcileDeadline bounds what one reconciliation may take: several calls, each bounded by the driver.
const reconcileDeadline = time.Minute

// recordDeadline bounds what it may take to write down how a reconciliation ended.
const recordDeadline = 15 * time.Second

// What the controllers may do. Secrets are read by name, never listed or watched, unless the chart's value watchSecrets adds these two rights; and updated, not patched, with the
// resourceVersion that was read, so that what somebody else wrote since is never lost. ConfigMaps are read by name, too: that with the cluster's id, and
// those with certificate authorities that provider configs name. What is of Mooring's own namespace
// alone is in a Role there. What a kind needs stands in its file in package kind. test/e2e fails if any of it is missing, or is not used.
//
// +kubebuilder:rbac:groups=mooring.dev,resources=providerconfigs;clusterproviderconfigs,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=mooring.dev,resources=providerconfigs/status;clusterproviderconfigs/status,verbs=patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;create;update;delete
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=serviceaccounts,verbs=get
// +kubebuilder:rbac:groups="",resources=serviceaccounts/token,verbs=create
// +kubebuilder:rbac:groups="",namespace=mooring-system,resources=configmaps,verbs=create
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=mooring-system,resources=leases,verbs=get;update,resourceNames=mooring-leader
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=mooring-system,resources=leases,verbs=create

// Setup adds all controllers to a manager. It refuses drivers that describe themselves wrongly, and a wrong registry of kinds.
func Setup(ctx context.Context, mgr manager.Manager, o Options) error {
	o.setDefaults()
	if err := driver.Check(o.Drivers, append(v1alpha1.ResourceObjects(), kind.Objects(o.Kinds)...)...); err != nil {
		return err
	}
	if err := kind.Check(o.Kinds, o.Drivers); err != nil {
		return err
	}
	if o.Log.GetSink() == nil {
		o.Log = mgr.GetLogger()
	}
	var err error
	if o.Kinds, err = served(mgr.GetRESTMapper(), o.Kinds, o.Log); err != nil {
		return err
	}
	s := newSetup(mgr, o)
	if o.WatchSecrets {
		if s.versions, err = watchSecretVersions(ctx, mgr.GetCache()); err != nil {
			return err
		}
	}
	for _, k := range o.Kinds {
		if err := s.addKind(ctx, k); err != nil {
			return err
		}
	}
	if err := s.addConfig(identity.KindProviderConfig, &v1alpha1.ProviderConfig{}); err != nil {
		return err
	}
	if err := s.addConfig(identity.KindClusterProviderConfig, &v1alpha1.ClusterProviderConfig{}); err != nil {
		return err
	}
	if err := s.addMetrics(); err != nil {
		return err
	}
	if s.WebhookAddress == "" || s.WebhookAddress == "0" {
		return nil
	}
	return s.addWebhook()
}

// newSetup returns what all controllers of a manager share. The options have their defaults.
func newSetup(mgr manager.Manager, o Options) *setup {
	s := &setup{Options: o, mgr: mgr}
	s.metrics = telemetry.New(telemetry.Options{Version: o.Version, SyncPeriod: o.SyncPeriod, Now: o.Now})
	s.limiters = account.New(max(1, o.Workers/2), o.Now, s.metrics.SlotAcquired)
	s.store = identity.New(identity.Options{
		Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Drivers: o.Drivers, Namespace: o.Namespace,
		Refresh: o.Refresh, DeniedPause: retry.DefaultCadence(o.SyncPeriod).Longest, Limiters: s.limiters, Calls: s.calls, Now: o.Now,
	})
	return s
}

type setup struct {
	Options
	mgr      manager.Manager
	store    *identity.Store
	limiters *account.Limiters
	metrics  *telemetry.Metrics
	// versions are those of Secrets; nil if they are not watched.
	versions *secretVersions
	// counted are the cloud kinds as the metrics see them.
	counted []telemetry.Kind
	// kinds are the cloud kinds that were added.
	kinds []addedKind
}

// addedKind is a kind that was added, and what runs for it.
type addedKind struct {
	*kind.Kind
	// classes finds those of the kind, rules are their constraints, and admission answers about both.
	classes   *class.Resolver
	rules     class.Rules
	admission *class.Admission
	preview   previewer
}

// configsOf returns the provider configs that an object needs: the one it refers to, and the one it is bound by.
func configsOf(o client.Object) (keys []identity.Key) {
	object := o.(v1alpha1.ResourceObject)
	if ref := object.GetResourceSpec().ProviderConfigRef; ref != nil {
		keys = append(keys, identity.KeyOf(ref, o.GetNamespace()))
	}
	if bound := object.GetResourceStatus().ProviderConfigRef; bound != nil && !slices.Contains(keys, identity.KeyOfBound(*bound, o.GetNamespace())) {
		keys = append(keys, identity.KeyOfBound(*bound, o.GetNamespace()))
	}
	return keys
}

// calls returns who is told of the requests to a cloud.
func (s *setup) calls(provider string) driver.Calls {
	var held driver.Calls
	if s.Lease != nil {
		held = s.Lease.Calls
	}
	return telemetry.JoinCalls(s.metrics.Calls(provider), telemetry.CallSpans(s.Tracer, s.Drivers[provider].Describe()), held)
}

// configIndex finds objects by the provider config that they refer to.
const configIndex = "providerConfig"

// settings returns what the reconcilers of all kinds share.
func (s *setup) settings() resource.Settings {
	return resource.Settings{
		Client: s.mgr.GetClient(), Reader: s.mgr.GetAPIReader(), SecretVersion: s.versions.Version, Recorder: report.Plain(s.mgr.GetEventRecorder(report.Controller)), Log: s.Log,
		Credentials: s.store, Limiters: s.limiters, Metrics: s.metrics, ClusterID: s.ClusterID, Recovers: s.Recovery.Covers, Namespace: s.Namespace,
		Cadence: retry.DefaultCadence(s.SyncPeriod), ConsistencyWindow: s.ConsistencyWindow, Deadline: reconcileDeadline, RecordDeadline: recordDeadline, Now: s.Now,
	}
}

// addKind adds the reconcilers of one kind and, if it has some, of its classes.
func (s *setup) addKind(ctx context.Context, k *kind.Kind) error {
	rules := class.Rules{Kind: k, References: class.ReferencesOf(k.Name, s.Drivers), Lacks: lacksOf(s.Drivers, k), Same: class.AlternativesOf(k.Name, s.Drivers)}
	family := kind.FamilyOf(k, s.Kinds)
	resolver := &class.Resolver{
		Kind: k, Parent: family.Parent, Client: s.mgr.GetClient(), Rules: rules.Of, Lacks: rules.Lacks, Same: rules.Same, References: rules.References,
		Immutable: class.ImmutableOf(k.Name, s.Drivers),
	}
	cluster := Cluster{Client: s.mgr.GetClient(), Reader: s.mgr.GetAPIReader(), SecretVersion: s.versions.Version, Namespace: s.Namespace, Sync: s.SyncPeriod}
	r := &resource.Reconciler{
		Settings: s.settings(), Kind: k, Family: family, Features: Features(k, family, cluster), Classes: resolver, Rollouts: &class.Rollouts{Idle: time.Hour + 2*s.SyncPeriod, Now: s.Now},
	}
	added := addedKind{
		Kind: k, classes: resolver, rules: rules,
		admission: &class.Admission{Resolver: resolver, Live: s.mgr.GetAPIReader(), Check: rules.Check, MayUse: s.mayUse, Place: placeFrom(s.store), Refuses: refusals(s.Drivers, k), KnownValues: knownOf(s.Drivers, k), Preview: previews(s.Drivers, k)},
		preview:   &preview.Preview{Kind: k, Classes: resolver, Drivers: s.Drivers, Provider: s.providerOf, Children: childrenOf(s.mgr.GetClient(), r.Family), Features: r.Features, Observed: r.Observed, Now: s.Now},
	}
	s.kinds = append(s.kinds, added)
	s.counted = append(s.counted, telemetry.Kind{Kind: k, LastObserved: r.LastObserved, StaleStatuses: r.Unrecorded, Rollouts: r.Rollouts.Progress})
	if err := s.index(ctx, added); err != nil {
		return err
	}
	b := builder.ControllerManagedBy(s.mgr).
		Named(k.Plural).
		For(k.New(), builder.WithPredicates(predicate.Or[client.Object](
			predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.ProviderConfig{}, s.users(identity.KindProviderConfig, added), builder.WithPredicates(configChanged)).
		Watches(&v1alpha1.ClusterProviderConfig{}, s.users(identity.KindClusterProviderConfig, added), builder.WithPredicates(configChanged)).
		WatchesRawSource(r.Source()).
		WithOptions(controller.Options{MaxConcurrentReconciles: s.Workers, NewQueue: s.NewQueue})
	if k.Class != nil {
		if err := s.addClasses(added); err != nil {
			return err
		}
		b = b.Watches(k.Class.New(), s.usersOfClass(resolver), builder.WithPredicates(classChanged))
	}
	return s.watchFamily(b, k, r.Family).Complete(telemetry.TraceReconciler(s.Tracer, k.Name, r.ByName()))
}

// addConfig adds the reconciler of one kind of provider config.
func (s *setup) addConfig(kind string, object client.Object) error {
	r := s.store.Reconciler(identity.ReconcilerOptions{
		Kind: kind, Users: s.countUsers, FirstUsers: s.nameUsers, Kinds: s.kindsOfUsers, Check: s.SyncPeriod, Warn: s.warnOfConfig(kind),
	})
	b := builder.ControllerManagedBy(s.mgr).
		Named(kind).
		For(object, builder.WithPredicates(predicate.GenerationChangedPredicate{}))
	for _, k := range s.kinds {
		b = b.Watches(k.New(), handler.EnqueueRequestsFromMapFunc(func(_ context.Context, o client.Object) []reconcile.Request {
			var requests []reconcile.Request
			for _, key := range configsOf(o) {
				if key.Kind == kind {
					requests = append(requests, reconcile.Request{NamespacedName: types.NamespacedName{Namespace: key.Namespace, Name: key.Name}})
				}
			}
			return requests
		}), builder.WithPredicates(predicate.Or(comesOrGoes, predicate.Funcs{
			UpdateFunc: func(e event.UpdateEvent) bool { return !slices.Equal(configsOf(e.ObjectOld), configsOf(e.ObjectNew)) },
		})))
	}
	return b.WithOptions(controller.Options{MaxConcurrentReconciles: 4, NewQueue: s.NewQueue}).Complete(telemetry.TraceReconciler(s.Tracer, kind, r))
}

// warnOfConfig returns who tells people what keeps a provider config from being used: in the log and by an Event. That about a
// ClusterProviderConfig is in Mooring's own namespace, where only the platform team looks.
func (s *setup) warnOfConfig(kind string) func(client.Object, string, string) {
	recorder := report.Plain(s.mgr.GetEventRecorder(report.Controller))
	return func(o client.Object, reason, message string) {
		regarding := &corev1.ObjectReference{
			APIVersion: v1alpha1.GroupVersion.String(), Kind: kind, Namespace: cmp.Or(o.GetNamespace(), s.Namespace), Name: o.GetName(), UID: o.GetUID(),
		}
		recorder.Eventf(regarding, nil, corev1.EventTypeWarning, reason, "Verify", "%s", message)
		telemetry.Log(s.Log, corev1.EventTypeWarning, message, "kind", kind, "namespace", o.GetNamespace(), "name", o.GetName(), "reason", reason)
	}
}

// users enqueues the objects of a kind that refer to a provider config.
func (s *setup) users(configKind string, kind addedKind) handler.EventHandler {
	return handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, o client.Object) []reconcile.Request {
		list, err := kind.users(ctx, identity.Key{Kind: configKind, Namespace: o.GetNamespace(), Name: o.GetName()})
		if err != nil {
			s.mgr.GetLogger().Error(err, "objects of a provider config can't be listed; they will notice its change at their next resync")
			return nil
		}
		var requests []reconcile.Request
		_ = meta.EachListItem(list, func(item runtime.Object) error {
			user := item.(client.Object)
			requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(user)})
			return nil
		})
		return requests
	})
}

// comesOrGoes passes what may change how many users a provider config has.
var comesOrGoes = predicate.Funcs{
	UpdateFunc: func(e event.UpdateEvent) bool { return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() },
}

// configChanged passes edits of a provider config, and its becoming Ready or not.
var configChanged = predicate.Funcs{
	CreateFunc: func(event.CreateEvent) bool { return true },
	UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() || configReady(e.ObjectOld) != configReady(e.ObjectNew)
	},
}

func configReady(o client.Object) bool {
	config, ok := o.(v1alpha1.ProviderConfigObject)
	return ok && meta.IsStatusConditionTrue(config.GetConditions(), v1alpha1.ConditionReady)
}
