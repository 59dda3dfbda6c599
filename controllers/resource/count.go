package resource

import (
	"maps"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/controllers/resource/plan"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Sightings returns when each cloud object was last observed.
func (r *Reconciler) Sightings() []telemetry.Sighting { return r.memories.seen() }

// Observed returns when an object's cloud object was last observed; false if this process has not observed it.
func (r *Reconciler) Observed(name client.ObjectKey) (time.Time, bool) {
	return r.memories.observedAt(name)
}

// Unrecorded returns how many objects there are whose last turn could not be written down.
func (r *Reconciler) Unrecorded() int { return r.memories.lost() }

func (r *Reconciler) subject(t *turn) telemetry.Subject {
	return telemetry.Subject{Kind: r.Kind.Name, Provider: t.status.Provider}
}

// count tells the metrics what a turn came to that is recorded.
func (r *Reconciler) count(t *turn, out outcome, next reconcile.Result) {
	if r.Metrics == nil {
		return
	}
	t.mem.told = t.mem.seen
	r.memories.note(client.ObjectKeyFromObject(t.obj), true)
	r.sight(t)
	subject := r.subject(t)
	if first := t.status.FirstReadyTime; first != nil && !t.wasReady && !t.mem.startedOver {
		r.Metrics.Ready(subject, first.Sub(t.obj.GetCreationTimestamp().Time))
	}
	if !t.mem.edited.IsZero() && t.applied() {
		r.Metrics.Converged(subject, t.now.Sub(t.mem.edited))
		t.mem.edited = time.Time{}
	}
	if out.throttled {
		r.Metrics.Throttled(subject, next.RequeueAfter)
	}
	if t.drifts() {
		if t.mem.drift == nil {
			t.mem.drift = t.foundBefore()
		}
		r.Metrics.Drift(subject, client.ObjectKeyFromObject(t.obj), t.mem.drift.look(t.drifted(), t.view.Unsettled, t.justSent(), t.now))
	}
}

// countGone tells the metrics of a deletion that is finished.
func (r *Reconciler) countGone(t *turn, out outcome) {
	if r.Metrics == nil || !out.finished {
		return
	}
	outcome := telemetry.Deleted
	if out.stays {
		outcome = telemetry.Retained
	}
	r.Metrics.Gone(r.subject(t), outcome)
}

// countUnrecorded tells the metrics of a turn whose result could not be written. What it saw is as good as not seen: nobody
// can read it in the status.
func (r *Reconciler) countUnrecorded(t *turn) {
	if r.Metrics != nil {
		r.memories.note(client.ObjectKeyFromObject(t.obj), false)
		r.sight(t)
		r.Metrics.StatusWriteFailed(r.subject(t))
	}
}

// sight notes when the cloud object was last observed and that written down, if that is to be done at all.
func (r *Reconciler) sight(t *turn) {
	name := client.ObjectKeyFromObject(t.obj)
	if t.bound() && t.obj.GetAnnotations()[v1alpha1.AnnotationPaused] != "true" {
		r.memories.sight(name, telemetry.Sighting{Provider: t.status.Provider, At: t.mem.told})
	} else {
		r.memories.unsight(name)
	}
}

// applied reports whether this generation of the spec is applied, and the object Ready.
func (t *turn) applied() bool {
	c, generation := meta.FindStatusCondition(t.status.Conditions, v1alpha1.ConditionReady), t.obj.GetGeneration()
	return c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == generation && t.status.AppliedGeneration == generation
}

// drifts reports whether what differs now, or does not, says something about drift: the object was as declared, and nobody
// is about to change it.
func (t *turn) drifts() bool {
	return t.looked && t.seen.State == driver.Ready && t.view.WasReady && !t.view.Edited && !t.deleting &&
		t.policy.Management == v1alpha1.ManagementFull && t.policy.Refused.Reason == "" && plan.Ownership(t.view, t.seen) == plan.Ours
}

// drifted returns the fields that somebody else changed in the cloud.
func (t *turn) drifted() (fields []string) {
	for _, p := range plan.PendingChanges(t.view, t.seen.Changes) {
		if p.Cause == v1alpha1.CauseDrift {
			fields = append(fields, p.Field)
		}
	}
	return fields
}

// foundBefore returns the drift that waits already when this process first looks: it was found by another.
func (t *turn) foundBefore() drifts {
	before := drifts{}
	for _, w := range t.view.Waiting {
		if w.Cause == v1alpha1.CauseDrift {
			before[w.Field] = fieldDrift{open: true}
		}
	}
	return before
}

// justSent returns the fields that this turn set.
func (t *turn) justSent() (fields []string) {
	if t.mem.sentAt.Before(t.now) {
		return nil
	}
	for _, c := range t.mem.sent {
		fields = append(fields, c.Field)
	}
	return fields
}

// drifts remember, by field, what was found changed in the cloud and what became of it.
type drifts map[string]fieldDrift

// fieldDrift is that of one field: open while it differs, sent once it was set, and then right since a time.
type fieldDrift struct {
	open, sent bool
	since      time.Time
}

// returning is how long drift that was put right is remembered: what comes again in that time has come back.
const returning = 24 * time.Hour

// look takes in what differs now, and returns what is new about it. unsettled: what does not differ may only not be shown.
func (d *drifts) look(differs []string, unsettled bool, sent []string, now time.Time) (news telemetry.Drift) {
	if *d == nil {
		*d = drifts{}
	}
	for _, name := range differs {
		was, known := (*d)[name]
		if was.open {
			continue
		}
		news.Detected, news.Recurred = true, news.Recurred || known
		(*d)[name] = fieldDrift{open: true}
	}
	for _, name := range sent {
		if is := (*d)[name]; is.open {
			is.sent = true
			(*d)[name] = is
		}
	}
	for name, is := range *d {
		if !is.open || unsettled || slices.Contains(differs, name) {
			continue
		}
		news.Corrected = news.Corrected || is.sent
		(*d)[name] = fieldDrift{since: now}
		if !is.sent { // it went by itself
			delete(*d, name)
		}
	}
	maps.DeleteFunc(*d, func(_ string, is fieldDrift) bool { return !is.open && now.Sub(is.since) > returning })
	return news
}
