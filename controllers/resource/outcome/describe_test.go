package outcome

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

func unredacted(message string) string { return message }

// What is only observed is bound to a name once something of that name was observed. A name that was mistyped can
// then be corrected: admission refuses to change it once it is in the status.
func TestObservedIsBoundOnceSeen(t *testing.T) {
	for state, want := range map[driver.State]string{driver.Absent: "", driver.Ready: "theirs"} {
		f := Facts{
			Kind: kind.Bucket(), Policy: plan.Policy{Management: v1alpha1.ManagementObserve}, Provider: "aws", Redact: unredacted,
			Request: driver.Request{Name: "theirs", Location: "eu-central-1"}, Observed: true, Observation: driver.Observation{State: state},
		}
		b := &v1alpha1.Bucket{}
		described := f.Describe(b, Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonNotFound, Message: "check the name"}).Object
		if got := described.GetResourceStatus().ExternalName; got != want {
			t.Errorf("%v: bound to %q, want %q", state, got, want)
		}
		if b.Status.ExternalName != "" || len(b.Status.Conditions) > 0 {
			t.Errorf("%v: the object itself was changed: %+v", state, b.Status)
		}
	}
}

// What the observation holds is never changed: the plan and the report read it too.
func TestDescribeLeavesTheObservationAlone(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid"}
	applied := map[string][]string{"tags": {"team"}}
	f := Facts{
		Kind: kind.Bucket(), Policy: plan.Policy{Management: v1alpha1.ManagementFull}, Redact: unredacted, View: plan.View{Mark: mark},
		Observed: true, Observation: driver.Observation{State: driver.Ready, Mark: mark, Applied: applied},
	}
	b := &v1alpha1.Bucket{}
	b.Status.Applied = map[string][]string{plan.FieldPassword: {"2"}, "cors": {"*"}}
	got := f.Describe(b, Outcome{KeepConditions: true})
	described, released := got.Object, got.Released
	if _, added := applied[plan.FieldPassword]; added || len(applied) != 1 {
		t.Errorf("the observation says now that %v is applied", applied)
	}
	if got := described.GetResourceStatus().Applied; len(got) != 2 || got[plan.FieldPassword] == nil {
		t.Errorf("the status says that %v is applied", got)
	}
	if len(released) != 1 || released[0] != "cors" {
		t.Errorf("released are %q, want cors", released)
	}
}

// While an object is created its status is spared, but not the name of an entry that is about to be sent: its answer may be lost.
func TestWhatIsSentIsNotedWhileCreating(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "photos", UID: "uid"}
	add := []driver.Change{{Field: "tags", Names: []string{"team"}, Adds: []string{"team"}}}
	for name, tt := range map[string]struct{ sends []driver.Change }{"it waits": {}, "it is sent": {add}} {
		f := Facts{
			Kind: kind.Bucket(), Policy: plan.Policy{Management: v1alpha1.ManagementFull}, Redact: unredacted, View: plan.View{Mark: mark},
			Observed: true, Observation: driver.Observation{State: driver.Ready, Mark: mark, Changes: add, Applied: driver.Applied{"tags": {"team"}}},
		}
		b := &v1alpha1.Bucket{}
		b.Status.Applied = map[string][]string{"tags": {}}
		described := f.Describe(b, Outcome{State: condition.Progressing, Sends: tt.sends}).Object
		if got := described.GetResourceStatus().Applied["tags"]; len(got) != len(tt.sends) {
			t.Errorf("%s: noted are %q", name, got)
		}
	}
}

// Where nobody compared, what waited waits on: a server that failed for a while would else come back with what a class released meanwhile. What is gone waits for nothing.
func TestWhatWaitedStaysListedWhereNobodyCompared(t *testing.T) {
	waits := []v1alpha1.PendingChange{{Field: "version", To: "17", WaitsFor: v1alpha1.WaitsForApproval}}
	for _, tt := range []struct {
		name  string
		state driver.State
		out   Outcome
		want  []v1alpha1.PendingChange
	}{
		{"it failed", driver.Failed, Outcome{State: condition.Stalled, Planned: true, Undecided: true}, waits},
		{"it was compared", driver.Ready, Outcome{State: condition.UpToDate, Planned: true}, nil},
		{"it is gone", driver.Absent, Outcome{State: condition.Stalled, Planned: true, Undecided: true}, nil},
		{"it differs in something else", driver.Ready, Outcome{State: condition.Stalled, Planned: true, Undecided: true, Pending: []v1alpha1.PendingChange{{Field: "tags"}}}, []v1alpha1.PendingChange{{Field: "tags"}}},
	} {
		f := Facts{Kind: kind.Database(), Redact: unredacted, Observed: true, Observation: driver.Observation{State: tt.state}}
		d := &v1alpha1.Database{}
		d.Status.PendingChanges = waits
		described := f.Describe(d, tt.out).Object
		if diff := cmp.Diff(tt.want, described.GetResourceStatus().PendingChanges); diff != "" {
			t.Errorf("%s: pendingChanges (-want +got):\n%s", tt.name, diff)
		}
	}
}

