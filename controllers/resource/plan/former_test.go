package plan

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/window"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What the cloud put in the place of an object's cloud object is the object's, by the cloud's own answer and by nothing else.
func TestOwnershipOfASuccessor(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	v := View{Bound: true, HasFinalizer: true, WasReady: true, Origin: v1alpha1.OriginCreated, ID: "db-1", Mark: mark}
	for name, tt := range map[string]struct {
		seen driver.Observation
		want Belonging
	}{
		"the same one":                   {driver.Observation{ID: "db-1", Mark: mark}, Ours},
		"another one":                    {driver.Observation{ID: "db-2", Mark: mark}, Replaced},
		"its successor":                  {driver.Observation{ID: "db-2", Mark: mark, Succession: &driver.Succession{Succeeds: "db-1"}}, Ours},
		"the successor of another one":   {driver.Observation{ID: "db-2", Mark: mark, Succession: &driver.Succession{Succeeds: "db-0"}}, Replaced},
		"its successor, without a mark":  {driver.Observation{ID: "db-2", Succession: &driver.Succession{Succeeds: "db-1"}}, OursUnmarked},
		"its successor, taken by others": {driver.Observation{ID: "db-2", Succession: &driver.Succession{Succeeds: "db-1"}, Mark: driver.Mark{Cluster: "there"}}, Others},
	} {
		if got := Ownership(v, tt.seen); got != tt.want {
			t.Errorf("%s: got %d, want %d", name, got, tt.want)
		}
	}
}

// The former server is marked as left behind at once, and deleted once a person agrees, at any time. The object is as declared meanwhile.
func TestLeaveFormer(t *testing.T) {
	former := &driver.Former{ParentRef: driver.ParentRef{Name: "orders-old1", ID: "db-1"}}
	released := &driver.Former{ParentRef: former.ParentRef, Mark: driver.Mark{Released: true}}
	known := &driver.ParentRef{Name: "orders-old1", ID: "db-1"}
	for name, tt := range map[string]struct {
		known *driver.ParentRef
		seen  *driver.Former
		want  string
		sure  bool // that it is gone
	}{
		"none":                    {},
		"gone":                    {known: known, sure: true, want: formerDeleted},
		"not shown":               {known: known},
		"not in the status yet":   {seen: former},
		"another one of its name": {known: &driver.ParentRef{Name: "orders-old1", ID: "db-0"}, seen: former},
		"with the mark":           {known: known, seen: former, want: formerReleased},
		"left behind":             {known: known, seen: released, want: formerDeleted},
		"at work":                 {known: known, seen: &driver.Former{ParentRef: former.ParentRef, Pending: true}},
	} {
		v := View{Former: tt.known, FormerGone: tt.sure}
		got := LeaveFormer(v, driver.Observation{State: driver.Ready, Succession: &driver.Succession{Former: tt.seen}})
		if working := LeaveFormer(v, driver.Observation{State: driver.Pending, Succession: &driver.Succession{Former: tt.seen}}); len(working) > 0 {
			t.Errorf("%s: while the cloud is at work, got %+v", name, working)
		}
		if len(got) == 1 && (got[0].Effect == driver.Irreversible) != (tt.seen != nil && tt.seen.Mark.Released) {
			t.Errorf("%s: got %+v", name, got)
		}
		if len(got) > 1 || len(got) == 1 != (tt.want != "") || len(got) == 1 && got[0].To != tt.want {
			t.Errorf("%s: got %+v, want %q", name, got, tt.want)
		}
	}
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	v := View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-2", Mark: mark, Former: known}
	seen := driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark, Changes: LeaveFormer(v, driver.Observation{State: driver.Ready, Succession: &driver.Succession{Former: released}})}
	for _, disruptive := range []v1alpha1.DisruptivePolicy{v1alpha1.DisruptiveAlways, v1alpha1.DisruptiveOnSpecChange, v1alpha1.DisruptiveOnApproval} {
		p := Policy{Management: v1alpha1.ManagementFull, Disruptive: disruptive, Window: window.FromSpec(&v1alpha1.MaintenanceWindow{Day: new(v1alpha1.Sunday), StartTime: new("03:00")})}
		a := Plan(v, seen, p)
		if a.Verb != AwaitApproval || a.EditWaits || a.Reason != v1alpha1.ReasonApprovalRequired || strings.Contains(a.Message, "set the spec to them") || strings.Contains(a.Message, "maintenance window") {
			t.Errorf("%s: %+v", disruptive, a)
		}
		approved := v
		approved.Approval = a.Hash
		if a := Plan(approved, seen, p); a.Verb != Update || !a.Does(driver.DeleteFormer) {
			t.Errorf("%s, approved: %+v", disruptive, a)
		}
	}
	seen.Changes = append(seen.Changes, driver.Change{Field: "tags", From: "a", To: "b", Effect: driver.Online})
	v.Approval = planHash(v, seen.Changes[:1])
	if a := Plan(v, seen, Policy{Management: v1alpha1.ManagementFull}); a.Verb != Update || !a.Does(driver.DeleteFormer) || !a.Approved {
		t.Errorf("beside another change: %+v", a)
	}
}

