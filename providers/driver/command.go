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
	// ReleaseFormer gives the object in whose place this one was put, Request.Former, the mark of something that was left
	// behind. Asked for again, it changes nothing and is no error.
	ReleaseFormer Verb = "release-former"
	// DeleteFormer deletes Request.Former, its deletion protection included, without a snapshot, and what the cloud still
	// has of the operation that replaced it. Asked for again, it changes nothing and is no error.
	DeleteFormer Verb = "delete-former"
	// DropStaged takes away the server that an Update prepared to take this one's place, and that the request no longer
	// wants. A driver reports that server as a change of FieldStrategy.
	DropStaged Verb = "drop-staged"
)

// Verbs are all verbs.
var Verbs = append([]Verb{WriteMark, Promote, ReleaseFormer, DeleteFormer, DropStaged}, Actions...)

// A Command is one thing that a Session does to an object, by itself. Only the caller knows when it is wanted: a driver
// says by the observation what is, such as Follows and Former.
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
	case ReleaseFormer, DeleteFormer, DropStaged:
		return c.Beside
	}
	return slices.Contains(c.Actions, verb)
}
