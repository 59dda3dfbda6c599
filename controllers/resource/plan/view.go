package plan

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A View is what is known of an object from everywhere but the cloud: from Kubernetes, from the class, and from what this process remembers. What the
// cloud shows is in a driver.Observation.
type View struct {
	// Now is the time of this reconciliation.
	Now time.Time

	// Deleting: the Kubernetes object is being deleted. HasFinalizer: it has Mooring's finalizer, so its cloud object is or was managed.
	Deleting, HasFinalizer bool
	// Bound: the status has the name in the cloud. A creation may have been sent from then on. Accepted: the cloud answered that creation.
	Bound, Accepted bool
	// Moved: the spec now asks for another name or location than the one that the object is bound to.
	Moved bool
	// WasReady: the object was Ready at least once. WasApplied: the spec was applied in full at least once.
	WasReady, WasApplied bool
	// FromBackup: the status is older than the object. It came with a backup of the Kubernetes cluster.
	FromBackup bool
	// Edited: this generation of the spec was not applied in full yet.
	Edited bool
	// RetryRequested: a person asked for another try of the operation that failed in the cloud and still rests there.
	RetryRequested bool

	// Mark is the ownership mark that the cloud object should have. ID is the cloud's own identity of it; empty if that is not known.
	Mark driver.Mark
	ID   string
	// Origin says whether Mooring created the cloud object or adopted it; empty for objects of release 0.1.0.
	Origin v1alpha1.Origin
	// MarkMissing: the cloud answered the creation, and never showed the mark since. UnmarkedSure: the cloud object has been without its mark for longer than
	// the consistency window, so no stale read explains that.
	MarkMissing, UnmarkedSure bool
	// FinalMarks: the cloud takes the mark at the creation only, and never changes it.
	FinalMarks bool
	// Shown: the status shows that this object had the cloud object before: it was Ready, or status.observed is set.
	Shown bool
	// AdoptFrom is the namespace and name of another object. The platform team allows this one to adopt what that one left behind. Empty for none.
	AdoptFrom string
	// Recovers: after the loss of a cluster, the namespace may for a time take back what any namespace of its name made. OwnAccount: the provider config is
	// the namespace's own.
	Recovers, OwnAccount bool

	// Applied is what Mooring set in the cloud object earlier.
	Applied driver.Applied
	// Mirror is status.observed as the last reconciliation left it; nil if it is empty.
	Mirror any
	// ByClass are the fields whose values come from the class. ClassChanged are those of them that the class changed since the status recorded them.
	// Enforced are the fields that users can't override.
	ByClass, ClassChanged, Enforced class.Fields

	// Approval is the hash in the annotation mooring.dev/approve. AwaitedHash is the hash for which the status asks. Serial counts the plans that have ended,
	// so that an old approval approves nothing new.
	Approval, AwaitedHash string
	Serial                int64
	// Waiting is status.pendingChanges as the last reconciliation left it.
	Waiting []v1alpha1.PendingChange
	// Own is spec.updates of the object itself. AwaitedOwn is what it was when the status recorded the changes in Waiting.
	Own, AwaitedOwn OwnRules

	// ConsistencyWindow is how long the cloud may take to show what was written. InConsistencyWindow: what the cloud shows now may be older than the last write.
	ConsistencyWindow   time.Duration
	InConsistencyWindow bool
	// AbsenceSure: the cloud object has been absent for longer than the consistency window, so no stale read explains that.
	AbsenceSure bool

	// FinalSnapshot is the name of the snapshot that a deletion takes. SnapshotAbsenceSure: it has been absent for longer than the consistency window.
	FinalSnapshot       string
	SnapshotAbsenceSure bool
	// Children names the objects within this one that keep it from being deleted.
	Children []string

	// Rotates: a new password is on its way, because the period of the former one has passed or a person asked for it.
	Rotates bool
	// RestoreFrom: the spec says from what to restore the object. Restores: it is to be restored, or was. Restored: the status says that it was.
	RestoreFrom, Restores, Restored bool
	// Vanished is the deleted cloud object in whose place this one is restored; zero for none.
	Vanished driver.ParentRef
	// CopyOf is the object of which the cloud makes this one as a copy; zero if it is no copy, or has its own mark by now.
	CopyOf Copy
	// Backup is the snapshot that has to be there before an upgrade.
	Backup Backup

	// What features say of the object, by their hook Interpret.

	// Treatments say how some changes are treated.
	Treatments Treatments
	// Source is what the cloud object is made of, or was made of.
	Source Source
	// Mismatch is why nothing is changed of a cloud object at rest: it is not what the spec says, and no change makes it so. Impaired is what is wrong with one that is up to
	// date and can be used. Each is nothing if its Reason is empty.
	Mismatch, Impaired Refusal
	// Halt is why some fields are not changed before a person acts.
	Halt Halt
	// Companion goes with the cloud object, or stays with it.
	Companion Companion
	// Guards keep a deletion from destroying the cloud object for now.
	Guards []Guard
	// DataElsewhere says where the data of the cloud object is, if it has none of its own: it is new until it is as declared, and no snapshot of it is taken.
	DataElsewhere string
}

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
		v.Enforced = found.Effective.EnforcedFields()
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
