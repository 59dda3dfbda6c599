package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// NoteRestore notes in a view from what an object was restored, or is to be. want is the object with its class merged in.
func (v *View) NoteRestore(k *kind.Kind, want, stored v1alpha1.ResourceObject) {
	v.Restores, v.RestoreFrom, v.Vanished = k.Restores(want, stored), k.RestoreFrom(want) != nil, k.VanishedServer(stored)
	v.Restored = k.Restored(stored)
}

// hadOne reports whether the object had a cloud object that people may have used.
func (v View) hadOne() bool { return v.WasReady || v.Origin == v1alpha1.OriginAdopted }

// comesBack reports whether a restore in the place of what vanished has begun, and nothing worked since.
func (v View) comesBack() bool { return v.Vanished.ID != "" && !v.hadOne() }

// restoresInPlace reports whether a creation restores what vanished. Once that has begun it goes on, whatever the policy says by then: nothing empty comes
// in the place of data.
func restoresInPlace(v View, p Policy) bool {
	return v.comesBack() || v.hadOne() && p.WhenVanished == v1alpha1.WhenVanishedRestore
}

// NewOne says what takes the place of an object that vanished, if it is created again.
func (v View) NewOne() string {
	switch {
	case v.Replica.wanted() && !v.Replica.Promote:
		return "a new read replica of " + v.Replica.Primary
	case v.RestoreFrom:
		return "a new one from what spec.restoreFrom names"
	}
	return "a new, empty one"
}

// Gone returns the cloud objects in whose place one is restored: the first of which something is left is restored. name is the name to which the object is bound.
// What was restored in the place of another, and vanished before it ever worked, has nothing that the other did not leave.
func (v View) Gone(name string) []driver.ParentRef {
	all := []driver.ParentRef{{Name: name, ID: v.ID}}
	if v.comesBack() && v.Vanished.ID != v.ID {
		all = slices.Insert(all, 0, v.Vanished)
	}
	return slices.DeleteFunc(all, func(one driver.ParentRef) bool { return one.ID == "" })
}

// A Left is what is known of what is left of a cloud object that vanished.
type Left struct {
	// Supported: the cloud says what is left. Known: it was asked, by the identity of what vanished.
	Supported, Known bool
	// Failed is why the cloud could not be asked; empty if it was, or if the conditions say already that the cloud object is gone.
	Failed string
	// Restorable is what the cloud said.
	Restorable driver.Restorable
	// Unfit is why nothing can be restored from it as the spec wants; empty if it can.
	Unfit string
}

// InPlaceRefusal returns why what vanished is not restored now; it is nothing if its Reason is empty. Of SnapshotNotReady and Retrying it passes by itself.
func InPlaceRefusal(v View, l Left) Refusal {
	const gone = "the cloud object was deleted outside Mooring, and "
	switch {
	case !l.Supported:
		return Refusal{v1alpha1.ReasonVanished, gone + "Mooring can't restore such an object in this cloud (spec.whenVanished: Restore); " + v.insteadOfRestore()}
	case l.Failed != "":
		return Refusal{v1alpha1.ReasonRetrying, gone + "Mooring tries again to " + l.Failed}
	case !l.Known:
		return Refusal{v1alpha1.ReasonVanished, gone + "Mooring does not know its identity, so it can't tell what is left of it; " + v.insteadOfRestore()}
	case l.Restorable.Pending:
		return Refusal{v1alpha1.ReasonSnapshotNotReady, gone + "Mooring waits for its newest snapshot or backup, which is not complete yet, to restore it"}
	case l.Restorable.From == nil:
		return Refusal{v1alpha1.ReasonVanished, gone + "the cloud has no snapshot and no backup of it that this object may use, so there is nothing to restore; " + v.insteadOfRestore()}
	case l.Unfit != "":
		return Refusal{v1alpha1.ReasonInvalid, fmt.Sprintf("%sit is not restored from %s: %s", gone, l.Restorable.From, l.Unfit)}
	}
	return Refusal{}
}

// insteadOfRestore says what to do if what vanished can't be restored. A restore that has begun is the only thing that comes in its place.
func (v View) insteadOfRestore() string {
	const restore = "restore it in the cloud under the same name and set spec.adoption: IfExists"
	if v.comesBack() {
		return restore + ", or delete this object and create another one"
	}
	return restore + ", or set spec.whenVanished: Recreate to create " + v.NewOne() + ", or delete this object"
}

// Loss says what is lost of data when an action creates a cloud object in the place of one that vanished, as a part of a message.
func Loss(v View, from *driver.Restore) string {
	if from == nil || from.Vanished == "" {
		return "its data is lost; Mooring is creating " + v.NewOne() + " under the same name"
	}
	return fmt.Sprintf("what was written to it after %s is lost; Mooring is restoring it under the same name from %s", from.Time.UTC().Format(time.RFC3339), from)
}
