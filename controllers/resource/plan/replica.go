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
	// Lag is how far it lags behind what it follows; empty if that is not known.
	Lag v1alpha1.ReplicaLag
	// ServerID is the identity of what it follows, if Server is that; empty if that is not known. PrimaryLost: what it follows can't be used, so nobody knows what of its data is left.
	ServerID    string
	PrimaryLost bool
	// Location is where Server is, if that is elsewhere.
	Location string
	// Held names objects that follow it, or are about to, and that somebody still wants. Leaving are the names in the cloud of those that are being deleted.
	Held, Leaving []string
}

// ReplicaOf returns what an object and its status say of what it is to follow. want is the object with its class merged in.
func ReplicaOf(k *kind.Kind, want, stored v1alpha1.ResourceObject) Replica {
	r := Replica{}
	if follows := kind.ReplicaStatusOf(k, stored); follows != nil {
		r.Followed, r.Lag = true, follows.Lag
	}
	if asked := kind.ReplicaOf(k, want); asked != nil {
		r.Primary, r.Promote = k.Name+" "+asked.PrimaryRef.Name, asked.Role == v1alpha1.ReplicaRolePrimary
	}
	return r
}

// Is reports whether what is followed is the server of the primary that the spec names. Not every cloud says where that is.
func (r Replica) Is(followed *driver.Following) bool {
	return strings.EqualFold(r.Server, followed.Primary) && (followed.Location == "" || strings.EqualFold(r.Location, followed.Location))
}

// wanted reports whether the spec has the object follow another one, or says that it did.
func (r Replica) wanted() bool { return r.Primary != "" }

// Promotion returns the change that ends that the object follows another one, if its spec wants that. Only the caller of a driver knows it.
func Promotion(r Replica, o driver.Observation) []driver.Change {
	if !r.Promote || o.Replication.GetFollows() == nil {
		return nil
	}
	why := fmt.Sprintf("it takes writes from then on, no longer repeats those of %s, and never will again; clients may lose their connections", o.Replication.GetFollows().Primary)
	if r.Lag != "" {
		why += fmt.Sprintf("; as of up to 10 minutes ago the cloud says that it lags behind by %s, and what it has not repeated by then it will lack", strings.ToLower(string(r.Lag)))
	}
	return []driver.Change{promotion(why)}
}

// replicaRefusal returns why nothing is changed of an object at rest, because it does not follow what its spec says; it is nothing if its Reason is empty.
func replicaRefusal(v View, o driver.Observation) Refusal {
	r := v.Replica
	switch {
	case r.wanted() && !r.Promote && o.Replication.GetFollows() == nil:
		return Refusal{v1alpha1.ReasonImmutable, "it is no read replica any more: it was promoted, or its primary was deleted in the cloud, and nothing makes it a replica again; " +
			"set spec.replica.role to Primary to let Mooring manage it as it is, or delete this object and create another one"}
	case r.wanted() && o.Replication.GetFollows() != nil && r.Server != "" && !r.Is(o.Replication.GetFollows()):
		return Refusal{v1alpha1.ReasonImmutable, fmt.Sprintf("it follows %s, and spec.replica.primaryRef names %s, which is %s, and a read replica never follows another server; "+
			"name the Database of %s, or delete this object and create another one", o.Replication.GetFollows().Primary, r.Primary, r.Server, o.Replication.GetFollows().Primary)}
	case !r.wanted() && o.Replication.GetFollows() != nil && v.Origin == v1alpha1.OriginCreated:
		return Refusal{v1alpha1.ReasonImmutable, fmt.Sprintf("it is a read replica of %s, and spec.replica was removed; put it back, with role Primary to promote it", o.Replication.GetFollows().Primary)}
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
	// An object elsewhere is named by more than its name, such as an ARN, which ends with it.
	leaves := func(name string) bool {
		return slices.ContainsFunc(v.Replica.Leaving, func(leaving string) bool { return name == leaving || strings.HasSuffix(name, ":"+leaving) })
	}
	others := slices.DeleteFunc(slices.Clone(o.Replication.GetFollowers()), leaves)
	const then = "%s; delete %s, or promote %s (spec.replica.role: Primary), and the deletion continues"
	switch held := v.Replica.Held; {
	case len(held) > 0:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonInUse, Message: fmt.Sprintf("it is followed by "+then, NamesOf(held), ItOrThem(held), ItOrThem(held))}, true
	case len(others) > 0:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonInUse, Message: fmt.Sprintf("it is followed by the read replica %s in the cloud, for which there is no object in this namespace; "+
			"delete or promote %s in the cloud, and the deletion continues", NamesOf(others), ItOrThem(others))}, true
	case len(o.Replication.GetFollowers()) > 0:
		return deleting("waiting until the cloud has deleted " + NamesOf(o.Replication.GetFollowers()) + ", which follows it"), true
	}
	return Action{}, false
}

// outOfDate is for a read replica that does not repeat what is written to its primary. It can be used, and what it says is of the past.
func outOfDate(f *driver.Following) (v1alpha1.Reason, string) {
	return v1alpha1.ReasonReplicationImpaired, fmt.Sprintf("it does not repeat what is written to %s: %s; mend that in the cloud, promote it (spec.replica.role: Primary), "+
		"or delete this object and create another one", f.Primary, f.Problem)
}

// lastCopy keeps a read replica whose data its primary may not have from being deleted without a snapshot, where one is wanted: clouds take none of a replica. It is nothing if the
// primary is well, as far as that is known.
func lastCopy(v View, f *driver.Following) (why string) {
	switch {
	case f == nil:
		return ""
	case f.Problem != "":
		return fmt.Sprintf("it does not repeat what is written to %s (%s)", f.Primary, f.Problem)
	case v.Replica.PrimaryLost:
		return fmt.Sprintf("%s, which it follows, can't be used", v.Replica.Primary)
	}
	return ""
}

func keepLastCopy(why string) Action {
	return Action{Verb: Stall, Reason: v1alpha1.ReasonReplicationImpaired, Message: why + ", so its data may be all that is left, and clouds take no snapshot of a read replica; " +
		"promote it in the cloud, because Mooring promotes nothing that is being deleted, or set spec.deletionPolicy: Delete to delete it without a snapshot"}
}
