package plan

import (
	"fmt"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// BesideOf reports whether the version of an object's cloud object is to be changed by one that the cloud prepares beside it. want is the object with its class merged in.
func BesideOf(k *kind.Kind, want v1alpha1.ResourceObject, can driver.Capabilities) bool {
	updates := want.GetResourceSpec().Updates
	return k.Former != nil && can.Beside && updates != nil && updates.Strategy == v1alpha1.StrategyBlueGreen
}

// LeaveFormer returns the change that is next for the cloud object in whose place another one was put: it is marked as left behind, and then deleted, once a person agrees. Once it is gone,
// what only it used goes at once. Only the caller of a driver knows it. What the status does not name yet is not touched.
func LeaveFormer(known *driver.ParentRef, o driver.Observation) []driver.Change {
	f := o.Former
	switch {
	case known == nil || o.State != driver.Ready:
		return nil
	case f == nil:
		return []driver.Change{{Field: driver.FieldFormer, From: known.Name, To: driver.FormerDeleted, Effect: driver.Online}}
	case f.ID != known.ID || f.Pending:
		return nil
	}
	c := driver.Change{Field: driver.FieldFormer, From: f.Name, To: driver.FormerReleased, Effect: driver.Online}
	if f.Mark.Released {
		c.To, c.Effect = driver.FormerDeleted, driver.Irreversible
		c.Why = fmt.Sprintf("%s is what the server was before its upgrade, with the data of that time, and no snapshot of it is taken", f.Name)
	}
	return []driver.Change{c}
}

// leavesFormer reports whether a change is about the cloud object in whose place another one was put: users of the object have nothing of it.
func leavesFormer(c driver.Change) bool { return c.Field == driver.FieldFormer }

// deletesFormer is what a deletion begins with, as long as there is still what the cloud object took the place of; false if there is none.
func deletesFormer(o driver.Observation) (a Action, deletes bool) {
	switch f := o.Former; {
	case f == nil:
		return Action{}, false
	case f.Pending:
		return deleting("waiting for an operation in the cloud on " + f.Name + ", which the server was before its upgrade"), true
	default:
		c := driver.Change{Field: driver.FieldFormer, From: f.Name, To: driver.FormerDeleted, Effect: driver.Irreversible}
		return Action{Verb: Update, Reason: v1alpha1.ReasonDeleting, Message: "Mooring is deleting " + f.Name + ", which the server was before its upgrade", Changes: []driver.Change{c}}, true
	}
}
