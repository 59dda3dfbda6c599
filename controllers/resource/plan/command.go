package plan

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Names under which people see a command among the changes of an object, such as in status.pendingChanges. They are no
// fields that a driver changes.
const (
	fieldRole = "replica.role"
)

// verbOf returns the verb of the command that makes a change; empty if an Update makes it together with others.
func verbOf(c driver.Change) driver.Verb {
	if c.Field == fieldRole {
		return driver.Promote
	}
	return ""
}

// sending returns the action that sends changes to the cloud. If a command makes the first of them, it sends that one alone.
func (a Action) sending(changes ...driver.Change) Action {
	a.Verb, a.Changes = Update, changes
	if verb := verbOf(changes[0]); verb != "" {
		a.Changes, a.Command = changes[:1], &driver.Command{Verb: verb}
	}
	return a
}

// promotion is how people see that an object follows none any more.
func promotion(why string) driver.Change {
	return driver.Change{
		Field: fieldRole, From: string(v1alpha1.ReplicaRoleReplica), To: string(v1alpha1.ReplicaRolePrimary), Effect: driver.Irreversible, Why: why,
	}
}

// Promotes reports whether a change ends that an object follows another one.
func Promotes(c driver.Change) bool { return verbOf(c) == driver.Promote }
