package kind

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An ActionRequest is a user's request for one action, made by the action's annotation, together with the status of the
// latest request.
type ActionRequest struct {
	Action driver.Action
	// Wanted is the value of the annotation. A long value is shortened, as in the status. It is empty if there is no
	// annotation.
	Wanted string
	// Status is the entry for the action in the object's status. Its Value is empty if there is no entry yet.
	Status v1alpha1.ActionStatus
}

// IsNew reports whether the annotation has a value that was not handled yet. The value before the last one is not new:
// it comes back when a GitOps controller reverts the annotation that a user set.
func (r ActionRequest) IsNew() bool {
	return r.Wanted != "" && r.Wanted != r.Status.Value && r.Wanted != r.Status.Former
}

// IsStored reports whether the request is recorded in the status, and its outcome is not known. The action was sent, or
// is about to be.
func (r ActionRequest) IsStored() bool { return r.Status.Outcome == v1alpha1.ActionRequested }

// InFlight reports whether the action was sent, or is about to be, and is not complete.
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

// ActionAnnotation returns the key of the annotation that requests an action.
func ActionAnnotation(a driver.Action) string { return v1alpha1.GroupVersion.Group + "/" + string(a) }

// ActionRequests returns a request for each action; nil for a kind without actions.
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

// HasActionStatus reports whether an object's status has an entry for an action.
func HasActionStatus(k *Kind, object v1alpha1.ResourceObject, action driver.Action) bool {
	return statusOf(*k.Actions(object), action) >= 0
}

// SetActionStatus writes the status of an action to an object's status.
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
