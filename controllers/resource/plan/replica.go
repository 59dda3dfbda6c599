package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Replica says what an object is to follow, and what follows it.
type Replica struct {
	// Primary is how messages call the object that it is to follow, such as Database orders; empty if the spec names none. Server is the name of that in the
	// cloud; empty if it is not known.
	Primary, Server string
	// Promote: the spec wants it to follow nothing any more.
	Promote bool
	// Followed: it followed something when it was last observed.
	Followed bool
	// Held names objects that follow it, or are about to, and that somebody still wants. Leaving are the names in the cloud of those that are being deleted.
	Held, Leaving []string
}

// ReplicaOf returns what an object and its status say of what it is to follow. want is the object with its class merged in.
func ReplicaOf(k *kind.Kind, want, stored v1alpha1.ResourceObject) Replica {
	r := Replica{Followed: kind.Follows(k, stored) != nil}
	if asked := kind.ReplicaOf(k, want); asked != nil {
		r.Primary, r.Promote = k.Name+" "+asked.PrimaryRef.Name, asked.Role == v1alpha1.ReplicaRolePrimary
	}
	return r
}

// wanted reports whether the spec has the object follow another one, or says that it did.
func (r Replica) wanted() bool { return r.Primary != "" }

// Promotion returns the change that ends that the object follows another one, if its spec wants that. Only the caller of a driver knows it.
func Promotion(r Replica, o driver.Observation) []driver.Change {
	if !r.Promote || o.Follows == nil {
		return nil
	}
	return []driver.Change{driver.Promotion(fmt.Sprintf("it takes writes from then on, no longer repeats those of %s, and never will again; clients may lose their connections", o.Follows.Primary))}
}

// replicaRefusal returns why nothing is changed of an object at rest, because it does not follow what its spec says; it is nothing if its Reason is empty.
func replicaRefusal(v View, o driver.Observation) Refusal {
	r := v.Replica
	switch {
	case r.wanted() && !r.Promote && o.Follows == nil:
		return Refusal{v1alpha1.ReasonImmutable, "it is no read replica any more: it was promoted, or its primary was deleted in the cloud, and nothing makes it a replica again; " +
			"set spec.replica.role to Primary to let Mooring manage it as it is, or delete this object and create another one"}
	case r.wanted() && o.Follows != nil && r.Server != "" && !strings.EqualFold(r.Server, o.Follows.Primary):
		return Refusal{v1alpha1.ReasonImmutable, fmt.Sprintf("it follows %s, and spec.replica.primaryRef names %s, which is %s, and a read replica never follows another server; "+
			"name the Database of %s, or delete this object and create another one", o.Follows.Primary, r.Primary, r.Server, o.Follows.Primary)}
	case !r.wanted() && o.Follows != nil && v.Origin == v1alpha1.OriginCreated:
		return Refusal{v1alpha1.ReasonImmutable, fmt.Sprintf("it is a read replica of %s, and spec.replica was removed; put it back, with role Primary to promote it", o.Follows.Primary)}
	}
	return Refusal{}
}

// nothingToPromote is for a spec that asks for a promotion where there is nothing: an empty server in its place would look like what was promoted.
func nothingToPromote() Action {
	return Action{Verb: Stall, Reason: v1alpha1.ReasonInvalid, Message: "spec.replica.role is Primary, and there is no read replica to promote; " +
		"set it to Replica to create one first, or remove spec.replica for an empty server"}
}

// followed returns what a deletion waits for, because read replicas follow what it would destroy; false if none do.
func followed(v View, o driver.Observation) (a Action, waits bool) {
	others := slices.DeleteFunc(slices.Clone(o.Followers), func(name string) bool { return slices.Contains(v.Replica.Leaving, name) })
	const then = "%s; delete %s, or promote %s (spec.replica.role: Primary), and the deletion continues"
	switch held := v.Replica.Held; {
	case len(held) > 0:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonInUse, Message: fmt.Sprintf("it is followed by "+then, NamesOf(held), ItOrThem(held), ItOrThem(held))}, true
	case len(others) > 0:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonInUse, Message: fmt.Sprintf("it is followed by the read replica %s in the cloud, for which there is no object in this namespace; "+
			"delete or promote %s in the cloud, and the deletion continues", NamesOf(others), ItOrThem(others))}, true
	case len(o.Followers) > 0:
		return deleting("waiting until the cloud has deleted " + NamesOf(o.Followers) + ", which follows it"), true
	}
	return Action{}, false
}

// outOfDate is for a read replica that does not repeat what is written to its primary. It can be used, and what it says is of the past.
func outOfDate(f *driver.Following) (v1alpha1.Reason, string) {
	return v1alpha1.ReasonReplicationImpaired, fmt.Sprintf("it does not repeat what is written to %s: %s; mend that in the cloud, promote it (spec.replica.role: Primary), "+
		"or delete this object and create another one", f.Primary, f.Problem)
}

// outOfDateDeletion keeps a read replica whose data its primary may not have from being deleted without a snapshot, where one is wanted: clouds take none of a replica.
func outOfDateDeletion(f *driver.Following) Action {
	return Action{Verb: Stall, Reason: v1alpha1.ReasonReplicationImpaired, Message: fmt.Sprintf("it does not repeat what is written to %s (%s), so its data may be all that is left, and no cloud takes a "+
		"snapshot of a read replica; promote it in the cloud, or set spec.deletionPolicy: Delete to delete it without one", f.Primary, f.Problem)}
}

// inOrder has changes wait that are sent alone: what is done about a former server and a promotion until all others are made, and a stop after that.
func (d *DecidedChanges) inOrder(v View) {
	rank := func(c driver.Change) int {
		switch {
		case c.Stops():
			return 3
		case c.Promotes():
			return 2
		case leavesFormer(c):
			return 1
		}
		return 0
	}
	now := d.With(AtOnce)
	if len(now) == 0 {
		return
	}
	first := rank(slices.MinFunc(now, func(a, b driver.Change) int { return rank(a) - rank(b) }))
	for i := range d.Changes {
		if c := &d.Changes[i]; rank(c.Change) > first && c.Fate == AtOnce {
			c.Fate = AfterOthers
			if c.Approved {
				d.Hash = v.Approval
				d.Approved = slices.ContainsFunc(d.Changes, func(c Decided) bool { return c.Fate == AtOnce && c.Approved })
			}
		}
	}
}
