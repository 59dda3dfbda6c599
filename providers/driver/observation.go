package driver

import (
	"encoding/json"
	"fmt"
)

// A State is the state of an object in the cloud.
type State int

// The states. Unknown, the zero value, permits no action, and neither does an unknown number. The numbers are part of
// messages: they never change, and none is used again.
const (
	Unknown  State = 0
	Absent   State = 1 // the cloud said that there is no such object
	Pending  State = 2 // an operation is in progress in the cloud and takes no changes now
	Ready    State = 3 // at rest: it takes changes
	Failed   State = 4 // the cloud gave up; Problem says why
	Deleting State = 5 // the cloud is deleting it
)

// String returns the state's name.
func (s State) String() string {
	if s < 0 || int(s) >= len(states) {
		return states[Unknown]
	}
	return states[s]
}

// states are the names of the states, by their numbers.
var states = [...]string{"Unknown", "Absent", "Pending", "Ready", "Failed", "Deleting"}

// UnmarshalJSON implements json.Unmarshaler. A state of another version of the contract becomes Unknown.
func (s *State) UnmarshalJSON(text []byte) error {
	var number int
	if err := json.Unmarshal(text, &number); err != nil {
		return fmt.Errorf("a state: %w", err)
	}
	if *s = State(number); number < 0 || number >= len(states) {
		*s = Unknown
	}
	return nil
}

// An Observation is the observed state of a cloud object: a core that every kind has, and facets.
type Observation struct {
	State State
	// ID is the cloud's immutable id of the object; empty if the cloud has none.
	ID string
	// Read identifies the state that was read, for Request.Read of an Update that follows. It is empty for a driver
	// that always reads again.
	Read string `json:",omitempty"`
	// Mark is the ownership mark of the object; the zero Mark if it has none.
	Mark Mark
	// Location is where the object was found, in lower case and as a spec would name it. It is never empty for an
	// object that exists, because a vanished object is created again at this location.
	Location string
	// Available: the object can be used now, whatever its state.
	Available bool
	// Stopped: somebody stopped the object, and no operation is in progress.
	Stopped bool
	// Problem says in the cloud's words why the state is Failed, or why the object is not Available.
	Problem string
	// Lost names something that is missing or does not work any more, although the connection Secret or the spec names
	// it, such as a CA certificate. It also says what to do. The object itself can be used. Lost is empty if nothing is
	// known to be lost.
	Lost string `json:",omitempty"`
	// Work is what the cloud is doing with a Pending or Deleting object, as far as it reports that.
	Work Work
	// Protected: the cloud refuses to delete the object because of deletion protection. It is false as soon as the
	// cloud accepted a change that turns the protection off.
	Protected bool
	// Operation is the cloud's operation in progress, if any. If State is Ready, the operation in the request waits for
	// the caller: it prepared a change in Changes, or checked whether the change is possible. An Update continues it.
	// It stays until then, or until the change is not wanted any more.
	Operation string
	// OperationError is the error with which the operation in the request ended; nil otherwise. If State is Ready, no
	// other operation is started before a user requests it.
	OperationError *Error

	// Changes are the differences between spec and cloud. They are set only if State is Ready, Pending or Failed.
	Changes []Change
	// LeftOut are fields that differ, but are not in Changes, because the cloud can change them only after others.
	LeftOut []string `json:",omitempty"`
	// Applied is what Mooring has set in the cloud. A value that differs, or could not be read, is as in
	// Request.Applied. A map or list that differs has the names of the old and of the new entries, because the new ones
	// may be set already. For an Absent object, it is what Create would set, or an Update right after it.
	Applied Applied
	// Fixed are the fields that can't be changed any more on this object, with their values. A user can correct the
	// spec to these values. An empty value says that the field has no value and can't get one. Fixed is set only for
	// objects whose fields were read.
	Fixed map[string]string
	// Mirror is the object's state as JSON of the kind's parameters.
	Mirror json.RawMessage `json:",omitempty"`
	// Unreadable are the fields that could not be read, with their errors.
	Unreadable []FieldError
	// Unread are fields that the spec does not declare and that were not read, so that the mirror lacks them.
	Unread []string

	// Endpoint says how to reach the object, once that is known.
	Endpoint Endpoint

	// The facets follow. Each is nil for a kind that lacks the capability, and may be nil where nothing was observed. Read it by its
	// getters.

	// Login is set for kinds with Capabilities.Login.
	Login *LoginState `json:",omitempty"`
	// Replication is set for kinds with Capabilities.Replicas.
	Replication *Replication `json:",omitempty"`
	// Succession is set for kinds with Capabilities.Beside.
	Succession *Succession `json:",omitempty"`
	// Backup is set for kinds with Capabilities.Snapshots or Capabilities.Restores.
	Backup *Backup `json:",omitempty"`
	// Actions are the states of the actions in Capabilities.Actions. A missing action has the zero ActionState.
	Actions map[Action]ActionState `json:",omitempty"`
	// Support has the end-of-support dates of the object's engine version. It is nil if the cloud reports none, and for
	// an object that does not exist or is to be deleted.
	Support *Support `json:",omitempty"`
	// SnapshotDetails is set for kinds that are created from objects of another kind: Resource.Source.
	SnapshotDetails *SnapshotDetails `json:",omitempty"`
}

// An Endpoint says how to reach an object. Fields that do not apply are empty.
type Endpoint struct {
	Host         string
	Port         int32
	Username     string // the administrator
	Database     string // to connect to
	Certificates string // PEM of the authorities that sign the server's certificate
	ServerName   string // the name in the server's certificate that clients verify, where that is not Host; without a trailing dot
	// ServiceAttachment is the name, in the cloud's form, by which endpoints in other networks connect to the object;
	// empty if there is none.
	ServiceAttachment string
	// PasswordSecret is where the cloud stores the administrator's password that it manages, in the cloud's form, for
	// example an ARN. It is empty until the password there can be used.
	PasswordSecret string
	Name           string // under which clients address an object without a host of its own: a bucket's, for example
	Region         string
	URL            string // of the API that serves such an object
}
