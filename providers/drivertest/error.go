package drivertest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// failures returns what holds when calls go wrong.
func failures[S any]() []obligation[S] {
	var all []obligation[S]
	for _, kind := range []FaultKind{Denied, Throttled, ServerError, Hang} {
		add := func(name string, run func(t testing.TB, b *bench[S], kind FaultKind)) {
			all = append(all, obligation[S]{fmt.Sprintf(name, kind), func(t testing.TB, b *bench[S]) { run(t, b, kind) }})
		}
		add("error/%s at any read is an error of its code, and never Absent", failedRead[S])
		add("error/%s at the write of Create: an error of its code, nothing made, and the next Create works", failedCreate[S])
		add("error/%s at the write of Update: an error of its code, nothing changed, and the next Update works", failedUpdate[S])
		add("error/%s at the write of Delete: an error of its code, nothing deleted, and the next Delete works", failedDelete[S])
	}
	return append(all,
		obligation[S]{"error/an answer at any read that is none of the cloud's is an error, and never Absent or nothing set", noAnswerAtRead[S]},
		obligation[S]{"error/a list whose answer is none of the cloud's is an error", noAnswerOfList[S]},
		obligation[S]{"error/Create whose answer was lost: found again, with its mark, and made once", lostCreate[S]},
		obligation[S]{"error/Update whose answer was lost: nothing differs any more", lostUpdate[S]},
		obligation[S]{"error/Delete whose answer was lost: gone, and a second Delete is no error", lostDelete[S]},
		obligation[S]{"error/a context that is over makes no call", overContext[S]},
		obligation[S]{"error/a creation that fails late is not a success", lateCreate[S]},
		obligation[S]{"error/an update that fails late is not a success", lateUpdate[S]},
	)
}

// wrong checks the error of a call under a fault.
func (b *bench[S]) wrong(t testing.TB, what string, err error, kind FaultKind) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
		return
	}
	if code := driver.CodeOf(err); code != kind.code() {
		t.Errorf("%s: got error %v (%v), want one of code %v", what, err, code, kind.code())
	}
	noSecrets(t, err, append([]string{b.kind.Login.Password}, b.Secrets...))
}

// inTime calls f. If the cloud is to hang, its context ends soon, and f must end with it; else no deadline is near, since what a
// busy machine takes long for is no failure.
func (b *bench[S]) inTime(t testing.TB, kind FaultKind, f func(ctx context.Context)) {
	t.Helper()
	if kind != Hang {
		f(t.Context())
		return
	}
	start := time.Now()
	f(b.bounded(t))
	if took := time.Since(start); took > b.Patience+b.Grace {
		t.Errorf("it took %v, and its context ended after %v", took, b.Patience)
	}
}

// failedRead makes the first read fail and all after it, then the second, and so on, of an object that is there.
func failedRead[S any](t testing.TB, b *bench[S], kind FaultKind) {
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	failReads(t, b, req, kind)
	unchanged(t, b.observe(t, req))
}

// noAnswerAtRead does so with all answers that are none. What declares nothing is not read to be compared, but to be shown, and must not be shown as empty.
func noAnswerAtRead[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	for _, kind := range noAnswers {
		failReads(t, b, req, kind)
	}
	unchanged(t, b.observe(t, req))
}

// noAnswerOfList has a list answered by something else.
func noAnswerOfList[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Lists, "lists")
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	for _, kind := range noAnswers {
		lift := b.fail(t, Fault{Kind: kind, Reads: true})
		page, err := b.Harness.open(t).List(t.Context(), b.name, driver.ListRequest{})
		b.wrong(t, string(kind), err, kind)
		if len(page.Objects) > 0 {
			t.Errorf("%s: it lists %v", kind, page.Objects)
		}
		lift()
	}
}