// Who approves another change has not approved the deletion of the former server, and is asked about that afterwards.
func TestFormerServerIsAskedAboutAlone(t *testing.T) {
	v := View{WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-2"}
	former := driver.Change{Field: fieldFormer, From: "orders-old1", To: formerDeleted, Effect: driver.Irreversible}
	restart := driver.Change{Field: "parameters", From: "a", To: "b", Effect: driver.Restarts}
	p := Policy{Disruptive: v1alpha1.DisruptiveOnApproval}
	both, alone := Decide(v, []driver.Change{former, restart}, p), Decide(v, []driver.Change{restart}, p)
	if both.Hash != alone.Hash || len(both.With(AfterApproval)) != 1 || len(both.With(AfterOthers)) != 1 {
		t.Errorf("beside a restart that waits: %+v", both)
	}
	v.Approval = both.Hash
	if d := Decide(v, []driver.Change{former, restart}, p); len(d.With(AtOnce)) != 1 || d.With(AtOnce)[0].Field != "parameters" {
		t.Errorf("once the restart is approved: %+v", d)
	}
	if d := Decide(v, []driver.Change{former}, p); len(d.With(AfterApproval)) != 1 || d.Hash == both.Hash {
		t.Errorf("once the restart is made: %+v", d)
	}
}

// A deletion takes the former server with it, once all else is gone as it should be: until then, and where the data would be lost else, it is the way back.
func TestDeletionWithAFormerServer(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	known := driver.ParentRef{Name: "orders-old1", ID: "db-1"}
	v := View{Bound: true, Deleting: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-2", Mark: mark, AbsenceSure: true, SnapshotAbsenceSure: true, Former: &known}
	former, released := &driver.Former{ParentRef: known, Mark: mark}, &driver.Former{ParentRef: known, Mark: driver.Mark{Released: true}}
	there := driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark}
	protected, gone, kept := there, driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: driver.Absent}}, driver.Observation{State: driver.Absent, Backup: &driver.Backup{FinalSnapshot: driver.Ready}}
	protected.Protected = true
	for _, tt := range []struct {
		name   string
		view   func(*View)
		seen   driver.Observation
		former *driver.Former
		policy v1alpha1.DeletionPolicy
		verb   Verb
		to     string
		says   string
	}{
		{name: "the server is there", seen: there, former: former, policy: v1alpha1.DeletionDelete, verb: Delete},
		{name: "the server is protected", seen: protected, former: former, policy: v1alpha1.DeletionDelete, verb: Stall},
		{name: "the server is gone", seen: gone, former: released, policy: v1alpha1.DeletionDelete, verb: Update, to: formerDeleted},
		{name: "the server is not shown", view: func(v *View) { v.AbsenceSure = false }, seen: gone, former: released, policy: v1alpha1.DeletionDelete, verb: Wait},
		{name: "the server is gone, and its snapshot is there", seen: kept, former: released, policy: v1alpha1.DeletionSnapshot, verb: Update, to: formerDeleted},
		{name: "the server vanished, and no snapshot is there", seen: gone, former: released, policy: v1alpha1.DeletionSnapshot, verb: RemoveFinalizer, says: "orders-old1, which it was before its upgrade, stays"},
		{name: "the server vanished, and was not Mooring's to delete", view: func(v *View) { v.Origin, v.WasApplied = v1alpha1.OriginAdopted, false }, seen: gone, former: released, policy: v1alpha1.DeletionDelete, verb: RemoveFinalizer, says: "orders-old1"},
		{name: "it is going", seen: gone, former: &driver.Former{ParentRef: known, Pending: true}, policy: v1alpha1.DeletionDelete, verb: Wait},
		{name: "it is not shown", seen: gone, policy: v1alpha1.DeletionDelete, verb: Wait},
		{name: "it is gone", view: func(v *View) { v.FormerGone = true }, seen: gone, policy: v1alpha1.DeletionDelete, verb: Update, to: formerDeleted},
		{name: "nothing is left of it", view: func(v *View) { v.Former = nil }, seen: gone, policy: v1alpha1.DeletionDelete, verb: RemoveFinalizer},
		{name: "all stays", seen: there, former: former, policy: v1alpha1.DeletionRetain, verb: Update, to: formerReleased},
		{name: "all stays, and it is left behind", seen: there, former: released, policy: v1alpha1.DeletionRetain, verb: Release},
		{name: "it alone is left, and stays", seen: gone, former: released, policy: v1alpha1.DeletionRetain, verb: RemoveFinalizer, says: "orders-old1"},
		{name: "another's", seen: driver.Observation{State: driver.Ready, ID: "db-3", Mark: driver.Mark{Cluster: "there"}}, former: former, policy: v1alpha1.DeletionDelete, verb: RemoveFinalizer},
	} {
		view := v
		if tt.view != nil {
			tt.view(&view)
		}
		tt.seen.Succession = &driver.Succession{Succeeds: tt.seen.Succession.GetSucceeds(), Former: tt.former}
		a := Plan(view, tt.seen, Policy{Management: v1alpha1.ManagementFull, Deletion: tt.policy})
		to := ""
		if len(a.Changes) == 1 && a.Changes[0].Field == fieldFormer {
			to = a.Changes[0].To
		}
		if a.Verb != tt.verb || to != tt.to || !strings.Contains(a.Message, tt.says) {
			t.Errorf("%s: got %+v", tt.name, a)
		}
		if deletes, releases := a.Does(driver.DeleteFormer), a.Does(driver.ReleaseFormer); deletes != (tt.to == formerDeleted) || releases != (tt.to == formerReleased) {
			t.Errorf("%s: the command is %+v", tt.name, a.Command)
		}
	}
}

