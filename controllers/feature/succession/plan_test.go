package succession

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

var (
	mark = driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
)

// upgraded returns a database whose server took the place of orders-old1, which the cloud no longer shows.
func upgraded() reconciliation.State {
	d := &v1alpha1.Database{}
	return reconciliation.State{Object: d, Want: d, Facts: outcome.Facts{
		Kind: kind.Database(), Observed: true, Now: noon,
		View: plan.View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-2", Mark: mark,
			AbsenceSure: true, SnapshotAbsenceSure: true, ConsistencyWindow: time.Minute},
		Policy:      plan.Policy{Management: v1alpha1.ManagementFull},
		Request:     driver.Request{ID: "db-2", Former: &driver.ParentRef{Name: "orders-old1", ID: "db-1"}},
		Observation: driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark},
	}}
}

// sure has the former server be missing for as long as it takes to be sure.
func sure(in *reconciliation.State) { missing.Set(&in.Memory.Parts, in.Now.Add(-time.Minute)) }

// planned returns what is planned.
func planned(in *reconciliation.State) plan.Action {
	in.Observation.Changes = append(slices.Clone(in.Observation.Changes), interpret(in)...)
	return plan.Plan(in.View, in.Observation, in.Policy)
}

// The former server is marked as left behind at once, and deleted once a person agrees, at any time. The object is as declared meanwhile.
func TestFormerServer(t *testing.T) {
	formerly := &driver.Former{ParentRef: driver.ParentRef{Name: "orders-old1", ID: "db-1"}}
	left := &driver.Former{ParentRef: formerly.ParentRef, Mark: driver.Mark{Released: true}}
	known := &driver.ParentRef{Name: "orders-old1", ID: "db-1"}
	for name, tt := range map[string]struct {
		known *driver.ParentRef
		seen  *driver.Former
		want  string
		sure  bool // that it is gone
	}{
		"none":                    {},
		"gone":                    {known: known, sure: true, want: deleted},
		"not shown":               {known: known},
		"not in the status yet":   {seen: formerly},
		"another one of its name": {known: &driver.ParentRef{Name: "orders-old1", ID: "db-0"}, seen: formerly},
		"with the mark":           {known: known, seen: formerly, want: released},
		"left behind":             {known: known, seen: left, want: deleted},
		"at work":                 {known: known, seen: &driver.Former{ParentRef: formerly.ParentRef, Pending: true}},
	} {
		in := upgraded()
		if in.Request.Former = tt.known; tt.sure {
			sure(&in)
		}
		in.Observation.Succession = &driver.Succession{Former: tt.seen}
		working := in
		working.Observation.State = driver.Pending
		if got := interpret(&working); len(got) > 0 {
			t.Errorf("%s: while the cloud is at work, got %+v", name, got)
		}
		got := interpret(&in)
		if len(got) == 1 && (got[0].Effect == driver.Irreversible) != (tt.seen != nil && tt.seen.Mark.Released) {
			t.Errorf("%s: got %+v", name, got)
		}
		if len(got) > 1 || len(got) == 1 != (tt.want != "") || len(got) == 1 && got[0].To != tt.want {
			t.Errorf("%s: got %+v, want %q", name, got, tt.want)
		}
		if since := missing.In(in.Memory.Parts); tt.known == nil && !since.IsZero() || tt.known != nil && tt.seen == nil && since.IsZero() {
			t.Errorf("%s: it is missing since %s", name, since)
		}
	}
	for _, disruptive := range []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnSpecChange, v1alpha1.DisruptiveOnApproval} {
		in := upgraded()
		in.Policy.Disruptive, in.Policy.Window = disruptive, window.FromSpec(&v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("03:00")})
		in.Observation.Succession = &driver.Succession{Former: left}
		approved := in
		a := planned(&in)
		if a.Verb != plan.AwaitApproval || a.EditWaits || a.Reason != v1alpha1.ReasonApprovalRequired || strings.Contains(a.Message, "set the spec to them") || strings.Contains(a.Message, "maintenance window") {
			t.Errorf("%s: %+v", disruptive, a)
		}
		approved.View.Approval = a.Hash
		if a := planned(&approved); a.Verb != plan.Update || !a.Does(driver.DeleteFormer) {
			t.Errorf("%s, approved: %+v", disruptive, a)
		}
		in.Policy = plan.Policy{Management: v1alpha1.ManagementFull}
		in.View.Approval = a.Hash
		in.Observation.Changes = append(in.Observation.Changes, driver.Change{Field: "tags", From: "a", To: "b", Effect: driver.Online})
		if a := plan.Plan(in.View, in.Observation, in.Policy); a.Verb != plan.Update || !a.Does(driver.DeleteFormer) || !a.Approved {
			t.Errorf("beside another change: %+v", a)
		}
	}
}

