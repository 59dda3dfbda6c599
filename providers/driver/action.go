package driver

import "slices"

// An Action is the verb of a command that a user requests, and that is carried out once: one of Actions.
//
// Command.Before has the value that ActionState.Before had when the caller decided to carry out the action. If the
// value differs now, the action may have been done already, and the driver refuses the command with the code Conflict.
// If the ActionState refuses the action, the code is Invalid.
//
// A driver never repeats the call of an action. If the response is lost, the action may have been done. Only in this
// case the error has the code Unavailable or Internal.
type Action = Verb

// The actions. Their names are those of the annotations that request them.
const (
	// Restart restarts a server.
	Restart Action = "restart"
	// Failover promotes the standby of a server in place of the server.
	Failover Action = "failover"
	// RotatePassword asks the cloud to rotate the administrator's password that it manages.
	RotatePassword Action = "rotate-password"
)

// Actions are the verbs that a user can request.
var Actions = []Action{Restart, Failover, RotatePassword}

// An ActionState is what was observed about an action. The zero ActionState says that the action can be carried out
// now, and that the cloud does not show whether it was done before.
type ActionState struct {
	// Refused says why the action can't be carried out on this object, and what to do; empty if it can.
	Refused string `json:",omitempty"`
	// Waits says why the cloud does not accept the action now, but will later; empty if it accepts it now.
	Waits string `json:",omitempty"`
	// Before is a text that changes when the action is done, for example a restart time. It is empty if the cloud shows
	// nothing that changes.
	Before string `json:",omitempty"`
	// UnderWay: the action is in progress in the cloud.
	UnderWay bool `json:",omitempty"`
}

// Takes reports whether the kind supports an action.
func (c Capabilities) Takes(a Action) bool { return slices.Contains(c.Actions, a) }
