package action

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/login"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

var actionTime = time.Unix(1_700_000_000, 0)

// A fixture is everything that is decided from.
type fixture struct {
	plan.View
	Seen     driver.Observation
	Policy   plan.Policy
	requests []request
	password login.PasswordFound
}

// plan returns what is planned for an object, with what becomes of the requests.
func (s fixture) plan() *decision {
	d := &decision{View: s.View, seen: s.Seen, policy: s.Policy, password: s.password, Action: plan.Plan(s.View, s.Seen, s.Policy)}
	if plan.FeaturesMayPlan(s.View, s.Seen) {
		d.decide(s.requests)
	}
	return d
}

// settled is a database that works and is as declared.
func settled() fixture {
	mark := driver.Mark{Cluster: "c1", Namespace: "shop", Name: "orders", UID: "uid-now"}
	return fixture{
		View:   plan.View{Bound: true, HasFinalizer: true, WasReady: true, WasApplied: true, Origin: v1alpha1.OriginCreated, Mark: mark, ID: "db-1", Applied: driver.Applied{}},
		Seen:   driver.Observation{State: driver.Ready, Available: true, ID: "db-1", Mark: mark},
		Policy: plan.Policy{Management: v1alpha1.ManagementFull, WhenVanished: v1alpha1.WhenVanishedStop, Deletion: v1alpha1.DeletionSnapshot, Disruptive: v1alpha1.DisruptiveOnSpecChange},
	}
}

// edited adds a difference that an edit of the spec made; drifted one that somebody made in the cloud.
func edited(name string, effect driver.Effect) func(*fixture) {
	return func(s *fixture) {
		s.Edited = true
		s.Applied[name] = []string{"old"}
		s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: name, From: "old", To: "new", Effect: effect, Why: "make another"})
	}
}

func drifted(name string, effect driver.Effect) func(*fixture) {
	return func(s *fixture) {
		s.Applied[name] = []string{"new"}
		s.Seen.Changes = append(s.Seen.Changes, driver.Change{Field: name, From: "theirs", To: "new", Effect: effect, Why: "make another"})
	}
}

func state(x driver.State) func(*fixture) { return func(s *fixture) { s.Seen.State = x } }
func deleted(s *fixture)                  { s.Deleting = true }
func observed(s *fixture)                 { s.Policy.Management = v1alpha1.ManagementObserve }
func gone(s *fixture)                     { s.Seen, s.AbsenceSure = driver.Observation{State: driver.Absent}, true }
func refused(s *fixture) {
	s.Policy.Refused = plan.Refusal{Reason: v1alpha1.ReasonClassViolated, Message: "at most 100 GiB"}
}

// asked has somebody ask for an action, of which the status has an outcome of the value before.
func asked(action driver.Action, edits ...func(*request)) func(*fixture) {
	return func(s *fixture) {
		r := request{supported: true, ActionRequest: kind.ActionRequest{
			Action: action, Wanted: "two", Status: v1alpha1.ActionStatus{Name: string(action), Value: "one", Outcome: v1alpha1.ActionSucceeded},
		}}
		for _, edit := range edits {
			edit(&r)
		}
		s.requests, s.Now, s.ConsistencyWindow = append(s.requests, r), actionTime, 5*time.Second
		if s.Seen.State == driver.Ready || s.Seen.State == driver.Pending {
			s.Seen.Actions = map[driver.Action]driver.ActionState{driver.Restart: {}, driver.Failover: {Before: "a"}, driver.RotatePassword: {}}
		}
	}
}

// sent is a request that was stored some time ago.
func sent(ended v1alpha1.ActionOutcome, ago time.Duration) func(*request) {
	return func(r *request) {
		r.Wanted = "one"
		r.Status.Outcome, r.Status.Time = ended, &metav1.Time{Time: actionTime.Add(-ago)}
		if r.Action == driver.Failover {
			r.Status.Before = "a"
		}
	}
}

func shows(action driver.Action, state driver.ActionState) func(*fixture) {
	return func(s *fixture) { s.Seen.Actions[action] = state }
}

func byMooring(r *request) { r.byMooring = true }

func knows(p login.PasswordFound) func(*fixture) { return func(s *fixture) { s.password = p } }

