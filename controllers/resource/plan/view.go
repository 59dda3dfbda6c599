package plan

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/providers/driver"
)

// StoredView returns what is stored of an object, as Plan sees it.
func StoredView(obj metav1.Object, status *v1alpha1.ResourceStatus) View {
	v := View{
		Deleting: !obj.GetDeletionTimestamp().IsZero(), Bound: status.ExternalName != "",
		HasFinalizer: slices.Contains(obj.GetFinalizers(), v1alpha1.FinalizerResource),
		WasReady:     status.FirstReadyTime != nil,
		FromBackup:   status.FirstReadyTime != nil && status.FirstReadyTime.Time.Before(obj.GetCreationTimestamp().Time),
		Edited:       obj.GetGeneration() != status.AppliedGeneration,
		WasApplied:   status.AppliedGeneration != 0, Origin: status.Origin,
		AdoptFrom: obj.GetAnnotations()[v1alpha1.AnnotationAdoptFrom],
		ID:        status.ExternalID, Applied: driver.Applied(status.Applied),
		Approval: obj.GetAnnotations()[v1alpha1.AnnotationApprove], Waiting: status.PendingChanges,
	}
	if object, ok := obj.(v1alpha1.ResourceObject); ok {
		v.Mirror, v.Own = object.GetObserved(), OwnRulesOf(object)
		v.Shown = v.Mirror != nil || meta.IsStatusConditionTrue(object.GetConditions(), v1alpha1.ConditionReady)
	}
	if status.Plan != nil {
		v.Serial, v.AwaitedHash = status.Plan.Serial, status.Plan.Hash
		v.AwaitedOwn = OwnRules{Disruptive: v1alpha1.DisruptivePolicy(status.Plan.Disruptive), Timing: v1alpha1.UpdateTiming(status.Plan.Timing)}
	}
	return v
}

// ViewOf returns what an object itself and its class say: the part of a View that needs neither the cloud nor a memory. found is nil for an
// object that goes by no class.
func ViewOf(object metav1.Object, status *v1alpha1.ResourceStatus, found *class.Resolution) View {
	v := StoredView(object, status)
	if found != nil {
		v.ByClass, v.ClassChanged = found.Effective.Fields(), classChanged(found, status)
		v.Enforced = found.Effective.Insists()
	}
	return v
}

// classChanged returns the fields of which the class says something else than when that was last recorded. To choose another
// class is an edit.
func classChanged(found *class.Resolution, status *v1alpha1.ResourceStatus) class.Fields {
	if found.Class == nil || found.Name != status.ClassName {
		return nil
	}
	return found.Effective.Changed(status.Effective, func(name string) bool {
		for field := range status.Applied {
			if field == name || strings.HasPrefix(field, name+".") { // of a struct that the class sets to {}
				return true
			}
		}
		return false
	}, found.Same)
}
