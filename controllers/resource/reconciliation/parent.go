package reconciliation

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Parent is what is known of the object within which an object is. It is zero for an object of a kind without a parent.
type Parent struct {
	// Named is how messages call it: Database orders.
	Named string
	// Found: there is such an object. Deleting: it is being deleted. Managed: its cloud object is Mooring's. Usable: that can be used now.
	Found, Deleting, Managed, Usable bool
	// State is the reason of its condition Ready; empty if it has none yet.
	State string
	// Ref is the parent in the cloud, and FinalSnapshot the name of the snapshot that its deletion takes.
	Ref           driver.ParentRef
	FinalSnapshot string
	// Config leads to the parent's account. Class is the parent's class, if that named it.
	Config identity.Key
	Class  string
	// Provider, Account and Location are where the parent is.
	Provider, Account, Location string
}

// Takes reports whether something can be created within the parent now.
func (p Parent) Takes() bool { return p.Managed && p.Usable && !p.Deleting }

// ParentOf returns what an object says of itself to those within it.
func ParentOf(object v1alpha1.ResourceObject) Parent {
	status := object.GetResourceStatus()
	p := Parent{
		Found: true, Deleting: !object.GetDeletionTimestamp().IsZero(),
		Managed: slices.Contains(object.GetFinalizers(), v1alpha1.FinalizerResource) && object.GetResourceSpec().Management != v1alpha1.ManagementObserve,
	}
	if ready := meta.FindStatusCondition(status.Conditions, v1alpha1.ConditionReady); ready != nil {
		p.State = ready.Reason
	}
	if status.ExternalName == "" || status.ProviderConfigRef == nil || status.AccountID == "" {
		return p
	}
	p.Usable = meta.IsStatusConditionTrue(status.Conditions, v1alpha1.ConditionAvailable)
	p.Ref = driver.ParentRef{Name: status.ExternalName, ID: status.ExternalID}
	p.FinalSnapshot = plan.SnapshotName(status.ExternalName, string(object.GetUID()))
	p.Config, p.Class = identity.KeyOfBound(*status.ProviderConfigRef, object.GetNamespace()), status.ClassName
	p.Provider, p.Account, p.Location = status.Provider, status.AccountID, status.Location
	return p
}

// HoldsParent reports whether an object keeps its parent from being deleted: somebody wants it, and it may have something in the cloud. Nothing was
// created for one that is not bound yet, or of which the cloud refused every creation.
func HoldsParent(child v1alpha1.ResourceObject) bool {
	status := child.GetResourceStatus()
	wanted := slices.Contains(child.GetFinalizers(), v1alpha1.FinalizerResource) && child.GetDeletionTimestamp().IsZero()
	return wanted && status.ExternalName != "" && !status.CreationRefused
}

// NotReady says why an object on which another one waits is of no use yet, and whether a person has to act; empty if it is of use. Only what it was allowed to
// take over or to observe is Ready.
func NotReady(object v1alpha1.ResourceObject) (why string, stalled bool) {
	conditions := object.GetConditions()
	stalls := meta.FindStatusCondition(conditions, v1alpha1.ConditionStalled)
	switch {
	case !object.GetDeletionTimestamp().IsZero():
		return "is being deleted", true
	case stalls != nil && stalls.Status == "True":
		return fmt.Sprintf("is not ready to use (%s)", stalls.Reason), true
	case !meta.IsStatusConditionTrue(conditions, v1alpha1.ConditionReady) || object.GetResourceStatus().ExternalName == "":
		return "is not ready to use yet", false
	}
	return "", false
}
