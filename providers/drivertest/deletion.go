package drivertest

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// deletion returns what holds of objects that go.
func deletion[S any]() []obligation[S] {
	return []obligation[S]{
		{"delete/what is deleted becomes Absent", deleteGone[S]},
		{"delete/a missing object is no error", deleteMissing[S]},
		{"delete/what was deleted behind our back is Absent", deleteVanished[S]},
		{"delete/another object of the same name has another ID", deleteID[S]},
		{"delete/what is not empty is NotEmpty and stays, unless by force", deleteContents[S]},
		{"delete/what is protected is Protected and stays", deleteProtected[S]},
		{"delete/a final snapshot is taken first, and seen once it is there", deleteSnapshot[S]},
		{"delete/what fails late is deleted at another try, with the final snapshot", deleteLate[S]},
	}
}

// deletable makes an object that nothing protects, and returns a request to delete it.
func (b *bench[S]) deletable(t testing.TB) request[S] {
	t.Helper()
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	req.Deletion = &driver.Deletion{}
	return req
}

// gone deletes an object, in as many steps as it takes.
func (b *bench[S]) gone(t testing.TB, req *request[S]) driver.Observation {
	t.Helper()
	const rounds = 10
	for range rounds {
		done, err := b.open(t).Delete(t.Context(), *req)
		if err != nil {
			t.Fatalf("Delete: %v", err)
		}
		if done.Unfinished != (done.Removed > 0 || done.Did != "") {
			t.Errorf("Delete says that it is unfinished: %t, that it took away %d things, and that %q", done.Unfinished, done.Removed, done.Did)
		}
		if obs := b.observe(t, *req); obs.State == driver.Failed {
			t.Fatalf("after Delete the state is Failed: %s", obs.Problem)
		}
		b.Finish(t)
		if obs := b.observe(t, *req); obs.State == driver.Absent {
			return obs
		}
	}
	t.Fatalf("still there after %d deletes", rounds)
	return driver.Observation{}
}

func deleteGone[S any](t testing.TB, b *bench[S]) {
	req := b.deletable(t)
	before := b.Calls()
	if _, err := b.open(t).Delete(t.Context(), req); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	if cost := b.Calls().minus(before); cost.Writes != 1 {
		t.Errorf("Delete cost %+v, want one write", cost)
	}
	if _, err := b.open(t).Delete(t.Context(), req); err != nil {
		t.Errorf("a second Delete while the cloud is at it: %v", err)
	}
	b.Finish(t)
	if obs := b.observe(t, req); obs.State != driver.Absent {
		t.Errorf("the state is %v, want Absent", obs.State)
	}
}

func deleteMissing[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	req.Deletion = &driver.Deletion{}
	if _, err := b.open(t).Delete(t.Context(), req); err != nil {
		t.Errorf("Delete: %v", err)
	}
}

func deleteVanished[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Cloud.Remove != nil, "way to delete behind the driver's back")
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	b.kind.Cloud.Remove(t, req.Name)
	b.Finish(t)
	if obs := b.observe(t, req); obs.State != driver.Absent {
		t.Errorf("the state is %v, want Absent", obs.State)
	}
	b.create(t, &req)
}

func deleteID[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.HasID, "identity of the cloud's own")
	req := b.deletable(t)
	first := req.ID
	b.gone(t, &req)
	req.Deletion = nil
	if obs := b.create(t, &req); obs.ID == first {
		t.Errorf("both have the id %q: one deleted behind our back and made anew would pass for ours", first)
	}
}

func deleteContents[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Contents && b.kind.Cloud.Fill != nil, "way to fill an object")
	req := b.deletable(t)
	b.kind.Cloud.Fill(t, req.Name)
	_, err := b.open(t).Delete(t.Context(), req)
	if code := driver.CodeOf(err); err == nil || code != driver.NotEmpty {
		t.Errorf("Delete: got error %v (%v), want one of code NotEmpty", err, code)
	} else if !strings.Contains(err.Error(), "spec.forceDestroy") {
		t.Errorf("Delete: %q does not say that spec.forceDestroy is the next move", err)
	}
	b.Finish(t)
	unchanged(t, b.observe(t, req))
	req.Deletion.Force = true
	b.gone(t, &req)
}