// What becomes of an action in every situation: it is done, waits, is refused, or what came of it is said. An action that was stored is never sent again.
func TestPlan(t *testing.T) {
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
		verb    plan.Verb
		outcome v1alpha1.ActionOutcome // that the status gets; empty for none
		waits   string                 // a part of what the status says that it waits for
		polls   bool                   // it is looked at again while the cloud works
	}{
		// A new value.
		{"a new value", []func(*fixture){asked(restart)}, Operate, none, "", false},
		{"the same value", []func(*fixture){asked(restart, func(r *request) { r.Wanted = "one" })}, plan.Converge, none, "", false},
		{"no value any more", []func(*fixture){asked(restart, func(r *request) { r.Wanted = "" })}, plan.Converge, none, "", false},
		{"a standby that takes over", []func(*fixture){asked(failover)}, Operate, none, "", false},
		{"a password of the cloud's", []func(*fixture){asked(rotate)}, Operate, none, "", false},
		{"a password of Mooring's", []func(*fixture){asked(rotate, byMooring), knows(login.PasswordFound{Known: true, Serial: 3, Rotatable: true, MayRotate: true})}, Operate, none, "", false},

		// It is not possible.
		{"observed only", []func(*fixture){observed, asked(restart)}, plan.Converge, refusal, "", false},
		{"the cloud has no such action", []func(*fixture){asked(restart, func(r *request) { r.supported = false })}, plan.Converge, refusal, "", false},
		{"the spec has no place for it", []func(*fixture){asked(rotate, byMooring, func(r *request) { r.refused = "no" })}, plan.Converge, refusal, "", false},
		{"the server has no standby", []func(*fixture){asked(failover), shows(failover, driver.ActionState{Refused: "no standby"})}, plan.Converge, refusal, "", false},
		{"stopped as declared", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Stopped, s.Seen.Available = true, false }}, plan.Converge, refusal, "", false},

		// It waits.
		{"stopped, and about to start", []func(*fixture){
			asked(restart), func(s *fixture) { s.Seen.Stopped, s.Seen.Available = true, false }, edited(driver.FieldPowerState, driver.Online),
		}, plan.Update, none, "about to start", false},
		{"not yet ready", []func(*fixture){func(s *fixture) { s.WasReady = false }, state(driver.Pending), asked(restart)}, plan.Wait, none, "not ready for the first time", false},
		{"just ready", []func(*fixture){func(s *fixture) { s.WasReady = false }, asked(restart)}, plan.Converge, none, "", false},
		{"the cloud is at work", []func(*fixture){state(driver.Pending), asked(restart)}, plan.Wait, none, "at work", false},
		{"the cloud takes it later", []func(*fixture){asked(restart), shows(restart, driver.ActionState{Waits: "a backup"})}, plan.Converge, none, "a backup", true},
		{"an operation is under way", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Operation = "op" }}, plan.Converge, none, "at work", false},
		{"a change comes first", []func(*fixture){asked(restart), edited("backup.retentionDays", driver.Online)}, plan.Update, none, "", false},
		{"the edit is recorded first", []func(*fixture){asked(restart), func(s *fixture) { s.Edited = true }}, plan.Converge, none, "", false},
		{"the cloud may not show what was written", []func(*fixture){asked(restart), func(s *fixture) { s.InConsistencyWindow = true }}, plan.Wait, none, "", false},
		{"it failed", []func(*fixture){state(driver.Failed), asked(restart)}, plan.Stall, none, "can't be used", false},
		{"it vanished", []func(*fixture){gone, asked(restart), func(s *fixture) { s.Deleting = false }}, plan.Stall, none, "can't be used", false},
		{"the class refuses it", []func(*fixture){asked(restart), refused}, plan.Stall, none, "does not allow", false},
		{"another's", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Mark.Namespace = "bank" }}, plan.Stall, none, "does not manage", false},
		{"it can't be used, and a failover may not mend that", []func(*fixture){asked(failover), func(s *fixture) { s.Seen.Available, s.Seen.Problem = false, "full" }}, plan.Stall, none, "can't be used", false},
		{"a password that nobody read", []func(*fixture){asked(rotate, byMooring), knows(login.PasswordFound{MayRotate: true})}, plan.Converge, none, "", false},
		{"a password on its way", []func(*fixture){asked(rotate, byMooring), knows(login.PasswordFound{Known: true, Pending: true, MayRotate: true})}, plan.Converge, none, "another password", false},
		{"a password, and it is not Ready", []func(*fixture){asked(rotate, byMooring), knows(login.PasswordFound{Known: true, Rotatable: true})}, plan.Converge, none, "once the Database is Ready", false},

		// It does not wait for what waits.
		{"a failover waits for the cloud", []func(*fixture){asked(failover), asked(restart), shows(failover, driver.ActionState{Waits: "a standby"})}, Operate, none, "a standby", true},
		{"drift waits for approval", []func(*fixture){drifted("aws.instanceClass", driver.Restarts), asked(restart)}, Operate, none, "", false},
		{"an impossible edit", []func(*fixture){edited("engine", driver.Impossible), asked(restart)}, Operate, none, "", false},
		{"it can't be used, and a restart may mend that", []func(*fixture){asked(restart), func(s *fixture) { s.Seen.Available, s.Seen.Problem = false, "unfit" }}, Operate, none, "", false},

		// It was stored, and perhaps sent.
		{"stored a moment ago", []func(*fixture){asked(restart, sent(v1alpha1.ActionRequested, time.Second))}, plan.Converge, none, "", true},
		{"stored, and the cloud restarts it", []func(*fixture){state(driver.Pending), asked(restart, sent(v1alpha1.ActionRequested, time.Hour)), shows(restart, driver.ActionState{UnderWay: true})}, plan.Wait, started, "", true},
		{"stored, and the cloud is at something", []func(*fixture){state(driver.Pending), asked(restart, sent(v1alpha1.ActionRequested, time.Hour))}, plan.Wait, none, "", true},
		{"stored, and nothing shows", []func(*fixture){asked(restart, sent(v1alpha1.ActionRequested, time.Minute))}, plan.Converge, unknown, "", false},
		{"stored, and another zone shows it", []func(*fixture){asked(failover, sent(v1alpha1.ActionRequested, time.Second)), shows(failover, driver.ActionState{Before: "b"})}, plan.Converge, done, "", false},
		{"stored, and the zone is the same", []func(*fixture){asked(failover, sent(v1alpha1.ActionRequested, time.Minute))}, plan.Converge, unknown, "", false},
		{"accepted a moment ago", []func(*fixture){asked(restart, sent(started, time.Second))}, plan.Converge, none, "", true},
		{"a failover that was stored, and a restart by others", []func(*fixture){
			state(driver.Pending), asked(failover, sent(v1alpha1.ActionRequested, time.Hour), func(r *request) { r.Status.Before = "a" }), shows(failover, driver.ActionState{UnderWay: true, Before: "a"}),
		}, plan.Wait, none, "", true},
		{"another that was stored after it comes first", []func(*fixture){asked(restart), asked(failover, sent(v1alpha1.ActionRequested, time.Second))}, plan.Converge, none, "another action is in progress", true},
		{"accepted, and under way", []func(*fixture){asked(restart, sent(started, time.Minute)), shows(restart, driver.ActionState{UnderWay: true})}, plan.Converge, none, "", true},
		{"accepted, and at rest", []func(*fixture){asked(restart, sent(started, time.Minute))}, plan.Converge, done, "", false},
		{"another value while it is under way", []func(*fixture){asked(restart, sent(started, time.Second), func(r *request) { r.Wanted = "three" })}, plan.Converge, none, "", true},
		{"another action while one is under way", []func(*fixture){asked(restart, sent(started, time.Second)), asked(failover)}, plan.Converge, none, "another action is in progress", true},
		{"a password that was not made yet", []func(*fixture){
			asked(rotate, byMooring, sent(v1alpha1.ActionRequested, time.Hour), func(r *request) { r.Status.Before = "3" }), knows(login.PasswordFound{Known: true, Serial: 3}),
		}, plan.Converge, none, "", false},
		{"a password that is on its way", []func(*fixture){
			asked(rotate, byMooring, sent(v1alpha1.ActionRequested, time.Hour), func(r *request) { r.Status.Before = "3" }), knows(login.PasswordFound{Known: true, Serial: 4, Pending: true}),
		}, plan.Converge, none, "", false},
		{"a password that is in force", []func(*fixture){
			asked(rotate, byMooring, sent(v1alpha1.ActionRequested, time.Hour), func(r *request) { r.Status.Before = "3" }), knows(login.PasswordFound{Known: true, Serial: 4}),
		}, plan.Converge, done, "", false},

		{"being deleted", []func(*fixture){asked(restart), deleted}, plan.Delete, none, "", false},
		{"the cloud's answer makes no sense", []func(*fixture){state(driver.Unknown), asked(restart)}, plan.Wait, none, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := settled()
			for _, f := range tt.fixture {
				f(&s)
			}
			d := s.plan()
			if d.Verb != tt.verb || d.Polls != tt.polls {
				t.Errorf("got %s, polls %t; want %s, %t", d.Verb, d.Polls, tt.verb, tt.polls)
			}
			var got v1alpha1.ActionStatus
			for _, answer := range d.answers {
				got = answer.status
			}
			switch {
			case tt.outcome != "" && (got.Outcome != tt.outcome || got.Time == nil || !got.Time.Time.Equal(actionTime)):
				t.Errorf("the status gets %+v, want %s now", got, tt.outcome)
			case tt.outcome == "" && tt.waits == "" && len(d.answers) > 0:
				t.Errorf("the status gets %+v, want nothing", got)
			case !strings.Contains(got.WaitsFor, tt.waits):
				t.Errorf("it waits for %q, want %q", got.WaitsFor, tt.waits)
			}
			if (d.Part != nil) != (tt.verb == Operate) {
				t.Errorf("verb %s, operation %v", d.Verb, d.Part)
			}
		})
	}
}

