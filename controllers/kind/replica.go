package kind

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// Replicating describes how an object of a kind can be a read replica of another object of the kind.
type Replicating struct {
	// Of returns the part of the spec that makes an object a read replica; nil if it is none.
	Of func(v1alpha1.ResourceObject) *v1alpha1.DatabaseReplica
	// Status points to the part of a replica's status about its primary. Followers points to the names of the replicas
	// in the status of a primary.
	Status    func(v1alpha1.ResourceObject) **v1alpha1.ReplicaStatus
	Followers func(v1alpha1.ResourceObject) *[]string
	// Mismatch returns why an object with this spec can't be a replica of the primary, and how to correct the spec;
	// empty if it can. The class is merged into want.
	Mismatch func(want, primary v1alpha1.ResourceObject) string
}

// PrimaryIndex is the name of the index that finds read replicas by the name of their primary.
const PrimaryIndex = "primary"

// ReplicaOf returns the part of an object's spec that makes it a read replica; nil if it is none.
func ReplicaOf(k *Kind, object v1alpha1.ResourceObject) *v1alpha1.DatabaseReplica {
	if k.Replicating == nil {
		return nil
	}
	return k.Replicating.Of(object)
}

// PrimaryName returns the name of the primary in a replica's spec. It stays there after the replica was promoted. It is
// empty if the spec names none.
func PrimaryName(k *Kind, object v1alpha1.ResourceObject) string {
	if replica := ReplicaOf(k, object); replica != nil {
		return replica.PrimaryRef.Name
	}
	return ""
}

// ReplicaStatusOf returns the part of an object's status about its primary; nil if it is not a read replica.
func ReplicaStatusOf(k *Kind, object v1alpha1.ResourceObject) *v1alpha1.ReplicaStatus {
	if k.Replicating == nil {
		return nil
	}
	return *k.Replicating.Status(object)
}

// SetReplicaStatus writes to an object's status which primary it follows, and which replicas follow it. follows is nil
// if it follows none. lag is the replication lag; empty if it is not known. It reports whether the status changed.
//
// id is the cloud's identity of the primary, if it is known. The first known id is kept: a later server of the same
// name is another server.
func SetReplicaStatus(k *Kind, object v1alpha1.ResourceObject, follows *driver.Following, id string, lag v1alpha1.ReplicaLag, followers []string) (changed bool) {
	if k.Replicating == nil {
		return false
	}
	status, names := k.Replicating.Status(object), k.Replicating.Followers(object)
	before, had := *status, *names
	if *status, *names = nil, slices.Clone(followers); follows != nil {
		if before != nil && before.Primary == follows.Primary && before.PrimaryID != "" {
			id = before.PrimaryID
		}
		*status = &v1alpha1.ReplicaStatus{Primary: follows.Primary, PrimaryID: id, Location: follows.Location, Problem: follows.Problem, Lag: lag}
	}
	return !equality.Semantic.DeepEqual(before, *status) || !slices.Equal(had, *names)
}

func databaseReplicating() *Replicating {
	return &Replicating{
		Of: func(o v1alpha1.ResourceObject) *v1alpha1.DatabaseReplica { return o.(*v1alpha1.Database).Spec.Replica },
		Status: func(o v1alpha1.ResourceObject) **v1alpha1.ReplicaStatus {
			return &o.(*v1alpha1.Database).Status.Replica
		},
		Followers: func(o v1alpha1.ResourceObject) *[]string { return &o.(*v1alpha1.Database).Status.Replicas },
		Mismatch:  unfitReplica,
	}
}

// unfitReplica compares the spec of a read replica with its primary: a replica has the engine, the major version and the users of that, and room for its data.
func unfitReplica(want, primary v1alpha1.ResourceObject) string {
	d, of := want.(*v1alpha1.Database), primary.(*v1alpha1.Database)
	is, login := of.Status.Observed, of.Spec.Credentials
	if is == nil {
		return ""
	}
	engine, version := valueOf(d.Spec.Engine), valueOf(d.Spec.Version)
	switch ofEngine, ofVersion := valueOf(is.Engine), valueOf(is.Version); {
	case ofEngine != "" && engine != "" && engine != ofEngine:
		return fmt.Sprintf("the primary is of the engine %s: set spec.engine to %s", ofEngine, ofEngine)
	case ofVersion != "" && version != "" && portable.MajorVersion(ofEngine, version) != portable.MajorVersion(ofEngine, ofVersion):
		return fmt.Sprintf("the primary is of version %s: set spec.version to %s", ofVersion, portable.MajorVersion(ofEngine, ofVersion))
	}
	if s := d.Spec.Storage; s != nil && s.SizeGiB != nil && is.Storage != nil && *s.SizeGiB < valueOf(is.Storage.SizeGiB) {
		return fmt.Sprintf("the primary has a disk of %d GiB: set spec.storage.sizeGiB to %d or more, or remove it", *is.Storage.SizeGiB, *is.Storage.SizeGiB)
	}
	if name, ofName := valueOf(d.Spec.DatabaseName), valueOf(of.Spec.DatabaseName); name != "" && ofName != "" && name != ofName {
		return fmt.Sprintf("the initial database of the primary is %s: set spec.databaseName to %s, or remove it", ofName, ofName)
	}
	name, ofName := "", ""
	if d.Spec.Credentials != nil {
		name = valueOf(d.Spec.Credentials.Username)
	}
	if login != nil {
		ofName = valueOf(login.Username)
	}
	switch {
	case name == ofName:
		return ""
	case ofName == "":
		return "the primary has the administrator of the cloud's choice: remove spec.credentials.username"
	}
	return fmt.Sprintf("the administrator of the primary is %s: set spec.credentials.username to %s", ofName, ofName)
}
