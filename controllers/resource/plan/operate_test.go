package plan

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/providers/driver"
)

var actionTime = time.Unix(1_700_000_000, 0)

// asked has somebody ask for an action, of which the status has an outcome of the value before.
func asked(action driver.Action, edits ...func(*ActionRequest)) func(*fixture) {
	return func(s *fixture) {
		r := ActionRequest{Action: action, Wanted: "two", Supported: true, Status: v1alpha1.ActionStatus{Name: string(action), Value: "one", Outcome: v1alpha1.ActionSucceeded}}
		for _, edit := range edits {
			edit(&r)
		}
		s.Requests, s.Now, s.Window = append(s.Requests, r), actionTime, 5*time.Second
		if s.Seen.State == driver.Ready || s.Seen.State == driver.Pending {
			s.Seen.Actions = map[driver.Action]driver.ActionState{driver.Restart: {}, driver.Failover: {Before: "a"}, driver.RotatePassword: {}}
		}
	}
}

// sent is a request that was stored some time ago.
func sent(outcome v1alpha1.ActionOutcome, ago time.Duration) func(*ActionRequest) {
	return func(r *ActionRequest) {
		r.Wanted = "one"
		r.Status.Outcome, r.Status.Time = outcome, &metav1.Time{Time: actionTime.Add(-ago)}
		if r.Action == driver.Failover {
			r.Status.Before = "a"
		}
	}
}

func shows(action driver.Action, state driver.ActionState) func(*fixture) {
	return func(s *fixture) { s.Seen.Actions[action] = state }
}

func byMooring(r *ActionRequest) { r.ByMooring = true }

func knows(p PasswordFound) func(*fixture) { return func(s *fixture) { s.Password = p } }

