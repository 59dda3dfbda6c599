package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ActionOutcome says what became of an action.
type ActionOutcome string

// The values of ActionOutcome.
const (
	// ActionIgnored: the value was there when Mooring first saw the object, so it asked for nothing.
	ActionIgnored ActionOutcome = "Ignored"
	// ActionRequested: Mooring is about to ask the cloud for it, or has asked and got no answer. It asks at most once.
	ActionRequested ActionOutcome = "Requested"
	// ActionStarted: the cloud accepted it, and may still be at work.
	ActionStarted ActionOutcome = "Started"
	// ActionSucceeded: the action is done.
	ActionSucceeded ActionOutcome = "Succeeded"
	// ActionRefused: Mooring did not ask the cloud, because the action is not possible; the message says why.
	ActionRefused ActionOutcome = "Refused"
	// ActionFailed: the cloud refused the action, or it failed there.
	ActionFailed ActionOutcome = "Failed"
	// ActionUnknown: the answer of the cloud was lost, and nothing in the cloud shows whether the action was done. Mooring does not repeat it.
	ActionUnknown ActionOutcome = "Unknown"
)

// ActionStatus is what became of an action that people ask for with an annotation.
type ActionStatus struct {
	// name of the action: restart, failover or rotate-password. The annotation is mooring.dev/ followed by it.
	// +required
	Name string `json:"name"`

	// value of the annotation that was answered last. An action is done again only for another value. Of a value with more than 100 characters
	// it is a part, with a hash. Empty if nobody asked for the action yet.
	// +optional
	Value string `json:"value,omitempty"`

	// former is the value that was answered before. It asks for nothing when it comes back, for example because a GitOps tool puts the annotation right.
	// +optional
	Former string `json:"former,omitempty"`

	// outcome is what became of that value: Ignored (it was there when Mooring first saw the object), Requested, Started, Succeeded, Refused (it is
	// not possible), Failed, or Unknown (the answer of the cloud was lost, and Mooring does not repeat the action).
	// +optional
	Outcome ActionOutcome `json:"outcome,omitempty"`

	// message says why, and what to do next.
	// +optional
	Message string `json:"message,omitempty"`

	// time since when the outcome is what it is.
	// +optional
	Time *metav1.Time `json:"time,omitempty"`

	// waitsFor says why the present value of the annotation is not answered yet. Empty if nothing waits.
	// +optional
	WaitsFor string `json:"waitsFor,omitempty"`

	// before is what the cloud showed before the action. Once it shows something else, the action was done.
	// +optional
	Before string `json:"before,omitempty"`
}
