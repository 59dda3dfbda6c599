package gather

import (
	"context"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// A Connector opens connections to accounts.
type Connector interface {
	Connect(ctx context.Context, use identity.Request) (*identity.Connection, error)
}

// A Gatherer gathers what is known of objects of one kind.
type Gatherer struct {
	// Reader reads from the API server what must be certain.
	Reader client.Reader
	// Cache reads objects of our kinds from memory: parents, and what is within an object.
	Cache  client.Reader
	Kind   *kind.Kind
	Family kind.Family
	// Features are those of the kind.
	Features feature.Set
	Classes  *class.Resolver
	// Connector leads to accounts.
	Connector Connector
	// Metrics count calls; nil counts nothing.
	Metrics *telemetry.Metrics
	// Requeue has an object reconciled at once.
	Requeue func(client.ObjectKey, account.Priority)
	// NamespaceUID returns the uid of a namespace, as it is now or, of an object that was created at a time, from memory; nil leaves it out of marks.
	NamespaceUID func(ctx context.Context, namespace string, created time.Time) (string, error)
	// Recovers reports whether a namespace may have what any namespace of its name made; nil for never. See plan.View.
	Recovers func(namespace string, now time.Time) bool
	// ClusterID tells this cluster's cloud objects from those of others.
	ClusterID string
	// Sync is how often a converged object is observed, and ConsistencyWindow how long the cloud may take to show what was written.
	Sync, ConsistencyWindow time.Duration
}

// A gathering is what was gathered, while that goes on.
type gathering struct {
	gatherer *Gatherer
	reconciliation.State
}

// Gather gathers what is known of an object, as far as the checks let it. start says what the reconciliation begins with: see reconciliation.Begin. What it returns holds also
// beside a Stop. Whoever calls it releases the slot.
func (g *Gatherer) Gather(ctx context.Context, start reconciliation.State) (reconciliation.State, *reconciliation.Stop) {
	w, done := g.begin(start), false
	defer func() {
		if !done { // a driver panicked, and nobody else will release the slot
			w.Release()
		}
	}()
	stop := w.run(ctx, steps())
	w.Redact, done = w.Redactor(), true
	return w.State, stop
}

// stop says whether to end the reconciliation once a step has gathered what it does.
func (s step) stop(ctx context.Context, g *gathering) (*reconciliation.Stop, error) {
	switch {
	case s.hook != nil:
		return s.hook(g, ctx)
	case s.check != nil:
		return s.check(g.State), nil
	default:
		return nil, nil
	}
}

func (g *gathering) run(ctx context.Context, steps []step) *reconciliation.Stop {
	for _, s := range steps {
		if s.gather != nil {
			if err := s.gather(g, ctx); err != nil {
				return &reconciliation.Stop{Err: err}
			}
		}
		stop, err := s.stop(ctx, g)
		switch {
		case err != nil:
			return &reconciliation.Stop{Err: err}
		case stop != nil:
			if stop.Outcome.Queued {
				g.Memory.Queue.Said = stop.Said
			}
			return stop
		}
	}
	return nil
}

// begin adds what the object itself says, before anything is read.
func (g *Gatherer) begin(start reconciliation.State) *gathering {
	w := &gathering{gatherer: g, State: start}
	w.Object = start.Stored.DeepCopyObject().(v1alpha1.ResourceObject)
	w.Want = w.Object
	status := w.Status()
	if made := w.Memory.Cloud.Carried; made != nil && status.ExternalName != "" {
		status.ExternalID, status.Operation = made.ID, made.Operation // what the cloud returned and nobody stored
	}
	w.Kind, w.Deleting, w.Policy = g.Kind, !w.Object.GetDeletionTimestamp().IsZero(), plan.PolicyOf(g.Kind, w.Object)
	w.Before, w.WasReady = slices.Clone(status.Conditions), status.FirstReadyTime != nil
	if w.News.Asked {
		w.Memory.AskedAt = w.Now
	}
	w.Unobserved = tooOld(w.Memory, w.Now, g.Sync)
	w.Redact = w.Redactor()
	g.Features.Begin(&w.State)
	return w
}

// tooOld reports whether the last observation is too old.
func tooOld(m reconciliation.Memory, now time.Time, sync time.Duration) bool {
	return now.Sub(m.LastObserved) > 2*sync
}

// GatherFor has features read what an action takes, once it is planned: no other action needs it. What it returns holds also beside an error.
func (g *Gatherer) GatherFor(ctx context.Context, known reconciliation.State, a plan.Action) (reconciliation.State, error) {
	if refused := known.Described.Name.Refuses(known.Request.Name); a.Verb == plan.Create && refused != nil {
		return known, nil //nolint:nilerr // the creation ends at its name, and says why
	}
	err := g.Features.Read(ctx, &known, a)
	known.Redact = known.Redactor()
	return known, err
}
