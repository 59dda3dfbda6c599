package action

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/login"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// planActions adds to a plan what becomes of the actions that people ask for. The status says it once what comes before it is stored, such as a password.
func planActions(in *reconciliation.State, a plan.Action) plan.Action {
	d := decision{
		View: in.View, seen: in.Observation, policy: in.Policy, Action: a,
		password: login.Found(*in),
	}
	d.decide(requestsOf(*in))
	for _, answer := range d.answers {
		in.Records = append(in.Records, answer.record)
	}
	return d.Action
}

// An operation is an action that is to be done now: its request is stored first.
type operation struct {
	// status is the request as it is to be stored before anything is sent, and former as it was.
	status, former v1alpha1.ActionStatus
	// command asks the cloud for it; nil if Mooring itself does the action from then on.
	command *driver.Command
}

// String distinguishes the operation from others.
func (o operation) String() string {
	text := o.status.Name + "=" + o.status.Value
	if o.command != nil {
		text += fmt.Sprintf("\n%s: %q", o.command.Verb, o.command.Before)
	}
	return text
}

// A decision is what becomes of the actions that people ask for of one object. It is pure.
type decision struct {
	plan.View
	seen   driver.Observation
	policy plan.Policy
	// password is what was read of the password that Mooring stores, if an action needs it.
	password login.PasswordFound
	// Action is what is planned beside the actions, and with them in the end.
	plan.Action
	// answers are what the status says from now on.
	answers []answer
}

// decide decides about all requests. One action is done at a time, and only where the plan has nothing else to do.
func (d *decision) decide(requests []request) {
	inFlight := false
	for _, r := range requests {
		if !r.InFlight() {
			continue
		}
		s, event := d.follow(r)
		if s.Outcome == v1alpha1.ActionRequested || s.Outcome == v1alpha1.ActionStarted {
			inFlight = true
			d.Polls = d.Polls || !r.byMooring
		} else {
			d.Again = d.Again || r.IsNew()
		}
		d.answer(r, s, event)
	}
	busy := inFlight
	for _, r := range requests {
		switch {
		case r.InFlight():
		case !r.IsNew():
			s := r.Status
			s.WaitsFor = ""
			d.answer(r, s, "")
		default:
			d.begin(r, busy, inFlight)
			d.Polls = d.Polls || inFlight
			busy = busy || d.Verb == Operate // one that waits keeps no other from being done
		}
	}
}

// answer has the status say something of an action, if it does not say it yet.
func (d *decision) answer(r request, s v1alpha1.ActionStatus, event string) {
	if s != r.Status {
		d.answers = append(d.answers, answer{s, event})
	}
}

// begin decides about a new value. busy: another action comes first, which is in flight already or begins now.
func (d *decision) begin(r request, busy, inFlight bool) {
	if why := d.refuses(r); why != "" {
		d.answer(r, answered(r.Status, r.Wanted, v1alpha1.ActionRefused, why, d.Now), v1alpha1.EventActionRefused)
		return
	}
	why, soon := d.delays(r)
	if inFlight && why == "" && !soon {
		why = "another action is in progress"
	}
	switch {
	case soon, busy && why == "":
		d.Again = d.Again || d.Verb == plan.Converge
		return
	case why != "":
		s := r.Status
		s.WaitsFor = why
		d.Polls = d.Polls || !r.byMooring && why == d.seen.Actions[r.Action].Waits
		d.answer(r, s, "")
		return
	}
	op := operation{former: r.Status}
	op.former.WaitsFor = ""
	op.status = answered(r.Status, r.Wanted, v1alpha1.ActionRequested, "", d.Now)
	if r.byMooring {
		op.status.Before = strconv.Itoa(d.password.Serial)
	} else {
		op.status.Before = d.seen.Actions[r.Action].Before
		op.command = &driver.Command{Verb: r.Action, Before: op.status.Before}
	}
	d.Verb, d.Part = Operate, op
}

// refuses says why an action is not possible before a person changes something else; empty if it is.
func (d *decision) refuses(r request) string {
	o := d.seen
	starts := slices.ContainsFunc(o.Changes, func(c driver.Change) bool { return c.Field == driver.FieldPowerState })
	switch {
	case d.policy.Management == v1alpha1.ManagementObserve:
		return "spec.management is Observe, so Mooring changes nothing in the cloud: set it to Full, and then another value"
	case !r.supported:
		return "this cloud has no such action"
	case r.refused != "":
		return r.refused
	case o.Stopped && !starts:
		return "the server is stopped: set spec.powerState to Running, and then another value"
	case o.State == driver.Ready && !r.byMooring:
		return o.Actions[r.Action].Refused
	default:
		return ""
	}
}

