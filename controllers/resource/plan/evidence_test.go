package plan

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Absence is sure once it lasted as long as reads may lag; once the object is seen, the count begins anew.
func TestAbsenceIsSureOnceItLasts(t *testing.T) {
	const window = 5 * time.Second
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var memory Memory
	for _, step := range []struct {
		at                   time.Duration
		state, snapshot      driver.State
		object, snapshotGone bool
	}{
		{0, driver.Absent, driver.Absent, false, false},
		{window - 1, driver.Absent, driver.Absent, false, false},
		{window, driver.Absent, driver.Absent, true, true},
		{2 * window, driver.Absent, driver.Pending, true, false},
		{3 * window, driver.Absent, driver.Absent, true, false},
		{4 * window, driver.Absent, driver.Absent, true, true},
		{5 * window, driver.Deleting, driver.Unknown, false, false},
		{6 * window, driver.Absent, driver.Absent, false, false},
	} {
		found := Interpret(Evidence{
			Kind: kind.Database(), Object: &v1alpha1.Database{}, Memory: memory, Now: began.Add(step.at), Window: window,
			Observation: driver.Observation{State: step.state, Backup: &driver.Backup{FinalSnapshot: step.snapshot}},
		})
		memory = found.Memory
		if v := found.View; v.AbsenceSure != step.object || v.SnapshotAbsenceSure != step.snapshotGone {
			t.Errorf("after %s: %t for the object and %t for its snapshot, want %t and %t",
				step.at, v.AbsenceSure, v.SnapshotAbsenceSure, step.object, step.snapshotGone)
		}
	}
}

// What was found is where it was found, whatever region the account has by default; what was to be created moves with the account.
func TestMoved(t *testing.T) {
	for _, tt := range []struct {
		name       string
		origin     v1alpha1.Origin
		id, chosen string
		want       bool
	}{
		{"adopted", v1alpha1.OriginAdopted, "", "", false},
		{"adopted, and the spec says where it is", v1alpha1.OriginAdopted, "", "us", false},
		{"adopted, and the spec says otherwise", v1alpha1.OriginAdopted, "", "eu", true},
		{"seen by an earlier release", "", "id", "", false},
		{"to be created", v1alpha1.OriginCreated, "", "", true},
		{"to be created where the spec says", v1alpha1.OriginCreated, "", "us", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &v1alpha1.Bucket{}
			b.Namespace, b.Name, b.Spec.ExternalName, b.Status.ExternalName = "shop", "photos", "photos", "photos"
			if tt.chosen != "" {
				b.Spec.Location = &tt.chosen
			}
			b.Status.Origin, b.Status.ExternalID, b.Status.Location = tt.origin, tt.id, "us"
			if got := Moved(&b.Status.ResourceStatus, PlaceOf(b, "photos", "id", "europe-west3", 63)); got != tt.want {
				t.Errorf("moved: %t, want %t", got, tt.want)
			}
		})
	}
}

// Where the cloud has no place for a mark, none can be missing: an answer to the creation proves nothing about what is there without the record.
func TestNoMarkIsMissingWhereNoneCanBe(t *testing.T) {
	for _, recorded := range []bool{false, true} {
		b := &v1alpha1.Bucket{}
		b.Status.ExternalName, b.Status.Origin = "photos", v1alpha1.OriginCreated
		found := Interpret(Evidence{
			Kind: kind.Bucket(), Object: b, Recorded: recorded, Memory: Memory{Answered: true},
			Observation: driver.Observation{State: driver.Ready, ID: "found"},
		})
		if missing := !recorded; found.MarkMissing != missing || found.View.MarkMissing != missing || (found.ExternalID != "") != missing {
			t.Errorf("recorded %t: the mark is missing: %t, of %q", recorded, found.MarkMissing, found.ExternalID)
		}
	}
}

// What has the name and the mark of the source is the copy, as long as a copy may have been made and never worked.
func TestCopyOf(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "restored", UID: "uid-restored"}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.Database)
		memory Memory
		rival  bool
		seen   driver.Observation
		doubts bool
		none   bool
	}{
		"a copy was asked for": {},
		"it worked":            {change: func(d *v1alpha1.Database) { d.Status.FirstReadyTime = &metav1.Time{Time: time.Now()} }, none: true},
		"it was refused":       {change: func(d *v1alpha1.Database) { d.Status.CreationRefused = true }, doubts: true},
		"it was refused again": {memory: Memory{CreationSent: true, CreationRefused: true}, doubts: true},
		"it was refused after a call without answer":     {memory: Memory{CreationSent: true, CreationRefused: true, CreationUnclear: true}},
		"it is where it was asked for, in other letters": {seen: driver.Observation{State: driver.Ready, Location: "HERE"}},
		"it is elsewhere":                     {seen: driver.Observation{State: driver.Ready, Location: "elsewhere"}, doubts: true},
		"another object is bound to the name": {rival: true, doubts: true},
		"it was taken over":                   {change: func(d *v1alpha1.Database) { d.Status.Origin = v1alpha1.OriginAdopted }, none: true},
		"it is bound to nothing":              {change: func(d *v1alpha1.Database) { d.Status.ExternalName = "" }, none: true},
		"it was born with its mark":           {change: func(d *v1alpha1.Database) { d.Status.RestoredFrom.DatabaseUID = "" }, none: true},
		"it was made of no other":             {change: func(d *v1alpha1.Database) { d.Status.RestoredFrom = nil }, none: true},
	} {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "restored"}}
		d.Status.ExternalName, d.Status.Location, d.Status.Origin = "mooring-restored", "here", v1alpha1.OriginCreated
		d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Server: "mooring-orders", ServerID: "id-orders", Database: "orders", DatabaseUID: "uid-orders"}
		want := Copy{Mark: driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid-orders"}, Source: "id-orders", Doubtful: tt.doubts}
		if tt.change != nil {
			tt.change(d)
		}
		if tt.none {
			want = Copy{}
		}
		evidence := Evidence{Kind: kind.Database(), Object: d, Mark: mark, Memory: tt.memory, Observation: tt.seen, Now: time.Now()}
		if tt.rival {
			evidence.Rival = &Claim{Mark: driver.Mark{Name: "other"}, Bound: true}
		}
		if got := Interpret(evidence).View.CopyOf; got != want {
			t.Errorf("%s: it is a copy of %+v, want %+v", name, got, want)
		}
	}
}
