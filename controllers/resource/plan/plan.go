package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Verb is what is to be done about an object. A reconciliation does one thing.
type Verb string

// The verbs.
const (
	Wait            Verb = "Wait"            // look again later
	Converge        Verb = "Converge"        // nothing differs
	Create          Verb = "Create"          // create it in the cloud
	Adopt           Verb = "Adopt"           // write our mark on what exists
	Update          Verb = "Update"          // apply Action.Changes
	AwaitApproval   Verb = "AwaitApproval"   // wait for approval of Action.Pending
	AwaitWindow     Verb = "AwaitWindow"     // wait for the maintenance window, and then make what is agreed to
	AwaitStart      Verb = "AwaitStart"      // wait until the server runs, which is stopped
	AwaitBackup     Verb = "AwaitBackup"     // have a snapshot taken, unless that is under way, and then apply Action.Changes
	Delete          Verb = "Delete"          // delete it in the cloud
	Release         Verb = "Release"         // mark it as left behind
	ClearBinding    Verb = "ClearBinding"    // clear the place where it was to be, and never was
	RemoveFinalizer Verb = "RemoveFinalizer" // drop the finalizer
	Stall           Verb = "Stall"           // a person has to act
)

// An Action is what Plan decided, and why.
type Action struct {
	Verb    Verb
	Reason  v1alpha1.Reason
	Message string
	// Changes are to be applied now, or once there is a backup.
	Changes []driver.Change
	// Command is what makes the one change in Changes; nil if an Update of the driver makes them.
	Command *driver.Command
	// Pending are all differences, those that wait included.
	Pending []v1alpha1.PendingChange
	// Hash identifies the changes that wait for approval, or were approved and wait for the maintenance window; empty if none does.
	Hash string
	// EditWaits: some of what waits for approval was asked for by an edit of the spec, or was never as the spec says, as on
	// an object that was adopted: this generation of the spec is not applied.
	EditWaits bool
	// EditAwaitsWindow is the same of what waits for the maintenance window.
	EditAwaitsWindow bool
	// EditSleeps is the same of what waits until the server runs.
	EditSleeps bool
	// EditAwaitsBackup is the same of what waits for a backup. BackupFor is the version of an upgrade that waits for a backup which is not asked for yet; empty if none does.
	EditAwaitsBackup bool
	BackupFor        string
	// Opens is when the maintenance window opens for which changes wait; zero if none does. Closes is when the window closes in which some of
	// Changes are to be sent; zero if they may be sent at any time.
	Opens, Closes time.Time
	// Decided: the differences were evaluated, so Hash tells what waits for approval, also if that is nothing.
	Decided bool
	// Orphaned: what the finalizer goes from is left in the cloud.
	Orphaned bool
	// Lost: the cloud object is gone without the final snapshot that was wanted.
	Lost bool
	// Detail is what the platform team may know beside Message, and the object's own team may not.
	Detail string
	// KeepConditions: nothing is known that the conditions should tell; they stay as they are.
	KeepConditions bool
	// Approved: a person approved some of Changes.
	Approved bool
	// Verify: the API server has to confirm first that the object is as it was seen.
	Verify bool
	// Snapshot: a deletion takes a final snapshot.
	Snapshot bool
	// InPlace: Create restores the cloud object in the place of one that vanished, from what is left of that, and makes no empty one.
	InPlace bool
	// Part is what the feature that planned the action wants to know when it does it. Its text tells the step from others. It is nil for what the plan itself decides.
	Part fmt.Stringer
	// Polls: what a feature does is under way or waits for the cloud, so the object is looked at again while the cloud works. Again: a feature
	// decides something once this reconciliation is recorded.
	Polls, Again bool
}

// A Policy is what the spec says about how to go about it, defaults applied.
type Policy struct {
	Management   v1alpha1.Management
	Adoption     v1alpha1.Adoption
	WhenVanished v1alpha1.WhenVanished
	// Restores: objects of the kind can be restored, so that spec.whenVanished can be Restore.
	Restores bool
	// Restore says how to restore what was deleted outside Mooring; empty if the cloud says nothing of that.
	Restore    string
	Deletion   v1alpha1.DeletionPolicy
	Disruptive v1alpha1.DisruptivePolicy
	// Window is the maintenance window in which changes are made that are not Online; nil if they are made at any time.
	Window *window.Window
	// MustExist: nothing is created, because the spec names a cloud object that exists.
	MustExist bool
	// Once: what vanished is not created again, because it was made of the state of something else.
	Once bool
	// ObserveMarked: only what bears the object's own mark may be observed.
	ObserveMarked bool
	// Refused is why nothing may be done but to look and to delete; it is nothing if its Reason is empty.
	Refused Refusal
	// Unreleased is why the cloud object can't be left in the cloud by a deletion; it is nothing if its Reason is empty.
	Unreleased Refusal
	// Kept are fields, or paths to what each entry of one has, of which the cloud object keeps what it has, and why they may not be set.
	Kept map[string]Refusal
}

