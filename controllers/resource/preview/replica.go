package preview

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// following notes in what the cloud is expected to show of an object what that follows, and what follows it, as its status says.
func following(k *kind.Kind, o *driver.Observation, object v1alpha1.ResourceObject) {
	if k.Replicating == nil || o.State == driver.Absent {
		return
	}
	o.Replication = &driver.Replication{Followers: slices.Clone(*k.Replicating.Followers(object))}
	if f := kind.ReplicaStatusOf(k, object); f != nil {
		o.Replication.Follows = &driver.Following{Primary: f.Primary, Location: f.Location, Problem: f.Problem}
	}
}

// promotion returns the change that ends that an object follows another one, if its spec wants that: neither the spec nor the mirror shows it.
func promotion(k *kind.Kind, m merged) []driver.Change {
	o := driver.Observation{}
	following(k, &o, m.object)
	return plan.Promotion(plan.ReplicaOf(k, m.want, m.object), o)
}

// replicaLine says of changes of a read replica that the cloud may not make all of them while it is one; nothing of other objects.
func replicaLine(e *edit, changes []plan.Decided) []string {
	others := slices.ContainsFunc(changes, func(c plan.Decided) bool { return !plan.Promotes(c.Change) })
	if kind.ReplicaStatusOf(e.Kind, e.after.object) == nil || !others {
		return nil
	}
	return []string{"This server is a read replica: what a replica can't have in the cloud, such as backups, changes once it is promoted"}
}