// What waits keeps what was answered before, so that a former value that is set again asks for nothing.
func TestAValueThatIsTakenBack(t *testing.T) {
	s := settled()
	state(driver.Pending)(&s)
	asked(driver.Restart)(&s)
	s.requests[0].Status = s.plan().answers[0].status
	if got := s.requests[0].Status; got.Value != "one" || got.WaitsFor == "" {
		t.Fatalf("while it waits the status has %+v", got)
	}
	if again := s.plan().answers; len(again) > 0 {
		t.Errorf("and again %+v", again)
	}
	s.requests[0].Wanted = "one"
	s.Seen.State = driver.Ready
	if d := s.plan(); d.Verb != plan.Converge || d.answers[0].status.WaitsFor != "" {
		t.Errorf("the former value: %s, %+v", d.Verb, d.answers)
	}
}

// Something puts a former value back, as a GitOps tool does with what a person wrote: that asks for nothing, and neither does the person's value once more.
func TestAValueThatIsPutBack(t *testing.T) {
	s := settled()
	asked(driver.Restart)(&s)
	r := &s.requests[0]
	r.Status = v1alpha1.ActionStatus{Name: string(driver.Restart)}
	for _, step := range []struct {
		value string
		isNew bool
	}{{"git", true}, {"person", true}, {"git", false}, {"person", false}, {"other", true}, {"person", false}, {"git", true}} {
		if r.Wanted = step.value; r.IsNew() != step.isNew {
			t.Errorf("%q after %q and %q: new is %t", step.value, r.Status.Value, r.Status.Former, r.IsNew())
		}
		if r.IsNew() {
			r.Status = answered(r.Status, r.Wanted, v1alpha1.ActionSucceeded, "", actionTime)
		}
	}
}

