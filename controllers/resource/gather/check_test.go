package gather

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Gathering stops where a check says so: what comes later is not read, and nobody is called.
func TestGatheringStopsWhereACheckSaysSo(t *testing.T) {
	const definition, classStep, connection, description, slot, accountStep, name, observation, end = 1, 4, 5, 7, 8, 9, 10, 12, 15
	deleting := func(g *reconciliation.State) { g.Deleting = true }
	unmanaged := func(g *reconciliation.State) { g.Object.SetFinalizers(nil) }
	paused := func(g *reconciliation.State) {
		g.Object.SetAnnotations(map[string]string{v1alpha1.AnnotationPaused: "true"})
	}
	unbound := func(g *reconciliation.State) { g.Status().ExternalName = "" }
	refused := func(g *reconciliation.State) { g.Status().CreationRefused = true }
	problem := func(g *reconciliation.State) {
		g.Problem, g.Class = &class.Problem{Reason: v1alpha1.ReasonClassNotFound}, &class.Resolution{}
	}
	direct := func(g *reconciliation.State) {
		g.Problem, g.Class = &class.Problem{Reason: v1alpha1.ReasonProviderConfigNotAllowed}, nil
	}
	withConfig := func(g *reconciliation.State) { g.Class.Config = &v1alpha1.BoundProviderConfig{Name: "team"} }
	otherCloud := func(g *reconciliation.State) { g.Provider = "gcp" }
	otherAccount := func(g *reconciliation.State) { g.Account = "222" }
	large := func(g *reconciliation.State) {
		g.Object.(*v1alpha1.Bucket).Spec.AWS = &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{{Resources: slices.Repeat([]string{"/a"}, plan.LargestSpec/2)}}}
	}
	moved := func(g *reconciliation.State) { g.Asks.Name = "another" }
	for _, test := range []struct {
		name  string
		is    []func(*reconciliation.State)
		steps int // that were taken
		// what it ends with: an action, a reason, or an error's reason. Deleted: the object is let go.
		verb    plan.Verb
		state   condition.State
		reason  v1alpha1.Reason
		refusal v1alpha1.Reason
		deleted bool
	}{
		{name: "as declared", steps: end},
		{name: "being deleted", is: []func(*reconciliation.State){deleting}, steps: end},
		{name: "being deleted without our finalizer", is: []func(*reconciliation.State){deleting, unmanaged, paused}, deleted: true},
		{name: "without our finalizer", is: []func(*reconciliation.State){unmanaged}, steps: end},
		{name: "paused", is: []func(*reconciliation.State){paused}, state: condition.Paused, reason: v1alpha1.ReasonPaused},
		{name: "paused while it is being deleted", is: []func(*reconciliation.State){paused, deleting}, state: condition.DeletionStalled, reason: v1alpha1.ReasonPaused},
		{name: "larger than what is worked on", is: []func(*reconciliation.State){large}, steps: definition, state: condition.Stalled, reason: v1alpha1.ReasonInvalid},
		{name: "larger, as an earlier release applied it", is: []func(*reconciliation.State){large, func(g *reconciliation.State) { g.Status().AppliedGeneration = 1 }}, steps: end},
		{name: "larger, and being deleted", is: []func(*reconciliation.State){large, deleting}, steps: end},
		{name: "deleted before it was bound", is: []func(*reconciliation.State){deleting, unbound}, verb: plan.RemoveFinalizer},
		{name: "deleted after its creation was refused", is: []func(*reconciliation.State){deleting, refused}, verb: plan.RemoveFinalizer},
		{name: "deleted with its kind", is: []func(*reconciliation.State){deleting, func(g *reconciliation.State) { g.Removed = true }}, steps: definition, verb: plan.RemoveFinalizer},
		{name: "without a class", is: []func(*reconciliation.State){problem}, steps: classStep, refusal: v1alpha1.ReasonClassNotFound},
		{name: "refused by its class, and bound", is: []func(*reconciliation.State){problem, withConfig}, steps: end},
		{name: "refused by its class, and not bound", is: []func(*reconciliation.State){problem, withConfig, unbound}, steps: classStep, refusal: v1alpha1.ReasonClassNotFound},
		{name: "deleted, and refused by its class", is: []func(*reconciliation.State){problem, withConfig, deleting}, steps: end},
		{name: "refused without a class, and bound", is: []func(*reconciliation.State){direct}, steps: end},
		{name: "refused without a class, and not bound", is: []func(*reconciliation.State){direct, unbound}, steps: classStep, refusal: v1alpha1.ReasonProviderConfigNotAllowed},
		{name: "deleted, and refused without a class", is: []func(*reconciliation.State){direct, deleting}, steps: end},
		{name: "in another cloud", is: []func(*reconciliation.State){otherCloud}, steps: connection, state: condition.Stalled, reason: v1alpha1.ReasonAccountChanged},
		{name: "in another cloud, and never created", is: []func(*reconciliation.State){otherCloud, refused}, steps: connection, verb: plan.ClearBinding},
		{name: "of a kind that the cloud lacks", is: []func(*reconciliation.State){func(g *reconciliation.State) { g.Supported = false }}, steps: description,
			state: condition.Stalled, reason: v1alpha1.ReasonNotSupported},
		{name: "waiting for a slot", is: []func(*reconciliation.State){func(g *reconciliation.State) { g.Slot.Queued, g.Unobserved = true, true }}, steps: slot,
			state: condition.Unobserved, reason: v1alpha1.ReasonNotObserved},
		{name: "in another account", is: []func(*reconciliation.State){otherAccount}, steps: accountStep, state: condition.Stalled, reason: v1alpha1.ReasonAccountChanged},
		{name: "in another account, and never created", is: []func(*reconciliation.State){otherAccount, refused}, steps: accountStep, verb: plan.ClearBinding},
		{name: "moved, and never created", is: []func(*reconciliation.State){moved, refused}, steps: name, verb: plan.ClearBinding},
		{name: "moved", is: []func(*reconciliation.State){moved}, steps: end},
		{name: "gone, and another object is bound to it", is: []func(*reconciliation.State){func(g *reconciliation.State) { g.Taken, g.Observed, g.Observation.State = true, true, driver.Absent }},
			steps: end, state: condition.Stalled, reason: v1alpha1.ReasonNotOwned},
		{name: "an operation failed", is: []func(*reconciliation.State){func(g *reconciliation.State) { g.OperationError = errors.New("late") }}, steps: observation, refusal: v1alpha1.ReasonFailed},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource}}}
			b.Status.ExternalName, b.Status.Provider, b.Status.AccountID = "photos", "aws", "111"
			w := (&Gatherer{Kind: kind.Bucket()}).begin(reconciliation.Begin(b, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
			w.Provider, w.Account, w.Supported, w.Asks.Name = "aws", "111", true, "photos"
			for _, change := range test.is {
				change(&w.State)
			}
			taken, all := 0, steps()
			for i := range all {
				if all[i].gather != nil {
					all[i].gather = func(*gathering, context.Context) error { taken++; return nil }
				}
			}
			stop := w.run(t.Context(), all)
			if taken != test.steps {
				t.Errorf("%d steps were taken, want %d", taken, test.steps)
			}
			if stop == nil {
				stop = &reconciliation.Stop{}
			}
			var action plan.Action
			if stop.Action != nil {
				action = *stop.Action
			}
			if action.Verb != test.verb || stop.Outcome.State != test.state || stop.Outcome.Reason != test.reason || stop.Outcome.Deleted != test.deleted {
				t.Errorf("it ended with %q and %+v", action.Verb, stop.Outcome)
			}
			if stop.Outcome.State == condition.Stalled && stop.Outcome.Next != outcome.AtSync {
				t.Errorf("it comes back %v", stop.Outcome.Next)
			}
			var refusal v1alpha1.Reason
			if refused, ok := errors.AsType[*identity.ValidationError](stop.Err); ok {
				refusal = refused.Reason
			} else if _, acted := errors.AsType[outcome.Acted](stop.Err); acted {
				refusal = v1alpha1.ReasonFailed
			}
			if refusal != test.refusal {
				t.Errorf("it ended with %v", stop.Err)
			}
		})
	}
}

