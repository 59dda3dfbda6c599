package driver

import (
	"fmt"
	"slices"
)

// A Verb says what a Command does. Its name crosses wires.
type Verb string

// The verbs that are no Action.
const (
	// WriteMark writes the ownership mark as Request.Mark says. The caller judges whether the mark may be written.
	WriteMark Verb = "write-mark"
	// Promote ends that the object follows another one: from then on it takes writes, and it never follows anything
	// again. While the cloud is at it, or once it is done, Promote changes nothing and is no error.
	Promote Verb = "promote"
)

// Verbs are all verbs.
var Verbs = append([]Verb{WriteMark, Promote}, Actions...)

// A Command is one thing that a Session does to an object. It is no difference between spec and cloud: only the caller
// knows when it is wanted, and no driver reports it as a Change.
type Command struct {
	Verb Verb
	// Before is for an Action: what ActionState.Before said when the caller decided to do it. Other verbs have none.
	Before string `json:",omitempty"`
}

// Validate returns an error with the code Invalid if the command has a verb that is not here, or a Before that says nothing.
func (c Command) Validate() error {
	switch {
	case !slices.Contains(Verbs, c.Verb):
		return &Error{Code: Invalid, Message: fmt.Sprintf("there is no command %q", c.Verb)}
	case c.Before != "" && !slices.Contains(Actions, c.Verb):
		return &Error{Code: Invalid, Message: fmt.Sprintf("the command %q does not depend on how the object was before: remove Before", c.Verb)}
	}
	return nil
}

// Does reports whether objects of a kind can have a command with a verb.
func (c Capabilities) Does(verb Verb) bool {
	switch verb {
	case WriteMark:
		return true
	case Promote:
		return c.Replicas
	}
	return slices.Contains(c.Actions, verb)
}