// The values that are there when an object is first seen, or after its status was lost, ask for nothing. A value that comes later does.
func TestBegin(t *testing.T) {
	k := kind.Database()
	d := &v1alpha1.Database{}
	d.Annotations = map[string]string{v1alpha1.AnnotationRestart: "one", v1alpha1.AnnotationFailover: strings.Repeat("x", 500)}
	open := func() (names []string) {
		for _, r := range kind.ActionRequests(k, d) {
			if r.IsNew() {
				names = append(names, string(r.Action))
			}
		}
		return names
	}
	begins(k, d)
	if got := open(); len(got) > 0 || len(d.Status.Actions) != len(driver.Actions) {
		t.Errorf("at first: %v asked for, status %+v", got, d.Status.Actions)
	}
	noted := slices.Clone(d.Status.Actions)
	later := stateOf(k, d)
	later.Now = later.Now.Add(time.Hour)
	if Of(k)[0].Begin(&later); !slices.Equal(noted, d.Status.Actions) {
		t.Errorf("an hour later, with nothing new, the status has %+v, and had %+v", d.Status.Actions, noted)
	}
	d.Annotations[v1alpha1.AnnotationRestart] = "two"
	begins(k, d)
	if got := open(); len(got) > 0 {
		t.Errorf("before it is bound: %v asked for", got)
	}
	d.Status.ExternalName = "orders"
	d.Annotations[v1alpha1.AnnotationRestart] = "three"
	d.Annotations[v1alpha1.AnnotationFailover] = strings.Repeat("x", 501)
	d.Annotations[v1alpha1.AnnotationRotatePassword] = "one"
	begins(k, d)
	if got := strings.Join(open(), " "); got != "restart failover rotate-password" {
		t.Errorf("once it is bound: %v asked for", got)
	}
	d.Status.Actions = nil // as an earlier release leaves it
	begins(k, d)
	if got := open(); len(got) > 0 {
		t.Errorf("after the status was lost: %v asked for", got)
	}
	for _, s := range d.Status.Actions {
		if len(s.Value) > 100 {
			t.Errorf("the status has %d bytes of a value", len(s.Value))
		}
	}
	if Of(kind.Bucket()) != nil {
		t.Error("people can ask for actions of a Bucket")
	}
}

