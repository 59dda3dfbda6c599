package plan

import (
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Claim is what an object's status says of a cloud object that can't be marked: that it is this object's, or may be. The zero Claim says
// nothing.
type Claim struct {
	// Mark is what would be the cloud object's mark.
	Mark driver.Mark
	// Bound: the object may have created it. Recorded: it is known to have created it, or took it over.
	Bound, Recorded bool
	// Since is when the object was made.
	Since time.Time
}

// ClaimOf returns the claim of an object of a kind to the cloud object of a request, which another object makes.
func ClaimOf(k *kind.Kind, object v1alpha1.ResourceObject, request driver.Request) Claim {
	status := object.GetResourceStatus()
	c := Claim{Since: object.GetCreationTimestamp().Time, Mark: driver.Mark{
		Cluster: request.Mark.Cluster, Namespace: object.GetNamespace(), Name: object.GetName(), UID: string(object.GetUID()),
	}}
	c.Bound = managed(object) && !status.CreationRefused && status.ExternalName == request.Name && k.ParentRef(object).Same(request.Parent)
	c.Recorded = c.Bound && (k.OwnershipRecorded(object) || status.ExternalID != "")
	return c
}

// Stands reports whether the claim says anything.
func (c Claim) Stands() bool { return c.Bound }

// Before reports whether a claim is stronger than another: a record is stronger than a binding, and of two that are alike the older
// object's is. No two claims are equally strong.
func (c Claim) Before(other Claim) bool {
	switch {
	case c.Recorded != other.Recorded:
		return c.Recorded
	case c.Bound != other.Bound:
		return c.Bound
	case !c.Since.Equal(other.Since):
		return c.Since.Before(other.Since)
	default:
		return c.Mark.UID < other.Mark.UID
	}
}

// managed reports whether what an object is bound to was created for it, or taken over.
func managed(object v1alpha1.ResourceObject) bool {
	status := object.GetResourceStatus()
	return status.ExternalName != "" && status.Origin != "" && slices.Contains(object.GetFinalizers(), v1alpha1.FinalizerResource)
}
