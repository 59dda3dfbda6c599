package driver

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// Promotion is the change after which an object that follows another one follows none.
func Promotion(why string) Change {
	return Change{Field: FieldRole, From: string(v1alpha1.ReplicaRoleReplica), To: string(v1alpha1.ReplicaRolePrimary), Effect: Irreversible, Why: why}
}

// Promotes reports whether a change ends that the object follows another one.
func (c Change) Promotes() bool { return c.Field == FieldRole }

// Makes says how an object is made of what String says, as a part of a message.
func (r *Restore) Makes() string {
	if r.Follows {
		return "as a read replica of"
	}
	return "from"
}