// In whose place the cloud put what has the name now is stored before anything is written: the cloud's answer may be gone after that.
func TestSuccessionIsStoredFirst(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	v := View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, ID: "db-1", Mark: mark}
	seen := driver.Observation{State: driver.Ready, Available: true, ID: "db-2", Mark: mark, Succession: &driver.Succession{Succeeds: "db-1"}, Changes: []driver.Change{{Field: "tags", From: "a", To: "b", Effect: driver.Online}}}
	for _, deleting := range []bool{false, true} {
		for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionDelete, v1alpha1.DeletionRetain} {
			v.Deleting = deleting
			p := Policy{Management: v1alpha1.ManagementFull, Deletion: policy}
			if a := Plan(v, seen, p); a.Verb != Wait || !a.KeepConditions {
				t.Errorf("deleting: %t, %s: got %+v", deleting, policy, a)
			}
			bound := v
			bound.ID = "db-2"
			if a := Plan(bound, seen, p); a.Verb == Wait {
				t.Errorf("deleting: %t, %s, bound: got %+v", deleting, policy, a)
			}
		}
	}
}

// The same change is sent once more when the cloud waits for that, and is sent in vain if it is sent again after it.
func TestSendingAgain(t *testing.T) {
	version, tags := []driver.Change{{Field: "version", From: "15", To: "16"}}, []driver.Change{{Field: "tags"}}
	m := Memory{}.Sending(version, "")
	if m.InVain {
		t.Error("nothing was sent before, and it is in vain")
	}
	m.Sent = version
	if m = m.Sending(version, "bgd-1"); m.InVain {
		t.Error("the cloud waits for it, and it is in vain")
	}
	if again := m.Sending(version, "bgd-1"); !again.InVain {
		t.Error("the cloud was told already, and it is not in vain")
	}
	if other := m.Sending(version, "bgd-2"); other.InVain {
		t.Error("another operation waits for it, and it is in vain")
	}
	if without := m.Sending(version, ""); !without.InVain {
		t.Error("nothing waits for it, and it is not in vain")
	}
	if other := m.Sending(tags, ""); other.InVain {
		t.Error("another change is in vain")
	}
}

