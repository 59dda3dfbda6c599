package resource

import (
	"cmp"
	"context"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// Settings are what all kinds' reconcilers share.
type Settings struct {
	// Client reads objects of our kinds from a cache that shows our own writes, and writes.
	Client client.Client
	// Reader reads from the API server: Secrets, and what must be certain.
	Reader client.Reader
	// SecretVersion returns the resourceVersion of a Secret that Mooring made, as a watch knows it; empty if it does not.
	SecretVersion func(context.Context, client.ObjectKey) string
	Recorder      events.EventRecorder
	// Log has a line for each Event.
	Log         logr.Logger
	Credentials *identity.Store
	// Limiters limit how many objects of one account are reconciled at once.
	Limiters *account.Limiters
	// Metrics count; nil counts nothing.
	Metrics *telemetry.Metrics
	// ClusterID tells this cluster's cloud objects from those of others. It never changes.
	ClusterID string
	// Recovers reports whether a namespace may have what any namespace of its name made; nil for never.
	Recovers func(namespace string, now time.Time) bool
	// Namespace is Mooring's own.
	Namespace string
	Cadence   retry.Cadence
	// ConsistencyWindow is how long the cloud may take to show what was written.
	ConsistencyWindow time.Duration
	// Deadline bounds the calls of either part of a reconciliation: to gather, and to execute. RecordDeadline bounds those that
	// write down what happened.
	Deadline       time.Duration
	RecordDeadline time.Duration
	Now            func() time.Time
}

// A Reconciler brings objects of one kind and what they stand for in the cloud together.
type Reconciler struct {
	Settings
	Kind *kind.Kind
	// Family is what the kind's parent is, and which kinds have it as theirs.
	Family kind.Family
	// Features are those of the kind.
	Features feature.Set
	// Classes finds the classes of the kind; Rollouts let a changed one reach its users a few at a time.
	Classes  *class.Resolver
	Rollouts *class.Rollouts

	// binding is locked while an object is bound whose class has a limit, or whose cloud object can't be marked.
	binding  execute.Room
	memories memories
	queue    queue
}

// ByName is the reconciler as a controller calls it: by the name of an object.
func (r *Reconciler) ByName() reconcile.Reconciler {
	return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		obj := r.Kind.New()
		err := r.Client.Get(ctx, req.NamespacedName, obj)
		switch {
		case apierrors.IsNotFound(err):
			r.leaveRollout(r.memories.forget(req.NamespacedName)) // as when its finalizer was removed by hand
			r.leaveQueue(req.NamespacedName)
			return reconcile.Result{}, nil
		case err != nil:
			return reconcile.Result{}, err
		}
		return r.Reconcile(ctx, obj)
	})
}

// Reconcile gathers what is known of an object, checks it, plans, executes one action, and reports what happened.
func (r *Reconciler) Reconcile(ctx context.Context, object v1alpha1.ResourceObject) (reconcile.Result, error) {
	now, name := r.Now(), client.ObjectKeyFromObject(object)
	m := r.memories.of(name, object.GetUID(), r.Cadence, now)
	done := r.step(ctx, m.begin(object, now), m)
	if !done.Slot.Queued { // it may have been, before it was deleted, paused or refused
		r.leaveQueue(name)
	}
	reported := r.reporter().Report(ctx, done, m.report)
	return r.remember(m, done, reported), nil
}

// step gathers, checks, plans and executes. It returns what is to be reported.
func (r *Reconciler) step(ctx context.Context, start reconciliation.State, m *memory) (in reconciliation.State) {
	ctx, cancel := context.WithTimeout(ctx, r.Deadline)
	defer cancel()
	in, stop := r.gatherer().Gather(ctx, start)
	defer func() {
		in.Paced = in.Slot.Paced()
		in.Release()
	}()
	m.remember(in)
	r.noteObserved(in)
	switch {
	case stop != nil && stop.Err != nil:
		in.Err = stop.Err
	case stop == nil:
		a := plan.Plan(in.View, in.Observation, in.Policy)
		a = r.Features.Plan(&in, a)
		in = r.execute(ctx, m, in, a)
	case stop.Action != nil:
		in = r.execute(ctx, m, in, *stop.Action)
		in.Action = ""
	default:
		in.Outcome = stop.Outcome
	}
	m.remember(in)
	if in.LeftRollout {
		r.leaveRollout(in.Object.GetUID())
	}
	in.Action = cmp.Or(in.Action, report.Observing)
	return in
}

// execute has the Secrets read that an action concerns, and has it executed. If a driver panics in a creation, nobody knows what the cloud
// did; else what is returned counts.
func (r *Reconciler) execute(ctx context.Context, m *memory, in reconciliation.State, a plan.Action) reconciliation.State {
	in, err := r.gatherer().GatherFor(ctx, in, a)
	if err != nil {
		in.Action, in.Err = string(a.Verb), err
		return in
	}
	if a.Verb == plan.Create {
		m.shared.Cloud.CreationRefused = false
	}
	in, in.Err = r.executor().Execute(ctx, in, a, r.teller(ctx, m))
	return in
}
