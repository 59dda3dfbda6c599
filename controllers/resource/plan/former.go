package plan

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// BesideOf reports whether the version of an object's cloud object is to be changed by one that the cloud prepares beside it. want is the object with its class merged in.
func BesideOf(k *kind.Kind, want v1alpha1.ResourceObject, can driver.Capabilities) bool {
	updates := want.GetResourceSpec().Updates
	return k.Former != nil && can.Beside && updates != nil && updates.Strategy == v1alpha1.StrategyBlueGreen
}

// succeeds reports whether the cloud object was put in the place of the one that the status names. That is stored before anything else: what the cloud says of it may be gone after a write.
func succeeds(v View, o driver.Observation) bool {
	return v.ID != "" && o.Succession.GetSucceeds() == v.ID && o.ID != v.ID && Ownership(v, o) == Ours
}

// LeaveFormer returns the change that is next for the cloud object in whose place another one was put: it is marked as left behind, and then deleted, once a person agrees. Once it is gone,
// what only it used goes. Only the caller of a driver knows it. What the status does not name yet is not touched.
func LeaveFormer(v View, o driver.Observation) []driver.Change {
	f, known := o.Succession.GetFormer(), v.Former
	switch {
	case known == nil || o.State != driver.Ready:
		return nil
	case f == nil && !v.FormerGone:
		return nil
	case f == nil:
		return []driver.Change{{Field: fieldFormer, From: known.Name, To: formerDeleted, Effect: driver.Online}}
	case f.ID != known.ID || f.Pending:
		return nil
	}
	c := driver.Change{Field: fieldFormer, From: f.Name, To: formerReleased, Effect: driver.Online}
	if f.Mark.Released {
		c.To, c.Effect = formerDeleted, driver.Irreversible
		c.Why = fmt.Sprintf("%s is what the server was before its upgrade, with the data of that time; its automated backups go with it, and no snapshot of it is taken", f.Name)
	}
	return []driver.Change{c}
}

// leavesFormer reports whether a change is about the cloud object in whose place another one was put: users of the object have nothing of it.
func leavesFormer(c driver.Change) bool { return c.Field == fieldFormer }

// Concerning returns an observation without the changes that concern nobody who uses the object.
func Concerning(o driver.Observation) driver.Observation {
	o.Changes = slices.DeleteFunc(slices.Clone(o.Changes), leavesFormer)
	return o
}

// deletesFormer is what a deletion ends with, once the cloud object is gone, as long as there is something of what that took the place of; false if there is nothing.
func deletesFormer(v View, o driver.Observation) (a Action, deletes bool) {
	if v.Former == nil {
		return Action{}, false
	}
	c := driver.Change{Field: fieldFormer, From: v.Former.Name, To: formerDeleted, Effect: driver.Irreversible}
	switch f := o.Succession.GetFormer(); {
	case f == nil && !v.FormerGone:
		return deleting("the cloud no longer shows " + v.Former.Name + ", which the server was before its upgrade; checking again to be sure"), true
	case f != nil && f.Pending:
		return deleting("waiting for the cloud, which is at work on " + v.Former.Name + ", which the server was before its upgrade"), true
	case f == nil:
		c.Effect = driver.Online // what only that used
	}
	a = Action{Reason: v1alpha1.ReasonDeleting, Message: "Mooring is deleting " + v.Former.Name + ", which the server was before its upgrade"}
	return a.sending(c), true
}

// releasesFormer is what the release of a cloud object begins with, if what it took the place of does not have the mark of what was left behind yet; false if there is none.
func releasesFormer(v View, o driver.Observation) (a Action, releases bool) {
	f := o.Succession.GetFormer()
	if f == nil || v.Former == nil || f.ID != v.Former.ID || f.Mark.Released {
		return Action{}, false
	}
	if f.Pending {
		return deleting(MessageReleasing), true
	}
	c := driver.Change{Field: fieldFormer, From: f.Name, To: formerReleased, Effect: driver.Online}
	return Action{Reason: v1alpha1.ReasonDeleting, Message: MessageReleasing}.sending(c), true
}
