package restore

import (
	"fmt"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// deletedServers are what is known of the backups that a cloud has of the servers of an object that was deleted. There are several if it was deleted more than once.
type deletedServers struct {
	// Name is that of the object, in the namespace of the one that is to be restored. Itself: it is the name of that one.
	Name   string
	Itself bool
	// Provider is the cloud. Supported: it restores what was deleted to a time.
	Provider  string
	Supported bool
	// Server is the name that the server of the object had in the cloud, unless somebody chose another one.
	Server string
	// Open is what snapshot says of it.
	Open bool
	// Time is the moment to which the object is to be restored, in UTC; zero for the latest one.
	Time time.Time
	// Backups are those that the cloud has, other objects' among them.
	Backups []driver.SavedState
	// Unfit is why no object can be restored from the chosen one as the spec wants; empty if one can.
	Unfit string
}

// String names the object.
func (d *deletedServers) String() string { return "Database " + d.Name }

// usable returns the backups that may be restored: those with the mark of the object, under whatever uid, and those of its server's name that have no mark of this cluster,
// as mayRestore allows. withheld are of that name, too, and would be usable if the account were the namespace's own; earlier ones may be of an earlier namespace.
func (d *deletedServers) usable(v plan.View) (usable []*driver.SavedState, withheld, earlier bool) {
	for i := range d.Backups {
		b := &d.Backups[i]
		ours := b.Mark.Cluster == v.Mark.Cluster
		switch {
		case b.From.Source.ID == "", ours && b.Mark.Name != d.Name, !ours && b.From.Source.Name != d.Server:
		case !plan.MayInherit(v, b.Mark):
			earlier = true
		case mayRestore(v, b.Mark, d.Open):
			usable = append(usable, b)
		case !ours:
			withheld = true
		}
	}
	return usable, withheld, earlier
}

// marks returns those of the backups that the object's own name is in.
func (d *deletedServers) marks() (marks []driver.Mark) {
	for _, b := range d.Backups {
		if b.Mark.Name == d.Name {
			marks = append(marks, b.Mark)
		}
	}
	return marks
}

// chosen returns the backups of which the object is restored: those that have the time, or else the newest ones. It is nil if there are none, or if what is not
// complete yet may be newer. Of several without a time deletedRefusal lets none be restored.
func (d *deletedServers) chosen(v plan.View) *driver.SavedState {
	usable, _, _ := d.usable(v)
	var chosen *driver.SavedState
	for _, b := range usable {
		switch {
		case !b.Complete:
			if d.Time.IsZero() {
				return nil
			}
		case !d.Time.IsZero() && (d.Time.Before(b.Since) || d.Time.After(b.From.Time)):
		case chosen == nil || b.From.Time.After(chosen.From.Time):
			chosen = b
		}
	}
	return chosen
}

// deletedRefusal returns why no object is restored from the backups of a deleted one now; it is nothing if its Reason is empty. Of SnapshotNotReady it passes by itself.
func deletedRefusal(v plan.View, d deletedServers) plan.Refusal {
	usable, withheld, earlier := d.usable(v)
	var windows []string
	pending := false
	for _, b := range usable {
		if pending = pending || !b.Complete; b.Complete {
			windows = append(windows, "from "+wholeSecond(b.Since).Format(time.RFC3339)+" to "+b.From.Time.UTC().Format(time.RFC3339))
		}
	}
	switch chosen := d.chosen(v); {
	case !d.Supported:
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotFound, Message: fmt.Sprintf("%s, and %s restores no deleted server to a point in time; %s, or restore a backup that was kept of it by a DatabaseSnapshot with "+
			"spec.source.externalName and spec.restoreFrom.snapshotRef", d.missing(), d.Provider, d.instead())}
	case len(usable) == 0 && earlier:
		return plan.Refusal{Reason: v1alpha1.ReasonNotOwned, Message: fmt.Sprintf("%s, and the backups of the deleted server were made in an earlier namespace of this name, which may have been other people's; "+
			"ask your platform team, which allows it by the annotation %s, or %s", d.missing(), v1alpha1.AnnotationAdoptFrom, d.instead())}
	case len(usable) == 0 && withheld:
		return plan.Refusal{Reason: v1alpha1.ReasonNotOwned, Message: fmt.Sprintf("%s, and the backups of the deleted server %s have no mark of this cluster, and the account is shared; "+
			"ask your platform team for a class with allowAdoption: Any, or %s", d.missing(), d.Server, d.instead())}
	case len(usable) == 0:
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotFound, Message: fmt.Sprintf("%s, and this account and location have no backups of a deleted server of it that this object may use, so there is nothing to restore; %s",
			d.missing(), d.instead())}
	case d.Time.IsZero() && len(windows) > 1: // the newest may be an empty one that took the place of the one that is meant
		return plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: fmt.Sprintf("%s was deleted more than once, and its servers have backups %s: set spec.restoreFrom.pointInTime.time to a time in one of them", &d, strings.Join(windows, ", and "))}
	case chosen != nil && d.Unfit != "":
		return plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: fmt.Sprintf("nothing is restored from the backups of the deleted server %s: %s", chosen.From.Source.Name, d.Unfit)}
	case chosen != nil:
		return plan.Refusal{}
	case pending:
		return plan.Refusal{Reason: v1alpha1.ReasonSnapshotNotReady, Message: fmt.Sprintf("waiting for the backups of the deleted server of %s, which are not complete yet", &d)}
	}
	return plan.Refusal{Reason: v1alpha1.ReasonInvalid, Message: fmt.Sprintf("spec.restoreFrom.pointInTime.time is %s, and the deleted server of %s has backups %s: set a time in between, or none for the latest one",
		d.Time.Format(time.RFC3339), &d, strings.Join(windows, ", and "))}
}

// missing says that the object is not there.
func (d *deletedServers) missing() string {
	if d.Itself {
		return "spec.restoreFrom names this object itself, which does not exist in the cloud"
	}
	return fmt.Sprintf("there is no %s in this namespace", d)
}

// instead says what to do if nothing is left of the object.
func (d *deletedServers) instead() string {
	if d.Itself {
		return "name another one, or remove spec.restoreFrom for an empty one"
	}
	return "create it, or correct spec.restoreFrom"
}

// wholeSecond returns the next whole second, because specs have no finer times.
func wholeSecond(t time.Time) time.Time {
	return t.UTC().Add(time.Second - time.Nanosecond).Truncate(time.Second)
}
