package resource

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/gather"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/providers/driver"
)

// gatherer returns what gathers. It has nothing to write with.
func (r *Reconciler) gatherer() *gather.Gatherer {
	return &gather.Gatherer{
		Reader: r.Reader, Cache: r.Client, Kind: r.Kind, Family: r.Family, Features: r.Features, Classes: r.Classes, Connector: r.Credentials, Metrics: r.Metrics, Requeue: r.queue.recall,
		NamespaceUID: r.Credentials.NamespaceUID, Recovers: r.Recovers, ClusterID: r.ClusterID, Sync: r.Cadence.Sync, ConsistencyWindow: r.ConsistencyWindow,
	}
}

func (r *Reconciler) executor() *execute.Executor {
	return &execute.Executor{
		Client: r.Client, Reader: r.Reader, Kind: r.Kind, Features: r.Features, Classes: r.Classes, Rollouts: r.Rollouts, Room: &r.binding, Protector: r.Credentials,
		Requeue: r.queue.recall, ConsistencyWindow: r.ConsistencyWindow, Deadline: r.Deadline, Clock: r.Now,
	}
}

func (r *Reconciler) reporter() *report.Reporter {
	return &report.Reporter{
		Client: r.Client, Recorder: r.Recorder, Log: r.Log, Metrics: r.Metrics, Kind: r.Kind, Features: r.Features, Namespace: r.Namespace, Cadence: r.Cadence,
		Deadline: r.RecordDeadline,
	}
}

// teller returns what records an Event while an action is carried out.
func (r *Reconciler) teller(ctx context.Context, m *memory) execute.Teller {
	return func(in reconciliation.State, n outcome.Note) {
		m.report = r.reporter().Note(ctx, in, m.report, n)
	}
}

// noteObserved remembers when a cloud object was observed.
func (r *Reconciler) noteObserved(in reconciliation.State) {
	if in.Observed && in.Observation.State != driver.Unknown {
		r.memories.observe(client.ObjectKeyFromObject(in.Object), in.Now)
	}
}

// remember takes in a report, and returns when to come back.
func (r *Reconciler) remember(m *memory, in reconciliation.State, reported report.Report) reconcile.Result {
	name := client.ObjectKeyFromObject(in.Object)
	if reported.Deleted || in.Deleting {
		r.leaveRollout(in.Object.GetUID())
	}
	if reported.Deleted {
		r.memories.forget(name)
		return reported.Next
	}
	if m.reported(reported); reported.Recorded {
		r.Features.Recorded(in, &m.shared)
	}
	r.memories.reported(name, reported.Memory)
	return reported.Next
}

// leaveRollout gives up an object's place, if it has one.
func (r *Reconciler) leaveRollout(uid types.UID) {
	if r.Rollouts != nil {
		r.Rollouts.Leave(uid)
	}
}

// leaveQueue gives up the object's place in the queue for a slot, and a slot that is reserved for it.
func (r *Reconciler) leaveQueue(name types.NamespacedName) {
	r.Limiters.Dequeue(gather.Requester{Kind: r.Kind.Name, Name: name})
}
