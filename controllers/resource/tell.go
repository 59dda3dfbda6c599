package resource

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// observing is what a turn is at before it has seen what is to be done.
const observing = "Observe"

// longestNote is how long the note of an Event may be, in bytes.
const longestNote = 1024

// event tells a person something, as an Event and as a line of the log: so they can't tell different stories. What is told
// again within minutes is one Event with a count.
func (r *Reconciler) event(t *turn, kind, reason, format string, args ...any) {
	message := t.redact(fmt.Sprintf(format, args...))
	about := reference(v1alpha1.GroupVersion.WithKind(r.Kind.Name), t.obj, message)
	r.Recorder.Eventf(about, nil, kind, reason, t.action, "%s", shortened(message))
	r.Log.Info(message, append(r.about(t), "type", kind, "reason", reason)...)
	t.mem.reported = true
}

// firstTime reports a step that each new object takes. Its conditions say the same, so the step is a line of the log, and an Event
// only for an object that was Ready before, or that has other Events which this one ends.
func (r *Reconciler) firstTime(t *turn, reason, format string, args ...any) {
	if t.wasReady || t.mem.reported || meta.IsStatusConditionTrue(t.toldBefore, v1alpha1.ConditionStalled) {
		r.normal(t, reason, format, args...)
		return
	}
	r.Log.Info(t.redact(fmt.Sprintf(format, args...)), append(r.about(t), "type", corev1.EventTypeNormal, "reason", reason)...)
}

// shortened returns as much of a message as the note of an Event holds.
func shortened(message string) string {
	return strings.ToValidUTF8(message[:min(len(message), longestNote)], "")
}

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
func (r *Reconciler) about(t *turn) []any {
	about := []any{"kind", r.Kind.Name, "namespace", t.obj.GetNamespace(), "name", t.obj.GetName(), "action", t.action}
	for _, known := range [][2]string{
		{"externalName", t.status.ExternalName}, {"provider", t.status.Provider}, {"account", t.status.AccountID},
	} {
		if known[1] != "" {
			about = append(about, known[0], known[1])
		}
	}
	return about
}

func (r *Reconciler) normal(t *turn, reason, format string, args ...any) {
	r.event(t, corev1.EventTypeNormal, reason, format, args...)
}

func (r *Reconciler) warning(t *turn, c *metav1.Condition) {
	r.event(t, corev1.EventTypeWarning, c.Reason, "%s", c.Message)
}

// tell tells what conditions say for the first time: that a person is needed, that something is waited for or keeps
// failing, and that all is well again. It goes by the conditions alone, so that a restart tells nothing twice.
func (r *Reconciler) tell(ctx context.Context, t *turn, out outcome, err error) {
	if stalled := t.news(v1alpha1.ConditionStalled); stalled != nil {
		r.warning(t, stalled)
		if out.detail != "" {
			r.tellPlatform(ctx, t, stalled.Reason, out.detail)
		}
	}
	if ready := t.news(v1alpha1.ConditionReady); ready != nil && out.state == condition.DriftWaits &&
		(out.repeated || out.reason == v1alpha1.ReasonApprovalRequired) {
		r.warning(t, ready)
	}
	if working := t.news(v1alpha1.ConditionReconciling); working != nil && (err != nil || out.queued && out.state == condition.Unseen) {
		switch {
		case out.state == condition.Progressing && out.reason != v1alpha1.ReasonCloudBusy: // what it refers to may be on its way
			r.normal(t, working.Reason, "%s", out.message)
		case working.Message == messageDeleting: // one failure is no news
		case out.state == condition.Progressing, out.state == condition.Updating, out.state == condition.RetryingLong,
			out.state == condition.Unseen, out.state == condition.Deleting:
			r.event(t, corev1.EventTypeWarning, working.Reason, "%s", out.message)
		}
	}
	answers := r.tellRefused(t, out)
	switch ready := meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionReady); {
	case ready == nil || ready.Status != metav1.ConditionTrue:
	case !meta.IsStatusConditionTrue(t.toldBefore, v1alpha1.ConditionReady):
		r.firstTime(t, v1alpha1.EventReady, "%s", ready.Message)
	case answers, failing(t.toldBefore) && !failing(t.status.Conditions):
		r.normal(t, v1alpha1.EventRecovered, "the cloud answers again")
	}
}

// tellRefused tells that the object can't be observed, of which its conditions say nothing yet. It reports whether that is over.
func (r *Reconciler) tellRefused(t *turn, out outcome) (over bool) {
	switch {
	case out.state == condition.ObservationRefused && !out.quiet && t.mem.refused != out.message:
		t.mem.refused = out.message
		r.event(t, corev1.EventTypeWarning, string(out.reason),
			"it can't be observed, so its status shows the last observation: %s. Check %s", out.message, t.config)
	case t.looked && t.mem.refused != "":
		t.mem.refused = ""
		return true
	}
	return false
}

