package gather

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// A check returns a Stop to end the reconciliation with, or nil to go on.
type check func(reconciliation.State) *reconciliation.Stop

// subject is what is bound to a cloud and an account: the object, or the parent of one that is not bound yet.
func subject(g reconciliation.State) string {
	if g.Bound() || g.Parent.Named == "" {
		return "it"
	}
	return g.Parent.Named
}

// neverCreated reports whether it is sure that nothing was created for the object. Copies take long to be made: one that was asked for without an answer may still come.
func neverCreated(g reconciliation.State) bool {
	_, copies := g.Kind.CopyOf(g.Object)
	return plan.NeverCreated(g.Status(), g.Memory.Cloud) && (!copies || !g.Memory.Cloud.CreationUnclear)
}

// isManaged: an object that is being deleted and no longer has our finalizer is none of our business.
func isManaged(g reconciliation.State) *reconciliation.Stop {
	if g.Deleting && !controllerutil.ContainsFinalizer(g.Object, v1alpha1.FinalizerResource) {
		return &reconciliation.Stop{Outcome: outcome.Outcome{Deleted: true}}
	}
	return nil
}

// isNotPaused: a pause stops everything, deletion too.
func isNotPaused(g reconciliation.State) *reconciliation.Stop {
	switch {
	case g.Object.GetAnnotations()[v1alpha1.AnnotationPaused] != "true":
		return nil
	case g.Deleting:
		return &reconciliation.Stop{Outcome: outcome.Outcome{
			State: condition.DeletionStalled, Reason: v1alpha1.ReasonPaused, Next: outcome.Never,
			Message: "it is being deleted, but it is paused by the annotation " + v1alpha1.AnnotationPaused + "; remove the annotation to continue",
		}}
	default:
		return &reconciliation.Stop{Outcome: outcome.Outcome{
			State: condition.Paused, Reason: v1alpha1.ReasonPaused, Next: outcome.Never,
			Message: "paused by the annotation " + v1alpha1.AnnotationPaused + "; remove it to continue",
		}}
	}
}

// mayExist: without a stored name nothing was ever created, so there is nothing to delete; nor is there if every creation was refused.
func mayExist(g reconciliation.State) *reconciliation.Stop {
	switch {
	case !g.Deleting:
		return nil
	case !g.Bound():
		return &reconciliation.Stop{Action: &plan.Action{Verb: plan.RemoveFinalizer, Message: "it was never created in the cloud"}}
	case neverCreated(g):
		return &reconciliation.Stop{Action: &plan.Action{Verb: plan.RemoveFinalizer, Message: "nothing was created in the cloud, because the cloud refused it", Verify: true}}
	default:
		return nil
	}
}

// isNotRemoved: if the kind itself is being removed from the cluster, deletion is nobody's wish, and everything stays
// in the cloud. That needs no cloud, which may be out of reach by then.
func isNotRemoved(g reconciliation.State) *reconciliation.Stop {
	if !g.Removed {
		return nil
	}
	return &reconciliation.Stop{Action: &plan.Action{Verb: plan.RemoveFinalizer, Message: "the CustomResourceDefinition is being deleted, so the cloud object stays", Orphaned: true}}
}

// isOfSize: what is too large is not evaluated, by its class or in the cloud. Its deletion is.
func isOfSize(g reconciliation.State) *reconciliation.Stop {
	if g.Deleting {
		return nil
	}
	if says := plan.TooLarge(g.Object); says != "" {
		return stalled(v1alpha1.ReasonInvalid, says)
	}
	return nil
}

// hasClass: what the class does not allow is not created; what exists already is still looked at, and can be deleted.
func hasClass(g reconciliation.State) *reconciliation.Stop {
	leads := g.Class == nil || g.Class.Config != nil
	if g.Problem == nil || leads && (g.Bound() || g.Deleting) {
		return nil
	}
	return &reconciliation.Stop{Err: &identity.ValidationError{Reason: g.Problem.Reason, Message: g.Problem.String()}}
}

