package plan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Nothing is made of a snapshot that is another namespace's, that is not there, or of which nothing can be made.
func TestRestoreRefusal(t *testing.T) {
	own := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	ofAnother, ofAnotherCluster := own, own
	ofAnother.Namespace, ofAnotherCluster.Cluster = "billing", "lost"
	left := own
	left.Released = true
	usable := driver.Observation{State: driver.Ready, Available: true, Mark: own}
	with := func(mark driver.Mark) driver.Observation { o := usable; o.Mark = mark; return o }
	unread := with(driver.Mark{})
	unread.Unreadable = []driver.FieldError{{Field: driver.FieldMark, Err: &driver.Error{Message: "denied"}}}
	for _, tt := range []struct {
		name     string
		snapshot Snapshot
		want     v1alpha1.Reason
	}{
		{name: "own", snapshot: Snapshot{Seen: usable}},
		{name: "left behind by a Database of this namespace", snapshot: Snapshot{Seen: with(left)}},
		{name: "another one than the object stands for", snapshot: Snapshot{Seen: usable, Other: true}, want: v1alpha1.ReasonSnapshotNotFound},
		{name: "of another namespace", snapshot: Snapshot{Seen: with(ofAnother)}, want: v1alpha1.ReasonNotOwned},
		{name: "of another namespace, in an open account", snapshot: Snapshot{Seen: with(ofAnother), Open: true}, want: v1alpha1.ReasonNotOwned},
		{name: "without a mark, in a shared account", snapshot: Snapshot{Seen: with(driver.Mark{})}, want: v1alpha1.ReasonNotOwned},
		{name: "without a mark, in an open account", snapshot: Snapshot{Seen: with(driver.Mark{}), Open: true}},
		{name: "of a cluster that was lost, in a shared account", snapshot: Snapshot{Seen: with(ofAnotherCluster)}, want: v1alpha1.ReasonNotOwned},
		{name: "of a cluster that was lost, in an open account", snapshot: Snapshot{Seen: with(ofAnotherCluster), Open: true}},
		{name: "a source that is copied with its own mark", snapshot: Snapshot{Seen: usable, Copies: true}},
		{name: "a source that is copied with the mark of a cluster that was lost", snapshot: Snapshot{Seen: with(ofAnotherCluster), Open: true, Copies: true}, want: v1alpha1.ReasonInvalid},
		{name: "a source that is copied without a mark", snapshot: Snapshot{Seen: with(driver.Mark{}), Open: true, Copies: true}, want: v1alpha1.ReasonInvalid},
		{name: "a source that is copied and whose mark lacks a part", snapshot: Snapshot{Seen: with(driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders"}), Copies: true}, want: v1alpha1.ReasonSnapshotNotReady},
		{name: "a source that is copied and was left behind", snapshot: Snapshot{Seen: with(left), Copies: true}, want: v1alpha1.ReasonInvalid},
		{name: "gone", snapshot: Snapshot{Seen: driver.Observation{State: driver.Absent}}, want: v1alpha1.ReasonSnapshotNotFound},
		{name: "going", snapshot: Snapshot{Seen: driver.Observation{State: driver.Deleting, Mark: own}}, want: v1alpha1.ReasonSnapshotNotFound},
		{name: "failed", snapshot: Snapshot{Seen: driver.Observation{State: driver.Failed, Mark: own}}, want: v1alpha1.ReasonInvalid},
		{name: "unfit, which of another namespace's nobody is told", snapshot: Snapshot{Seen: with(ofAnother), Unfit: "too large"}, want: v1alpha1.ReasonNotOwned},
		{name: "unfit", snapshot: Snapshot{Seen: usable, Unfit: "too large"}, want: v1alpha1.ReasonInvalid},
		{name: "being taken", snapshot: Snapshot{Seen: driver.Observation{State: driver.Pending, Mark: own}}, want: v1alpha1.ReasonSnapshotNotReady},
		{name: "not understood", want: v1alpha1.ReasonSnapshotNotReady},
		{name: "nobody knows whose", snapshot: Snapshot{Seen: unread}, want: v1alpha1.ReasonSnapshotNotReady},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.snapshot.Named = "snapshot nightly"
			got := RestoreRefusal(View{Mark: own}, tt.snapshot)
			if got.Reason != tt.want {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
			if got.Reason != "" && !strings.Contains(got.Message, "snapshot nightly") {
				t.Errorf("the message does not say of which snapshot: %s", got.Message)
			}
		})
	}
}

// What differs of a server that was made of a snapshot was never as its spec says, and nobody uses the server yet: nobody is asked. What can't be undone is
// refused before, so somebody else did it.
func TestWhatCompletesARestoreAsksNobody(t *testing.T) {
	restored := View{Restored: true, Origin: v1alpha1.OriginCreated, Applied: driver.Applied{"backup.retentionDays": {"7"}}}
	differs := driver.Change{Field: "aws.instanceClass", From: "db.t4g.micro", To: "db.m7g.large", Effect: driver.Interrupts}
	for name, tt := range map[string]struct {
		view   func(*View)
		change func(*driver.Change)
		asks   bool
	}{
		"it was as the snapshot was":                      {},
		"it worked before":                                {view: func(v *View) { v.WasReady = true }, asks: true},
		"it was there before":                             {view: func(v *View) { v.Origin = v1alpha1.OriginAdopted }, asks: true},
		"it was made empty":                               {view: func(v *View) { v.Restored = false }, asks: true},
		"it was taken back, and its spec has restoreFrom": {view: func(v *View) { v.Restored, v.Restores, v.RestoreFrom = false, true, true }, asks: true},
		"it can't be undone":                              {change: func(c *driver.Change) { c.Effect = driver.Irreversible }, asks: true},
	} {
		t.Run(name, func(t *testing.T) {
			v, c := restored, differs
			if tt.view != nil {
				tt.view(&v)
			}
			if tt.change != nil {
				tt.change(&c)
			}
			if got := mustAsk(v, c, Policy{Disruptive: v1alpha1.DisruptiveOnSpecChange}); got != tt.asks {
				t.Errorf("it asks: %v, want %v", got, tt.asks)
			}
			if cause := CauseOf(v, c); (cause == v1alpha1.CauseSpec) == tt.asks {
				t.Errorf("the cause is %s", cause)
			}
		})
	}
}

// Nothing empty is created in place of what had to be in the snapshot.
func TestNothingEmptyTakesThePlaceOfContents(t *testing.T) {
	missing := []driver.Change{{Field: "databaseName", To: "app", Effect: driver.Online}, {Field: "tags", Effect: driver.Online}}
	restored := View{Restored: true, Origin: v1alpha1.OriginCreated}
	for name, tt := range map[string]struct {
		view     func(*View)
		withheld bool
	}{
		"it was restored":                      {withheld: true},
		"it works, and never was as declared":  {view: func(v *View) { v.WasReady = true }, withheld: true}, // as earlier releases noted of one that stalled
		"it was as declared, and never worked": {view: func(v *View) { v.WasApplied = true }, withheld: true},
		"it was created empty":                 {view: func(v *View) { v.Restored = false }},
		"it followed another, and is promoted": {view: func(v *View) {
			v.Restored, v.WasReady, v.WasApplied, v.Replica = false, true, true, Replica{Primary: "orders", Promote: true}
		}, withheld: true},
		"it was taken over": {view: func(v *View) { v.Origin = v1alpha1.OriginAdopted }},
		"it worked before":  {view: func(v *View) { v.WasReady, v.WasApplied = true, true }},
	} {
		v := restored
		if tt.view != nil {
			tt.view(&v)
		}
		got := Withhold(v, []string{"databaseName"}, missing)
		if withheld := got[0].Effect == driver.Impossible && got[0].Why != ""; withheld != tt.withheld || got[1].Effect != driver.Online {
			t.Errorf("%s: got %+v, want the database to be withheld: %t", name, got, tt.withheld)
		}
	}
	if missing[0].Effect != driver.Online {
		t.Error("what was observed is changed")
	}
}

// What a copy has that its spec lacks is undone, whoever set it. What is in it, and who may log in, is no setting.
func TestAppliedToCopy(t *testing.T) {
	fields := []driver.Field{{Field: "tags"}, {Field: "network.allowedCIDRs", Safe: "none"}, {Field: "tls", Safe: "Optional"}, {Field: "version"}, {Field: "databaseName"}, {Field: driver.FieldUsername}, {Field: driver.FieldPowerState, Safe: "Running"}}
	applied := driver.Applied{"tags": {"team"}, "tls": {"Required"}, "databaseName": {"app"}, driver.FieldUsername: {"admin"}, FieldPassword: {"3"}, driver.FieldPowerState: {"Stopped"}}
	want := driver.Applied{"tags": {"team"}, "tls": {"Required"}, "network.allowedCIDRs": {}}
	got := AppliedToCopy(fields, applied, []string{"databaseName"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got["tags"][0] = "theirs"; applied["tags"][0] != "team" {
		t.Error("what is applied to the other one is changed")
	}
}

// A connection Secret names no copy and no restored server before that is as its spec says: until then it has the networks or the users of another one, and people
// would use what may have to be restored again.
func TestNoCopyIsPublished(t *testing.T) {
	for name, made := range map[string]func(*fixture){
		"copied":   copied,
		"restored": func(s *fixture) { s.Restored, s.WasReady, s.WasApplied = true, false, false },
	} {
		s := settled()
		made(&s)
		s.Seen.Mark = itsMark
		for _, verb := range []Verb{Stall, Wait, AwaitApproval, AwaitWindow, AwaitStart, Converge} {
			if got := Publishes(Action{Verb: verb}, s.View, s.Seen, s.Policy); got != (verb == Converge) {
				t.Errorf("%s: it is published with %s: %t", name, verb, got)
			}
		}
	}
}
