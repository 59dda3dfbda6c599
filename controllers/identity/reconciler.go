package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// secretCheck is how often a Secret is read, so that the private copy is not old when it is needed.
const secretCheck = time.Minute

// ReconcilerOptions configure a Reconciler.
type ReconcilerOptions struct {
	// Kind is KindProviderConfig or KindClusterProviderConfig.
	Kind string
	// Users returns how many objects in each namespace depend on a config.
	Users func(ctx context.Context, key Key) (map[string]int, error)
	// FirstUsers returns, for a message, the names of the first objects that depend on a config. It may be nil.
	FirstUsers func(ctx context.Context, key Key) (string, error)
	// Kinds returns the kinds of the objects that depend on a config. If it is nil, quotas are not read.
	Kinds func(ctx context.Context, key Key) ([]string, error)
	// Check is the interval at which the cloud is asked to which account a config's credentials lead.
	Check time.Duration
	// Warn is called once for each problem that keeps a config from being used, for example to record an Event. It may
	// be nil.
	Warn func(config client.Object, reason, message string)
}

// A Reconciler reconciles provider configs of one kind. It reports in their status whether their credentials lead to
// the account, and protects them while objects depend on them.
type Reconciler struct {
	ReconcilerOptions

	client    client.Client
	configs   *resolver
	protector *protector
	renewer   *renewer
	verifier  *verifier
	// authorities are those of database servers.
	authorities *authorities
	// limits say what limits the calls of the account.
	limits *callLimits
	// forget drops what is known of a config that is gone.
	forget func(Key)
}

// Reconciler returns a Reconciler of the configs that the store reads.
func (s *Store) Reconciler(o ReconcilerOptions) *Reconciler {
	return &Reconciler{
		ReconcilerOptions: o,
		client:            s.client, configs: s.configs, protector: s.protector, renewer: s.renewer, verifier: s.verifier, authorities: s.authorities, limits: &callLimits{limiters: s.limiters}, forget: s.forget,
	}
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	key := Key{Kind: r.Kind, Namespace: req.Namespace, Name: req.Name}
	cfg, err := r.configs.load(ctx, r.client, key)
	if _, refused := errors.AsType[*ValidationError](err); refused {
		r.forget(key)
		return reconcile.Result{}, nil // it is gone: its users say so
	}
	if err != nil {
		return reconcile.Result{}, err
	}
	users, err := r.Users(ctx, key)
	if err != nil {
		return reconcile.Result{}, err
	}
	if cfg, err = r.protect(ctx, cfg, users); err != nil {
		if apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
			return reconcile.Result{RequeueAfter: time.Second}, nil
		}
		return reconcile.Result{}, err
	}
	if !cfg.object.GetDeletionTimestamp().IsZero() && len(users) == 0 {
		return reconcile.Result{}, nil
	}
	return r.verify(ctx, cfg, users)
}

// protect protects a config as long as it has users, and unprotects it after the last. It returns the config as it is then.
func (r *Reconciler) protect(ctx context.Context, cfg *config, users map[string]int) (*config, error) {
	recount := func() (map[string]int, error) { return r.Users(ctx, cfg.key) }
	if len(users) == 0 {
		return cfg, r.protector.unprotect(ctx, cfg, recount)
	}
	err := r.protector.ensure(ctx, cfg.key, "")
	if _, refused := errors.AsType[*ValidationError](err); refused {
		return cfg, nil // verify says what is missing, and nothing was created without it
	}
	if err == nil && !hasFinalizer(cfg) {
		cfg, err = r.configs.load(ctx, r.client, cfg.key)
	}
	if err == nil {
		r.renewer.renewTokens(ctx, cfg, recount)
	}
	return cfg, err
}

// verify records which account the credentials lead to. The cloud is asked if they changed, or when it is time to.
func (r *Reconciler) verify(ctx context.Context, cfg *config, users map[string]int) (reconcile.Result, error) {
	stored := cfg.object.DeepCopyObject().(client.Object)
	status := cfg.status()
	ready := metav1.Condition{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: string(v1alpha1.ReasonReady),
		ObservedGeneration: cfg.object.GetGeneration()}
	ask := question{age: r.Check - r.cadence()/2}
	if r.Kinds != nil {
		ask.kinds = func() ([]string, error) { return r.Kinds(ctx, cfg.key) }
	}
	found := r.verifier.account(ctx, cfg, users, ask)
	next := r.cadence()
	if found.err != nil {
		next = min(next, 15*time.Second)
	}
	silent, answered := r.degraded(cfg, users), r.answerFor(&ready, cfg, found)
	if !answered && silent == "" {
		return reconcile.Result{RequeueAfter: next}, nil // a cloud that does not answer says nothing about the credentials
	}
	warning := cmp.Or(degrade(&ready, silent), r.warnOfAuthorities(ctx, cfg, &ready), r.warnOfQuotas(cfg, &ready))
	if !cfg.object.GetDeletionTimestamp().IsZero() {
		ready.Status, ready.Reason = metav1.ConditionFalse, string(v1alpha1.ReasonDeleting)
		ready.Message = "being deleted; waiting until no object uses it"
	}
	if r.FirstUsers != nil {
		names, err := r.FirstUsers(ctx, cfg.key)
		if err != nil {
			return reconcile.Result{}, err
		}
		status.InUseBy = names
	}
	status.CallLimits = r.limits.of(cfg.key)
	if answered {
		status.ObservedGeneration = cfg.object.GetGeneration()
	}
	ready.Message = condition.Message(ready.Message)
	meta.SetStatusCondition(&status.Conditions, ready)
	if equality.Semantic.DeepEqual(stored, cfg.object) {
		return reconcile.Result{RequeueAfter: next}, nil
	}
	before := meta.FindStatusCondition(r.conditions(stored), v1alpha1.ConditionReady)
	counts := ready.Reason == string(v1alpha1.ReasonDegraded) // and how many objects there are is no news
	known := before != nil && before.Reason == ready.Reason && (counts || before.Message == ready.Message)
	err := r.client.Status().Patch(ctx, cfg.object, client.MergeFromWithOptions(stored, client.MergeFromWithOptimisticLock{}))
	if apierrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: time.Second}, nil
	}
	if ready.Status == metav1.ConditionFalse {
		warning = ready.Reason
	}
	if err == nil && r.Warn != nil && !known && warning != "" && ready.Reason != string(v1alpha1.ReasonDeleting) {
		r.Warn(cfg.object, warning, ready.Message)
	}
	return reconcile.Result{RequeueAfter: next}, client.IgnoreNotFound(err)
}