// failReads looks at an object while its first read fails and all after it, then the second, and so on.
func failReads[S any](t testing.TB, b *bench[S], req request[S], kind FaultKind) {
	t.Helper()
	before := b.Calls()
	whole := b.observe(t, req)
	reads := b.Calls().minus(before).Reads
	if reads == 0 {
		t.Skip("not shown: a look costs no read of its own")
	}
	for skip := range reads {
		lift := b.fail(t, Fault{Kind: kind, Reads: true, Skip: skip})
		b.inTime(t, kind, func(ctx context.Context) {
			obs, err := b.open(t).Observe(ctx, req)
			if err != nil {
				if obs.State != driver.Unknown {
					t.Errorf("read %d: an error, and yet a state: %v", skip+1, obs.State)
				}
				b.wrong(t, fmt.Sprintf("read %d", skip+1), err, kind)
				return
			}
			b.sound(t, req, obs)
			if obs.State != whole.State || len(obs.Unreadable) == 0 && (obs.Support == nil || !obs.Support.Unread) {
				t.Errorf("read %d: got %v with Unreadable %v and %+v, want an error, or %v and what could not be read", skip+1, obs.State, obs.Unreadable, obs.Support, whole.State)
			}
			for _, u := range obs.Unreadable {
				b.wrong(t, fmt.Sprintf("read %d: %s", skip+1, u.Field), u.Err, kind)
			}
		})
		lift()
	}
}

func failedCreate[S any](t testing.TB, b *bench[S], kind FaultKind) {
	req := b.request(t, b.kind.Full())
	lift := b.fail(t, Fault{Kind: kind, Writes: true})
	b.inTime(t, kind, func(ctx context.Context) {
		_, err := b.open(t).Create(ctx, req)
		b.wrong(t, "Create", err, kind)
	})
	lift()
	if obs := b.observe(t, req); obs.State != driver.Absent {
		t.Errorf("afterwards the state is %v, want Absent", obs.State)
	}
	b.create(t, &req)
}

func failedUpdate[S any](t testing.TB, b *bench[S], kind FaultKind) {
	req := b.request(t, b.kind.Full())
	f := b.kind.changing(t)
	b.create(t, &req)
	set(t, &req.Spec, f.Name, f.To)
	changes := b.observe(t, req).Changes
	lift := b.fail(t, Fault{Kind: kind, Writes: true})
	b.inTime(t, kind, func(ctx context.Context) {
		result, err := b.open(t).Update(ctx, req, driver.Edit{Changes: changes})
		if err == nil && len(result.Failed) == 1 && result.Failed[0].Field == f.Name {
			err = result.Failed[0].Err
		}
		b.wrong(t, "Update", err, kind)
	})
	lift()
	if diff := cmp.Diff(changes, b.observe(t, req).Changes); diff != "" {
		t.Errorf("afterwards other changes are reported (-before +after):\n%s", diff)
	}
	b.converge(t, &req)
}

// changing returns a field that an edit can change, in one update.
func (k *Kind[S]) changing(t testing.TB) Field {
	t.Helper()
	for _, f := range k.Fields {
		if f.Effect != driver.Impossible && !f.Checked {
			return f
		}
	}
	t.Skip("not shown: no field can change")
	return Field{}
}

func failedDelete[S any](t testing.TB, b *bench[S], kind FaultKind) {
	req := b.deletable(t)
	lift := b.fail(t, Fault{Kind: kind, Writes: true})
	b.inTime(t, kind, func(ctx context.Context) {
		_, err := b.open(t).Delete(ctx, req)
		b.wrong(t, "Delete", err, kind)
	})
	lift()
	b.Finish(t)
	if obs := b.observe(t, req); obs.State != driver.Ready {
		t.Errorf("afterwards the state is %v, want Ready", obs.State)
	}
	b.gone(t, &req)
}

func lostCreate[S any](t testing.TB, b *bench[S]) {
	var req request[S]
	for skip := 0; ; skip++ { // first of what is made before it, at last of the object itself
		req = b.request(t, b.kind.Full())
		lift := b.fail(t, Fault{Kind: ResponseLost, Writes: true, Skip: skip})
		_, err := b.open(t).Create(t.Context(), req)
		b.wrong(t, "Create", err, ResponseLost)
		lift()
		if b.observe(t, req).State != driver.Absent {
			break
		}
		if skip == b.kind.Before {
			t.Fatal("it was never made")
		}
		if _, err := b.open(t).Create(t.Context(), req); err != nil {
			t.Fatalf("with what an attempt before it made: %v", err)
		}
		req.Applied = b.observe(t, req).Applied
		b.converge(t, &req)
	}
	req.Applied = b.observe(t, req).Applied
	obs := b.converge(t, &req)
	if obs.Mark != b.markOf(req) {
		t.Errorf("the mark is %+v, want %+v", obs.Mark, b.markOf(req))
	}
	if _, err := b.open(t).Create(t.Context(), req); driver.CodeOf(err) != driver.Conflict {
		t.Errorf("a second Create: got error %v, want one of code Conflict", err)
	}
	if again := b.observe(t, req); again.ID != obs.ID {
		t.Errorf("the id changed from %q to %q", obs.ID, again.ID)
	}
}

