package replica

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// fieldRole is how people see a promotion among the changes of an object, such as in status.pendingChanges. It is no field that a driver changes.
const fieldRole = "replica.role"

// A replication is what an object is to follow, and what the cloud shows of that.
type replication struct {
	// primary is how messages call the object that it is to follow, such as Database orders; empty if the spec names none. promote: the spec wants it to follow
	// nothing any more.
	primary string
	promote bool
	// follows is what the cloud says that it follows; nil if it follows nothing.
	follows *driver.Following
}

// replicationOf returns what an object is to follow, and what it follows.
func replicationOf(in reconciliation.State) replication {
	r := replication{follows: in.Observation.Replication.GetFollows()}
	if asked := kind.ReplicaOf(in.Kind, in.Want); asked != nil {
		r.primary, r.promote = in.Kind.Name+" "+asked.PrimaryRef.Name, asked.Role == v1alpha1.ReplicaRolePrimary
	}
	return r
}

// wanted reports whether the spec has the object follow another one, or says that it did.
func (r replication) wanted() bool { return r.primary != "" }

// interpret says in the View what the plan goes by, and returns the promotion if the spec asks for it.
func interpret(in *reconciliation.State, sync time.Duration) []driver.Change {
	r, is := replicationOf(*in), part.In(in.Parts)
	before := kind.ReplicaStatusOf(in.Kind, in.Object)
	if before != nil {
		is.lag = before.Lag
	}
	is.lag = lag(in, sync, is.lag)
	if r.follows != nil && reconciliation.FollowsPrimary(*in, r.follows) {
		is.serverID = in.Primary.Ref.ID
	}
	part.Set(&in.Parts, is)

	v := &in.View
	v.Treat(fieldRole, plan.Treatment{Command: driver.Promote, First: true, Asks: true, Cause: v1alpha1.CauseSpec})
	v.Source = sourceOf(*in, r, before != nil)
	v.Mismatch, v.Guards = mismatch(*in, r), append(v.Guards, guards(*in, r, is.followers)...)
	if r.follows != nil {
		v.DataElsewhere = fmt.Sprintf("it is a read replica of %s, which has its data", r.follows.Primary)
		v.Impaired = outOfDate(*r.follows)
	}
	return plan.WhileStopped(in.Observation, promotion(r, is.lag))
}

// sourceOf says what a cloud object is made of, or was made of, if that is its primary. followed: it followed something when it was last observed.
func sourceOf(in reconciliation.State, r replication, followed bool) plan.Source {
	s := in.View.Source
	s.HasData, s.AsThere = followed, r.wanted()
	if !r.wanted() {
		return s
	}
	s.Creating = "the cloud is creating it as a read replica of the one that spec.replica names"
	if in.View.Origin == v1alpha1.OriginCreated && in.Kind.Restoring != nil && len(s.Contents) == 0 {
		s.Contents, s.Named = in.Kind.Restoring.Contents, "the primary that it followed"
	}
	if !r.promote {
		s.Another = "a new read replica of " + r.primary
		return s
	}
	s.Refusal = plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: "spec.replica.role is Primary, and there is no read replica to promote; " + // an empty server would look like what was promoted
		"set it to Replica to create one first, or remove spec.replica for an empty server"}
	return s
}

// promotion returns the change that ends that an object follows another one, if its spec wants that. No driver knows it.
func promotion(r replication, lag v1alpha1.ReplicaLag) []driver.Change {
	if !r.promote || r.follows == nil {
		return nil
	}
	why := fmt.Sprintf("it takes writes from then on, no longer repeats those of %s, and never will again; clients may lose their connections", r.follows.Primary)
	if lag != "" {
		why += fmt.Sprintf("; as of up to 10 minutes ago the cloud says that it lags behind by %s, and what it has not repeated by then it will lack", strings.ToLower(string(lag)))
	}
	return []driver.Change{{
		Field: fieldRole, From: string(v1alpha1.ReplicaRoleReplica), To: string(v1alpha1.ReplicaRolePrimary), Effect: driver.Irreversible, Why: why,
	}}
}

// mismatch returns why nothing is changed of an object at rest, because it does not follow what its spec says; it is nothing if its Reason is empty.
func mismatch(in reconciliation.State, r replication) plan.Refusal {
	refusal := plan.Refusal{Reason: v1alpha1.ReasonImmutable}
	server := reconciliation.PrimaryServer(in).Primary
	switch {
	case r.wanted() && !r.promote && r.follows == nil:
		refusal.Message = "it is no read replica any more: it was promoted, or its primary was deleted in the cloud, and nothing makes it a replica again; " +
			"set spec.replica.role to Primary to let Mooring manage it as it is, or delete this object and create another one"
	case r.wanted() && r.follows != nil && server != "" && !reconciliation.FollowsPrimary(in, r.follows):
		refusal.Message = fmt.Sprintf("it follows %s, and spec.replica.primaryRef names %s, which is %s, and a read replica never follows another server; "+
			"name the Database of %s, or delete this object and create another one", r.follows.Primary, r.primary, server, r.follows.Primary)
	case !r.wanted() && r.follows != nil && in.View.Origin == v1alpha1.OriginCreated:
		refusal.Message = fmt.Sprintf("it is a read replica of %s, and spec.replica was removed; put it back, with role Primary to promote it", r.follows.Primary)
	default:
		return plan.Refusal{}
	}
	return refusal
}