// isSameCloud: what is bound to one cloud is never looked for in another, where it would seem gone.
func isSameCloud(g reconciliation.State) *reconciliation.Stop {
	if bound := cmp.Or(g.Status().Provider, g.Parent.Provider); bound != "" && bound != g.Provider {
		return elsewhere(g, fmt.Sprintf("%s is in %s, but the provider config now leads to %s; change the provider config back, or refer to another", subject(g), bound, g.Provider))
	}
	return nil
}

// isSupported: the cloud has such a kind.
func isSupported(g reconciliation.State) *reconciliation.Stop {
	if g.Supported {
		return nil
	}
	return stalled(v1alpha1.ReasonNotSupported, fmt.Sprintf("%s does not support the kind %s; refer to a provider config of another cloud", g.Provider, g.Kind.Name))
}

// hasSupportedFields: what asks for something that the cloud does not have is not created; what exists already is still looked at, and can
// be deleted. A class was asked before.
func hasSupportedFields(g reconciliation.State) *reconciliation.Stop {
	if g.Problem == nil || g.Bound() || g.Deleting {
		return nil
	}
	return &reconciliation.Stop{Err: &identity.ValidationError{Reason: g.Problem.Reason, Message: g.Problem.String()}}
}

// hasSlot: no account takes more than its share of the workers. No worker waits here: the object is reconciled again once a
// slot is free.
func hasSlot(g reconciliation.State) *reconciliation.Stop {
	if !g.Slot.Queued {
		return nil
	}
	out, said := whileQueued(g)
	return &reconciliation.Stop{Outcome: out, Said: said}
}

// isSameAccount: what is bound to one account is never looked for in another, where it would seem gone.
func isSameAccount(g reconciliation.State) *reconciliation.Stop {
	if bound := cmp.Or(g.Status().AccountID, g.Parent.Account); bound != "" && bound != string(g.Account) {
		return elsewhere(g, fmt.Sprintf("%s is in account %s, but the provider config now leads to %s; change the provider config back, or refer to another", subject(g), bound, g.Account))
	}
	return nil
}

// isNotMoved: an object for which nothing was created is not tied to the name, location and account of the creation that was refused.
func isNotMoved(g reconciliation.State) *reconciliation.Stop {
	if !g.Deleting && neverCreated(g) && plan.Moved(g.Status(), g.Asks) {
		return unbinding()
	}
	return nil
}

// isNotFailed: why an operation that the cloud had begun failed is said before the cloud object is observed again.
func isNotFailed(g reconciliation.State) *reconciliation.Stop {
	if g.OperationError == nil {
		return nil
	}
	if g.Status().Operation != "" { // what rests is told the same way from now on
		return &reconciliation.Stop{Err: outcome.Acted{Err: g.OperationError}}
	}
	return &reconciliation.Stop{Err: outcome.Acted{Err: ofFields(g, g.OperationError)}}
}

// ofFields says which fields an operation was to change that failed: the cloud's words name none. What waits was not sent.
func ofFields(g reconciliation.State, err error) error {
	var names []string
	for _, p := range g.Status().PendingChanges {
		if p.WaitsFor == "" {
			names = append(names, p.Field)
		}
	}
	if len(names) == 0 || g.Deleting || g.Status().FirstReadyTime == nil {
		return err
	}
	slices.Sort(names)
	return fmt.Errorf("%s: %w", strings.Join(names, ", "), err)
}

// elsewhere is for an object whose provider config now leads away from where it was bound. If nothing was created for it, it is bound to
// where its spec and its provider config lead now, by the next reconciliation.
func elsewhere(g reconciliation.State, message string) *reconciliation.Stop {
	if !g.Deleting && neverCreated(g) {
		return unbinding()
	}
	return stalled(v1alpha1.ReasonAccountChanged, message)
}

func unbinding() *reconciliation.Stop {
	return &reconciliation.Stop{Action: &plan.Action{Verb: plan.ClearBinding, Verify: true}}
}

func stalled(reason v1alpha1.Reason, message string) *reconciliation.Stop {
	return reconciliation.Stalled(reason, message)
}