func lostUpdate[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	f := b.kind.changing(t)
	b.create(t, &req)
	set(t, &req.Spec, f.Name, f.To)
	changes := b.observe(t, req).Changes
	lift := b.fail(t, Fault{Kind: ResponseLost, Writes: true})
	result, err := b.open(t).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err == nil && len(result.Failed) == 1 {
		err = result.Failed[0].Err
	}
	b.wrong(t, "Update", err, ResponseLost)
	lift()
	b.Finish(t)
	unchanged(t, b.observe(t, req))
}

func lostDelete[S any](t testing.TB, b *bench[S]) {
	req := b.deletable(t)
	lift := b.fail(t, Fault{Kind: ResponseLost, Writes: true})
	_, err := b.open(t).Delete(t.Context(), req)
	b.wrong(t, "Delete", err, ResponseLost)
	lift()
	if _, err := b.open(t).Delete(t.Context(), req); err != nil {
		t.Errorf("a second Delete: %v", err)
	}
	b.gone(t, &req)
}

func overContext[S any](t testing.TB, b *bench[S]) {
	req := b.deletable(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	x, before := b.open(t), b.Calls()
	_, observed := x.Observe(ctx, req)
	_, created := x.Create(ctx, req)
	declared := req
	declared.Spec = b.kind.Full()
	_, updated := writeLeast(ctx, b, x, declared)
	_, deleted := x.Delete(ctx, req)
	for i, err := range []error{observed, created, updated, deleted} {
		b.wrong(t, [...]string{"Observe", "Create", "Update", "Delete"}[i], err, Hang)
	}
	if cost := b.Calls().minus(before); cost != (Calls{}) {
		t.Errorf("calls were made: %+v", cost)
	}
}

func lateCreate[S any](t testing.TB, b *bench[S]) {
	b.kind.skipUnlessLong(t)
	req := b.request(t, b.kind.Full())
	lift := b.fail(t, Fault{Kind: FailLate, Writes: true})
	result, err := b.open(t).Create(t.Context(), req)
	lift()
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	req.Operation = result.Operation
	b.Finish(t)
	obs := b.observe(t, req)
	if obs.State == driver.Ready || obs.Available {
		t.Errorf("got %v, available %t: a failed creation counts as done", obs.State, obs.Available)
	}
	if obs.Problem == "" && obs.OperationError == nil {
		t.Error("nothing says what went wrong")
	}
}

func lateUpdate[S any](t testing.TB, b *bench[S]) {
	b.kind.skipUnlessLong(t)
	req := b.request(t, b.kind.Full())
	f := b.kind.changing(t)
	b.create(t, &req)
	set(t, &req.Spec, f.Name, f.To)
	changes := b.observe(t, req).Changes
	lift := b.fail(t, Fault{Kind: FailLate, Writes: true})
	b.update(t, &req, changes)
	lift()
	obs := b.observe(t, req)
	if len(obs.Changes) == 0 {
		t.Error("nothing differs: a failed operation counts as done")
	}
	if req.Operation != "" && obs.OperationError == nil {
		t.Errorf("the operation %q ended in an error, and OperationError is nil", req.Operation)
	}
	req.Operation = ""
	b.converge(t, &req)
}

// skipUnlessLong skips a check of long operations for kinds that have none.
func (k *Kind[S]) skipUnlessLong(t testing.TB) {
	t.Helper()
	if k.Login.Password == "" {
		t.Skip("the kind has no long operations")
	}
}
