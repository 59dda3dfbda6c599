package gather

import (
	"context"
	"slices"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// A Connector opens connections to accounts.
type Connector interface {
	Connect(ctx context.Context, use identity.Use) (*identity.Connection, error)
}

// A Gatherer gathers what is known of objects of one kind.
type Gatherer struct {
	// Reader reads from the API server what must be certain.
	Reader client.Reader
	// Cache reads objects of our kinds from memory: parents, and what is within an object.
	Cache   client.Reader
	Kind    *kind.Kind
	Family  kind.Family
	Classes *class.Resolver
	// Connector leads to accounts.
	Connector Connector
	Secrets   *credential.Reader
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

// A Start is what gathering begins with.
type Start struct {
	// Object is as the API server has it. It is not changed.
	Object   v1alpha1.ResourceObject
	Now      time.Time
	News     News
	Priority account.Priority
	// Memory, Cloud and Published are as in Gathered.
	Memory    Memory
	Cloud     plan.Memory
	Published credential.Memory
}

// A gathering is what was gathered, while that goes on.
type gathering struct {
	gatherer *Gatherer
	Gathered
	priority account.Priority
}

// Gather gathers what is known of an object, as far as the checks let it. What it returns holds also beside a Stop. Whoever calls it
// releases the slot.
func (g *Gatherer) Gather(ctx context.Context, start Start) (Gathered, *Stop) {
	w, done := g.begin(start), false
	defer func() {
		if !done { // a driver panicked, and nobody else will release the slot
			w.Release(w.CallError)
		}
	}()
	stop := w.run(ctx, steps())
	w.Redact, done = w.Redactor(), true
	return w.Gathered, stop
}

func (g *gathering) run(ctx context.Context, steps []step) *Stop {
	for _, s := range steps {
		if s.gather != nil {
			if err := s.gather(g, ctx); err != nil {
				return &Stop{Err: err}
			}
		}
		if s.check == nil {
			continue
		}
		if stop := s.check(g.Gathered); stop != nil {
			if stop.Outcome.Queued {
				g.Memory.Queue.Said = stop.Said
			}
			return stop
		}
	}
	return nil
}

// begin returns what the object itself says, before anything is read.
func (g *Gatherer) begin(start Start) *gathering {
	object := start.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	status := object.GetResourceStatus()
	if made := start.Cloud.Carried; made != nil && status.ExternalName != "" {
		status.ExternalID, status.Operation = made.ID, made.Operation // what the cloud returned and nobody stored
	}
	plan.NoteActions(g.Kind, object, start.Now)
	w := &gathering{gatherer: g, priority: start.Priority, Gathered: Gathered{
		Facts: outcome.Facts{
			Kind: g.Kind, Deleting: !object.GetDeletionTimestamp().IsZero(), Policy: plan.PolicyOf(g.Kind, object), Now: start.Now,
		},
		Stored: start.Object, Object: object, Want: object, News: start.News,
		Before: slices.Clone(status.Conditions), WasReady: status.FirstReadyTime != nil,
		Memory: start.Memory, Cloud: start.Cloud, Published: start.Published,
	}}
	if w.News.Asked {
		w.Memory.AskedAt = w.Now
	}
	w.Unobserved = tooOld(w.Memory, w.Now, g.Sync)
	return w
}

// tooOld reports whether the last observation is too old.
func tooOld(m Memory, now time.Time, sync time.Duration) bool {
	return now.Sub(m.LastObserved) > 2*sync
}

// login returns who gathers what the Secrets of the login say.
func (g *gathering) login() *login { return &login{g.gatherer.Secrets, &g.Gathered} }
