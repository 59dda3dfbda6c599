package plan

import (
	"slices"
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

// The cloud is asked for the latest server that is gone. If that never worked, it has what the one before left, which is asked for first.
func TestGone(t *testing.T) {
	first := driver.ParentRef{Name: "orders-old", ID: "db-0"}
	for name, tt := range map[string]struct {
		view View
		want []string
	}{
		"it worked":                          {View{WasReady: true, ID: "db-1"}, []string{"orders/db-1"}},
		"it worked, and was restored before": {View{WasReady: true, ID: "db-1", Vanished: first}, []string{"orders/db-1"}},
		"it was taken over":                  {View{Origin: v1alpha1.OriginAdopted, ID: "db-1"}, []string{"orders/db-1"}},
		"a restore has begun":                {View{Vanished: first}, []string{"orders-old/db-0"}},
		"what was restored never worked":     {View{ID: "db-1", Vanished: first}, []string{"orders-old/db-0", "orders/db-1"}},
		"nothing is known of it":             {View{WasReady: true}, nil},
	} {
		var got []string
		for _, one := range tt.view.Gone("orders") {
			got = append(got, one.Name+"/"+one.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestInPlaceRefusal(t *testing.T) {
	from := &driver.Restore{Snapshot: "nightly", Vanished: "db-1", Time: time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)}
	used, begun := View{WasReady: true, ID: "db-1"}, View{Vanished: driver.ParentRef{ID: "db-1"}}
	for _, tt := range []struct {
		name   string
		view   View
		left   Left
		reason v1alpha1.Reason
		says   []string
		not    string
	}{
		{"a snapshot", used, Left{Supported: true, Known: true, Restorable: driver.Restorable{From: from}}, "", nil, ""},
		{"the cloud can't", used, Left{}, v1alpha1.ReasonVanished, []string{"can't restore such an object in this cloud", "Recreate to create a new, empty one"}, ""},
		{"its identity is not known", used, Left{Supported: true}, v1alpha1.ReasonVanished, []string{"does not know its identity", "Recreate"}, ""},
		{"nothing", used, Left{Supported: true, Known: true}, v1alpha1.ReasonVanished, []string{"nothing to restore", "Recreate to create a new, empty one", "delete this object"}, ""},
		{"nothing, and spec.restoreFrom", View{WasReady: true, RestoreFrom: true}, Left{Supported: true, Known: true}, v1alpha1.ReasonVanished, []string{"a new one from what spec.restoreFrom names"}, "empty"},
		{"nothing any more, and the restore has begun", begun, Left{Supported: true, Known: true}, v1alpha1.ReasonVanished, []string{"nothing to restore", "delete this object and create another one"}, "Recreate"},
		{"one that is being taken", used, Left{Supported: true, Known: true, Restorable: driver.Restorable{Pending: true}}, v1alpha1.ReasonSnapshotNotReady, []string{"waits for its newest snapshot"}, ""},
		{"one that is being taken, and an older one", used, Left{Supported: true, Known: true, Restorable: driver.Restorable{From: from, Pending: true}}, v1alpha1.ReasonSnapshotNotReady, nil, ""},
		{"one that does not fit", used, Left{Supported: true, Known: true, Restorable: driver.Restorable{From: from}, Unfit: "set spec.version to 15"}, v1alpha1.ReasonInvalid,
			[]string{"the snapshot nightly of 2026-11-27T03:00:00Z", "set spec.version to 15"}, ""},
	} {
		r := InPlaceRefusal(tt.view, tt.left)
		if r.Reason != tt.reason || tt.not != "" && strings.Contains(r.Message, tt.not) {
			t.Errorf("%s: got %+v, want %s", tt.name, r, tt.reason)
		}
		for _, says := range tt.says {
			if !strings.Contains(r.Message, says) {
				t.Errorf("%s: the message %q does not say %q", tt.name, r.Message, says)
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
