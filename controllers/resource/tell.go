package resource

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// observing is what a turn is at before it has seen what is to be done.
const observing = "Observe"

// longestNote is how long the note of an Event may be, in bytes.
const longestNote = 1024

// event tells a person something, as an Event and as a line of the log: so they can't tell different stories. What is told
// again within minutes is one Event with a count.
func (r *Reconciler[T, S]) event(t *turn[T, S], kind, reason, format string, args ...any) {
	message := t.redact(fmt.Sprintf(format, args...))
	r.Recorder.Eventf(r.regarding(t, message), nil, kind, reason, t.action, "%s", strings.ToValidUTF8(message[:min(len(message), longestNote)], ""))
	r.Log.Info(message, append(r.about(t), "type", kind, "reason", reason)...)
}

// regarding returns what an Event is about. To client-go it is the same Event again if all but its note are alike, and
// that includes the version of the object: so what repeats would be new after each write, and what differs in its note
// would be lost between two. With the note in place of the version it is the same if it says the same.
func (r *Reconciler[T, S]) regarding(t *turn[T, S], note string) *corev1.ObjectReference {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(note))
	return &corev1.ObjectReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: r.Kind.Name, Namespace: t.obj.GetNamespace(), Name: t.obj.GetName(), UID: t.obj.GetUID(),
		ResourceVersion: strconv.FormatUint(hash.Sum64(), 10),
	}
}

// about returns what each line of the log says of the object.
func (r *Reconciler[T, S]) about(t *turn[T, S]) []any {
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

func (r *Reconciler[T, S]) normal(t *turn[T, S], reason, format string, args ...any) {
	r.event(t, corev1.EventTypeNormal, reason, format, args...)
}

func (r *Reconciler[T, S]) warning(t *turn[T, S], c *metav1.Condition) {
	r.event(t, corev1.EventTypeWarning, c.Reason, "%s", c.Message)
}

// tell tells what conditions say for the first time: that a person is needed, that something is waited for or keeps
// failing, and that all is well again. It goes by the conditions alone, so that a restart tells nothing twice.
func (r *Reconciler[T, S]) tell(t *turn[T, S], out outcome, err error) {
	if stalled := t.news(v1alpha1.ConditionStalled); stalled != nil {
		r.warning(t, stalled)
	}
	if synced := t.news(v1alpha1.ConditionSynced); synced != nil && out.state == condition.DriftWaits &&
		(out.repeated || out.reason == v1alpha1.ReasonApprovalRequired) {
		r.warning(t, synced)
	}
	if working := t.news(v1alpha1.ConditionReconciling); working != nil && err != nil {
		switch out.state {
		case condition.Progressing: // what it refers to may be on its way
			r.normal(t, working.Reason, "%s", working.Message)
		case condition.RetryingLong, condition.Unseen, condition.Deleting:
			r.warning(t, working)
		default: // it is not told yet, or was by Stalled
		}
	}
	switch ready := meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionReady); {
	case ready == nil || ready.Status != metav1.ConditionTrue:
	case !meta.IsStatusConditionTrue(t.toldBefore, v1alpha1.ConditionReady):
		r.normal(t, v1alpha1.EventReady, "%s", ready.Message)
	case failing(t.toldBefore) && !failing(t.status.Conditions):
		r.normal(t, v1alpha1.EventRecovered, "the cloud answers again")
	}
}

// news returns a condition if it says something, and did not say so before.
func (t *turn[T, S]) news(name string) *metav1.Condition {
	now, before := meta.FindStatusCondition(t.status.Conditions, name), meta.FindStatusCondition(t.toldBefore, name)
	if now == nil || before != nil && before.Reason == now.Reason && before.Message == now.Message {
		return nil
	}
	return now
}

// failing reports whether conditions say that calls keep failing.
func failing(conditions []metav1.Condition) bool {
	c := meta.FindStatusCondition(conditions, v1alpha1.ConditionReconciling)
	return c != nil && (c.Reason == string(v1alpha1.ReasonRetrying) || c.Reason == string(v1alpha1.ReasonNotObserved))
}

// trace notes what the turn came to, for whoever looks into single ones.
func (r *Reconciler[T, S]) trace(ctx context.Context, t *turn[T, S], out outcome, err error) {
	log, traced := r.Log.V(1), telemetry.Traced(ctx)
	if !traced && !log.Enabled() {
		return
	}
	turn := telemetry.Turn{
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
	what := "turn"
	if turn.Failed != "" {
		what = "turn failed"
	}
	log.Info(what, append(r.about(t), "state", turn.State, "reason", turn.Reason, "error", turn.Failed, "failures", t.mem.failures)...)
}

// idle reports whether the turn only looked.
func (t *turn[T, S]) idle() bool {
	switch Verb(t.action) {
	case observing, Settle, Wait, Ask, Stall:
		return !t.changed
	default:
		return false
	}
}

// tellUpdate says what was set in the cloud.
func (r *Reconciler[T, S]) tellUpdate(t *turn[T, S], a Action, changes []field.Change) {
	switch {
	case len(changes) == 0:
	case a.Verb == Update && t.status.FirstReadyTime == nil: // a part of the creation, and no news
	case a.Verb == Adopt:
		r.normal(t, v1alpha1.EventAdopted, "marked %s as this object's", t.request.Name)
	case len(changes) == 1 && changes[0].Field == driver.FieldPassword:
		r.normal(t, v1alpha1.EventPasswordChanged, "changed the administrator's password")
	case a.Reason == v1alpha1.ReasonDrifted:
		r.normal(t, v1alpha1.EventDriftCorrected, "put right what was changed in the cloud: %s", list(changes))
	default:
		r.normal(t, v1alpha1.EventUpdated, "changed %s", list(changes))
	}
}

// tellReleased says once that fields are no longer managed.
func (r *Reconciler[T, S]) tellReleased(t *turn[T, S]) {
	if len(t.letGo) > 0 {
		slices.Sort(t.letGo)
		r.normal(t, v1alpha1.EventReleased, "no longer managed, because the spec no longer has it: %s", strings.Join(t.letGo, ", "))
	}
	t.letGo = nil
}