func deleteProtected[S any](t testing.TB, b *bench[S]) {
	const protection = "deletionProtection"
	skipUnless(t, slices.ContainsFunc(b.kind.Fields, func(f Field) bool { return f.Name == protection }), "deletion protection")
	spec := b.kind.Full()
	set(t, &spec, protection, true)
	req := b.request(t, spec)
	b.create(t, &req)
	req.Deletion = &driver.Deletion{}
	if obs := b.observe(t, req); !obs.Protected {
		t.Error("Observe does not say that it is protected")
	}
	_, err := b.open(t).Delete(t.Context(), req)
	if code := driver.CodeOf(err); err == nil || code != driver.Protected {
		t.Errorf("Delete: got error %v (%v), want one of code Protected", err, code)
	}
	b.Finish(t)
	unchanged(t, b.observe(t, req))
	set(t, &req.Spec, protection, false)
	lifted, err := b.open(t).Update(t.Context(), req, driver.Edit{Changes: b.observe(t, req).Changes})
	if err != nil || len(lifted.Failed) > 0 {
		t.Fatalf("Update: %v, failed: %v", err, lifted.Failed)
	}
	req.Operation = lifted.Operation
	if obs := b.observe(t, req); obs.Protected && !slices.Contains(driver.Names(obs.Changes), protection) {
		t.Error("Observe says that it is protected, and shows no change that lifts the protection: a caller would ask for what the spec says")
	}
	b.Finish(t)
	if obs := b.observe(t, req); obs.Protected {
		t.Error("Observe says that it is protected still")
	}
	b.gone(t, &req)
}

func deleteSnapshot[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Snapshots, "final snapshots")
	req := b.deletable(t)
	req.Deletion.Snapshot = req.Name + "-final"
	if obs := b.observe(t, req); obs.Backup.GetFinalSnapshot() == driver.Ready {
		t.Error("the snapshot is Ready before anything was deleted")
	}
	obs := b.gone(t, &req)
	if obs.Backup.GetFinalSnapshot() != driver.Ready {
		t.Errorf("once the object is Absent and the cloud had its time, the snapshot is %v, want Ready", obs.Backup.GetFinalSnapshot())
	}
	never := req
	never.Deletion = &driver.Deletion{Snapshot: req.Name + "-never"}
	if obs := b.observe(t, never); obs.Backup.GetFinalSnapshot() != driver.Absent {
		t.Errorf("a snapshot that was never taken is %v, want Absent", obs.Backup.GetFinalSnapshot())
	}
	unnamed := req
	unnamed.Deletion = &driver.Deletion{}
	if obs := b.observe(t, unnamed); obs.Backup.GetFinalSnapshot() != driver.Unknown {
		t.Errorf("a snapshot that nobody asked about is %v, want Unknown", obs.Backup.GetFinalSnapshot())
	}
}

// deleteLate has the cloud accept a deletion that fails later, when the final snapshot may have been taken. Another try goes on, as soon as the cloud lets it.
func deleteLate[S any](t testing.TB, b *bench[S]) {
	b.kind.skipUnlessLong(t)
	skipUnless(t, b.kind.Snapshots, "final snapshots")
	req := b.deletable(t)
	req.Deletion.Snapshot = req.Name + "-final"
	lift := b.fail(t, Fault{Kind: FailLate, Writes: true})
	done, err := b.open(t).Delete(t.Context(), req)
	lift()
	if err != nil {
		t.Fatalf("Delete: %v", err)
	}
	req.Operation = done.Operation
	b.Finish(t)
	if obs := b.observe(t, req); obs.State == driver.Absent || obs.State == driver.Deleting {
		t.Fatalf("after a deletion that failed the state is %v", obs.State)
	}
	req.Operation = ""
	if obs := b.gone(t, &req); obs.Backup.GetFinalSnapshot() != driver.Ready {
		t.Errorf("once the object is Absent the final snapshot is %v, want Ready", obs.Backup.GetFinalSnapshot())
	}
}