// refusal returns why the changes can't be made, or a creation if there are none to look at; it is nothing if its Reason is empty.
func (p Policy) refusal(creation bool, changes []driver.Change) Refusal {
	for _, field := range slices.Sorted(maps.Keys(p.Kept)) {
		if creation || slices.ContainsFunc(changes, func(c driver.Change) bool { return within(field, c.Field) }) {
			return p.Kept[field]
		}
	}
	return Refusal{}
}

// within reports whether a path is that of a field, or leads to what each entry of the field has.
func within(path, field string) bool { return path == field || strings.HasPrefix(path, field+".") }

// A Refusal is why the object's class can't be applied to it, or what the spec asks for that the cloud does not have.
type Refusal struct {
	Reason  v1alpha1.Reason
	Message string
}

// Plan decides what to do about an object, from what was seen and nothing else. It is pure.
func Plan(v View, o driver.Observation, p Policy) Action {
	if isSuccessor(v, o) {
		return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "another server took its place; Mooring notes that first", KeepConditions: true}
	}
	a := planObject(v, o, p)
	if a.Decided || len(a.Pending) > 0 {
		a = whileUnseen(v, o, a)
	}
	return a
}

// FeaturesMayPlan reports whether features may add to what is planned for an object: not while it is deleted or nothing is known of it, and not before it is
// noted that another server took its place.
func FeaturesMayPlan(v View, o driver.Observation) bool {
	return !v.Deleting && o.State != driver.Unknown && !isSuccessor(v, o)
}

// isSuccessor reports whether the cloud itself put another cloud object in the place of the one that the status names. That is stored before anything else: what the cloud says of it may be gone
// after a write.
func isSuccessor(v View, o driver.Observation) bool {
	return v.ID != "" && o.ID != "" && o.ID != v.ID && Ownership(v, o) == Ours
}

func planObject(v View, o driver.Observation, p Policy) Action {
	switch {
	case o.State == driver.Unknown || MarkUnread(o):
		return Action{Verb: Wait, Reason: v1alpha1.ReasonRetrying, Message: "the cloud's answer could not be understood; Mooring retries"}
	case v.Deleting:
		return planDeletion(v, o, p)
	case p.Management == v1alpha1.ManagementObserve:
		return planObserved(v, o, p)
	case p.Refused.Reason != "":
		return Action{Verb: Stall, Reason: p.Refused.Reason, Message: p.Refused.Message, Pending: PendingChanges(v, o.Changes)}
	case o.State == driver.Absent:
		return planAbsent(v, p)
	case o.State == driver.Deleting:
		return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "the cloud object is being deleted outside Mooring" + atWork(o) + "; waiting for the deletion to finish"}
	}
	switch belongs := Ownership(v, o); belongs {
	case Ours:
	case Copied:
		if o.State == driver.Ready {
			return Action{Verb: Adopt, Reason: v1alpha1.ReasonCreating, Message: MessageOfNew(v)} // no news: the copy is not done yet
		}
	case OursUnmarked, Unmarked:
		if v.Bound && !v.UnmarkedSure { // our own may be there without the mark that it was created with
			return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "the cloud does not show its mark; checking again to be sure", KeepConditions: true}
		}
		if belongs == Unmarked {
			return planForeign(belongs, v, o, p)
		}
		if o.State == driver.Pending {
			return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "Mooring's mark is missing on the cloud object, and Mooring writes it once the operation in the cloud has finished" + atWork(o)}
		}
		return Action{Verb: Adopt, Reason: v1alpha1.ReasonAdopting, Message: "Mooring's mark is missing on the cloud object, and Mooring is writing it"}
	default:
		return planForeign(belongs, v, o, p)
	}
	switch o.State {
	case driver.Failed:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonFailed, Message: "it failed in the cloud: " + o.Problem}
	case driver.Pending:
		if v.WasReady {
			return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "an operation is in progress in the cloud" + atWork(o), Pending: PendingChanges(v, o.Changes)}
		}
		return Action{Verb: Wait, Reason: v1alpha1.ReasonCreating, Message: MessageOfNew(v)}
	default:
		return planReady(v, o, p)
	}
}

// atWork says what the cloud is at work on, to follow a message that says that it is.
func atWork(o driver.Observation) string {
	if what := o.Work.String(); what != "" {
		return ": " + what
	}
	return ""
}

// MarkUnread reports whether the cloud did not say whose the object is: no mark that was read is not the
// same as none that is there.
func MarkUnread(o driver.Observation) bool {
	return slices.ContainsFunc(o.Unreadable, func(e driver.FieldError) bool { return e.Field == driver.FieldMark })
}

// What the conditions say while a cloud object is created or taken over.
const (
	messageCreating  = "the cloud is creating it"
	messageRestoring = "the cloud is restoring it from what spec.restoreFrom names"
	messageInPlace   = "the cloud is restoring it from the newest state that is left of the one that was deleted outside Mooring"
	messageAdopting  = "the cloud object exists, and Mooring is taking it over"
)

// MessageOfNew is what the conditions say of an object that the cloud is making.
func MessageOfNew(v View) string {
	switch {
	case v.ComesBack():
		return messageInPlace
	case v.Source.Creating != "" && v.Origin != v1alpha1.OriginAdopted:
		return v.Source.Creating
	case v.Restores && v.Origin != v1alpha1.OriginAdopted:
		return messageRestoring
	}
	return messageCreating
}