// What becomes of an action in every situation: it is done, waits, is refused, or what came of it is said. An action that was stored is never sent again.
func TestOperate(t *testing.T) {
	const (
		none    = ""
		done    = v1alpha1.ActionSucceeded
		started = v1alpha1.ActionStarted
		refusal = v1alpha1.ActionRefused
		unknown = v1alpha1.ActionUnknown
	)
	restart, failover, rotate := driver.Restart, driver.Failover, driver.RotatePassword
	for _, tt := range []struct {
		name    string
		fixture []func(*fixture)
		verb    Verb
		outcome v1alpha1.ActionOutcome // that the status gets; empty for none
		waits   string                 // a part of what the status says that it waits for
		follows bool                   // it is looked at again while the cloud works
	}{
		// A new value.
		{"a new value", []func(*fixture){asked(restart)}, Operate, none, "", false},
		{"the same value", []func(*fixture){asked(restart, func(r *ActionRequest) { r.Wanted = "one" })}, Converge, none, "", false},
		{"no value any more", []func(*fixture){asked(restart, func(r *ActionRequest) { r.Wanted = "" })}, Converge, none, "", false},
		{"a standby that takes over", []func(*fixture){asked(failover)}, Operate, none, "", false},
		{"a password of the cloud's", []func(*fixture){asked(rotate)}, Operate, none, "", false},
		{"a password of Mooring's", []func(*fixture){asked(rotate, byMooring), knows(PasswordFound{Known: true, Serial: 3, Rotatable: true, MayRotate: true})}, Operate, none, "", false},

		// It is not possible.
		{"observed only", []func(*fixture){observed, asked(restart)}, Converge, refusal, "", false},
		{"the cloud has no such action", []func(*fixture){asked(restart, func(r *ActionRequest) { r.Supported = false })}, Converge, refusal, "", false},
		{"the spec has no place for it", []func(*fixture){asked(rotate, byMooring, func(r *ActionRequest) { r.Refused = "no" })}, Converge, refusal, "", false},
		{"the server has no standby", []func(*fixture){asked(failover), shows(failover, driver.ActionState{Refused: "no standby"})}, Converge, refusal, "", false},
		{"stopped as declared", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Stopped, s.Seen.Available = true, false }}, Converge, refusal, "", false},

		// It waits.
		{"stopped, and about to start", []func(*fixture){
			asked(restart), func(s *fixture) { s.Seen.Stopped, s.Seen.Available = true, false }, edited(driver.FieldPowerState, driver.Online),
		}, Update, none, "about to start", false},
		{"not yet ready", []func(*fixture){func(s *fixture) { s.WasReady = false }, state(driver.Pending), asked(restart)}, Wait, none, "not ready for the first time", false},
		{"just ready", []func(*fixture){func(s *fixture) { s.WasReady = false }, asked(restart)}, Converge, none, "", false},
		{"the cloud is at work", []func(*fixture){state(driver.Pending), asked(restart)}, Wait, none, "at work", false},
		{"the cloud takes it later", []func(*fixture){asked(restart), shows(restart, driver.ActionState{Waits: "a backup"})}, Converge, none, "a backup", true},
		{"an operation is under way", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Operation = "op" }}, Converge, none, "at work", false},
		{"a change comes first", []func(*fixture){asked(restart), edited(days, driver.Online)}, Update, none, "", false},
		{"the edit is recorded first", []func(*fixture){asked(restart), editedToo}, Converge, none, "", false},
		{"the cloud may not show what was written", []func(*fixture){asked(restart), func(s *fixture) { s.InConsistencyWindow = true }}, Wait, none, "", false},
		{"it failed", []func(*fixture){state(driver.Failed), asked(restart)}, Stall, none, "can't be used", false},
		{"it vanished", []func(*fixture){gone, asked(restart), func(s *fixture) { s.Deleting = false }}, Stall, none, "can't be used", false},
		{"the class refuses it", []func(*fixture){asked(restart), refused}, Stall, none, "does not allow", false},
		{"another's", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Mark = othersMark }}, Stall, none, "does not manage", false},
		{"it can't be used, and a failover may not mend that", []func(*fixture){asked(failover), func(s *fixture) { s.Seen.Available, s.Seen.Problem = false, "full" }}, Stall, none, "can't be used", false},
		{"a password that nobody read", []func(*fixture){asked(rotate, byMooring), knows(PasswordFound{MayRotate: true})}, Converge, none, "", false},
		{"a password on its way", []func(*fixture){asked(rotate, byMooring), knows(PasswordFound{Known: true, Pending: true, MayRotate: true})}, Converge, none, "another password", false},
		{"a password, and it is not Ready", []func(*fixture){asked(rotate, byMooring), knows(PasswordFound{Known: true, Rotatable: true})}, Converge, none, "once the Database is Ready", false},

		// It does not wait for what waits.
		{"a failover waits for the cloud", []func(*fixture){asked(failover), asked(restart), shows(failover, driver.ActionState{Waits: "a standby"})}, Operate, none, "a standby", true},
		{"drift waits for approval", []func(*fixture){drifted(instance, driver.Restarts), asked(restart)}, Operate, none, "", false},
		{"an impossible edit", []func(*fixture){edited("engine", driver.Impossible), asked(restart)}, Operate, none, "", false},
		{"it can't be used, and a restart may mend that", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Available, s.Seen.Problem = false, "unfit" }}, Operate, none, "", false},

		// It was stored, and perhaps sent.
		{"stored a moment ago", []func(*fixture){asked(restart, sent(v1alpha1.ActionRequested, time.Second))}, Converge, none, "", true},
		{"stored, and the cloud restarts it", []func(*fixture){state(driver.Pending), asked(restart, sent(v1alpha1.ActionRequested, time.Hour)), shows(restart, driver.ActionState{UnderWay: true})}, Wait, started, "", true},
		{"stored, and the cloud is at something", []func(*fixture){state(driver.Pending), asked(restart, sent(v1alpha1.ActionRequested, time.Hour))}, Wait, none, "", true},
		{"stored, and nothing shows", []func(*fixture){asked(restart, sent(v1alpha1.ActionRequested, time.Minute))}, Converge, unknown, "", false},
		{"stored, and another zone shows it", []func(*fixture){asked(failover, sent(v1alpha1.ActionRequested, time.Second)), shows(failover, driver.ActionState{Before: "b"})}, Converge, done, "", false},
		{"stored, and the zone is the same", []func(*fixture){asked(failover, sent(v1alpha1.ActionRequested, time.Minute))}, Converge, unknown, "", false},
		{"accepted a moment ago", []func(*fixture){asked(restart, sent(started, time.Second))}, Converge, none, "", true},
		{"a failover that was stored, and a restart by others", []func(*fixture){
			state(driver.Pending), asked(failover, sent(v1alpha1.ActionRequested, time.Hour), func(r *ActionRequest) { r.Status.Before = "a" }), shows(failover, driver.ActionState{UnderWay: true, Before: "a"}),
		}, Wait, none, "", true},
		{"another that was stored after it comes first", []func(*fixture){asked(restart), asked(failover, sent(v1alpha1.ActionRequested, time.Second))}, Converge, none, "another action is in progress", true},
		{"accepted, and under way", []func(*fixture){asked(restart, sent(started, time.Minute)), shows(restart, driver.ActionState{UnderWay: true})}, Converge, none, "", true},
		{"accepted, and at rest", []func(*fixture){asked(restart, sent(started, time.Minute))}, Converge, done, "", false},
		{"another value while it is under way", []func(*fixture){asked(restart, sent(started, time.Second), func(r *ActionRequest) { r.Wanted = "three" })}, Converge, none, "", true},
		{"another action while one is under way", []func(*fixture){asked(restart, sent(started, time.Second)), asked(failover)}, Converge, none, "another action is in progress", true},
		{"a password that was not made yet", []func(*fixture){
			asked(rotate, byMooring, sent(v1alpha1.ActionRequested, time.Hour), func(r *ActionRequest) { r.Status.Before = "3" }), knows(PasswordFound{Known: true, Serial: 3}),
		}, Converge, none, "", false},
		{"a password that is on its way", []func(*fixture){
			asked(rotate, byMooring, sent(v1alpha1.ActionRequested, time.Hour), func(r *ActionRequest) { r.Status.Before = "3" }), knows(PasswordFound{Known: true, Serial: 4, Pending: true}),
		}, Converge, none, "", false},
		{"a password that is in force", []func(*fixture){
			asked(rotate, byMooring, sent(v1alpha1.ActionRequested, time.Hour), func(r *ActionRequest) { r.Status.Before = "3" }), knows(PasswordFound{Known: true, Serial: 4}),
		}, Converge, done, "", false},

		{"being deleted", []func(*fixture){asked(restart), deleted}, Delete, none, "", false},
		{"the cloud's answer makes no sense", []func(*fixture){state(driver.Unknown), asked(restart)}, Wait, none, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			for _, f := range tt.fixture {
				f(&s)
			}
			a := s.plan()
			if a.Verb != tt.verb || a.Follows != tt.follows {
				t.Errorf("got %s, follows %t; want %s, %t", a.Verb, a.Follows, tt.verb, tt.follows)
			}
			var got v1alpha1.ActionStatus
			for _, answer := range a.Answers {
				got = answer.Status
			}
			switch {
			case tt.outcome != "" && (got.Outcome != tt.outcome || got.Time == nil || !got.Time.Time.Equal(actionTime)):
				t.Errorf("the status gets %+v, want %s now", got, tt.outcome)
			case tt.outcome == "" && tt.waits == "" && len(a.Answers) > 0:
				t.Errorf("the status gets %+v, want nothing", got)
			case !strings.Contains(got.WaitsFor, tt.waits):
				t.Errorf("it waits for %q, want %q", got.WaitsFor, tt.waits)
			}
			if (a.Operation != nil) != (tt.verb == Operate) {
				t.Errorf("verb %s, operation %v", a.Verb, a.Operation)
			}
		})
	}
}