// A deletion takes the former server with it, once all else is gone as it should be: until then, and where the data would be lost else, it is the way back.
func TestDeletionWithAFormerServer(t *testing.T) {
	known := driver.ParentRef{Name: "orders-old1", ID: "db-1"}
	formerly, left := &driver.Former{ParentRef: known, Mark: mark}, &driver.Former{ParentRef: known, Mark: driver.Mark{Released: true}}
	there := driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark}
	protected, gone, kept := there, driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: driver.Absent}}, driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: driver.Ready}}
	protected.Protected = true
	for _, tt := range []struct {
		name   string
		is     func(*reconciliation.State)
		seen   driver.Observation
		former *driver.Former
		policy v1alpha1.DeletionPolicy
		verb   plan.Verb
		to     string
		says   string
	}{
		{name: "the server is there", seen: there, former: formerly, policy: v1alpha1.DeletionDelete, verb: plan.Delete},
		{name: "the server is protected", seen: protected, former: formerly, policy: v1alpha1.DeletionDelete, verb: plan.Stall},
		{name: "the server is gone", seen: gone, former: left, policy: v1alpha1.DeletionDelete, verb: plan.Update, to: deleted},
		{name: "the server is not shown", is: func(in *reconciliation.State) { in.View.AbsenceSure = false }, seen: gone, former: left, policy: v1alpha1.DeletionDelete, verb: plan.Wait},
		{name: "the server is gone, and its snapshot is there", seen: kept, former: left, policy: v1alpha1.DeletionSnapshot, verb: plan.Update, to: deleted},
		{name: "the server vanished, and no snapshot is there", seen: gone, former: left, policy: v1alpha1.DeletionSnapshot, verb: plan.RemoveFinalizer, says: "orders-old1, which it was before its upgrade, stays"},
		{name: "the server vanished, and was not Mooring's to delete", is: func(in *reconciliation.State) { in.View.Origin, in.View.WasApplied = v1alpha1.OriginAdopted, false }, seen: gone, former: left, policy: v1alpha1.DeletionDelete, verb: plan.RemoveFinalizer, says: "orders-old1"},
		{name: "it is going", seen: gone, former: &driver.Former{ParentRef: known, Pending: true}, policy: v1alpha1.DeletionDelete, verb: plan.Wait},
		{name: "it is not shown", seen: gone, policy: v1alpha1.DeletionDelete, verb: plan.Wait},
		{name: "it is gone", is: sure, seen: gone, policy: v1alpha1.DeletionDelete, verb: plan.Update, to: deleted},
		{name: "nothing is left of it", is: func(in *reconciliation.State) { in.Request.Former = nil }, seen: gone, policy: v1alpha1.DeletionDelete, verb: plan.RemoveFinalizer},
		{name: "all stays", seen: there, former: formerly, policy: v1alpha1.DeletionRetain, verb: plan.Update, to: released},
		{name: "all stays, and it is left behind", seen: there, former: left, policy: v1alpha1.DeletionRetain, verb: plan.Release},
		{name: "it alone is left, and stays", seen: gone, former: left, policy: v1alpha1.DeletionRetain, verb: plan.RemoveFinalizer, says: "orders-old1"},
		{name: "another's", seen: driver.Observation{State: driver.Ready, ID: "db-3", Mark: driver.Mark{Cluster: "there"}}, former: formerly, policy: v1alpha1.DeletionDelete, verb: plan.RemoveFinalizer},
	} {
		in := upgraded()
		in.View.Deleting, in.Policy.Deletion, in.Observation = true, tt.policy, tt.seen
		if tt.is != nil {
			tt.is(&in)
		}
		in.Observation.Succession = &driver.Succession{Former: tt.former}
		interpret(&in) // for a deletion, what waits for a person beside it is nothing
		a := plan.Plan(in.View, in.Observation, in.Policy)
		to := ""
		if len(a.Changes) == 1 && a.Changes[0].Field == fieldFormer {
			to = a.Changes[0].To
		}
		if a.Verb != tt.verb || to != tt.to || !strings.Contains(a.Message, tt.says) {
			t.Errorf("%s: got %+v", tt.name, a)
		}
		if deletes, releases := a.Does(driver.DeleteFormer), a.Does(driver.ReleaseFormer); deletes != (tt.to == deleted) || releases != (tt.to == released) {
			t.Errorf("%s: the command is %+v", tt.name, a.Command)
		}
	}
}

