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

// A View is what is known of an object beside the cloud.
type View struct {
	// Now is the time at which that is known.
	Now time.Time
	// Deleting: the Kubernetes object is being deleted.
	Deleting bool
	// Bound: the name in the cloud is stored, so a creation may have been tried.
	Bound bool
	// Moved: the spec now asks for another name or location than those it is bound to.
	Moved bool
	// WasReady: it was Ready at some time.
	WasReady bool
	// FromBackup: what the status says of its life is that of an earlier object: it came with a backup of the cluster.
	FromBackup bool
	// HasFinalizer: it has our finalizer, so what it stands for in the cloud is or was managed.
	HasFinalizer bool
	// Edited: the spec changed since it was last applied in full.
	Edited bool
	// Accepted: the cloud accepted the creation of what the object stands for.
	Accepted bool
	// WasApplied: the spec was once applied in full.
	WasApplied bool
	// Origin says where the cloud object comes from; it is empty for objects of release 0.1.0.
	Origin v1alpha1.Origin
	// MarkMissing: the cloud answered the creation, and has not shown the mark since.
	MarkMissing bool
	// Asked: a person edited the spec just now, or asked for the reconciliation.
	Asked bool
	// AdoptFrom is the namespace and name of the object whose left-behind cloud object may be taken over, by the platform's consent.
	AdoptFrom string
	// Shown: the object was Ready, or shows the cloud object in its status.
	Shown bool
	// Recovers: for a time that ends by itself, the platform lets the namespace have what any namespace of its name made. OwnAccount: the account is the
	// namespace's own. FinalMarks: the mark of such an object never changes.
	Recovers, OwnAccount, FinalMarks bool
	// Mark is the mark that the cloud object should bear; ID its identity as far as known.
	Mark driver.Mark
	ID   string
	// Applied is what we set in the cloud.
	Applied driver.Applied
	// Approval is the hash that a person approved, AwaitedHash the one whose approval the status awaits; Serial counts the plans that were
	// settled.
	Approval, AwaitedHash string
	Serial                int64
	// Rotates: a generated password is being changed because its period has passed.
	Rotates bool
	// Waiting are the changes that were waiting when the object was last looked at.
	Waiting []v1alpha1.PendingChange
	// Own is what the object's own spec says of spec.updates, and AwaitedOwn what it said when that was recorded for which Waiting waits.
	Own, AwaitedOwn OwnRules
	// Mirror is what the status showed of the cloud object before it was looked at now; nil if nothing.
	Mirror any
	// ByClass are the fields that the class decides, ClassChanged those of which it says something else since it was last
	// recorded.
	ByClass, ClassChanged class.Fields
	// Enforced are the fields on which the class insists.
	Enforced class.Fields
	// Restores: it was restored from a snapshot when it was created, or is to be. RestoreFrom: its spec says from what.
	// Restored: the status says that it was, in this object's life.
	Restores, RestoreFrom, Restored bool
	// Vanished is the cloud object in whose place it was restored, or is being restored; zero for none.
	Vanished driver.ParentRef
	// Replica says what it is to follow, and what follows it.
	Replica Replica
	// CopyOf says of what its cloud object was born as a copy; zero if it is none, or has worked.
	CopyOf Copy
	// Former is the cloud object in whose place its own was put, as the status says; nil if there is none. FormerGone: it was seen absent long enough ago that no stale read
	// explains it.
	Former     *driver.ParentRef
	FormerGone bool
	// Beside: the version is changed by another server that takes the place of this one. See driver.Request.
	Beside bool
	// Backup is the snapshot that is to be there before an upgrade.
	Backup Backup
	// Children names the objects within it that somebody still wants.
	Children []string
	// InConsistencyWindow: what the cloud shows may be from before our last write.
	InConsistencyWindow bool
	// AbsenceSure: the object was seen absent before, long enough ago that no stale read explains it.
	AbsenceSure bool
	// FinalSnapshot is the name of the final snapshot that a deletion takes.
	FinalSnapshot string
	// SnapshotAbsenceSure: the same of the final snapshot.
	SnapshotAbsenceSure bool
	// UnmarkedSure: the same of the mark on an object that is there.
	UnmarkedSure bool
	// Window is how long the cloud may take to show what was written.
	Window time.Duration
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
