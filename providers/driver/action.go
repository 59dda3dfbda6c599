package driver

import "slices"

// An Action is the verb of a command that is carried out once, because a person asks for it: one of Actions.
//
// The Before of its Command is what ActionState.Before said when the caller decided to do the action. If the object is
// otherwise by now, the driver refuses the command with the code Conflict, because the action may have been done already.
// A driver never repeats the call of an action: one whose answer is lost may have arrived. The codes Unavailable and
// Internal say that; a Do that sent nothing has another code. What the ActionState refuses has the code Invalid.
type Action = Verb

// The actions. Their names are those of the annotations that ask for them.
const (
	// Restart restarts a server.
	Restart Action = "restart"
	// Failover makes the standby of a server the server.
	Failover Action = "failover"
	// RotatePassword has the cloud change the administrator's password that it manages.
	RotatePassword Action = "rotate-password"
)

// Actions are all actions.
var Actions = []Action{Restart, Failover, RotatePassword}

// An ActionState is what an observation says of an action. The zero ActionState says that it may be done now, and that nothing shows whether it was.
type ActionState struct {
	// Refused is why this object can't have the action as it is, and what to do; empty if it can.
	Refused string `json:",omitempty"`
	// Waits is why the cloud does not take the action now, and will later; empty if it does.
	Waits string `json:",omitempty"`
	// Before is a text that is another one once the action was done; empty if the cloud shows nothing of the kind.
	Before string `json:",omitempty"`
	// UnderWay: the cloud is at work on it now.
	UnderWay bool `json:",omitempty"`
}

// Takes reports whether objects of a kind can have an action.
func (c Capabilities) Takes(a Action) bool { return slices.Contains(c.Actions, a) }