// A server that was prepared in vain is not followed by another one before a person asks for that, and is taken away if the upgrade is taken back.
func TestPreparedInVain(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "orders", UID: "uid"}
	v := View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Edited: true, Origin: v1alpha1.OriginCreated, ID: "db-1", Mark: mark}
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
		want  Verb
	}{
		"it failed":                             {seen: seen("bgd-1", version), want: Stall},
		"it failed, and a person asks again":    {seen: seen("bgd-1", version), asked: true, want: Update},
		"it failed, and is wanted no more":      {seen: seen("bgd-1", staged), want: Update},
		"another operation failed, and is over": {seen: seen("", version), want: Update},
		"it failed, and something else differs": {seen: beside(seen("bgd-1", version), driver.Change{Field: "tags", From: "a", To: "b"}), want: Update},
		"parameters may be of the new version":  {seen: beside(seen("bgd-1", version), driver.Change{Field: "parameters", From: "a", To: "b"}), want: Stall},
	} {
		view := v
		view.RetryRequested = tt.asked
		a := Plan(view, tt.seen, Policy{Management: v1alpha1.ManagementFull})
		if a.Verb != tt.want || a.Verb == Stall && !strings.Contains(a.Message, "a slot is lost") || len(a.Pending) != len(tt.seen.Changes) {
			t.Errorf("%s: got %+v", name, a)
		}
		if changes := len(tt.seen.Changes); changes > 1 && a.Verb == Update && (len(a.Changes) != changes-1 || a.Changes[0].Field == "version") {
			t.Errorf("%s: the changes are %+v", name, a.Changes)
		}
	}
}

// A prepared server that nobody wants any more is dropped by a command of its own. What differs beside it comes after that.
func TestPreparedServerIsDroppedByItself(t *testing.T) {
	s := settled()
	s.Edited = true
	s.Seen.Changes = []driver.Change{
		{Field: FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online},
		{Field: driver.FieldStrategy, From: "16", Effect: driver.Online},
	}
	a := s.plan()
	if a.Verb != Update || !a.Does(driver.DropStaged) || len(a.Changes) != 1 || a.Changes[0].Field != driver.FieldStrategy {
		t.Errorf("got %s with command %+v and changes %+v", a.Verb, a.Command, a.Changes)
	}
}

// A command is sent alone, whatever stands beside the change that it makes.
func TestACommandIsSentAlone(t *testing.T) {
	staged, tags := driver.Change{Field: driver.FieldStrategy}, driver.Change{Field: "tags"}
	if a := (Action{}).sending(staged, tags); !a.Does(driver.DropStaged) || len(a.Changes) != 1 {
		t.Errorf("the command %+v is sent with %+v", a.Command, a.Changes)
	}
	if a := (Action{}).sending(tags, staged); a.Command != nil || len(a.Changes) != 2 {
		t.Errorf("an update is sent with the command %+v and %+v", a.Command, a.Changes)
	}
}
