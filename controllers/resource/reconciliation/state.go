package reconciliation

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A State is the state of one reconciliation of one object. One value passes through the phases: the gatherer says what is known, the plan is made of that, the
// executor adds what was done, and the reporter records it. Each phase returns a value of its own, and changes nothing in the one that it was given.
type State struct {
	outcome.Facts
	// Stored is the object as the API server has it, and Object what its status is to be like. Want is the object with its class merged in.
	Stored, Object, Want v1alpha1.ResourceObject
	// News is what people did since the last reconciliation.
	News News
	// Before are the conditions as they were found. WasReady: the object had been usable before.
	Before   []metav1.Condition
	WasReady bool
	// Removed: the CustomResourceDefinition of the kind is being deleted.
	Removed bool
	// NamespaceUID is the uid of the object's namespace. Recovers: it may have what any namespace of its name made.
	NamespaceUID string
	Recovers     bool
	// Children names objects within this one that keep it from being deleted.
	Children []string
	// Parent is what is known of the object within which this one is.
	Parent Parent
	// Primary is what is known of the object that this one follows, or is to follow.
	Primary Primary
	// Rival is the strongest claim of another object to the cloud object, where no mark says whose it is; nil if there is none. Taken: it
	// is stronger than this object's.
	Rival *plan.Claim
	Taken bool
	// Problem is what keeps the class from being applied to the object, or what the cloud lacks of an object without a class; nil if nothing
	// is in the way.
	Problem *class.Problem
	// Connection leads to the account; nil as long as there is none. Session makes its calls.
	Connection *identity.Connection
	Session    driver.Session
	// Described is what the cloud says of the kind. Supported: the cloud has the kind.
	Described driver.Resource
	Supported bool
	Slot      Slot
	// Asks is where the spec asks the cloud object to be.
	Asks plan.Place
	// OperationError is why an operation that the cloud had begun failed; nil if none did.
	OperationError error
	// Notes are Events that say what was found, and what was done.
	Notes []outcome.Note
	// Differences is all that differs. The observation leaves out what was just sent, and what is withheld from an object that was not restored in full.
	Differences []driver.Change
	// Records are what features planned, and what the status and Events say of it once what comes before it is stored: they record it.
	Records []func(*State)
	// CallError is the error of the last call to the cloud; nil if it answered.
	CallError error
	// CallSecrets are what calls about the cloud object send beside the request.
	CallSecrets driver.Secrets
	// Secrets are values that must never be shown.
	Secrets []string
	// Priority is that of the reconciliation. Failures counts failed reconciliations in a row before it.
	Priority account.Priority
	Failures int
	// Memory is what is remembered of the object for the next reconciliation.
	Memory Memory
	// Parts are what features know of the object in this reconciliation.
	Parts Parts
	// Done is what the reconciliation did, and what came of it.
	Done
}

// Done is what a reconciliation did, and what came of it. It holds for what was done, also beside an error.
type Done struct {
	// Action is what was begun; empty if nothing was decided, or if what comes first could not be stored.
	Action string
	// Written: the status was written before the end of the action.
	Written bool
	// Released are fields that are no longer managed, which is told once the status is stored.
	Released []string
	// StartedOver: another cloud object takes the place of the one that had the name before.
	StartedOver bool
	// Paced: the cloud refused a call because the account made too many, and the account's limiter says when the object's turn is.
	Paced bool
	// LeftRollout: no change of the class is under way any more.
	LeftRollout bool
	// Outcome is what the reconciliation came to, if Err is nil; Err is why it ended.
	Outcome outcome.Outcome
	Err     error
}

// Redactor returns what cuts secret values out of a message. Drivers promise that there are none; this is the second lock.
func (s State) Redactor() func(message string) string {
	return func(message string) string {
		if s.Connection != nil {
			return s.Connection.Redact(message, s.Secrets...) // what it is now: tokens come and go in a reconciliation
		}
		return driver.Redact(message, s.Secrets...)
	}
}

// Record has the status and Events say what features planned.
func (s *State) Record() {
	for _, record := range s.Records {
		record(s)
	}
}

// KeepSecret adds values that must never be shown.
func (s *State) KeepSecret(values ...string) {
	s.Secrets = append(slices.Clip(s.Secrets), values...)
}

// JustSent returns the fields that this reconciliation set in the cloud.
func (s State) JustSent() []string { return s.Memory.Cloud.JustSent(s.Now) }

// AwaitsSent reports whether something that was set in the cloud, now or before, was not observed yet.
func (s State) AwaitsSent() bool { return len(s.Memory.Cloud.Sent) > 0 }

// Cloud describes the cloud; nil as long as there is no connection.
func (s State) Cloud() *driver.Description {
	if s.Connection == nil {
		return nil
	}
	return &s.Connection.Cloud
}

// Status is the status that the object is to have.
func (s State) Status() *v1alpha1.ResourceStatus { return s.Object.GetResourceStatus() }

// Bound reports whether the object's name in the cloud is stored, so that a creation may have been tried.
func (s State) Bound() bool { return s.Status().ExternalName != "" }
