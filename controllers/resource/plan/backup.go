package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// BackupServes is how long a snapshot that was taken before an upgrade serves for that. A failed upgrade that is tried again a day later has another one taken.
const BackupServes = 24 * time.Hour

// A Backup is the snapshot that is to be there before an upgrade that can't be taken back, where the cloud takes none.
type Backup struct {
	// Named is how messages call its object; empty if there is none yet, or if it is too old.
	Named string
	// Ready: it was taken.
	Ready bool
	// Problem is why it is not taken before a person acts; empty if nothing is in the way.
	Problem string
}

// BackupFor returns to which version an upgrade is that needs a backup first; empty if none is among the changes.
func BackupFor(changes []driver.Change) string {
	for _, c := range changes {
		if c.BackupFirst && c.Field == "version" {
			return c.To
		}
	}
	return ""
}

// awaitBackup has an upgrade wait for its backup that would be made at once, and what is sent with it. What completes a new server needs none, nor does one that stays beside its successor.
func (d *DecidedChanges) awaitBackup(v View) {
	if v.Backup.Ready || v.treatment(driver.Change{Field: "version"}).Way != "" || !mayBeUsed(v) || BackupFor(d.With(AtOnce)) == "" {
		return
	}
	for i := range d.Changes {
		if c := &d.Changes[i]; c.BackupFirst && c.Fate == AtOnce {
			d.delay(v, c, AfterBackup)
		}
	}
}

// backupToAskFor returns to which version an upgrade is whose backup nobody asked for yet; empty if there is none. Beside other changes that are made now, an upgrade by a class that nobody approved asks
// for none: it waits for its turn among the users of the class.
func backupToAskFor(v View, d DecidedChanges) string {
	if v.Backup.Named != "" {
		return ""
	}
	for _, c := range d.Changes {
		turn := CauseOf(v, c.Change) != v1alpha1.CauseClass || c.Approved || len(d.With(AtOnce)) == 0
		if c.Fate == AfterBackup && c.Field == "version" && turn {
			return c.To
		}
	}
	return ""
}

// planBackup has a snapshot taken before an upgrade, or waits for it.
func planBackup(v View, d DecidedChanges, a Action) Action {
	a.Verb, a.Reason, a.Changes = AwaitBackup, v1alpha1.ReasonSnapshotNotReady, d.With(AfterBackup)
	a.EditAwaitsBackup = d.edited(v, AfterBackup)
	a.Approved = slices.ContainsFunc(d.Changes, func(c Decided) bool { return c.Fate == AfterBackup && c.Approved })
	a.Message = MessageOfBackup(cmp.Or(v.Backup.Named, "a snapshot"), BackupFor(a.Changes))
	if v.Backup.Problem == "" {
		return a
	}
	a.Message = fmt.Sprintf("%s; but it is not taken: %s", a.Message, v.Backup.Problem)
	if a.EditAwaitsBackup {
		a.Verb = Stall
	}
	return a
}

// MessageOfBackup says that an upgrade to a version waits for its backup.
func MessageOfBackup(named, version string) string {
	return fmt.Sprintf("waiting for %s, which is taken before the upgrade to version %s: the server has no automatic backups, and the upgrade can't be taken back", named, version)
}
