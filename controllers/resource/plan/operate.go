package plan

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An ActionRequest is an action that people can ask for by an annotation: what they ask for, and what came of what they asked for before.
type ActionRequest struct {
	Action driver.Action
	// Wanted is the value of the annotation as the status has it; empty if there is none.
	Wanted string
	Status v1alpha1.ActionStatus
	// Supported: the cloud can do it to objects of the kind.
	Supported bool
	// ByMooring: Mooring makes the new password, and the cloud has no action for it.
	ByMooring bool
	// Refused is why the spec has no place for the action; empty if it does.
	Refused string
}

// PasswordFound is what was read of the password that Mooring stores. The zero PasswordFound says that it was not read.
type PasswordFound struct {
	Known bool
	// Serial is the number of the latest password. Pending: it is not confirmed. Rotatable: Mooring may set another one.
	Serial             int
	Pending, Rotatable bool
	// MayRotate: nothing keeps Mooring from changing it now.
	MayRotate bool
}

// An Operation is an action that is to be done now: its request is stored first.
type Operation struct {
	// Status is the request as it is to be stored before anything is sent, and Former as it was.
	Status, Former v1alpha1.ActionStatus
	// Command asks the cloud for it; nil if Mooring itself does the action from then on.
	Command *driver.Command
}

// An ActionAnswer is what the status says of an action from now on, and the reason of the Event that says so; empty for none.
type ActionAnswer struct {
	Status v1alpha1.ActionStatus
	Event  string
}

// longestValue is how long a value is of which the status has all.
const longestValue = 100

// actionValue returns the value of an annotation as the status has it: people may write a whole text there.
func actionValue(value string) string {
	if len(value) <= longestValue {
		return value
	}
	sum := sha256.Sum256([]byte(value))
	return value[:longestValue/2] + "#" + hex.EncodeToString(sum[:16])
}

// annotationOf returns the annotation that asks for an action.
func annotationOf(a driver.Action) string { return v1alpha1.GroupVersion.Group + "/" + string(a) }

// NoteActions adds to the status of an object what is asked for of each action that it says nothing of yet: what is there when an object is first seen, or after
// its status was lost, asks for nothing. Before the object is bound to a cloud object the same goes for every new value.
func NoteActions(k *kind.Kind, object v1alpha1.ResourceObject, now time.Time) {
	if k.Actions == nil || !object.GetDeletionTimestamp().IsZero() {
		return
	}
	statuses, bound := k.Actions(object), object.GetResourceStatus().ExternalName != ""
	for _, action := range driver.Actions {
		at, value := statusOf(*statuses, action), actionValue(object.GetAnnotations()[annotationOf(action)])
		if at >= 0 && (bound || (*statuses)[at].Value == value) {
			continue
		}
		s := v1alpha1.ActionStatus{Name: string(action)}
		if value != "" {
			s = answered(s, value, v1alpha1.ActionIgnored, "the annotation was there before Mooring managed the database; set another value to ask for the action", now)
		}
		SetAction(k, object, s)
	}
}

// statusOf returns where the status of an action is; -1 if there is none.
func statusOf(all []v1alpha1.ActionStatus, action driver.Action) int {
	return slices.IndexFunc(all, func(s v1alpha1.ActionStatus) bool { return s.Name == string(action) })
}

// SetAction stores in the status of an object what it says of an action.
func SetAction(k *kind.Kind, object v1alpha1.ResourceObject, s v1alpha1.ActionStatus) {
	statuses := k.Actions(object)
	if at := statusOf(*statuses, driver.Action(s.Name)); at >= 0 {
		(*statuses)[at] = s
		return
	}
	*statuses = append(*statuses, s)
}

// answered returns a status that answers a value.
func answered(s v1alpha1.ActionStatus, value string, outcome v1alpha1.ActionOutcome, message string, now time.Time) v1alpha1.ActionStatus {
	former := s.Former
	if s.Value != value {
		former = s.Value
	}
	return v1alpha1.ActionStatus{
		Name: s.Name, Value: value, Former: former, Outcome: outcome, Message: message, Time: &metav1.Time{Time: now.Truncate(time.Second)}, Before: s.Before,
	}
}

// FailActions answers the actions of an object that the cloud had begun, once its operation ended in an error. It returns those that it answered.
func FailActions(k *kind.Kind, object v1alpha1.ResourceObject, message string, now time.Time) (failed []v1alpha1.ActionStatus) {
	if k.Actions == nil {
		return nil
	}
	for _, s := range slices.Clone(*k.Actions(object)) {
		if s.Outcome == v1alpha1.ActionStarted {
			s = answered(s, s.Value, v1alpha1.ActionFailed, message, now)
			SetAction(k, object, s)
			failed = append(failed, s)
		}
	}
	return failed
}