func planObserved(v View, o driver.Observation, p Policy) Action {
	switch {
	case p.Refused.Reason != "":
		return Action{Verb: Stall, Reason: p.Refused.Reason, Message: p.Refused.Message}
	case o.State == driver.Absent && v.Bound && !v.AbsenceSure:
		return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "the cloud does not show it; checking again to be sure", KeepConditions: true}
	case o.State == driver.Absent:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonNotFound, Message: "the cloud has no object of this name; check spec.externalName and spec.location"}
	case !v.wasSeen(o) && !MayInherit(v, o.Mark):
		return Action{Verb: Stall, Reason: v1alpha1.ReasonNotOwned, Message: messageEarlier, Detail: earlierBy(v, o.Mark)}
	case !MayObserve(v, o, p):
		return Action{Verb: Stall, Reason: v1alpha1.ReasonNotOwned, Detail: whose(v, o.Mark), Message: "this namespace may not observe the cloud object of this name: it has the mark of another object, or it has no mark and the class requires one; " +
			"choose another spec.externalName, or ask your platform team"}
	case o.State == driver.Deleting:
		return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "it is being deleted in the cloud"}
	case o.Available || o.Stopped:
		a := Action{Verb: Converge, Reason: v1alpha1.ReasonObserved, Message: "observed only", Pending: PendingChanges(v, o.Changes)}
		if len(a.Pending) > 0 {
			a.Message = "observed only; status.pendingChanges lists what spec.management: Full would change"
		}
		return a
	case o.State == driver.Failed || o.Problem != "":
		return Action{Verb: Stall, Reason: v1alpha1.ReasonFailed, Message: "it can't be used: " + o.Problem}
	default:
		return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "the cloud object can't be used yet"}
	}
}

// MayObserve reports whether what was observed may be looked at by an object that only observes. What another namespace of
// this cluster made in a shared account is not for this one to see.
func MayObserve(v View, o driver.Observation, p Policy) bool {
	mark := o.Mark
	if !v.wasSeen(o) && !MayInherit(v, mark) {
		return false
	}
	if p.ObserveMarked {
		return mark.SameOwner(v.Mark) && !mark.Released
	}
	return mark.Cluster != v.Mark.Cluster || mark.Namespace == v.Mark.Namespace || leftFor(v, mark)
}

func planAbsent(v View, p Policy) Action {
	creating := Action{Verb: Create, Reason: v1alpha1.ReasonCreating, Message: MessageOfNew(v), InPlace: restoresInPlace(v, p)}
	if creating.InPlace {
		creating.Message = messageInPlace
	}
	if r := p.refusal(true, nil); r.Reason != "" { // what it was created with is not there any more, and can't be kept
		creating = Action{Verb: Stall, Reason: r.Reason, Message: r.Message}
	}
	switch {
	case p.MustExist && !v.WasReady && (!v.Bound || v.AbsenceSure):
		return Action{Verb: Stall, Reason: v1alpha1.ReasonNotFound, Message: "the cloud has no object of this name, and Mooring creates none, because the spec names one that exists; " +
			"check the name, the account and the location, or delete this object"}
	case !v.Bound && v.Source.Refusal.Reason != "":
		return creationRefused(v)
	case !v.Bound:
		return creating
	case !v.AbsenceSure:
		return Action{Verb: Wait, Reason: v1alpha1.ReasonCloudBusy, Message: "the cloud does not show it; checking again to be sure", KeepConditions: true}
	case v.hadOne() && p.Once:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonVanished, Message: "the cloud object was deleted outside Mooring; Mooring takes no other, because it would be of another time; delete this object"}
	case v.Accepted && p.Once:
		return Action{Verb: Stall, Reason: v1alpha1.ReasonNotFound, Message: "the cloud accepted its creation and does not show it, so Mooring makes no other: that could be a second one, and of another time; " +
			"look for it in the cloud, and once you know what became of it, delete this object and create another one"}
	case v.hadOne() && p.WhenVanished == v1alpha1.WhenVanishedStop:
		how := "set spec.whenVanished: Recreate to create " + v.NewOne() + ", or delete this object"
		if v.Source.Another == "" { // else what it was made of is there on
			how = p.howToRestore() + ", or " + how
		}
		return Action{Verb: Stall, Reason: v1alpha1.ReasonVanished, Message: "the cloud object was deleted outside Mooring; " + how}
	case v.Source.Refusal.Reason != "" && !creating.InPlace:
		return creationRefused(v)
	case v.Moved && !v.WasReady: // as after a name or a location that the cloud refused
		return Action{Verb: ClearBinding, Reason: v1alpha1.ReasonCreating, Message: messageCreating}
	default:
		return creating
	}
}

// creationRefused is for a spec by which nothing may be created.
func creationRefused(v View) Action {
	return Action{Verb: Stall, Reason: v.Source.Refusal.Reason, Message: v.Source.Refusal.Message}
}