// What waits keeps what was answered before, so that a former value that is set again asks for nothing.
func TestAValueThatIsTakenBack(t *testing.T) {
	s := settled()
	state(driver.Pending)(&s)
	asked(driver.Restart)(&s)
	s.Requests[0].Status = s.plan().Answers[0].Status
	if got := s.Requests[0].Status; got.Value != "one" || got.WaitsFor == "" {
		t.Fatalf("while it waits the status has %+v", got)
	}
	if again := s.plan().Answers; len(again) > 0 {
		t.Errorf("and again %+v", again)
	}
	s.Requests[0].Wanted = "one"
	s.Seen.State = driver.Ready
	if a := s.plan(); a.Verb != Converge || a.Answers[0].Status.WaitsFor != "" {
		t.Errorf("the former value: %s, %+v", a.Verb, a.Answers)
	}
}

// Something puts a former value back, as a GitOps tool does with what a person wrote: that asks for nothing, and neither does the person's value once more.
func TestAValueThatIsPutBack(t *testing.T) {
	s := settled()
	asked(driver.Restart)(&s)
	r := &s.Requests[0]
	r.Status = v1alpha1.ActionStatus{Name: string(driver.Restart)}
	for _, step := range []struct {
		value string
		isNew bool
	}{{"git", true}, {"person", true}, {"git", false}, {"person", false}, {"other", true}, {"person", false}, {"git", true}} {
		if r.Wanted = step.value; r.isNew() != step.isNew {
			t.Errorf("%q after %q and %q: new is %t", step.value, r.Status.Value, r.Status.Former, r.isNew())
		}
		if r.isNew() {
			r.Status = answered(r.Status, r.Wanted, v1alpha1.ActionSucceeded, "", actionTime)
		}
	}
}

