package driver

import (
	"slices"
	"strings"
)

// An Action is the verb of a command that is carried out once, because a person asks for it: one of Actions.
type Action = Verb

// The actions. Their names are those of the annotations that ask for them, and cross wires.
const (
	// Restart restarts a server.
	Restart Action = "restart"
	// Failover makes the standby of a server the server.
	Failover Action = "failover"
	// RotatePassword has the cloud change the administrator's password that it manages. A password that the cloud does not manage is changed by
	// FieldPassword.
	RotatePassword Action = "rotate-password"
)

// Actions are all actions.
var Actions = []Action{Restart, Failover, RotatePassword}

// actionPrefix begins the field of a change that is an action.
const actionPrefix = "actions."

// Field is the field of the change by which an Update does the action. A driver never reports it as a change.
//
// Its From is what ActionState.Before said when the caller decided to do the action. If the object is otherwise by now, the driver refuses it with
// the code Conflict, because the action may have been done already. A driver never repeats the call of an action: one
// whose answer is lost may have arrived. The codes Unavailable and Internal say that; an Update that sent nothing has another code. An action that a resource's Capabilities lack has the code Unsupported; one that its ActionState refuses has Invalid.
func (a Action) Field() string { return actionPrefix + string(a) }

// Change returns the change by which an Update does the action.
func (a Action) Change(before string) Change {
	return Change{Field: a.Field(), From: before, Effect: Interrupts}
}

// Action returns the action that a change asks for; empty if it asks for none.
func (c Change) Action() Action {
	name, is := strings.CutPrefix(c.Field, actionPrefix)
	if !is || !slices.Contains(Actions, Action(name)) {
		return ""
	}
	return Action(name)
}

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