// tellPlatform tells what the object's own team may not know, in the log and as an Event on the ClusterProviderConfig. That Event is
// in Mooring's own namespace. A ProviderConfig is its team's own, and gets none.
func (r *Reconciler) tellPlatform(ctx context.Context, t *turn, reason, detail string) {
	note := t.redact(fmt.Sprintf("%s %s/%s asks for %s: %s", r.Kind.Name, t.obj.GetNamespace(), t.obj.GetName(), t.request.Name, detail))
	r.Log.Info(note, append(r.about(t), "providerConfig", t.config.String(), "reason", reason)...)
	if t.config.Kind != identity.KindClusterProviderConfig {
		return
	}
	config := &v1alpha1.ClusterProviderConfig{}
	if err := r.Client.Get(ctx, client.ObjectKey{Name: t.config.Name}, config); err != nil {
		return // the log has it
	}
	about := reference(v1alpha1.GroupVersion.WithKind(t.config.Kind), config, note)
	about.Namespace = r.Namespace
	r.Recorder.Eventf(about, nil, corev1.EventTypeWarning, reason, t.action, "%s", shortened(note))
}

// news returns a condition if it says something, and did not say so before.
func (t *turn) news(name string) *metav1.Condition {
	now, before := meta.FindStatusCondition(t.status.Conditions, name), meta.FindStatusCondition(t.toldBefore, name)
	if now == nil || before != nil && before.Reason == now.Reason && before.Message == now.Message {
		return nil
	}
	return now
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

// trace notes what the turn came to, for whoever looks into single ones.
func (r *Reconciler) trace(ctx context.Context, t *turn, out outcome, err error) {
	log, traced := r.Log.V(1), telemetry.Traced(ctx)
	if !traced && !log.Enabled() {
		return
	}
	turn := telemetry.Reconciliation{
		UID: string(t.obj.GetUID()), Generation: t.obj.GetGeneration(), ExternalName: t.status.ExternalName,
		Action: t.action, Reason: string(out.reason), Idle: t.idle(),
	}
	if !out.quiet && !out.gone {
		turn.State = out.state.String()
	}
	if err != nil && !errors.Is(err, errStale) && !apierrors.IsConflict(err) { // that somebody else was faster is no failure
		turn.Failed = t.redact(err.Error())
	}
	if traced {
		telemetry.Ended(ctx, turn)
	}
	what := "reconciled"
	if turn.Failed != "" {
		what = "reconciliation failed"
	}
	log.Info(what, append(r.about(t), "state", turn.State, "reason", turn.Reason, "error", turn.Failed, "failures", t.mem.failures)...)
}

// idle reports whether the turn only looked.
func (t *turn) idle() bool {
	switch plan.Verb(t.action) {
	case observing, plan.Settle, plan.Wait, plan.Ask, plan.Stall:
		return !t.changed
	default:
		return false
	}
}

// tellUpdate says what was set in the cloud.
func (r *Reconciler) tellUpdate(t *turn, a plan.Action, changes []driver.Change) {
	switch {
	case len(changes) == 0:
	case a.Verb == plan.Update && t.status.FirstReadyTime == nil: // a part of the creation, and no news
	case a.Verb == plan.Adopt:
		r.normal(t, v1alpha1.EventAdopted, "took over %s", t.request.Name)
	case len(changes) == 1 && changes[0].Field == driver.FieldPassword:
		r.normal(t, v1alpha1.EventPasswordChanged, "changed the administrator's password")
	case a.Reason == v1alpha1.ReasonDrifted:
		r.normal(t, v1alpha1.EventDriftCorrected, "corrected drift: %s", plan.ListChanges(changes))
	default:
		r.normal(t, v1alpha1.EventUpdated, "changed %s", plan.ListChanges(changes))
	}
}

// note is an Event to be recorded.
type note struct{ reason, message string }

// onceStored has a Normal Event recorded once the status is stored: what is done again after a crash is told once.
func (t *turn) onceStored(reason, format string, args ...any) {
	t.notes = append(t.notes, note{reason, fmt.Sprintf(format, args...)})
}

// tellStored records the Events that waited until the status was stored.
func (r *Reconciler) tellStored(t *turn) {
	for _, n := range t.notes {
		r.normal(t, n.reason, "%s", n.message)
	}
	t.notes = nil
	r.tellReleased(t)
}

// tellReleased says once that fields are no longer managed.
func (r *Reconciler) tellReleased(t *turn) {
	if len(t.letGo) > 0 {
		slices.Sort(t.letGo)
		r.normal(t, v1alpha1.EventReleased, "no longer managed, because the spec no longer sets it: %s", strings.Join(t.letGo, ", "))
	}
	t.letGo = nil
}