// delays says why an action is not done now, and will be later; empty if it is done now. soon: that is so for a moment only, and not worth a write.
func (d *decision) delays(r request) (why string, soon bool) {
	o := d.seen
	switch {
	case d.policy.Refused.Reason != "":
		return "the class or the cloud does not allow this Database as it is; the conditions say why", false
	case o.State != driver.Absent && plan.Ownership(d.View, o) != plan.Ours:
		return "Mooring does not manage the server; the conditions say why", false
	case !d.WasReady && o.State == driver.Ready && d.Verb == plan.Converge:
		return "", true
	case !d.WasReady:
		return "the server is not ready for the first time yet", false
	case o.State == driver.Pending:
		return "the cloud is at work on the server", false
	case o.State != driver.Ready:
		return "the server can't be used; the conditions say why", false
	case o.Stopped:
		return "the server is stopped, and is about to start", false
	case d.Verb == plan.Update || d.Verb == plan.Wait || d.Verb == plan.Adopt || d.InConsistencyWindow || d.Verb == plan.Converge && d.Edited:
		return "", true
	case o.Operation != "" && o.OperationError == nil:
		return "the cloud is at work on the server", false
	case !o.Available && r.Action != driver.Restart:
		return "the server can't be used; the conditions say why", false
	case r.byMooring:
		return delayRotation(d.password)
	default:
		return o.Actions[r.Action].Waits, false
	}
}

// delayRotation is delays of a password that Mooring makes.
func delayRotation(s login.PasswordFound) (why string, soon bool) {
	switch {
	case !s.MayRotate:
		return "Mooring changes the password once the Database is Ready and nothing differs that does not wait; the conditions say what is the matter", false
	case !s.Known:
		return "", true
	case s.Pending || !s.Rotatable:
		return "another password is on its way, or only others know the present one", false
	default:
		return "", false
	}
}

// follow says what came of an action that was or is about to be sent, and the reason of the Event that says so. The cloud's own evidence counts. Without any, the action
// is never sent again: the call may have arrived.
func (d *decision) follow(r request) (s v1alpha1.ActionStatus, event string) {
	s = r.Status
	if r.byMooring {
		return d.followRotation(r)
	}
	o, now := d.seen, d.seen.Actions[r.Action]
	over := s.Time == nil || d.Now.Sub(s.Time.Time) > d.ConsistencyWindow+time.Second // it is stored in whole seconds
	done := answered(s, s.Value, v1alpha1.ActionSucceeded, "", d.Now)
	atRest := o.State == driver.Ready && (o.Operation == "" || o.OperationError != nil) && !now.UnderWay
	switch {
	case s.Outcome == v1alpha1.ActionRequested && now.UnderWay && s.Before == "": // what has better evidence waits for that: others restart servers, too
		return answered(s, s.Value, v1alpha1.ActionStarted, "", d.Now), v1alpha1.EventActionStarted
	case !atRest:
		return s, ""
	case s.Before != "" && now.Before != "" && s.Before != now.Before:
		return done, v1alpha1.EventActionSucceeded
	case !over:
		return s, ""
	case s.Outcome == v1alpha1.ActionStarted: // whether the server can be used is for the conditions to say
		return done, v1alpha1.EventActionSucceeded
	default:
		return answered(s, s.Value, v1alpha1.ActionUnknown, "the answer of the cloud was lost, and nothing there shows whether the action was done, so Mooring does not repeat it: "+
			"look at the server, and set another value if it is still to be done", d.Now), v1alpha1.EventActionUnknown
	}
}

// followRotation is follow of a password that Mooring makes: its number says whether it was made, and that it was confirmed that it is in force.
func (d *decision) followRotation(r request) (s v1alpha1.ActionStatus, event string) {
	s = r.Status
	before, err := strconv.Atoi(s.Before)
	made := d.password.Known && (err != nil || d.password.Serial > before)
	switch {
	case made && !d.password.Pending:
		return answered(s, s.Value, v1alpha1.ActionSucceeded, "", d.Now), v1alpha1.EventActionSucceeded
	case !made && r.refused != "":
		return answered(s, s.Value, v1alpha1.ActionRefused, r.refused, d.Now), v1alpha1.EventActionRefused
	default:
		return s, ""
	}
}
