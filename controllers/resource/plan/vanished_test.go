package plan

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Whatever comes in the place of a cloud object that is surely gone, an empty one comes by the policy Recreate alone, and not once a restore has begun.
func TestInPlaceOfTheVanished(t *testing.T) {
	gone := driver.ParentRef{Name: "orders", ID: "db-0"}
	for _, policy := range []v1alpha1.WhenVanished{v1alpha1.WhenVanishedStop, v1alpha1.WhenVanishedRecreate, v1alpha1.WhenVanishedRestore} {
		for _, origin := range []v1alpha1.Origin{v1alpha1.OriginCreated, v1alpha1.OriginAdopted} {
			for _, ready := range []bool{false, true} {
				for _, vanished := range []driver.ParentRef{{}, gone} {
					for _, bound := range []bool{false, true} {
						v := View{Bound: bound, AbsenceSure: true, WasReady: ready, Origin: origin, Vanished: vanished, ID: "db-1"}
						used := ready || origin == v1alpha1.OriginAdopted
						begun := vanished.ID != "" && !used
						want := decision{Verb: Create}
						inPlace := begun || used && policy == v1alpha1.WhenVanishedRestore
						if bound && used && policy == v1alpha1.WhenVanishedStop {
							want = decision{Verb: Stall, Reason: v1alpha1.ReasonVanished}
						}
						a := Plan(v, driver.Observation{State: driver.Absent}, Policy{Management: v1alpha1.ManagementFull, WhenVanished: policy, Restores: true})
						if a.Verb != want.Verb || a.InPlace != (inPlace && a.Verb == Create) {
							t.Errorf("%s, %s, ready: %t, vanished: %q, bound: %t: got %s in place: %t, want %s, %t", policy, origin, ready, vanished.ID, bound, a.Verb, a.InPlace, want.Verb, inPlace)
						}
						if a.Verb == Stall && !strings.Contains(a.Message, "set spec.whenVanished: Restore") {
							t.Errorf("%s: the message names no restore: %q", policy, a.Message)
						}
						if inPlace != (a.Message == messageInPlace) {
							t.Errorf("%s, %s, ready: %t, vanished: %q: it says %q", policy, origin, ready, vanished.ID, a.Message)
						}
					}
				}
			}
		}
	}
}

// An Event says from when on data is lost.
func TestLoss(t *testing.T) {
	at := time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		view View
		from *driver.Restore
		says string
	}{
		{View{}, nil, "its data is lost; Mooring is creating a new, empty one under the same name"},
		{View{RestoreFrom: true}, &driver.Restore{Snapshot: "nightly"}, "its data is lost; Mooring is creating a new one from what spec.restoreFrom names under the same name"},
		{View{RestoreFrom: true}, &driver.Restore{Source: driver.ParentRef{Name: "orders", ID: "db-1"}, Vanished: "db-1", Time: at},
			"what was written to it after 2026-11-27T03:00:00Z is lost; Mooring is restoring it under the same name from orders as of 2026-11-27T03:00:00Z"},
		{View{}, &driver.Restore{Snapshot: "nightly", Vanished: "db-1", Time: at},
			"what was written to it after 2026-11-27T03:00:00Z is lost; Mooring is restoring it under the same name from the snapshot nightly of 2026-11-27T03:00:00Z"},
	} {
		if says := Loss(tt.view, tt.from); says != tt.says {
			t.Errorf("%+v: got %q, want %q", tt.from, says, tt.says)
		}
	}
}

// What the status says of a restore decides, and not the spec alone.
func TestNoteRestore(t *testing.T) {
	d := &v1alpha1.Database{}
	at := metav1.NewTime(time.Unix(5, 0))
	d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Server: "orders", Time: &at, VanishedID: "db-1"}
	v := View{Origin: v1alpha1.OriginCreated}
	v.NoteRestore(kind.Database(), d, d)
	if !v.Restores || v.RestoreFrom || v.Vanished != (driver.ParentRef{Name: "orders", ID: "db-1"}) || v.NewOne() != "a new, empty one" || MessageOfNew(v) != messageInPlace {
		t.Errorf("got %+v, %q, %q", v, v.NewOne(), MessageOfNew(v))
	}
	d.Spec.RestoreFrom, d.Status.RestoredFrom.VanishedID = &v1alpha1.DatabaseRestore{}, ""
	v.NoteRestore(kind.Database(), d, d)
	if !v.Restores || !v.RestoreFrom || v.Vanished.ID != "" || MessageOfNew(v) != messageRestoring {
		t.Errorf("got %+v, %q", v, MessageOfNew(v))
	}
}
