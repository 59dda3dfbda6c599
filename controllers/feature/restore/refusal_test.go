package restore

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
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
		snapshot snapshot
		want     v1alpha1.Reason
	}{
		{name: "own", snapshot: snapshot{Seen: usable}},
		{name: "left behind by a Database of this namespace", snapshot: snapshot{Seen: with(left)}},
		{name: "another one than the object stands for", snapshot: snapshot{Seen: usable, Other: true}, want: v1alpha1.ReasonSnapshotNotFound},
		{name: "of another namespace", snapshot: snapshot{Seen: with(ofAnother)}, want: v1alpha1.ReasonNotOwned},
		{name: "of another namespace, in an open account", snapshot: snapshot{Seen: with(ofAnother), Open: true}, want: v1alpha1.ReasonNotOwned},
		{name: "without a mark, in a shared account", snapshot: snapshot{Seen: with(driver.Mark{})}, want: v1alpha1.ReasonNotOwned},
		{name: "without a mark, in an open account", snapshot: snapshot{Seen: with(driver.Mark{}), Open: true}},
		{name: "of a cluster that was lost, in a shared account", snapshot: snapshot{Seen: with(ofAnotherCluster)}, want: v1alpha1.ReasonNotOwned},
		{name: "of a cluster that was lost, in an open account", snapshot: snapshot{Seen: with(ofAnotherCluster), Open: true}},
		{name: "a source that is copied with its own mark", snapshot: snapshot{Seen: usable, Copies: true}},
		{name: "a source that is copied with the mark of a cluster that was lost", snapshot: snapshot{Seen: with(ofAnotherCluster), Open: true, Copies: true}, want: v1alpha1.ReasonInvalid},
		{name: "a source that is copied without a mark", snapshot: snapshot{Seen: with(driver.Mark{}), Open: true, Copies: true}, want: v1alpha1.ReasonInvalid},
		{name: "a source that is copied and whose mark lacks a part", snapshot: snapshot{Seen: with(driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders"}), Copies: true}, want: v1alpha1.ReasonSnapshotNotReady},
		{name: "a source that is copied and was left behind", snapshot: snapshot{Seen: with(left), Copies: true}, want: v1alpha1.ReasonInvalid},
		{name: "gone", snapshot: snapshot{Seen: driver.Observation{State: driver.Absent}}, want: v1alpha1.ReasonSnapshotNotFound},
		{name: "going", snapshot: snapshot{Seen: driver.Observation{State: driver.Deleting, Mark: own}}, want: v1alpha1.ReasonSnapshotNotFound},
		{name: "failed", snapshot: snapshot{Seen: driver.Observation{State: driver.Failed, Mark: own}}, want: v1alpha1.ReasonInvalid},
		{name: "unfit, which of another namespace's nobody is told", snapshot: snapshot{Seen: with(ofAnother), Unfit: "too large"}, want: v1alpha1.ReasonNotOwned},
		{name: "unfit", snapshot: snapshot{Seen: usable, Unfit: "too large"}, want: v1alpha1.ReasonInvalid},
		{name: "being taken", snapshot: snapshot{Seen: driver.Observation{State: driver.Pending, Mark: own}}, want: v1alpha1.ReasonSnapshotNotReady},
		{name: "not understood", want: v1alpha1.ReasonSnapshotNotReady},
		{name: "nobody knows whose", snapshot: snapshot{Seen: unread}, want: v1alpha1.ReasonSnapshotNotReady},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.snapshot.Named = "snapshot nightly"
			got := restoreRefusal(plan.View{Mark: own}, tt.snapshot)
			if got.Reason != tt.want {
				t.Errorf("got %+v, want %q", got, tt.want)
			}
			if got.Reason != "" && !strings.Contains(got.Message, "snapshot nightly") {
				t.Errorf("the message does not say of which snapshot: %s", got.Message)
			}
		})
	}
}

// What a copy has that its spec lacks is undone, whoever set it. What is in it, and who may log in, is no setting.
func TestAppliedToCopy(t *testing.T) {
	fields := []driver.Field{{Field: "tags"}, {Field: "network.allowedCIDRs", Safe: "none"}, {Field: "tls", Safe: "Optional"}, {Field: "version"}, {Field: "databaseName"}, {Field: driver.FieldUsername}, {Field: driver.FieldPowerState, Safe: "Running"}}
	applied := driver.Applied{"tags": {"team"}, "tls": {"Required"}, "databaseName": {"app"}, driver.FieldUsername: {"admin"}, plan.FieldPassword: {"3"}, driver.FieldPowerState: {"Stopped"}}
	want := driver.Applied{"tags": {"team"}, "tls": {"Required"}, "network.allowedCIDRs": {}}
	got := appliedToCopy(fields, applied, []string{"databaseName"})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got["tags"][0] = "theirs"; applied["tags"][0] != "team" {
		t.Error("what is applied to the other one is changed")
	}
}

