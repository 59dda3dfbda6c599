package replica

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// mirror shows in the status what the object follows, and what follows it.
func mirror(in reconciliation.State, object v1alpha1.ResourceObject) {
	o, is := in.Observation, part.In(in.Parts)
	if o.Replication.GetFollows() != nil || o.State == driver.Ready && !in.KeepsPrimary { // while it is being promoted it still is what it was
		kind.SetReplicaStatus(in.Kind, object, o.Replication.GetFollows(), is.serverID, is.lag, o.Replication.GetFollowers())
	}
}

// expect has the cloud say what an object follows, and what follows it, as its status says.
func expect(in *reconciliation.State) {
	seen := &in.Observation
	if seen.State == driver.Absent {
		return
	}
	seen.Replication = &driver.Replication{Followers: slices.Clone(*in.Kind.Replicating.Followers(in.Object))}
	if f := kind.ReplicaStatusOf(in.Kind, in.Object); f != nil {
		seen.Replication.Follows = &driver.Following{Primary: f.Primary, Location: f.Location, Problem: f.Problem}
	}
}

// remarks say of changes of a read replica that the cloud may not make all of them while it is one; nothing of other objects.
func remarks(in reconciliation.State, changes []plan.Decided) []string {
	others := slices.ContainsFunc(changes, func(c plan.Decided) bool { return c.Field != fieldRole })
	if kind.ReplicaStatusOf(in.Kind, in.Object) == nil || !others {
		return nil
	}
	return []string{"This server is a read replica: what a replica can't have in the cloud, such as backups, changes once it is promoted"}
}

// sent says that a replica was promoted.
func sent(w feature.Work, a plan.Action, accepted []driver.Change) *outcome.Note {
	if !a.Does(driver.Promote) || len(accepted) == 0 {
		return nil
	}
	said := outcome.Normal(v1alpha1.EventPromoted, "promoted the read replica: it takes writes from now on, and follows %s no more", w.Reconciliation().Observation.Replication.GetFollows().Primary)
	return &said
}
