package kind

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An ActionRequest is what a person asks for of one action, by the annotation of that action, and what came of what was asked for before.
type ActionRequest struct {
	Action driver.Action
	// Wanted is the value of the annotation as the status has it; empty if there is none.
	Wanted string
	// Status is what the status says of the action. Its Value is empty if the status says nothing of it yet.
	Status v1alpha1.ActionStatus
}

// IsNew reports whether the annotation has a value that was not answered. The one that was answered before the last comes back where something, such as a
// GitOps controller, undoes what a person wrote.
func (r ActionRequest) IsNew() bool {
	return r.Wanted != "" && r.Wanted != r.Status.Value && r.Wanted != r.Status.Former
}

// IsStored reports whether the action was or is about to be sent, and it is not known what came of it.
func (r ActionRequest) IsStored() bool { return r.Status.Outcome == v1alpha1.ActionRequested }

// InFlight reports whether the action was or is about to be sent, and has not come to an end.
func (r ActionRequest) InFlight() bool {
	return r.IsStored() || r.Status.Outcome == v1alpha1.ActionStarted
}

// longestActionValue is how long, in bytes, a value of an annotation is of which the status has all.
const longestActionValue = 100

// actionValue returns the value of an annotation as the status has it: people may write a whole text there.
func actionValue(value string) string {
	if len(value) <= longestActionValue {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return value[:longestActionValue/2] + "#" + hex.EncodeToString(sum[:16])
}

// ActionAnnotation returns the annotation that asks for an action.
func ActionAnnotation(a driver.Action) string { return v1alpha1.GroupVersion.Group + "/" + string(a) }

// ActionRequests returns what people ask for of each action that objects of a kind can have; nil for a kind without actions.
func ActionRequests(k *Kind, object v1alpha1.ResourceObject) (all []ActionRequest) {
	if k.Actions == nil {
		return nil
	}
	for _, action := range driver.Actions {
		r := ActionRequest{Action: action, Wanted: actionValue(object.GetAnnotations()[ActionAnnotation(action)])}
		r.Status.Name = string(action)
		if at := statusOf(*k.Actions(object), action); at >= 0 {
			r.Status = (*k.Actions(object))[at]
		}
		all = append(all, r)
	}
	return all
}

// HasActionStatus reports whether the status of an object says something of an action.
func HasActionStatus(k *Kind, object v1alpha1.ResourceObject, action driver.Action) bool {
	return statusOf(*k.Actions(object), action) >= 0
}

// SetActionStatus stores in the status of an object what it says of an action.
func SetActionStatus(k *Kind, object v1alpha1.ResourceObject, s v1alpha1.ActionStatus) {
	statuses := k.Actions(object)
	if at := statusOf(*statuses, driver.Action(s.Name)); at >= 0 {
		(*statuses)[at] = s
		return
	}
	*statuses = append(*statuses, s)
}

// statusOf returns where the status of an action is; -1 if there is none.
func statusOf(all []v1alpha1.ActionStatus, action driver.Action) int {
	return slices.IndexFunc(all, func(s v1alpha1.ActionStatus) bool { return s.Name == string(action) })
}