// The cloud is asked for the latest server that is gone. If that never worked, it has what the one before left, which is asked for first.
func TestGone(t *testing.T) {
	first := driver.ParentRef{Name: "orders-old", ID: "db-0"}
	for name, tt := range map[string]struct {
		view plan.View
		want []string
	}{
		"it worked":                          {plan.View{WasReady: true, ID: "db-1"}, []string{"orders/db-1"}},
		"it worked, and was restored before": {plan.View{WasReady: true, ID: "db-1", Vanished: first}, []string{"orders/db-1"}},
		"it was taken over":                  {plan.View{Origin: v1alpha1.OriginAdopted, ID: "db-1"}, []string{"orders/db-1"}},
		"a restore has begun":                {plan.View{Vanished: first}, []string{"orders-old/db-0"}},
		"what was restored never worked":     {plan.View{ID: "db-1", Vanished: first}, []string{"orders-old/db-0", "orders/db-1"}},
		"nothing is known of it":             {plan.View{WasReady: true}, nil},
	} {
		var got []string
		for _, one := range gone(tt.view, "orders") {
			got = append(got, one.Name+"/"+one.ID)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestInPlaceRefusal(t *testing.T) {
	from := &driver.Restore{Snapshot: "nightly", Vanished: "db-1", Time: time.Date(2026, 11, 27, 3, 0, 0, 0, time.UTC)}
	used, begun := plan.View{WasReady: true, ID: "db-1"}, plan.View{Vanished: driver.ParentRef{ID: "db-1"}}
	for _, tt := range []struct {
		name   string
		view   plan.View
		left   left
		reason v1alpha1.Reason
		says   []string
		not    string
	}{
		{"a snapshot", used, left{Supported: true, Known: true, Restorable: driver.Restorable{From: from}}, "", nil, ""},
		{"the cloud can't", used, left{}, v1alpha1.ReasonVanished, []string{"can't restore such an object in this cloud", "Recreate to create a new, empty one"}, ""},
		{"its identity is not known", used, left{Supported: true}, v1alpha1.ReasonVanished, []string{"does not know its identity", "Recreate"}, ""},
		{"nothing", used, left{Supported: true, Known: true}, v1alpha1.ReasonVanished, []string{"nothing to restore", "Recreate to create a new, empty one", "delete this object"}, ""},
		{"nothing, and spec.restoreFrom", plan.View{WasReady: true, RestoreFrom: true}, left{Supported: true, Known: true}, v1alpha1.ReasonVanished, []string{"a new one from what spec.restoreFrom names"}, "empty"},
		{"nothing any more, and the restore has begun", begun, left{Supported: true, Known: true}, v1alpha1.ReasonVanished, []string{"nothing to restore", "delete this object and create another one"}, "Recreate"},
		{"one that is being taken", used, left{Supported: true, Known: true, Restorable: driver.Restorable{Pending: true}}, v1alpha1.ReasonSnapshotNotReady, []string{"waits for its newest snapshot"}, ""},
		{"one that is being taken, and an older one", used, left{Supported: true, Known: true, Restorable: driver.Restorable{From: from, Pending: true}}, v1alpha1.ReasonSnapshotNotReady, nil, ""},
		{"one that does not fit", used, left{Supported: true, Known: true, Restorable: driver.Restorable{From: from}, Unfit: "set spec.version to 15"}, v1alpha1.ReasonInvalid,
			[]string{"the snapshot nightly of 2026-11-27T03:00:00Z", "set spec.version to 15"}, ""},
	} {
		r := inPlaceRefusal(tt.view, tt.left)
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

// What was made in an earlier namespace of the name is not restored from, except where an object of this namespace stands for it already.
func TestRestoresOfEarlierNamespaces(t *testing.T) {
	mine := driver.Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "uid-now", NamespaceUID: "ns-now"}
	of := func(namespaceUID string) driver.Mark {
		m := mine
		m.UID, m.NamespaceUID, m.Released = "uid-before", namespaceUID, true
		return m
	}
	at := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		mark    driver.Mark
		view    plan.View
		known   bool
		allowed bool
	}{
		"earlier":                      {mark: of("ns-before")},
		"of nobody knows which":        {mark: of("")},
		"of this namespace":            {mark: of("ns-now"), allowed: true},
		"while it recovers":            {mark: of("ns-before"), view: plan.View{Recovers: true}, allowed: true},
		"in its own account":           {mark: of("ns-before"), view: plan.View{OwnAccount: true}, allowed: true},
		"with the platform's consent":  {mark: of("ns-before"), view: plan.View{AdoptFrom: "shop/orders"}, allowed: true},
		"with consent to another one":  {mark: of("ns-before"), view: plan.View{AdoptFrom: "shop/others"}},
		"known by an object's status":  {mark: of("ns-before"), known: true, allowed: true},
		"unknown, known by an object ": {mark: of(""), known: true, allowed: true},
	} {
		t.Run(name, func(t *testing.T) {
			v := tt.view
			v.Mark = mine
			seen := driver.Observation{State: driver.Ready, Available: true, Mark: tt.mark}
			r := restoreRefusal(v, snapshot{Named: "snapshot s", Known: tt.known, Seen: seen})
			if allowed := r.Reason == ""; allowed != tt.allowed {
				t.Errorf("a snapshot: %+v", r)
			}
			if !tt.allowed && !strings.Contains(r.Message, "earlier namespace") {
				t.Errorf("it says %q", r.Message)
			}
			if tt.known {
				return
			}
			d := deletedServers{Name: "orders", Server: "shop-orders", Supported: true, Backups: []driver.SavedState{{
				From: driver.Restore{Source: driver.ParentRef{Name: "shop-orders", ID: "db-1"}, Time: at}, Since: at.Add(-time.Hour), Complete: true, Mark: tt.mark,
			}}}
			r = deletedRefusal(v, d)
			if chosen := d.chosen(v) != nil; chosen != tt.allowed || r.Reason == "" != tt.allowed || !tt.allowed && !strings.Contains(r.Message, "earlier namespace") {
				t.Errorf("backups: chosen %t, %+v", chosen, r)
			}
		})
	}
}
