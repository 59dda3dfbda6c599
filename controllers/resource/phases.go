package resource

import (
	"cmp"
	"context"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/gather"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/report"
	"github.com/mooring-dev/mooring/providers/driver"
)

// gatherer returns what gathers. It has nothing to write with.
func (r *Reconciler) gatherer() *gather.Gatherer {
	passwords := &password.Store{Reader: r.Reader, Namespace: r.Namespace}
	return &gather.Gatherer{
		Reader: r.Reader, Cache: r.Client, Kind: r.Kind, Family: r.Family, Classes: r.Classes, Connector: r.Credentials, Metrics: r.Metrics, Requeue: r.queue.recall,
		Secrets:      &credential.Reader{API: r.Reader, Version: r.SecretVersion, Passwords: passwords, Kind: r.Kind},
		NamespaceUID: r.Credentials.NamespaceUID, Recovers: r.Recovers, ClusterID: r.ClusterID, Sync: r.Cadence.Sync, ConsistencyWindow: r.ConsistencyWindow,
	}
}

func (r *Reconciler) executor() *execute.Executor {
	return &execute.Executor{
		Client: r.Client, Reader: r.Reader, Kind: r.Kind, Classes: r.Classes, Rollouts: r.Rollouts, Room: &r.binding, Protector: r.Credentials,
		Passwords: &password.Store{Writer: r.Client, Namespace: r.Namespace}, Publisher: &execute.Publisher{Writer: r.Client, Kind: r.Kind},
		Requeue: r.queue.recall, ConsistencyWindow: r.ConsistencyWindow, Deadline: r.Deadline, Clock: r.Now,
	}
}

func (r *Reconciler) reporter() *report.Reporter {
	return &report.Reporter{
		Client: r.Client, Recorder: r.Recorder, Log: r.Log, Metrics: r.Metrics, Kind: r.Kind, Namespace: r.Namespace, Cadence: r.Cadence,
		Deadline: r.RecordDeadline,
	}
}

// task returns what executing an action takes, from what was gathered and what reports remember.
func task(known gather.Gathered, reports report.Memory) execute.Task {
	t := execute.Task{
		Facts: known.Facts, Stored: known.Stored, Object: known.Object, Want: known.Want, Session: known.Session, Described: known.Described,
		PasswordSecret: known.PasswordSecret, Password: known.Password, Obsolete: known.Obsolete, Connections: known.Connections, PublishError: known.PublishError, PasswordChanges: known.PasswordChanges, Unmade: known.Unmade, KeepsCertificates: known.KeepsCertificates,
		Failures: reports.Failures, Failure: known.Memory.Failure, Wanted: known.News.Wanted, Priority: reports.Priority,
		Memory: known.Cloud, Published: known.Published,
	}
	if known.Connection != nil {
		t.Cloud = &known.Connection.Cloud
	}
	return t
}

// reconciliation returns what is to be reported.
func reconciliation(known gather.Gathered, done execute.Done, err error) report.Reconciliation {
	facts := known.Facts
	facts.Request, facts.KeepsPrimary, facts.Redact = done.Request, done.KeepsPrimary, known.Redactor(done.Secrets...)
	return report.Reconciliation{
		Facts: facts, Stored: done.Stored, Object: done.Object, Before: known.Before, WasReady: known.WasReady,
		Action: cmp.Or(done.Action, report.Observing), Written: done.Written, Notes: done.Notes, Released: done.Released,
		LastObserved: known.Memory.LastObserved, Sent: done.Memory.JustSent(known.Now), AwaitsSent: len(done.Memory.Sent) > 0,
		StartedOver: done.Memory.StartedOver, Paced: known.Slot.Paced(), Outcome: done.Outcome, Err: err,
	}
}

// teller returns what records an Event while a task is carried out.
func (r *Reconciler) teller(ctx context.Context, m *memory, known gather.Gathered, todo execute.Task) func(string, outcome.Note) {
	return func(action string, n outcome.Note) {
		done := todo.Undone(outcome.Outcome{})
		done.Action = action
		m.report = r.reporter().Note(ctx, reconciliation(known, done, nil), m.report, n)
	}
}

// noteGathered remembers what was gathered, and when the cloud object was observed.
func (r *Reconciler) noteGathered(m *memory, known gather.Gathered) {
	m.gathered(known)
	if known.Observed && known.Observation.State != driver.Unknown {
		r.memories.observe(client.ObjectKeyFromObject(known.Object), known.Now)
	}
}

// remember takes in a report, and returns when to come back.
func (r *Reconciler) remember(m *memory, known gather.Gathered, done execute.Done, reported report.Report) reconcile.Result {
	name := client.ObjectKeyFromObject(known.Object)
	if reported.Deleted || known.Deleting {
		r.leaveRollout(known.Object.GetUID())
	}
	if reported.Deleted {
		r.memories.forget(name)
		return reported.Next
	}
	m.reported(reported, done.Current)
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