// guards return what a deletion waits for, because read replicas follow what it would destroy, or because the replica may be the last copy of its data.
func guards(in reconciliation.State, r replication, f followers) (all []plan.Guard) {
	inCloud := in.Observation.Replication.GetFollowers()
	// An object elsewhere is named by more than its name, such as an ARN, which ends with it.
	leaves := func(name string) bool {
		return slices.ContainsFunc(f.leaving, func(leaving string) bool { return name == leaving || strings.HasSuffix(name, ":"+leaving) })
	}
	others := slices.DeleteFunc(slices.Clone(inCloud), leaves)
	const then = "it is followed by %s; delete %s, or promote %s (spec.replica.role: Primary), and the deletion continues"
	switch {
	case len(f.held) > 0:
		it := plan.ItOrThem(f.held)
		all = append(all, plan.Guard{Refusal: plan.Refusal{Reason: v1alpha1.ReasonInUse, Message: fmt.Sprintf(then, plan.NamesOf(f.held), it, it)}, Foreseen: foreseen(f.held)})
	case len(others) > 0:
		all = append(all, plan.Guard{Refusal: plan.Refusal{Reason: v1alpha1.ReasonInUse, Message: fmt.Sprintf("it is followed by the read replica %s in the cloud, for which there is no object in this namespace; "+
			"delete or promote %s in the cloud, and the deletion continues", plan.NamesOf(others), plan.ItOrThem(others))}, Foreseen: foreseen(inCloud)})
	case len(inCloud) > 0:
		waits := plan.Refusal{Reason: v1alpha1.ReasonDeleting, Message: "waiting until the cloud has deleted " + plan.NamesOf(inCloud) + ", which follows it"}
		all = append(all, plan.Guard{Refusal: waits, Passes: true, Foreseen: foreseen(inCloud)})
	}
	if why := lastCopy(in, r); why != "" && in.Policy.Deletion == v1alpha1.DeletionSnapshot && in.View.WasReady {
		all = append(all, plan.Guard{Refusal: plan.Refusal{
			Reason: v1alpha1.ReasonReplicationImpaired, Message: why + ", so its data may be all that is left, and clouds take no snapshot of a read replica; " +
				"promote it in the cloud, because Mooring promotes nothing that is being deleted, or set spec.deletionPolicy: Delete to delete it without a snapshot",
		}})
	}
	return all
}

// foreseen says in a preview that a deletion waits for what follows the cloud object.
func foreseen(names []string) string {
	it := plan.ItOrThem(names)
	return fmt.Sprintf("the deletion waits, because read replicas follow it: %s; delete %s first, or promote %s", plan.NamesOf(names), it, it)
}

// outOfDate is for a read replica that does not repeat what is written to its primary. It can be used, and what it says is of the past. It is nothing for another one.
func outOfDate(f driver.Following) plan.Refusal {
	if f.Problem == "" {
		return plan.Refusal{}
	}
	return plan.Refusal{Reason: v1alpha1.ReasonReplicationImpaired, Message: fmt.Sprintf("it does not repeat what is written to %s: %s; mend that in the cloud, promote it (spec.replica.role: Primary), "+
		"or delete this object and create another one", f.Primary, f.Problem)}
}

// lastCopy keeps a read replica whose data its primary may not have from being deleted without a snapshot, where one is wanted: clouds take none of a replica. It is nothing if the
// primary is well, as far as that is known.
func lastCopy(in reconciliation.State, r replication) (why string) {
	switch {
	case r.follows == nil:
		return ""
	case r.follows.Problem != "":
		return fmt.Sprintf("it does not repeat what is written to %s (%s)", r.follows.Primary, r.follows.Problem)
	case primaryLost(in.Primary):
		return fmt.Sprintf("%s, which it follows, can't be used", r.primary)
	}
	return ""
}

// primaryLost reports whether a primary can't be used, so that nobody knows what of its data is left. One that is stopped has its data.
func primaryLost(p reconciliation.Primary) bool {
	if p.Object == nil {
		return false
	}
	available := meta.FindStatusCondition(p.Object.GetConditions(), v1alpha1.ConditionAvailable)
	return !p.Usable && (available == nil || available.Reason != string(v1alpha1.ReasonStopped))
}