// A server that was prepared in vain is not followed by another one before a person asks for that, and is taken away if the upgrade is taken back.
func TestPreparedInVain(t *testing.T) {
	version, staged := driver.Change{Field: "version", From: "15", To: "16", Effect: driver.Irreversible}, driver.Change{Field: driver.FieldStrategy, From: "16", Effect: driver.Online}
	seen := func(operation string, c driver.Change) driver.Observation {
		return driver.Observation{State: driver.Ready, Available: true, ID: "db-1", Mark: mark, Operation: operation, OperationError: &driver.Error{Code: driver.Invalid, Message: "a slot is lost"}, Changes: []driver.Change{c}}
	}
	beside := func(o driver.Observation, c driver.Change) driver.Observation {
		o.Changes = append(o.Changes, c)
		return o
	}
	for name, tt := range map[string]struct {
		seen  driver.Observation
		asked bool
		want  plan.Verb
	}{
		"it failed":                             {seen: seen("bgd-1", version), want: plan.Stall},
		"it failed, and a person asks again":    {seen: seen("bgd-1", version), asked: true, want: plan.Update},
		"it failed, and is wanted no more":      {seen: seen("bgd-1", staged), want: plan.Update},
		"another operation failed, and is over": {seen: seen("", version), want: plan.Update},
		"it failed, and something else differs": {seen: beside(seen("bgd-1", version), driver.Change{Field: "tags", From: "a", To: "b"}), want: plan.Update},
		"parameters may be of the new version":  {seen: beside(seen("bgd-1", version), driver.Change{Field: "parameters", From: "a", To: "b"}), want: plan.Stall},
	} {
		in := upgraded()
		in.Request.Former, in.View.ID, in.View.Edited, in.View.RetryRequested, in.Observation = nil, "db-1", true, tt.asked, tt.seen
		a := planned(&in)
		if a.Verb != tt.want || a.Verb == plan.Stall && !strings.Contains(a.Message, "a slot is lost") || len(a.Pending) != len(tt.seen.Changes) {
			t.Errorf("%s: got %+v", name, a)
		}
		if changes := len(tt.seen.Changes); changes > 1 && a.Verb == plan.Update && (len(a.Changes) != changes-1 || a.Changes[0].Field == "version") {
			t.Errorf("%s: the changes are %+v", name, a.Changes)
		}
	}
}

// A prepared server that nobody wants any more is dropped by a command of its own. What differs beside it comes after that.
func TestPreparedServerIsDroppedByItself(t *testing.T) {
	in := upgraded()
	in.View.Edited = true
	in.Observation.Changes = []driver.Change{
		{Field: plan.FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online},
		{Field: driver.FieldStrategy, From: "16", Effect: driver.Online},
	}
	a := planned(&in)
	if a.Verb != plan.Update || !a.Does(driver.DropStaged) || len(a.Changes) != 1 || a.Changes[0].Field != driver.FieldStrategy {
		t.Errorf("got %s with command %+v and changes %+v", a.Verb, a.Command, a.Changes)
	}
}
