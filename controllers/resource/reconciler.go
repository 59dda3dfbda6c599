package resource

import (
	"context"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// Settings are what all kinds' reconcilers share.
type Settings struct {
	// Client reads objects of our kinds from a cache that shows our own writes, and writes.
	Client client.Client
	// Reader reads from the API server: Secrets, and what must be certain.
	Reader   client.Reader
	Recorder events.EventRecorder
	// Log has a line for each Event.
	Log         logr.Logger
	Credentials *identity.Store
	// Metrics count; nil counts nothing.
	Metrics *telemetry.Metrics
	// ClusterID tells this cluster's cloud objects from those of others. It never changes.
	ClusterID string
	// Namespace is Mooring's own, where the truth about passwords is kept.
	Namespace string
	Cadence   retry.Cadence
	// Settle is how long the cloud may take to show what was written.
	Settle time.Duration
	// Deadline bounds the calls of either part of a turn: to look, and to act. RecordDeadline bounds those that
	// write down what happened.
	Deadline       time.Duration
	RecordDeadline time.Duration
	Now            func() time.Time
}

// A Reconciler brings objects of one kind and what they stand for in the cloud together.
type Reconciler struct {
	Settings
	Kind *kind.Kind
	// Classes finds the classes of the kind; Rollouts let a changed one reach its users a few at a time.
	Classes  *class.Resolver
	Rollouts *class.Rollouts

	// binding is held while an object of a class with a limit is bound.
	binding  sync.Mutex
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

// Reconcile takes one turn with an object: it looks, decides, does one thing, and writes down what happened.
func (r *Reconciler) Reconcile(ctx context.Context, obj v1alpha1.ResourceObject) (reconcile.Result, error) {
	t := r.begin(obj)
	outcome, err := r.step(ctx, t)
	if !t.queued { // it may have been, before it was deleted, paused or refused
		r.leaveQueue(client.ObjectKeyFromObject(obj))
	}
	return r.record(ctx, t, outcome, err)
}

// step is guard -> connect -> observe -> plan -> act. It returns what is to be written down.
func (r *Reconciler) step(ctx context.Context, t *turn) (outcome.Outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, r.Deadline)
	defer cancel()
	defer t.leave()
	for _, guard := range r.guards() {
		if verdict, err := guard(ctx, t); verdict != nil || err != nil {
			return verdict.OrNothing(), err
		}
	}
	if err := r.observe(ctx, t); err != nil {
		return outcome.Outcome{}, err
	}
	action := plan.Plan(t.view, t.seen, t.policy)
	return r.act(ctx, t, action)
}