// Who is paused, or is let go, reads nothing and connects to nothing. There is nothing to read with here: it would panic.
func TestWhoIsPausedReadsNothing(t *testing.T) {
	for name, change := range map[string]func(*v1alpha1.Database){
		"paused": func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} },
		"deleted and not managed": func(d *v1alpha1.Database) {
			d.DeletionTimestamp, d.Finalizers = &metav1.Time{Time: time.Unix(1, 0)}, nil
		},
		"deleted and never created": func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} },
	} {
		t.Run(name, func(t *testing.T) {
			d, _ := withPassword(nil)
			change(d)
			if _, stop := (&Gatherer{Kind: kind.Database()}).Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{})); stop == nil {
				t.Error("it went on")
			}
		})
	}
}

// What was just sent may not have arrived: it is no difference to act upon, and features know of it all the same.
func TestDifferencesHaveWhatWasJustSent(t *testing.T) {
	sent := driver.Change{Field: "tags", From: "team=z", To: "team=b"}
	b, _ := storedBucket(t, false)
	g := (&Gatherer{Kind: kind.Bucket(), ConsistencyWindow: time.Hour}).begin(reconciliation.Begin(b, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
	g.Request.Mark = driver.Mark{Cluster: "here", Namespace: "shop", Name: "photos", UID: "uid-now"}
	g.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: g.Request.Mark, Changes: []driver.Change{sent}}
	g.Memory.Cloud.Sent, g.Memory.Cloud.SentAt = []driver.Change{sent}, g.Now
	if err := g.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !g.View.InConsistencyWindow || len(g.Observation.Changes) != 0 || len(g.Differences) != 1 {
		t.Errorf("within the consistency window %t, to act upon are %+v, and all differences %+v", g.View.InConsistencyWindow, g.Observation.Changes, g.Differences)
	}
}

// A creation that ends at its name has features read nothing.
func TestCreationThatEndsAtItsName(t *testing.T) {
	read := 0
	g := &Gatherer{Features: feature.Set{{Read: func(context.Context, *reconciliation.State, plan.Action) error { read++; return nil }}}}
	in := reconciliation.State{}
	in.Request.Name = "orders"
	for _, taken := range []bool{true, false} {
		in.Described.Name = driver.NameRule{MaxLength: 63}
		if taken {
			in.Described.Name.Patterns = []driver.NamePattern{{Never: "^orders$", Rule: "it is taken"}}
		}
		read = 0
		if _, err := g.GatherFor(t.Context(), in, plan.Action{Verb: plan.Create}); err != nil || (read == 0) != taken {
			t.Errorf("the name is taken: %t; features read %d times (%v)", taken, read, err)
		}
	}
}