// answerFor has a condition say what the cloud, or what the config needs, says of the account. It reports false if that says nothing new: the cloud did not answer, and
// has said before that the credentials are good.
func (r *Reconciler) answerFor(ready *metav1.Condition, cfg *config, found answer) bool {
	status := cfg.status()
	ready.Message = found.message
	if found.err == nil {
		status.AccountID, status.Provider = string(found.account), cfg.provider()
		return true
	}
	refusal, refused := errors.AsType[*ValidationError](found.err)
	before := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady)
	if !refused && driver.CodeOf(found.err) != driver.Denied && before != nil && before.Status == metav1.ConditionTrue {
		ready.Message = fmt.Sprintf("the credentials led to account %s when the cloud last answered", status.AccountID)
		ready.ObservedGeneration = before.ObservedGeneration // of what was edited since, nobody knows
		return false
	}
	ready.Status, ready.Reason = metav1.ConditionFalse, string(retry.Classify(found.err).Reason)
	if refused {
		ready.Reason = string(refusal.Reason)
	}
	return true
}

// An outage is told once it lasted for toldAfter, because a short one is no news, and as long as a call got no answer in the last toldFor: objects that wait are tried
// again every five minutes at least.
const (
	toldAfter = time.Minute
	toldFor   = 10 * time.Minute
)

// degraded says that the cloud of a config does not answer, since when, and of how many objects nothing is known meanwhile; empty if it does.
func (r *Reconciler) degraded(cfg *config, users map[string]int) string {
	s, count := r.limits.limiters.Outage(cfg.key.source()), 0
	for _, n := range users {
		count += n
	}
	if s.Lasted < toldAfter || s.Ago > toldFor || count == 0 {
		return ""
	}
	return fmt.Sprintf("the cloud has not answered since %s, and objects that use this provider config wait for it: %d. Mooring changes nothing meanwhile, and goes on by itself. "+
		"Look at the status page of the cloud, and at the network, the firewall and the proxy between Mooring and the cloud", s.Since.UTC().Format("2006-01-02 15:04 UTC"), count)
}

// degrade has the condition of a usable config tell that its cloud does not answer. It returns the reason of an Event about it; empty for none.
func degrade(ready *metav1.Condition, says string) (reason string) {
	if says == "" || ready.Status != metav1.ConditionTrue {
		return ""
	}
	ready.Reason, ready.Message = string(v1alpha1.ReasonDegraded), ready.Message+", but "+says
	return ready.Reason
}

// warnOfAuthorities reads the authorities of database servers again, and adds to the message of a usable config what is wrong with them. The
// credentials lead to the account all the same, so the config stays Ready. It returns the reason of an Event about it; empty for none.
func (r *Reconciler) warnOfAuthorities(ctx context.Context, cfg *config, ready *metav1.Condition) (reason string) {
	if cfg.databaseCA == nil || ready.Status != metav1.ConditionTrue {
		return ""
	}
	b, _ := r.authorities.refresh(ctx, *cfg.databaseCA) // an API server that does not answer is asked again in a minute
	if b.problem == nil {
		return ""
	}
	ready.Message += "; spec.databaseCAConfigMapRef: " + b.problem.Error() + ". Until then connection Secrets keep the certificates that they have"
	return v1alpha1.EventDatabaseCAUnusable
}

// warnOfQuotas adds to the message of a usable config which quotas of its account are nearly used. It returns the reason of an Event about it; empty for none.
func (r *Reconciler) warnOfQuotas(cfg *config, ready *metav1.Condition) (reason string) {
	says := r.verifier.quotas.nearlyUsed(cfg.key)
	if says == "" || ready.Status != metav1.ConditionTrue {
		return ""
	}
	ready.Message += "; " + says
	return v1alpha1.EventQuotaNearlyUsed
}

// conditions returns those of a provider config of either kind.
func (r *Reconciler) conditions(object client.Object) []metav1.Condition {
	return (&config{object: object}).status().Conditions
}

// cadence is how often a config is reconciled.
func (r *Reconciler) cadence() time.Duration { return min(r.Check, secretCheck) }
