package plan

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A deletion that was carried out, as a test saw it.
type carriedOut struct {
	deleted, snapshot, released, lifted bool
	last                                Action
}

// carryOut plans the deletion of a sample again and again, and does to a cloud what is planned, until the finalizer goes or a person
// has to act. What the cloud is at work on comes to work, unless it fails.
func carryOut(t *testing.T, w sample, fails bool) (c carriedOut) {
	t.Helper()
	for range 12 {
		c.last = w.plan()
		switch c.last.Verb {
		case RemoveFinalizer, Stall:
			return c
		case Delete:
			c.deleted, c.snapshot = true, c.last.Snapshot
			w.Seen = driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: driver.Absent}}
			if c.snapshot {
				w.Seen.Backup = &driver.Backup{FinalSnapshot: driver.Ready}
			}
		case Release:
			c.released = true
			w.Seen.Mark.Released = true
		case Update:
			c.lifted = true
			w.Seen.Protected, w.Seen.Changes = false, nil
		default:
			passTime(&w, fails)
		}
	}
	t.Fatalf("the deletion does not end: %+v\n%+v", w.fixture, c.last)
	return c
}

// passTime lets the cloud finish what it is at, and show what it has.
func passTime(w *sample, fails bool) {
	w.AbsenceSure, w.SnapshotAbsenceSure, w.UnmarkedSure, w.InConsistencyWindow = true, true, true, false
	switch {
	case w.Seen.State == driver.Pending && fails:
		w.Seen.State = driver.Failed
	case w.Seen.State == driver.Pending:
		w.Seen.State = driver.Ready
	case w.Seen.State == driver.Deleting:
		w.Seen = driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: driver.Absent}}
	}
	if w.Seen.Backup.GetFinalSnapshot() == driver.Pending || w.Seen.Backup.GetFinalSnapshot() == driver.Unknown && w.Seen.State == driver.Absent {
		w.Seen.Backup = &driver.Backup{FinalSnapshot: driver.Ready}
	}
}

// What is said in advance of a deletion is what the plan then does.
func TestEndingIsWhatThePlanDoes(t *testing.T) {
	samples, effects := 0, map[DeletionEffect]int{}
	product(func(choose func(n int) int) {
		w := build(choose, true)
		if w.Seen.State == driver.Unknown {
			return // nothing is known, and nothing is said
		}
		e := EndingOf(w.View, w.Seen, w.Policy)
		samples++
		effects[e.Effect]++
		for _, fails := range []bool{false, true} {
			if problem := contradicted(e, carryOut(t, w, fails), fails); problem != "" {
				t.Fatalf("%s\nannounced %+v\ncarried out %+v\n%+v", problem, e, carryOut(t, w, fails), w.fixture)
			}
		}
		w.Children = []string{"User app"}
		e = EndingOf(w.View, w.Seen, w.Policy)
		c := carryOut(t, w, false)
		switch waits := c.last.Reason == v1alpha1.ReasonInUse; {
		case waits != (e.Effect == DeletionDestroys || e.Effect == DeletionProtected), waits != (len(e.InUseBy) > 0), waits && (c.deleted || c.lifted || c.released):
			t.Fatalf("with children: announced %+v\ncarried out %+v\n%+v", e, c, w.fixture)
		case !waits:
			if problem := contradicted(e, c, false); problem != "" {
				t.Fatalf("with children: %s\nannounced %+v\ncarried out %+v\n%+v", problem, e, c, w.fixture)
			}
		}
	})
	for effect := DeletionLeavesObserved; effect <= DeletionDestroys; effect++ {
		if effects[effect] == 0 {
			t.Errorf("effect %d was never announced", effect)
		}
	}
	if samples < 30_000 {
		t.Errorf("only %d samples", samples)
	}
}

// contradicted returns how a deletion differs from what was announced; empty if it does not.
func contradicted(e Ending, c carriedOut, fails bool) string {
	wantSnapshot := e.Snapshot || e.MaybeSnapshot && !fails
	switch e.Effect {
	case DeletionDestroys, DeletionProtected:
		switch {
		case e.StopsBecause != "":
			if c.deleted || c.last.Reason != v1alpha1.ReasonDeletionProtected || c.last.Message != e.StopsBecause {
				return "it does not stop at its protection"
			}
			return ""
		case !c.deleted:
			return "it is not deleted"
		case c.snapshot != wantSnapshot:
			return "the final snapshot"
		case c.lifted != e.LiftsProtection:
			return "its protection"
		}
	case DeletionReleases:
		if !c.released || c.deleted || !c.last.Orphaned {
			return "it is not left with its mark"
		}
	case DeletionFindsNothing, DeletionInProgress:
		if c.deleted || c.released || c.last.Orphaned {
			return "there was nothing to delete"
		}
		if e.Effect == DeletionFindsNothing && e.LosesData != c.last.Lost {
			return "the lost snapshot"
		}
	case DeletionNeedsConsent:
		if c.last.Verb != Stall || c.deleted {
			return "nobody was asked"
		}
	default:
		if c.deleted || c.released || c.last.Verb != RemoveFinalizer || !c.last.Orphaned {
			return "it is not left as it is"
		}
	}
	return ""
}
