package resource

import (
	"context"

	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/report"
)

func (r *Reconciler) secrets() *credential.Reader {
	return &credential.Reader{API: r.Reader, Passwords: r.passwords(), Kind: r.Kind}
}

func (r *Reconciler) publisher() *execute.Publisher {
	return &execute.Publisher{Secrets: r.secrets(), Writer: r.Client, Kind: r.Kind}
}

func (r *Reconciler) executor() *execute.Executor {
	return &execute.Executor{
		Client: r.Client, Reader: r.Reader, Kind: r.Kind, Classes: r.Classes, Rollouts: r.Rollouts, Room: &r.binding, Protector: r.Credentials,
		Secrets: r.secrets(), Passwords: r.passwords(), Publisher: r.publisher(), Requeue: r.queue.recall, Settle: r.Settle, Deadline: r.Deadline, Clock: r.Now,
	}
}

// act has an action executed, and takes in what happened.
func (r *Reconciler) act(ctx context.Context, t *turn, a plan.Action) (outcome.Outcome, error) {
	task := execute.Task{
		Facts: r.facts(t), Stored: t.stored, Object: t.obj, Want: t.want, Session: t.session, Described: t.described, Password: t.password,
		Unmade: t.unmade, Failures: t.mem.report.Failures, Failure: t.mem.failure, Wanted: t.wanted, Priority: t.mem.report.Priority,
		Memory: t.mem.cloud, Published: t.mem.publisher,
	}
	if t.conn != nil {
		task.Cloud = &t.conn.Cloud
	}
	if t.login != nil {
		task.Login, task.StoreLogin = &t.login.Login, t.login.store
	}
	if a.Verb == plan.Create {
		t.mem.cloud.CreationRefused = false // if a driver panics, nobody knows what the cloud did; else what Execute returns counts
	}
	done, err := r.executor().Execute(ctx, task, a)
	if done.Action != "" {
		t.action = done.Action
	}
	t.knows(done.Secrets...)
	t.answered(done.CallError)
	t.notes, t.letGo = append(t.notes, done.Notes...), append(t.letGo, done.Released...)
	t.mem.cloud, t.mem.publisher, t.asPublished = done.Memory, done.Published, done.Current
	t.stored, t.request = done.Stored, done.Request
	t.setObject(done.Object)
	if done.Login != nil {
		t.login = &login{Login: *done.Login}
	}
	if done.Written {
		t.changed, t.mem.report.Unrecorded = true, false
	}
	if done.Recorded || done.StartedOver {
		t.mem.creation = nil
	}
	if done.StartedOver {
		t.mem.report = t.mem.report.StartedOver()
	}
	if done.LeftRollout {
		r.leaveRollout(t.obj.GetUID())
	}
	return done.Outcome, err
}

// actNow has an action executed that needs no observation.
func (r *Reconciler) actNow(ctx context.Context, t *turn, a plan.Action) (*outcome.Outcome, error) {
	out, err := r.act(ctx, t, a)
	t.action = report.Observing
	return &out, err
}
