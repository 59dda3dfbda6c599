package report

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// Observing is the action of a reconciliation that has not decided yet what is to be done.
const Observing = "Observe"

// longestNote is how long the note of an Event may be, in bytes.
const longestNote = 1024

// event reports something, as an Event and as a line of the log, so that both say the same. What is reported
// again within minutes is one Event with a count.
func (e *entry) event(kind, reason, message string) {
	message = e.logged(kind, reason, message)
	e.Recorder.Eventf(e.reference(message), nil, kind, reason, e.Action, "%s", shortened(message))
}

// eventNow is event for what may not be lost if the process ends: the API server has the Event when it returns. A recorder only queues it.
// What is told again is the same Event, as long as the API server keeps that. If it does not take one, the recorder tries again.
func (e *entry) eventNow(ctx context.Context, n outcome.Note) {
	message := e.logged(n.Type, n.Reason, n.Message)
	about := e.reference(message)
	err := e.Client.Create(ctx, &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: about.Namespace, Name: e.eventName(n.Reason, message)},
		EventTime:  metav1.NewMicroTime(e.Now), Type: n.Type, Reason: n.Reason, Action: e.Action, Note: prose.Plain(shortened(message)),
		Regarding: *about, ReportingController: Controller, ReportingInstance: instance(),
	})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		e.Recorder.Eventf(about, nil, n.Type, n.Reason, e.Action, "%s", shortened(message))
	}
}

// eventName returns the name of the Event that tells one thing about an object, as long as that stands for the same cloud object.
func (e *entry) eventName(reason, message string) string {
	sum := sha256.Sum256([]byte(strings.Join([]string{string(e.Object.GetUID()), e.Object.GetResourceStatus().ExternalID, reason, message}, "\n")))
	return Controller + "-" + hex.EncodeToString(sum[:16])
}

// logged returns what an Event says, and has a line of the log say the same.
func (e *entry) logged(kind, reason, message string) string {
	message = condition.Message(e.Redact(message))
	telemetry.Log(e.Log, kind, message, append(e.about(), "reason", reason)...)
	e.memory.reported = true
	return message
}

// reference returns what an Event about the object is about.
func (e *entry) reference(note string) *corev1.ObjectReference {
	return reference(v1alpha1.GroupVersion.WithKind(e.Kind.Name), e.Object, note)
}

// firstTime reports a step that each new object takes.
func (e *entry) firstTime(reason, message string) {
	if e.WasReady || e.memory.reported || meta.IsStatusConditionTrue(e.Before, v1alpha1.ConditionStalled) {
		e.event(corev1.EventTypeNormal, reason, message)
		return
	}
	telemetry.Log(e.Log, corev1.EventTypeNormal, condition.Message(e.Redact(message)), append(e.about(), "reason", reason)...)
}

// note records the notes that wait until the status is stored, or those that do not.
func (e *entry) note(stored bool) {
	for _, n := range e.Notes {
		switch {
		case n.OnceStored != stored:
		case n.FirstTime:
			e.firstTime(n.Reason, n.Message)
		default:
			e.event(n.Type, n.Reason, n.Message)
		}
	}
}

// shortened returns as much of a message as the note of an Event holds: the beginning, and the end, where the advice is.
func shortened(message string) string { return prose.Shorten(message, longestNote) }

// reference returns what an Event is about. To client-go it is the same Event again if all but its note are alike, and
// that includes the version of the object: so what repeats would be new after each write, and what differs in its note
// would be lost between two. With the note in place of the version it is the same if it says the same.
func reference(kind schema.GroupVersionKind, o client.Object, note string) *corev1.ObjectReference {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(note))
	return &corev1.ObjectReference{
		APIVersion: kind.GroupVersion().String(), Kind: kind.Kind, Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID(),
		ResourceVersion: strconv.FormatUint(hash.Sum64(), 10),
	}
}

// about returns what each line of the log says of the object.
func (e *entry) about() []any {
	about := []any{"kind", e.Kind.Name, "namespace", e.Object.GetNamespace(), "name", e.Object.GetName(), "action", e.Action}
	status := e.Object.GetResourceStatus()
	for _, known := range [][2]string{
		{"externalName", status.ExternalName}, {"provider", status.Provider}, {"account", status.AccountID},
	} {
		if known[1] != "" {
			about = append(about, known[0], known[1])
		}
	}
	return about
}

// report reports what conditions say for the first time: that a person is needed, that something is waited for or keeps
// failing, and that all is well again. It goes by the conditions alone, so that a restart reports nothing twice.
func (e *entry) report(ctx context.Context) {
	out, conditions := e.Outcome, e.Object.GetResourceStatus().Conditions
	if stalled := news(e.Before, conditions, v1alpha1.ConditionStalled); stalled != nil {
		e.event(corev1.EventTypeWarning, stalled.Reason, stalled.Message)
		if out.Detail != "" {
			e.reportToPlatform(ctx, stalled.Reason, out.Detail)
		}
	}
	if ready := news(e.Before, conditions, v1alpha1.ConditionReady); ready != nil && out.State == condition.DriftWaits &&
		(out.Retried || out.Reason == v1alpha1.ReasonApprovalRequired) {
		e.event(corev1.EventTypeWarning, ready.Reason, ready.Message)
	}
	if working := news(e.Before, conditions, v1alpha1.ConditionReconciling); working != nil && (e.Err != nil || out.Queued && out.State == condition.Unobserved) {
		e.reportWaiting(working)
	}
	answers := e.reportRefused()
	switch ready := meta.FindStatusCondition(conditions, v1alpha1.ConditionReady); {
	case ready == nil || ready.Status != metav1.ConditionTrue:
	case !meta.IsStatusConditionTrue(e.Before, v1alpha1.ConditionReady):
		e.firstTime(v1alpha1.EventReady, ready.Message)
	case answers, failing(e.Before) && !failing(conditions):
		e.event(corev1.EventTypeNormal, v1alpha1.EventRecovered, "the cloud answers again")
	}
}

