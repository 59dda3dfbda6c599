package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/report"
)

func (r *Reconciler) reporter() *report.Reporter {
	return &report.Reporter{
		Client: r.Client, Recorder: r.Recorder, Log: r.Log, Metrics: r.Metrics, Kind: r.Kind, Namespace: r.Namespace, Cadence: r.Cadence,
		Deadline: r.RecordDeadline,
	}
}

// facts are what is known beside the object, as values.
func (r *Reconciler) facts(t *turn) outcome.Facts {
	f := outcome.Facts{
		Kind: r.Kind, Deleting: t.deleting, Policy: t.policy, View: t.view, Class: t.class, Config: t.config, Account: t.account, Request: t.request,
		Observed: t.looked, Observation: t.seen, Unobserved: t.now.Sub(t.mem.seen) > 2*r.Cadence.Sync, Now: t.now, Redact: t.redact,
	}
	if t.conn != nil {
		f.Provider = t.conn.Provider
	}
	return f
}

// record has a reconciliation reported, and remembers what that says.
func (r *Reconciler) record(ctx context.Context, t *turn, out outcome.Outcome, err error) (reconcile.Result, error) {
	name := client.ObjectKeyFromObject(t.obj)
	reported := r.reporter().Report(ctx, report.Reconciliation{
		Facts: r.facts(t), Stored: t.stored, Object: t.obj, Before: t.toldBefore, WasReady: t.wasReady, Action: t.action, Written: t.changed,
		Notes: t.notes, Released: t.letGo, LastObserved: t.mem.seen, Sent: t.justSent(), AwaitsSent: len(t.mem.sent) > 0,
		StartedOver: t.mem.startedOver, Outcome: out, Err: err,
	}, t.mem.report)
	t.mem.report, t.notes, t.letGo, t.stored, t.changed = reported.Memory, nil, nil, reported.Stored, reported.Written
	t.setObject(reported.Object)
	if reported.Deleted || t.deleting {
		r.leaveRollout(t.obj.GetUID())
	}
	if reported.Deleted {
		r.memories.forget(name)
		return reported.Next, nil
	}
	r.memories.reported(name, reported.Memory)
	if reported.Recorded {
		t.mem.creation = reported.Carried
		if t.asPublished != nil {
			t.mem.publisher.Published = t.asPublished
		}
	}
	return reported.Next, nil
}

// describe brings the status in line with an outcome and what was seen.
func (r *Reconciler) describe(t *turn, out outcome.Outcome) {
	described, released := r.facts(t).Describe(t.obj, out)
	t.setObject(described)
	t.letGo = append(t.letGo, released...)
}

// setObject takes on another version of the object.
func (t *turn) setObject(object v1alpha1.ResourceObject) {
	t.obj, t.spec, t.status = object, object.GetResourceSpec(), object.GetResourceStatus()
}

// patchStatus writes the status if it differs from what is stored.
func (r *Reconciler) patchStatus(ctx context.Context, t *turn) error {
	if equality.Semantic.DeepEqual(t.stored, t.obj) {
		t.mem.creation = nil
		return nil
	}
	desired := t.obj.DeepCopyObject().(v1alpha1.ResourceObject)
	err := r.Client.Status().Patch(ctx, desired, client.MergeFromWithOptions(t.stored, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return err
	}
	t.obj.SetResourceVersion(desired.GetResourceVersion())
	t.stored, t.changed = t.obj.DeepCopyObject().(v1alpha1.ResourceObject), true
	t.mem.report.Unrecorded, t.mem.creation = false, nil
	for i := range t.notes {
		t.notes[i].OnceStored = false
	}
	if len(t.letGo) > 0 {
		t.note(outcome.Released(t.letGo))
	}
	t.letGo = nil
	return nil
}

// note has an Event recorded once the reconciliation is reported.
func (t *turn) note(n outcome.Note) { t.notes = append(t.notes, n) }

// onceStored has a Normal Event recorded once the status is stored: what is done again after a crash is told once.
func (t *turn) onceStored(reason, format string, args ...any) {
	n := outcome.Normal(reason, format, args...)
	n.OnceStored = true
	t.note(n)
}