// What has worked is recorded as that, also what is created and then stopped as declared. What is still being created has not worked yet.
func TestFirstReadyTime(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid"}
	for _, tt := range []struct {
		name               string
		available, stopped bool
		state              condition.State
		mark               driver.Mark
		want               bool
		elsewhere          string // its data
		restored           bool
	}{
		{"available", true, false, condition.UpToDate, mark, true, "", false},
		{"stopped as declared", false, true, condition.UpToDate, mark, true, "", false},
		{"stopped, and an edit waits for the start", false, true, condition.EditWaits, mark, true, "", false},
		{"available, and still being created", true, false, condition.Progressing, mark, false, "", false},
		{"stopped, and still being created", false, true, condition.Progressing, mark, false, "", false},
		{"neither available nor stopped", false, false, condition.UpToDate, mark, false, "", false},
		{"another's, and stopped", false, true, condition.Stalled, driver.Mark{Cluster: "another"}, false, "", false},
		{"a read replica as declared", true, false, condition.UpToDate, mark, true, "it is a read replica", false},
		{"a read replica that is not as declared yet", true, false, condition.EditWaits, mark, false, "it is a read replica", false},
		{"restored, and as declared", true, false, condition.UpToDate, mark, true, "", true},
		{"restored, and a class change waits", true, false, condition.DriftWaits, mark, true, "", true},
		{"restored, and it lacks what its spec names", true, false, condition.Stalled, mark, false, "", true},
		{"restored, and a part of its creation is being sent", true, false, condition.Updating, mark, false, "", true},
		{"restored and stopped, and an edit waits for approval", false, true, condition.EditWaits, mark, false, "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Facts{
				Kind: kind.Database(), Policy: plan.Policy{Management: v1alpha1.ManagementFull}, Redact: unredacted, View: plan.View{Mark: mark, Restored: tt.restored, Origin: v1alpha1.OriginCreated, DataElsewhere: tt.elsewhere},
				Observed: true, Observation: driver.Observation{State: driver.Ready, Available: tt.available, Stopped: tt.stopped, Mark: tt.mark},
			}
			described := f.Describe(&v1alpha1.Database{}, Outcome{State: tt.state}).Object
			if got := described.GetResourceStatus().FirstReadyTime != nil; got != tt.want {
				t.Errorf("recorded as having worked: %v, want %v", got, tt.want)
			}
		})
	}
}

// A server on its way to a declared stop can't be used because of that: the alert about unavailable databases leaves the reason out. One on its way
// up, or at work with something else, is told apart.
func TestAvailableOnTheWayDown(t *testing.T) {
	stopped := map[string][]string{driver.FieldPowerState: {"Stopped"}}
	start := []driver.Change{{Field: driver.FieldPowerState, From: "Stopped", To: "Running"}}
	stop := []driver.Change{{Field: driver.FieldPowerState, From: "Running", To: "Stopped"}}
	for name, tt := range map[string]struct {
		seen driver.Observation
		want v1alpha1.Reason
	}{
		"stopped":                        {driver.Observation{State: driver.Ready, Stopped: true}, v1alpha1.ReasonStopped},
		"stopping, as declared":          {driver.Observation{State: driver.Pending, Applied: stopped}, v1alpha1.ReasonStopped},
		"stopping by others":             {driver.Observation{State: driver.Pending}, v1alpha1.ReasonCloudBusy},
		"stopping, to be started":        {driver.Observation{State: driver.Pending, Applied: stopped, Changes: start}, v1alpha1.ReasonCloudBusy},
		"starting, declared stopped":     {driver.Observation{State: driver.Pending, Applied: stopped, Changes: stop}, v1alpha1.ReasonCloudBusy},
		"starting, as declared":          {driver.Observation{State: driver.Pending, Applied: map[string][]string{driver.FieldPowerState: {"Running"}}}, v1alpha1.ReasonCloudBusy},
		"declared stopped, and it fails": {driver.Observation{State: driver.Failed, Applied: stopped}, v1alpha1.ReasonCloudBusy},
	} {
		f := Facts{Kind: kind.Database(), Policy: plan.Policy{Management: v1alpha1.ManagementFull}, Redact: unredacted, Observed: true, Observation: tt.seen}
		described := f.Describe(&v1alpha1.Database{}, Outcome{State: condition.Updating, Reason: v1alpha1.ReasonCloudBusy}).Object
		c := meta.FindStatusCondition(described.GetResourceStatus().Conditions, v1alpha1.ConditionAvailable)
		if c == nil || c.Status != metav1.ConditionFalse || c.Reason != string(tt.want) {
			t.Errorf("%s: Available is %+v, want False for the reason %s", name, c, tt.want)
		}
	}
}

// An operation that was begun since the observation is newer than the one that was observed to rest.
func TestOperationThatWasJustBegun(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid"}
	for _, tt := range []struct{ requested, observed, status, want string }{
		{"check-1", "check-1", "check-2", "check-2"},
		{"check-1", "check-1", "check-1", "check-1"},
		{"check-1", "", "check-2", "check-2"},
		{"check-1", "", "check-1", ""},
		{"", "bgd-1", "", "bgd-1"},
	} {
		f := Facts{
			Kind: kind.Database(), Policy: plan.Policy{Management: v1alpha1.ManagementFull}, Redact: unredacted, View: plan.View{Mark: mark}, Request: driver.Request{Operation: tt.requested},
			Observed: true, Observation: driver.Observation{State: driver.Ready, Mark: mark, Operation: tt.observed},
		}
		d := &v1alpha1.Database{}
		d.Status.Operation = tt.status
		described := f.Describe(d, Outcome{State: condition.Updating}).Object
		if got := described.GetResourceStatus().Operation; got != tt.want {
			t.Errorf("%+v: the operation is %q", tt, got)
		}
	}
}
