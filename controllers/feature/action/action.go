package action

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// Operate is the verb of the plan that does an action.
const Operate plan.Verb = "Operate"

// Of returns the feature of a kind; nothing if people can ask for no action of its objects.
func Of(k *kind.Kind) feature.Set {
	if k.Actions == nil {
		return nil
	}
	return feature.Set{{Begin: begin, Queued: queued, Failed: failed, Plan: planActions, Acts: map[plan.Verb]feature.Act{Operate: operate}}}
}

// begin adds to the status of an object what is asked for of each action that it says nothing of yet: what is there when an object is first seen, or after
// its status was lost, asks for nothing. Before the object is bound to a cloud object the same goes for every new value.
func begin(in *reconciliation.State) {
	if !in.Object.GetDeletionTimestamp().IsZero() {
		return
	}
	for _, r := range kind.ActionRequests(in.Kind, in.Object) {
		if kind.HasActionStatus(in.Kind, in.Object, r.Action) && (in.Bound() || r.Status.Value == r.Wanted) {
			continue
		}
		s := v1alpha1.ActionStatus{Name: string(r.Action)}
		if r.Wanted != "" {
			s = answered(s, r.Wanted, v1alpha1.ActionIgnored, "the annotation was there before Mooring managed the database; set another value to ask for the action", in.Now)
		}
		kind.SetActionStatus(in.Kind, in.Object, s)
	}
}

// queued takes back what begin noted of a new object: it is noted again once the object has a slot, and written together with what comes then.
func queued(in *reconciliation.State) {
	if !in.Bound() {
		*in.Kind.Actions(in.Object) = *in.Kind.Actions(in.Stored.DeepCopyObject().(v1alpha1.ResourceObject))
	}
}

// failed answers the actions that the cloud had begun, once its operation ended in an error.
func failed(in *reconciliation.State, message string) {
	for _, s := range slices.Clone(*in.Kind.Actions(in.Object)) {
		if s.Outcome == v1alpha1.ActionStarted {
			answer{answered(s, s.Value, v1alpha1.ActionFailed, message, in.Now), v1alpha1.EventActionFailed}.record(in)
		}
	}
}

// answered returns a status that answers a value.
func answered(s v1alpha1.ActionStatus, value string, outcome v1alpha1.ActionOutcome, message string, now time.Time) v1alpha1.ActionStatus {
	former := s.Former
	if s.Value != value {
		former = s.Value
	}
	return v1alpha1.ActionStatus{
		Name: s.Name, Value: value, Former: former, Outcome: outcome, Message: message, Time: &metav1.Time{Time: now.Truncate(time.Second)}, Before: s.Before,
	}
}
