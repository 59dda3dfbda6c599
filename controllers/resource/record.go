package resource

import (
	"context"

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
		Notes: t.notes, Released: t.letGo, LastObserved: t.mem.seen, Sent: t.justSent(), AwaitsSent: len(t.mem.cloud.Sent) > 0,
		StartedOver: t.mem.cloud.StartedOver, Outcome: out, Err: err,
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

// setObject takes on another version of the object.
func (t *turn) setObject(object v1alpha1.ResourceObject) {
	t.obj, t.spec, t.status = object, object.GetResourceSpec(), object.GetResourceStatus()
}
