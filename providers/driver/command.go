package driver

import (
	"fmt"
	"slices"
)

// A Verb says what a Command does. Its name is part of messages.
type Verb string

// The verbs that are not an Action.
const (
	// WriteMark writes the ownership mark Request.Mark. The caller decides whether the mark may be written.
	WriteMark Verb = "write-mark"
	// Promote makes a read replica a standalone server: it takes writes, and never becomes a replica again. While the
	// promotion is in progress, or once it is done, Promote does nothing and succeeds.
	Promote Verb = "promote"
	// ReleaseFormer marks the former server, Request.Former, as released. If it is released already, the command does
	// nothing and succeeds.
	ReleaseFormer Verb = "release-former"
	// DeleteFormer deletes Request.Former without a snapshot, even if it has deletion protection. It also deletes what
	// the cloud still has of the operation that replaced it. If that is done already, the command does nothing and
	// succeeds.
	DeleteFormer Verb = "delete-former"
	// DropStaged removes a prepared blue/green deployment that the request no longer wants. A driver reports that
	// deployment as a change of FieldStrategy.
	DropStaged Verb = "drop-staged"
)

// Verbs are all verbs of a Command.
var Verbs = append([]Verb{WriteMark, Promote, ReleaseFormer, DeleteFormer, DropStaged}, Actions...)

// A Command is a single operation on an object, by Session.Do. Only the caller decides when it is needed. A driver
// reports the present state in observations, for example in Follows and Former.
type Command struct {
	Verb Verb
	// Before is set for an Action only: the value of ActionState.Before when the caller decided to carry it out.
	Before string `json:",omitempty"`
}

// Validate returns an error with the code Invalid if the verb is unknown, or if Before is set for a verb that is no
// Action.
func (c Command) Validate() error {
	switch {
	case !slices.Contains(Verbs, c.Verb):
		return &Error{Code: Invalid, Message: fmt.Sprintf("there is no command %q", c.Verb)}
	case c.Before != "" && !slices.Contains(Actions, c.Verb):
		return &Error{Code: Invalid, Message: fmt.Sprintf("the command %q does not depend on how the object was before: remove Before", c.Verb)}
	}
	return nil
}

// Does reports whether the kind supports the verb of a command.
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
