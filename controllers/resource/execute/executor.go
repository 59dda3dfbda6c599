package execute

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
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Protector keeps what the deletion of a cloud object will need: its provider config, and the credentials.
type Protector interface {
	Protect(ctx context.Context, config identity.Key, namespace string) error
}

// An Executor does actions about objects of one kind.
type Executor struct {
	// Client writes objects; Reader reads from the API server what must be fresh: the object itself, and how many a class has. No Secret is read:
	// what is written of Secrets is guarded by the versions that were gathered.
	Client client.Client
	Reader client.Reader
	Kind   *kind.Kind
	// Features are those of the kind.
	Features feature.Set
	// Classes holds the limits of classes; Rollouts lets a changed one reach its users a few at a time. Room is locked while an object is
	// bound whose class has a limit, or whose cloud object can't be marked.
	Classes   *class.Resolver
	Rollouts  *class.Rollouts
	Room      *Room
	Protector Protector
	// Requeue has an object reconciled at once.
	Requeue func(client.ObjectKey, account.Priority)
	// ConsistencyWindow is how long the cloud may take to show what was written; Deadline bounds the calls of one action.
	ConsistencyWindow time.Duration
	Deadline          time.Duration
	Clock             func() time.Time
}

// A Teller records an Event at once, for what may not be lost if the process ends during an action.
type Teller func(reconciliation.State, outcome.Note)

func (e *Executor) begin(in reconciliation.State, tell Teller) *work {
	w := &work{executor: e, State: in}
	w.tell = func(n outcome.Note) {
		said := in
		said.Action = w.Action
		tell(said, n)
	}
	w.Redact = func(message string) string { return driver.Redact(in.Redact(message), w.Secrets...) }
	if d := in.Request.Deletion; d != nil {
		deletion := *d
		w.Request.Deletion = &deletion
	}
	w.Object = in.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	w.status = w.Object.GetResourceStatus()
	w.Notes, w.Secrets, w.Released = slices.Clip(w.Notes), slices.Clip(w.Secrets), slices.Clip(w.Released)
	return w
}

// Execute does an action, and returns what it came to, which holds also beside an error. From here on a shutdown does not interrupt: a write that began is finished, so that it can be recorded.
func (e *Executor) Execute(ctx context.Context, in reconciliation.State, a plan.Action, tell Teller) (reconciliation.State, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.Deadline)
	defer cancel()
	w := e.begin(in, tell)
	out, err := w.act(ctx, a)
	if err == nil {
		out = repetition{w}.again(a, out)
	}
	out = comesBackFor(a, out)
	if !a.Opens.IsZero() { // what waits for its window comes back when that opens, and not a sync period later
		if wait := max(time.Millisecond, a.Opens.Sub(e.Clock())); out.AtMost == 0 || wait < out.AtMost {
			out.AtMost = wait
		}
	}
	w.Memory.Cloud.Carried = unstored(w.Object.GetResourceStatus(), w.Stored.GetResourceStatus())
	w.Outcome, w.Redact = out, w.Redactor()
	return w.State, err
}

// comesBackFor has an object looked at again while what a feature does is in progress, or because a feature has something to decide.
func comesBackFor(a plan.Action, out outcome.Outcome) outcome.Outcome {
	switch {
	case out.Next != outcome.AtSync:
	case a.Polls:
		out.Next = outcome.Polling
	case a.Again:
		out.AtMost = time.Millisecond
	}
	return out
}

func (e *Executor) store() store { return store{e.Client, e.Reader, e.Kind} }