// reportWaiting reports what keeps an object from getting on.
func (e *entry) reportWaiting(working *metav1.Condition) {
	switch out := e.Outcome; {
	case out.State == condition.Progressing && out.Reason != v1alpha1.ReasonCloudBusy: // what it refers to may be on its way
		e.event(corev1.EventTypeNormal, working.Reason, out.Message)
	case working.Message == messageDeleting: // one failure is no news
	case out.State == condition.Progressing, out.State == condition.Updating, out.State == condition.RetryingLong,
		out.State == condition.Unobserved, out.State == condition.Deleting:
		e.event(corev1.EventTypeWarning, working.Reason, out.Message)
	}
}

// reportRefused reports that the object can't be observed, of which its conditions say nothing yet. It reports whether that is over.
func (e *entry) reportRefused() (over bool) {
	out := e.Outcome
	switch {
	case out.State == condition.ObservationRefused && !out.KeepConditions && e.memory.refused != out.Message:
		e.memory.refused = out.Message
		e.event(corev1.EventTypeWarning, string(out.Reason),
			fmt.Sprintf("it can't be observed, so its status shows the last observation: %s. Check %s", out.Message, e.Config))
	case e.Observed && e.memory.refused != "":
		e.memory.refused = ""
		return true
	}
	return false
}

// reportToPlatform reports what the object's own team may not know, in the log and as an Event on the ClusterProviderConfig. That Event is
// in Mooring's own namespace. A ProviderConfig is its team's own, and gets none.
func (e *entry) reportToPlatform(ctx context.Context, reason, detail string) {
	note := condition.Message(e.Redact(fmt.Sprintf("%s %s/%s asks for %s: %s", e.Kind.Name, e.Object.GetNamespace(), e.Object.GetName(), e.Request.Name, detail)))
	telemetry.Log(e.Log, corev1.EventTypeWarning, note, append(e.about(), "providerConfig", e.Config.String(), "reason", reason)...)
	if e.Config.Kind != identity.KindClusterProviderConfig {
		return
	}
	config := &v1alpha1.ClusterProviderConfig{}
	if err := e.Client.Get(ctx, client.ObjectKey{Name: e.Config.Name}, config); err != nil {
		return // the log has it
	}
	about := reference(v1alpha1.GroupVersion.WithKind(e.Config.Kind), config, note)
	about.Namespace = e.Namespace
	e.Recorder.Eventf(about, nil, corev1.EventTypeWarning, reason, e.Action, "%s", shortened(note))
}

// reportReleased reports once that fields are no longer managed.
func (e *entry) reportReleased() {
	if len(e.Released) > 0 {
		slices.Sort(e.Released)
		n := outcome.Released(e.Released)
		e.event(n.Type, n.Reason, n.Message)
	}
	e.Released = nil
}

// news returns a condition if it says something, and did not say so before.
func news(then, now []metav1.Condition, name string) *metav1.Condition {
	is, was := meta.FindStatusCondition(now, name), meta.FindStatusCondition(then, name)
	if is == nil || was != nil && was.Reason == is.Reason && was.Message == is.Message {
		return nil
	}
	return is
}

// failing reports whether conditions say that calls keep failing.
func failing(conditions []metav1.Condition) bool {
	c := meta.FindStatusCondition(conditions, v1alpha1.ConditionReconciling)
	if c == nil {
		return false
	}
	switch v1alpha1.Reason(c.Reason) {
	case v1alpha1.ReasonRetrying, v1alpha1.ReasonNotObserved, v1alpha1.ReasonCloudBusy:
		return true
	default:
		return false
	}
}

// trace notes what the reconciliation came to, for whoever looks into single ones.
func (e *entry) trace(ctx context.Context) {
	log, traced := e.Log.V(1), telemetry.IsTraced(ctx)
	if !traced && !log.Enabled() {
		return
	}
	what := telemetry.Reconciliation{
		UID: string(e.Object.GetUID()), Generation: e.Object.GetGeneration(), ExternalName: e.Object.GetResourceStatus().ExternalName,
		Action: e.Action, Reason: string(e.Outcome.Reason), Idle: e.idle(),
	}
	if !e.Outcome.KeepConditions && !e.Outcome.Deleted {
		what.State = e.Outcome.State.String()
	}
	if e.Err != nil && !errors.Is(e.Err, outcome.ErrStale) && !apierrors.IsConflict(e.Err) { // that somebody else was faster is no failure
		what.Failed = condition.Message(e.Redact(e.Err.Error()))
	}
	if traced {
		telemetry.RecordOutcome(ctx, what)
	}
	message := "reconciled"
	if what.Failed != "" {
		message = "reconciliation failed"
	}
	log.Info(message, append(e.about(), "state", what.State, "reason", what.Reason, "error", what.Failed, "failures", e.memory.Failures)...)
}

// idle reports whether the reconciliation only observed.
func (e *entry) idle() bool {
	switch plan.Verb(e.Action) {
	case Observing, plan.Converge, plan.Wait, plan.AwaitApproval, plan.AwaitWindow, plan.AwaitStart, plan.AwaitBackup, plan.Stall:
		return !e.Written
	default:
		return false
	}
}
