package preview

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// ownMark returns the mark that an object's cloud object should have, as far as a preview has to know it.
func ownMark(obj client.Object) driver.Mark {
	return driver.Mark{Cluster: "this", Namespace: obj.GetNamespace(), Name: obj.GetName(), UID: string(obj.GetUID()), NamespaceUID: "this"}
}

// expectedObservation returns what the cloud is expected to show of an object, the differences aside, by what is stored of it. Previews
// give it to the plan.
func expectedObservation(status *v1alpha1.ResourceStatus, v plan.View) driver.Observation {
	o := driver.Observation{State: driver.Ready, Available: true, ID: status.ExternalID, Mark: v.Mark}
	if !v.HasFinalizer {
		o.Mark = driver.Mark{} // Mooring marks nothing before it has the finalizer
	}
	switch reasonOfCondition(status, v1alpha1.ConditionStalled) { //nolint:exhaustive // any other reason says nothing about what is there
	case v1alpha1.ReasonVanished:
		return driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: driver.Absent}}
	case v1alpha1.ReasonNotOwned:
		o.Mark = driver.Mark{Cluster: "another"}
	}
	if status.FirstReadyTime == nil && !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionAvailable) {
		o.State, o.Available = driver.Pending, false
	}
	return o
}

func reasonOfCondition(status *v1alpha1.ResourceStatus, condition string) v1alpha1.Reason {
	if c := meta.FindStatusCondition(status.Conditions, condition); c != nil && c.Status == "True" {
		return v1alpha1.Reason(c.Reason)
	}
	return ""
}

// An obstacle is what keeps the changes of an edit from being applied.
type obstacle struct {
	// says what it is, as a warning; empty if nothing is in the way.
	says string
	// stops: nothing is applied before somebody acts. delays: Mooring goes on by itself, but not at once.
	stops, delays bool
}

// when says when a change is made.
func (o obstacle) when(c plan.Decided) string {
	switch {
	case o.stops:
		return "not applied"
	case o.delays && c.Fate == plan.AtOnce:
		return "afterwards"
	case c.Fate == plan.InWindow:
		return fmt.Sprintf("waits for the maintenance window %s", c.Window)
	case c.Fate == plan.AfterApproval && c.Window != nil:
		return fmt.Sprintf("after approval, in the maintenance window %s", c.Window)
	case c.Fate == plan.AfterStart:
		return onceItRuns(c)
	default:
		return fateWords[c.Fate]
	}
}

// onceItRuns says when a change of a server that is stopped is made, and what it waits for then.
func onceItRuns(c plan.Decided) string {
	words := fateWords[plan.AfterStart]
	if c.Asks {
		words += ", after approval"
	}
	if c.Window != nil {
		words += fmt.Sprintf(", in the maintenance window %s", c.Window)
	}
	return words
}

var fateWords = map[plan.Fate]string{
	plan.AtOnce: "at once", plan.AfterApproval: "after approval", plan.AfterStart: "once the database runs", plan.AfterOthers: "after the other changes", plan.AfterBackup: "after a snapshot", plan.Withheld: "withheld until you revert the Impossible change", plan.Never: "not done", plan.LeftAlone: "left as it is",
}

func stoppedWhile(what string) obstacle {
	return obstacle{says: "Mooring applies none of these changes while " + what, stops: true}
}

var whilePaused = stoppedWhile("the annotation " + v1alpha1.AnnotationPaused + " is set")

// obstacleOf returns what is in the way of an object's changes: what stands before the decision about them in a reconcile and in the plan.
// sameAccount: the edit leaves the object with its provider config, and does not take out what its cloud does not have.
func obstacleOf(m merged, in reconciliation.State, sameAccount bool) obstacle {
	status := m.object.GetResourceStatus()
	stalled := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionStalled)
	reason := reasonOfCondition(status, v1alpha1.ConditionStalled)
	switch {
	case m.paused():
		return whilePaused
	case m.policy.Management == v1alpha1.ManagementObserve:
		return stoppedWhile("spec.management is Observe")
	case sameAccount && keepsFromTheCloud(reason):
		return stoppedWhile(fmt.Sprintf("this object is stalled (%s): %s", reason, stalled.Message))
	}
	v := in.View
	v.AbsenceSure, v.UnmarkedSure = true, true
	a := plan.Plan(v, in.Observation, m.policy)
	if a.Reason == reason && reason != "" {
		a.Message = stalled.Message // which knows more than what is expected
	}
	switch {
	case a.Decided && mayStop(reason, sameAccount):
		return obstacle{says: fmt.Sprintf("Mooring may be unable to apply these changes: this object is stalled (%s): %s", reason, stalled.Message)}
	case a.Decided:
		return obstacle{}
	case a.Verb == plan.Stall:
		return stoppedWhile(fmt.Sprintf("this object is stalled (%s): %s", a.Reason, a.Message))
	case a.Verb == plan.Create && a.InPlace:
		return obstacle{says: "Mooring changes nothing that exists: the cloud object was deleted outside Mooring, and Mooring restores it by this spec from the newest state that the cloud still has of it, if there is any", stops: true}
	case a.Verb == plan.Create:
		return obstacle{says: "Mooring changes nothing that exists: the cloud object was deleted outside Mooring, and Mooring creates " + v.NewOne() + " by this spec", stops: true}
	case a.Verb == plan.Adopt:
		return obstacle{says: "Mooring first tries to take over the cloud object, and applies these changes afterwards", delays: true}
	default:
		return obstacle{says: "Mooring applies these changes later: " + a.Message, delays: true}
	}
}

// keepsFromTheCloud reports whether what an object stalls for keeps Mooring from the cloud, until its provider config is mended or it has another.
func keepsFromTheCloud(reason v1alpha1.Reason) bool {
	switch reason {
	case v1alpha1.ReasonAccountChanged, v1alpha1.ReasonProviderConfigNotFound, v1alpha1.ReasonProviderConfigNotAllowed,
		v1alpha1.ReasonProviderConfigDeleting, v1alpha1.ReasonCredentialsNotFound, v1alpha1.ReasonCredentialsInvalid:
		return true
	default:
		return false
	}
}

// mayStop reports whether what an object stalls for may keep Mooring from changing it. The status does not tell whether the cloud can still
// change what failed, or whether it refused an observation or a change. sameAccount is as for obstacleOf.
func mayStop(reason v1alpha1.Reason, sameAccount bool) bool {
	switch reason {
	case v1alpha1.ReasonNotSupported: // of a field, of which others are changed all the same
		return sameAccount
	case v1alpha1.ReasonFailed, v1alpha1.ReasonDenied, v1alpha1.ReasonPasswordNotFound, v1alpha1.ReasonPasswordInvalid, v1alpha1.ReasonSecretNotOwned:
		return true
	default:
		return false
	}
}
