package drivertest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// powers returns what holds of objects that can be stopped.
func powers[S any]() []obligation[S] {
	return []obligation[S]{
		{"a new object that is declared stopped is created, and then stopped", createStopped[S]},
		{"while it is stopped, a change that needs it to run says so, is Busy and does nothing", waitsWhileStopped[S]},
		{"what waited while it was stopped is made once it runs", madeOnceStarted[S]},
		{"a stopped object can be deleted", deleteStopped[S]},
	}
}

const stoppedState = string(v1alpha1.PowerStateStopped)

// whileDown makes an object from Full that was stopped by its spec.
func whileDown[S any](t testing.TB, b *bench[S]) request[S] {
	t.Helper()
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	set(t, &req.Spec, driver.FieldPowerState, stoppedState)
	b.converge(t, &req)
	if obs := b.observe(t, req); !obs.Stopped || obs.Available || obs.State != driver.Ready {
		t.Fatalf("stopped by its spec: got %v, available %t, stopped %t", obs.State, obs.Available, obs.Stopped)
	}
	return req
}

// sleeper is a field whose change waits while the object is stopped.
func sleeper[S any](b *bench[S]) Field {
	i := slices.IndexFunc(b.kind.Fields, func(f Field) bool { return f.Name == "storage.sizeGiB" })
	return b.kind.Fields[i]
}

func createStopped[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	set(t, &req.Spec, driver.FieldPowerState, stoppedState)
	b.create(t, &req)
	b.converge(t, &req)
	obs := b.observe(t, req)
	if !obs.Stopped || len(obs.Changes) != 0 || !slices.Equal(obs.Applied[driver.FieldPowerState], []string{stoppedState}) {
		t.Errorf("got stopped %t, changes %v, applied %v", obs.Stopped, obs.Changes, obs.Applied)
	}
	var mirror S
	if err := json.Unmarshal(obs.Mirror, &mirror); err != nil {
		t.Fatal(err)
	}
	if got, _ := get(&mirror, driver.FieldPowerState); got != stoppedState {
		t.Errorf("the mirror says %q", got)
	}
}

func waitsWhileStopped[S any](t testing.TB, b *bench[S]) {
	req, f := whileDown(t, b), sleeper(b)
	set(t, &req.Spec, f.Name, f.To)
	obs := b.observe(t, req)
	if !only(t, obs, f).NeedsRunning {
		t.Errorf("%s does not say that it needs a server that runs", f.Name)
	}
	foretold(t, b, req, obs)
	result, err := b.open(t).Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
	if code := driver.CodeOf(err); err != nil && code != driver.Busy {
		t.Errorf("Update: %v, want Busy", err)
	}
	if err == nil && (len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Busy) {
		t.Errorf("Update: Failed is %v, want %s, Busy", result.Failed, f.Name)
	}
	b.Finish(t)
	if after := b.observe(t, req); !after.Stopped || !slices.Equal(driver.Names(after.Changes), []string{f.Name}) {
		t.Errorf("after it: stopped %t, changes %v", after.Stopped, after.Changes)
	}
}

func madeOnceStarted[S any](t testing.TB, b *bench[S]) {
	req, f := whileDown(t, b), sleeper(b)
	set(t, &req.Spec, f.Name, f.To)
	set(t, &req.Spec, driver.FieldPowerState, string(v1alpha1.PowerStateRunning))
	for _, c := range b.observe(t, req).Changes {
		if c.NeedsRunning != (c.Field == f.Name) {
			t.Errorf("%s: needs a server that runs: %t", c.Field, c.NeedsRunning)
		}
		if !c.NeedsRunning {
			b.update(t, &req, []driver.Change{c})
		}
	}
	obs := b.observe(t, req)
	if !obs.Available || only(t, obs, f).NeedsRunning {
		t.Errorf("once it runs: available %t, %+v", obs.Available, obs.Changes)
	}
	b.converge(t, &req)
	unchanged(t, b.observe(t, req))
}

func deleteStopped[S any](t testing.TB, b *bench[S]) {
	req := whileDown(t, b)
	req.Deletion = &driver.Deletion{Snapshot: req.Name + "-final"}
	for range 2 { // what belongs to an object may go only after it
		if _, err := b.open(t).Delete(t.Context(), req); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		b.Finish(t)
	}
	if obs := b.observe(t, req); obs.State != driver.Absent || obs.Backup.GetFinalSnapshot() != driver.Ready {
		t.Errorf("got %v, snapshot %v", obs.State, obs.Backup.GetFinalSnapshot())
	}
}