// ActionRequests returns the actions that people can ask for of an object, and what its spec says of them. want is the object with its class merged in.
func ActionRequests(k *kind.Kind, object, want v1alpha1.ResourceObject, can driver.Capabilities) (all []ActionRequest) {
	if k.Actions == nil {
		return nil
	}
	for _, action := range driver.Actions {
		r := ActionRequest{Action: action, Wanted: actionValue(object.GetAnnotations()[annotationOf(action)]), Supported: can.Takes(action)}
		r.Status.Name = string(action)
		if at := statusOf(*k.Actions(object), action); at >= 0 {
			r.Status = (*k.Actions(object))[at]
		}
		if action == driver.RotatePassword && !CloudManages(k, want) {
			r.ByMooring, r.Supported, r.Refused = true, true, whyNotRotated(k, object, want)
		}
		all = append(all, r)
	}
	return all
}

// whyNotRotated says why Mooring changes no password by itself; empty if it does.
func whyNotRotated(k *kind.Kind, object, want v1alpha1.ResourceObject) string {
	switch c := want.GetCredentials(); {
	case kind.Follows(k, object) != nil:
		return "a read replica has the password of its primary: ask for another one there"
	case c != nil && c.PasswordSecretRef != nil:
		return "the password is that of the Secret in spec.credentials.passwordSecretRef: change it there, and Mooring sets it"
	case want.GetConnection() == nil:
		return "nobody could be told the new password: set spec.connection.secretName, and then another value"
	default:
		return ""
	}
}

// rotationAsked returns the request for a new password of Mooring's own that is open: new, or stored and not done.
func rotationAsked(k *kind.Kind, object, want v1alpha1.ResourceObject) (r ActionRequest, open bool) {
	for _, r := range ActionRequests(k, object, want, driver.Capabilities{}) {
		if r.ByMooring && r.Refused == "" {
			return r, r.requested() || r.isNew()
		}
	}
	return ActionRequest{}, false
}

// RotationRequested reports whether a person asked for another password, which is stored, and which was not made yet.
func RotationRequested(k *kind.Kind, object, want v1alpha1.ResourceObject, serial int) bool {
	r, open := rotationAsked(k, object, want)
	return open && r.requested() && r.Status.Before == strconv.Itoa(serial)
}

// requested reports whether the action was or is about to be sent, and it is not known what came of it.
func (r ActionRequest) requested() bool { return r.Status.Outcome == v1alpha1.ActionRequested }

func (r ActionRequest) inFlight() bool {
	return r.requested() || r.Status.Outcome == v1alpha1.ActionStarted
}

// isNew reports whether the annotation has a value that was not answered. The one that was answered before the last comes back where something, such as a
// GitOps controller, puts right what a person wrote.
func (r ActionRequest) isNew() bool {
	return r.Wanted != "" && r.Wanted != r.Status.Value && r.Wanted != r.Status.Former
}

// operate adds to a plan what becomes of the actions that people ask for. One is done at a time, and only where the plan has nothing else to do.
func operate(v View, o driver.Observation, p Policy, a Action) Action {
	inFlight := false
	for _, r := range v.Requests {
		if !r.inFlight() {
			continue
		}
		s, event := follow(v, o, r)
		if s.Outcome == v1alpha1.ActionRequested || s.Outcome == v1alpha1.ActionStarted {
			inFlight = true
			a.Follows = a.Follows || !r.ByMooring
		} else {
			a.Again = a.Again || r.isNew()
		}
		a = a.answer(r, s, event)
	}
	busy := inFlight
	for _, r := range v.Requests {
		switch {
		case r.inFlight():
		case !r.isNew():
			s := r.Status
			s.WaitsFor = ""
			a = a.answer(r, s, "")
		default:
			a = a.begin(v, o, p, r, busy, inFlight)
			a.Follows = a.Follows || inFlight
			busy = busy || a.Operation != nil // one that waits keeps no other from being done
		}
	}
	return a
}

// answer has the status say something of an action, if it does not say it yet.
func (a Action) answer(r ActionRequest, s v1alpha1.ActionStatus, event string) Action {
	if s != r.Status {
		a.Answers = append(slices.Clone(a.Answers), ActionAnswer{Status: s, Event: event})
	}
	return a
}

// begin decides about a new value. busy: another action comes first, which is in flight already or begins now.
func (a Action) begin(v View, o driver.Observation, p Policy, r ActionRequest, busy, inFlight bool) Action {
	if why := refuseAction(o, p, r); why != "" {
		return a.answer(r, answered(r.Status, r.Wanted, v1alpha1.ActionRefused, why, v.Now), v1alpha1.EventActionRefused)
	}
	why, soon := delayAction(v, o, p, a, r)
	if inFlight && why == "" && !soon {
		why = "another action is in progress"
	}
	switch {
	case soon, busy && why == "":
		a.Again = a.Again || a.Verb == Converge
		return a
	case why != "":
		s := r.Status
		s.WaitsFor = why
		a.Follows = a.Follows || !r.ByMooring && why == o.Actions[r.Action].Waits
		return a.answer(r, s, "")
	}
	op := Operation{Former: r.Status}
	op.Former.WaitsFor = ""
	op.Status = answered(r.Status, r.Wanted, v1alpha1.ActionRequested, "", v.Now)
	if r.ByMooring {
		op.Status.Before = strconv.Itoa(v.Password.Serial)
	} else {
		op.Status.Before = o.Actions[r.Action].Before
		op.Command = &driver.Command{Verb: r.Action, Before: op.Status.Before}
	}
	a.Verb, a.Operation = Operate, &op
	return a
}