// The values that are there when an object is first seen, or after its status was lost, ask for nothing. A value that comes later does.
func TestNoteActions(t *testing.T) {
	k := kind.Database()
	d := &v1alpha1.Database{}
	d.Annotations = map[string]string{v1alpha1.AnnotationRestart: "one", v1alpha1.AnnotationFailover: strings.Repeat("x", 500)}
	open := func() (names []string) {
		for _, r := range ActionRequests(k, d, d, driver.Capabilities{}) {
			if r.isNew() {
				names = append(names, string(r.Action))
			}
		}
		return names
	}
	NoteActions(k, d, actionTime)
	if got := open(); len(got) > 0 || len(d.Status.Actions) != len(driver.Actions) {
		t.Errorf("at first: %v asked for, status %+v", got, d.Status.Actions)
	}
	d.Annotations[v1alpha1.AnnotationRestart] = "two"
	NoteActions(k, d, actionTime)
	if got := open(); len(got) > 0 {
		t.Errorf("before it is bound: %v asked for", got)
	}
	d.Status.ExternalName = "orders"
	d.Annotations[v1alpha1.AnnotationRestart] = "three"
	d.Annotations[v1alpha1.AnnotationFailover] = strings.Repeat("x", 501)
	d.Annotations[v1alpha1.AnnotationRotatePassword] = "one"
	NoteActions(k, d, actionTime)
	if got := strings.Join(open(), " "); got != "restart failover rotate-password" {
		t.Errorf("once it is bound: %v asked for", got)
	}
	d.Status.Actions = nil // as an earlier release leaves it
	NoteActions(k, d, actionTime)
	if got := open(); len(got) > 0 {
		t.Errorf("after the status was lost: %v asked for", got)
	}
	for _, s := range d.Status.Actions {
		if len(s.Value) > longestValue {
			t.Errorf("the status has %d bytes of a value", len(s.Value))
		}
	}
	NoteActions(kind.Bucket(), &v1alpha1.Bucket{}, actionTime) // which has none
}

// An action that the cloud had begun and whose operation failed has failed; another one has not.
func TestFailActions(t *testing.T) {
	k, d := kind.Database(), &v1alpha1.Database{}
	d.Status.Actions = []v1alpha1.ActionStatus{{Name: "restart", Value: "one", Outcome: v1alpha1.ActionStarted}, {Name: "failover", Value: "one", Outcome: v1alpha1.ActionRequested}}
	failed := FailActions(k, d, "no machine", actionTime)
	if len(failed) != 1 || d.Status.Actions[0].Outcome != v1alpha1.ActionFailed || d.Status.Actions[1].Outcome != v1alpha1.ActionRequested {
		t.Errorf("%+v failed, the status has %+v", failed, d.Status.Actions)
	}
}

// A password that a person asked for is made once, and only while nothing keeps it from being made.
func TestRotationRequested(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*rotating)
		due  bool
	}{
		{"stored, and not made", func(*rotating) {}, true},
		{"made already", func(r *rotating) { r.stored.Serial = 2 }, false},
		{"not stored", func(r *rotating) { r.d.Status.Actions[0].Outcome = v1alpha1.ActionSucceeded }, false},
		{"the spec names the password", func(r *rotating) {
			r.d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "mine"}}
		}, false},
		{"nobody is told", func(r *rotating) { r.d.Spec.Connection = nil }, false},
		{"it is Stalled", func(r *rotating) { r.stalled(v1alpha1.ReasonFailed) }, false},
		{"the cloud is at work", func(r *rotating) { r.o.State = driver.Pending }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRotating()
			r.d.Spec.Credentials, r.d.Status.Rotation = nil, nil
			r.d.Status.Actions = []v1alpha1.ActionStatus{{Name: string(driver.RotatePassword), Value: "one", Outcome: v1alpha1.ActionRequested, Before: "1"}}
			tt.edit(r)
			if got := RotationDue(kind.Database(), r.d, r.d, r.o, r.p, password.State{Stored: r.stored}, r.now); got != tt.due {
				t.Errorf("due %t, want %t", got, tt.due)
			}
			if tt.due && !RotationNeedsSecret(kind.Database(), r.d, r.d, r.o, r.p, r.now) {
				t.Error("nobody reads the password Secret")
			}
		})
	}
}

// A read replica has the password of its primary, so nobody changes it there, whatever else its spec says.
func TestNoRotationOfAReplica(t *testing.T) {
	k, d := kind.Database(), &v1alpha1.Database{}
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "reads-db"}
	refused := func() string {
		for _, r := range ActionRequests(k, d, d, driver.Capabilities{}) {
			if r.Action == driver.RotatePassword {
				return r.Refused
			}
		}
		return "there is no such action"
	}
	if why := refused(); why != "" {
		t.Errorf("a server that follows none: %q", why)
	}
	if d.Status.Replica = (&v1alpha1.ReplicaStatus{Primary: "orders"}); !strings.Contains(refused(), "ask for another one there") {
		t.Errorf("a read replica: %q", refused())
	}
}
