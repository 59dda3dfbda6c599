package execute

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
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
	// Classes holds the limits of classes; Rollouts lets a changed one reach its users a few at a time. Room is locked while an object is
	// bound whose class has a limit, or whose cloud object can't be marked.
	Classes   *class.Resolver
	Rollouts  *class.Rollouts
	Room      *Room
	Protector Protector
	Passwords *password.Store
	Publisher *Publisher
	// Requeue has an object reconciled at once.
	Requeue func(client.ObjectKey, account.Priority)
	// ConsistencyWindow is how long the cloud may take to show what was written; Deadline bounds the calls of one action.
	ConsistencyWindow time.Duration
	Deadline          time.Duration
	Clock             func() time.Time
}

// A Task is an action, and what it takes to do it: values, which Execute does not change.
type Task struct {
	outcome.Facts
	// Stored is the object as the API server has it, and Object what its status is to be like. Want is the object with its class merged in.
	Stored, Object, Want v1alpha1.ResourceObject
	Session              driver.Session
	Described            driver.Resource
	Cloud                *driver.Description
	// PasswordSecret is the password Secret as it was read; nil if it was not. Password is what is decided about the password, and when that is
	// stored.
	PasswordSecret *password.Secret
	Password       plan.PasswordPlan
	// Obsolete is the password Secret of a server whose password the cloud manages, as it was read; nil if it is known that there is none.
	Obsolete *password.Secret
	// Connections are the connection Secrets that the action concerns, as in Publication.
	Connections credential.Connections
	// PublishError is why connection Secrets can't be brought up to date; nil if they can.
	PublishError error
	// PasswordChanges: the server follows another one whose password is being changed, so it is looked at again.
	PasswordChanges bool
	// Unmade: something that the connection Secret names may not be in the cloud yet.
	Unmade bool
	// KeepsCertificates is as in Publication.
	KeepsCertificates bool
	// Failures counts failed reconciliations in a row. Failure is why an operation that the cloud had begun failed; empty if none did.
	Failures int
	Failure  string
	// Wanted: a person edited the spec, or asked for the reconciliation. Priority is that of the reconciliation.
	Wanted   bool
	Priority account.Priority
	Memory   plan.Memory
	// Published is what the publisher remembers.
	Published credential.Memory
	// Tell records an Event at once, for what may not be lost if the process ends during the action.
	Tell func(action string, n outcome.Note)
}

// A Done says what happened. It holds for what was done, also beside an error.
type Done struct {
	Outcome outcome.Outcome
	// Stored is the object as the API server has it now, and Object what its status is to be like.
	Stored, Object v1alpha1.ResourceObject
	Request        driver.Request
	Memory         plan.Memory
	Published      credential.Memory
	// Current is what the connection Secret holds; it counts once the status is stored.
	Current *credential.ConnectionSecret
	Notes   []outcome.Note
	// Released are fields that are no longer managed, which is told once the status is stored.
	Released []string
	// Action is what was begun; empty if the password could not be stored, which comes first.
	Action string
	// Written: the status was written.
	Written bool
	// StartedOver: another cloud object takes the place of the one that had the name before.
	StartedOver bool
	// KeepsPrimary is as in Facts.
	KeepsPrimary bool
	// LeftRollout: no change of the class is under way any more.
	LeftRollout bool
	// CallError is the error of the call to the cloud; nil if it answered.
	CallError error
	// Secrets are values that must never be shown.
	Secrets []string
}

// Undone says that nothing was done for a task.
func (t Task) Undone(out outcome.Outcome) Done {
	return Done{Outcome: out, Stored: t.Stored, Object: t.Object, Request: t.Request, Memory: t.Memory, Published: t.Published, KeepsPrimary: t.KeepsPrimary}
}

func (e *Executor) begin(task Task) *work {
	w := &work{executor: e, Task: task}
	redact := task.Redact
	w.Redact = func(message string) string { return driver.Redact(redact(message), w.done.Secrets...) }
	if d := task.Request.Deletion; d != nil {
		deletion := *d
		w.Request.Deletion = &deletion
	}
	w.PasswordSecret = task.PasswordSecret.Clone()
	w.Object = task.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	w.status = w.Object.GetResourceStatus()
	return w
}

// Execute does an action. From here on a shutdown does not interrupt: a write that began is finished, so that it can be recorded.
func (e *Executor) Execute(ctx context.Context, task Task, a plan.Action) (Done, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.Deadline)
	defer cancel()
	w := e.begin(task)
	out, err := w.act(ctx, a)
	if err == nil {
		out = repetition{w}.again(a, out)
	}
	out = following(a, out)
	if task.PasswordChanges && out.Next == outcome.AtSync {
		out.Next = outcome.Polling
	}
	if !a.Opens.IsZero() { // what waits for its window comes back when that opens, and not a sync period later
		if wait := max(time.Millisecond, a.Opens.Sub(e.Clock())); out.AtMost == 0 || wait < out.AtMost {
			out.AtMost = wait
		}
	}
	if wait := untilRotation(w, task.Stored, out); wait > 0 && (out.AtMost == 0 || wait < out.AtMost) { // so does a password whose period passes
		out.AtMost = wait
	}
	w.Memory.Carried = unstored(w.Object.GetResourceStatus(), w.Stored.GetResourceStatus())
	d := w.done
	d.KeepsPrimary = w.KeepsPrimary
	d.Outcome, d.Stored, d.Object, d.Request, d.Memory, d.Published = out, w.Stored, w.Object, w.Request, w.Memory, w.Published
	return d, err
}

func (e *Executor) store() store { return store{e.Client, e.Reader, e.Kind} }