// refuseAction says why an action is not possible before a person changes something else; empty if it is.
func refuseAction(o driver.Observation, p Policy, r ActionRequest) string {
	starts := slices.ContainsFunc(o.Changes, func(c driver.Change) bool { return c.Field == driver.FieldPowerState })
	switch {
	case p.Management == v1alpha1.ManagementObserve:
		return "spec.management is Observe, so Mooring changes nothing in the cloud: set it to Full, and then another value"
	case !r.Supported:
		return "this cloud has no such action"
	case r.Refused != "":
		return r.Refused
	case o.Stopped && !starts:
		return "the server is stopped: set spec.powerState to Running, and then another value"
	case o.State == driver.Ready && !r.ByMooring:
		return o.Actions[r.Action].Refused
	default:
		return ""
	}
}

// delayAction says why an action is not done now, and will be later; empty if it is done now. soon: that is so for a moment only, and not worth a write.
func delayAction(v View, o driver.Observation, p Policy, a Action, r ActionRequest) (why string, soon bool) {
	switch {
	case p.Refused.Reason != "":
		return "the class or the cloud does not allow this Database as it is; the conditions say why", false
	case o.State != driver.Absent && Ownership(v, o) != Ours:
		return "Mooring does not manage the server; the conditions say why", false
	case !v.WasReady && o.State == driver.Ready && a.Verb == Converge:
		return "", true
	case !v.WasReady:
		return "the server is not ready for the first time yet", false
	case o.State == driver.Pending:
		return "the cloud is at work on the server", false
	case o.State != driver.Ready:
		return "the server can't be used; the conditions say why", false
	case o.Stopped:
		return "the server is stopped, and is about to start", false
	case a.Verb == Update || a.Verb == Wait || a.Verb == Adopt || v.InConsistencyWindow || a.Verb == Converge && v.Edited:
		return "", true
	case o.Operation != "" && o.OperationError == nil:
		return "the cloud is at work on the server", false
	case !o.Available && r.Action != driver.Restart:
		return "the server can't be used; the conditions say why", false
	case r.ByMooring:
		return delayRotation(v.Password)
	default:
		return o.Actions[r.Action].Waits, false
	}
}

// delayRotation is delayAction of a password that Mooring makes.
func delayRotation(s PasswordFound) (why string, soon bool) {
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
func follow(v View, o driver.Observation, r ActionRequest) (s v1alpha1.ActionStatus, event string) {
	s = r.Status
	if r.ByMooring {
		return followRotation(v, r)
	}
	now := o.Actions[r.Action]
	over := s.Time == nil || v.Now.Sub(s.Time.Time) > v.Window+time.Second // it is stored in whole seconds
	done := answered(s, s.Value, v1alpha1.ActionSucceeded, "", v.Now)
	atRest := o.State == driver.Ready && (o.Operation == "" || o.OperationError != nil) && !now.UnderWay
	switch {
	case s.Outcome == v1alpha1.ActionRequested && now.UnderWay && s.Before == "": // what has better evidence waits for that: others restart servers, too
		return answered(s, s.Value, v1alpha1.ActionStarted, "", v.Now), v1alpha1.EventActionStarted
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
			"look at the server, and set another value if it is still to be done", v.Now), v1alpha1.EventActionUnknown
	}
}

// followRotation is follow of a password that Mooring makes: its number says whether it was made, and that it was confirmed that it is in force.
func followRotation(v View, r ActionRequest) (s v1alpha1.ActionStatus, event string) {
	s = r.Status
	before, err := strconv.Atoi(s.Before)
	made := v.Password.Known && (err != nil || v.Password.Serial > before)
	switch {
	case made && !v.Password.Pending:
		return answered(s, s.Value, v1alpha1.ActionSucceeded, "", v.Now), v1alpha1.EventActionSucceeded
	case !made && r.Refused != "":
		return answered(s, s.Value, v1alpha1.ActionRefused, r.Refused, v.Now), v1alpha1.EventActionRefused
	default:
		return s, ""
	}
}

// Message says in a sentence what became of an action.
func (a ActionAnswer) Message() string {
	text := map[string]string{
		v1alpha1.EventActionStarted:   "the cloud has begun",
		v1alpha1.EventActionSucceeded: "done",
		v1alpha1.EventActionRefused:   "not done",
		v1alpha1.EventActionFailed:    "failed",
		v1alpha1.EventActionUnknown:   "not known whether it was done",
	}[a.Event]
	text = fmt.Sprintf("%s=%s: %s", annotationOf(driver.Action(a.Status.Name)), a.Status.Value, cmp.Or(text, a.Event))
	if a.Status.Message != "" {
		text += ": " + a.Status.Message
	}
	return text
}
