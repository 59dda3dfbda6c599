package plan

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Names under which people see a command among the changes of an object, such as in status.pendingChanges. They are no
// fields that a driver changes.
const (
	fieldRole   = "replica.role"
	fieldFormer = "formerServer"
)

// What the object in whose place another one was put is to become, as people see it.
const (
	formerReleased = "Released"
	formerDeleted  = "Deleted"
)

// verbOf returns the verb of the command that makes a change; empty if an Update makes it together with others.
func verbOf(c driver.Change) driver.Verb {
	switch {
	case c.Field == fieldRole:
		return driver.Promote
	case c.Field == fieldFormer && c.To == formerReleased:
		return driver.ReleaseFormer
	case c.Field == fieldFormer:
		return driver.DeleteFormer
	case c.Field == driver.FieldStrategy:
		return driver.DropStaged
	}
	return ""
}

// sending returns the action that sends changes to the cloud. If a command makes the first of them, it sends that one alone.
func (a Action) sending(changes ...driver.Change) Action {
	a.Verb, a.Changes = Update, changes
	if verb := verbOf(changes[0]); verb != "" { // which inOrder puts first
		a.Changes, a.Command = changes[:1], &driver.Command{Verb: verb}
	}
	return a
}

// WritingMark returns the action with the command that writes the mark.
func (a Action) WritingMark() Action {
	a.Changes = []driver.Change{{Field: driver.FieldMark, Effect: driver.Online}}
	a.Command = &driver.Command{Verb: driver.WriteMark}
	return a
}

// Does reports whether the action is to carry out a command with a verb.
func (a Action) Does(verb driver.Verb) bool { return a.Command != nil && a.Command.Verb == verb }

// promotion is how people see that an object follows none any more.
func promotion(why string) driver.Change {
	return driver.Change{
		Field: fieldRole, From: string(v1alpha1.ReplicaRoleReplica), To: string(v1alpha1.ReplicaRolePrimary), Effect: driver.Irreversible, Why: why,
	}
}

// Promotes reports whether a change ends that an object follows another one.
func Promotes(c driver.Change) bool { return verbOf(c) == driver.Promote }
