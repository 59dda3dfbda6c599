package restore

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// gone returns the cloud objects in whose place one is restored: the first of which something is left is restored. name is the name to which the object is bound.
// What was restored in the place of another, and vanished before it ever worked, has nothing that the other did not leave.
func gone(v plan.View, name string) []driver.ParentRef {
	all := []driver.ParentRef{{Name: name, ID: v.ID}}
	if v.ComesBack() && v.Vanished.ID != v.ID {
		all = slices.Insert(all, 0, v.Vanished)
	}
	return slices.DeleteFunc(all, func(one driver.ParentRef) bool { return one.ID == "" })
}

// left is what is known of what is left of a cloud object that vanished.
type left struct {
	// Supported: the cloud says what is left. Known: it was asked, by the identity of what vanished.
	Supported, Known bool
	// Failed is why the cloud could not be asked; empty if it was, or if the conditions say already that the cloud object is gone.
	Failed string
	// Restorable is what the cloud said.
	Restorable driver.Restorable
	// Unfit is why nothing can be restored from it as the spec wants; empty if it can.
	Unfit string
}

// inPlaceRefusal returns why what vanished is not restored now; it is nothing if its Reason is empty. Of SnapshotNotReady and Retrying it passes by itself.
func inPlaceRefusal(v plan.View, l left) plan.Refusal {
	const gone = "the cloud object was deleted outside Mooring, and "
	switch {
	case !l.Supported:
		return plan.Refusal{Reason: v1alpha1.ReasonVanished, Message: gone + "Mooring can't restore such an object in this cloud (spec.whenVanished: Restore); " + insteadOfRestore(v)}
	case l.Failed != "":
		return plan.Refusal{Reason: v1alpha1.ReasonRetrying, Message: gone + "Mooring tries again to " + l.Failed}
	case !l.Known:
		return plan.Refusal{Reason: v1alpha1.ReasonVanished, Message: gone + "Mooring does not know its identity, so it can't tell what is left of it; " + insteadOfRestore(v)}
	case l.Restorable.Pending:
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotReady, Message: gone + "Mooring waits for its newest snapshot or backup, which is not complete yet, to restore it"}
	case l.Restorable.From == nil:
		return plan.Refusal{Reason: v1alpha1.ReasonVanished, Message: gone + "the cloud has no snapshot and no backup of it that this object may use, so there is nothing to restore; " + insteadOfRestore(v)}
	case l.Unfit != "":
		return plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: fmt.Sprintf("%sit is not restored from %s: %s", gone, l.Restorable.From, l.Unfit)}
	}
	return plan.Refusal{}
}

// insteadOfRestore says what to do if what vanished can't be restored. A restore that has begun is the only thing that comes in its place.
func insteadOfRestore(v plan.View) string {
	const restore = "restore it in the cloud under the same name and set spec.adoption: IfExists"
	if v.ComesBack() {
		return restore + ", or delete this object and create another one"
	}
	return restore + ", or set spec.whenVanished: Recreate to create " + v.NewOne() + ", or delete this object"
}