// An action that the cloud had begun and whose operation failed has failed, which an Event says; another one has not.
func TestFailed(t *testing.T) {
	d := &v1alpha1.Database{}
	d.Status.Actions = []v1alpha1.ActionStatus{{Name: "restart", Value: "one", Outcome: v1alpha1.ActionStarted}, {Name: "failover", Value: "one", Outcome: v1alpha1.ActionRequested}}
	in := stateOf(kind.Database(), d)
	hooks(t, kind.Database()).Failed(&in, "no machine")
	if d.Status.Actions[0].Outcome != v1alpha1.ActionFailed || d.Status.Actions[1].Outcome != v1alpha1.ActionRequested {
		t.Errorf("the status has %+v", d.Status.Actions)
	}
	if len(in.Notes) != 1 || in.Notes[0].Reason != v1alpha1.EventActionFailed || !strings.Contains(in.Notes[0].Message, "mooring.dev/restart=one: failed: no machine") {
		t.Errorf("the Events are %+v", in.Notes)
	}
}

// A read replica has the password of its primary, so nobody changes it there, whatever else its spec says.
func TestNoRotationOfAReplica(t *testing.T) {
	k, d := kind.Database(), &v1alpha1.Database{}
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "reads-db"}
	refused := func() string {
		for _, r := range requestsOf(stateOf(k, d)) {
			if r.Action == driver.RotatePassword {
				return r.refused
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

// What the cloud can do to objects of the kind can be asked for; the password of Mooring's own is made by Mooring, also where the cloud has an action for its own.
func TestRequests(t *testing.T) {
	k, d := kind.Database(), &v1alpha1.Database{}
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
	in := stateOf(k, d)
	in.Described.Capabilities.Actions = []driver.Action{driver.Restart}
	for _, r := range requestsOf(in) {
		if want := r.Action != driver.Failover; r.supported != want {
			t.Errorf("%s is supported: %t, want %t", r.Action, r.supported, want)
		}
		if want := r.Action == driver.RotatePassword; r.byMooring != want {
			t.Errorf("%s is done by Mooring: %t, want %t", r.Action, r.byMooring, want)
		}
	}
}

// What was decided is in the status and in the plan, and what is told is in the Events.
func TestPlanRecordsItsAnswers(t *testing.T) {
	s, k, d := settled(), kind.Database(), &v1alpha1.Database{}
	d.Annotations = map[string]string{v1alpha1.AnnotationRestart: "two", v1alpha1.AnnotationFailover: "two"}
	d.Status.ExternalName = "orders"
	d.Status.Actions = []v1alpha1.ActionStatus{{Name: "restart", Value: "one"}, {Name: "failover", Value: "one"}, {Name: "rotate-password"}}
	in := stateOf(k, d)
	in.View, in.Observation, in.Policy = s.View, s.Seen, s.Policy
	in.Described.Capabilities.Actions = []driver.Action{driver.Restart}
	a := hooks(t, k).Plan(&in, plan.Plan(in.View, in.Observation, in.Policy))
	if d.Status.Actions[1].Value != "one" || len(in.Notes) > 0 {
		t.Errorf("before anything else is stored the status says %+v, and the Events are %+v", d.Status.Actions, in.Notes)
	}
	in.Record()
	if op, is := a.Part.(operation); a.Verb != Operate || !is || op.String() != "restart=two\nrestart: \"\"" {
		t.Errorf("planned %s of %v", a.Verb, a.Part)
	}
	if got := d.Status.Actions[1]; got.Outcome != v1alpha1.ActionRefused || got.Value != "two" {
		t.Errorf("the status says %+v", got)
	}
	if !slices.ContainsFunc(in.Notes, func(n outcome.Note) bool { return n.Reason == v1alpha1.EventActionRefused }) || len(in.Notes) != 1 {
		t.Errorf("the Events are %+v", in.Notes)
	}
}

// hooks returns the hooks of a kind.
func hooks(t *testing.T, k *kind.Kind) feature.Feature {
	t.Helper()
	set := Of(k)
	if len(set) != 1 {
		t.Fatalf("%s has %d features", k.Name, len(set))
	}
	return set[0]
}

// stateOf returns a reconciliation of an object.
func stateOf(k *kind.Kind, object v1alpha1.ResourceObject) reconciliation.State {
	in := reconciliation.Begin(object, actionTime, reconciliation.News{}, reconciliation.Memory{})
	in.Kind, in.Object, in.Want = k, object, object
	return in
}

// begins is a reconciliation of an object that begins.
func begins(k *kind.Kind, object v1alpha1.ResourceObject) {
	in := stateOf(k, object)
	Of(k)[0].Begin(&in)
}
