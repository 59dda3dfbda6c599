package drivertest

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// restores returns what holds of objects that are made of snapshots.
func restores[S any]() []obligation[S] {
	return []obligation[S]{
		{"restore/an object of a snapshot is as declared, has its own mark from the first moment, and the password of the snapshot until another is set", restored[S]},
		{"restore/the cloud takes the password over afterwards", restoredManaged[S]},
		{"restore/what was deleted comes back under its old name", restoredAgain[S]},
		{"restore/of a snapshot that does not exist, nothing is made", restoreMissing[S]},
		{"restore/an object of another one at the latest time is as declared, and has its own mark", recovered[S]},
		{"restore/a copy of another one loses what its spec lacks, and has its own mark afterwards", copied[S]},
		{"restore/what has another mark by now is not copied", copyRefused[S]},
		{"restore/to a point in time where the cloud has none is refused, and nothing is made", refusesRecovery[S]},
		{"restore/of an object that does not exist any more under its id, nothing is made", recoverMissing[S]},
		{"restore/of one that was deleted the cloud says which times are left, and an object of one of them is as declared, and has its own mark", restoredDeleted[S]},
		{"restore/of one that was deleted nothing is left for another mark and another name", deletedOfAnother[S]},
		{"restore/of one that is there nothing is left, and nothing is said of what nobody asks for", leftOfTheLiving[S]},
		{"restore/where the cloud restores nothing that was deleted to a time, it says nothing of it", saysNothingOfTheDeleted[S]},
		{"restore/a second one is Conflict and changes nothing", restoredTwice[S]},
	}
}

// taken makes an object, and a snapshot of it. It returns the request of the object, and how to make another one of the snapshot.
func taken[S any](t testing.TB, b *bench[S]) (request[S], *driver.Restore) {
	t.Helper()
	r := b.described(t)
	skipUnless(t, r.Capabilities.Restores, "way to make one of a snapshot")
	all := b.Driver.Describe().Resources
	of := all[slices.IndexFunc(all, func(other driver.Resource) bool { return other.Source == b.name })]
	req := b.request(t, b.kind.Full())
	obs := b.create(t, &req)
	snapshot := driver.Request{
		Name: req.Name + "-taken", Location: req.Location, Parent: driver.ParentRef{Name: req.Name, ID: obs.ID}, Spec: driver.NewSpec(struct{}{}),
		Mark: driver.Mark{Cluster: req.Mark.Cluster, Namespace: req.Mark.Namespace, Name: req.Name + "-taken", UID: "uid-taken"},
	}
	session := b.Harness.open(t)
	if _, err := session.Create(t.Context(), of.Kind, snapshot, driver.Secrets{}); err != nil {
		t.Fatalf("take a snapshot: %v", err)
	}
	b.Finish(t)
	snapshot.NotBefore = b.Now()
	seen, err := session.Observe(t.Context(), of.Kind, snapshot, driver.Secrets{})
	if err != nil || !seen.Available {
		t.Fatalf("the snapshot is %v: %v", seen.State, err)
	}
	return req, &driver.Restore{Snapshot: snapshot.Name, SnapshotID: seen.ID}
}

// ofSnapshot returns a request for another object of a snapshot, with another password.
func ofSnapshot[S any](t testing.TB, b *bench[S], from *driver.Restore) request[S] {
	t.Helper()
	req := b.request(t, b.kind.Full())
	req.Mark.UID = "uid-restored"
	req.Restore = from
	req.Applied = b.observe(t, req).Applied
	return req
}

// restore makes the object of a request, which is to bear its mark at once.
func restore[S any](t testing.TB, b *bench[S], req *request[S]) {
	t.Helper()
	sent := *req
	sent.Login.Password = ""
	before := b.Calls()
	result, err := b.open(t).Create(t.Context(), sent)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	most := 1 + b.kind.Before
	if req.Restore.Follows {
		most = 1 // what belongs to it is there, as what belongs to the other one
	}
	if cost := b.Calls().minus(before); cost.Writes > most {
		t.Errorf("it was made by %d writes, want one: what is there between two of them could be lost", cost.Writes)
	}
	req.ID, req.Operation = result.ID, result.Operation
	first := req.Mark
	if copies := b.described(t).Capabilities.Copies && req.Restore.Snapshot == "" && !req.Restore.Follows; copies {
		first = req.Restore.SourceMark
	}
	obs := b.observe(t, *req)
	if obs.State != driver.Absent && obs.Mark != first {
		t.Errorf("it has the mark %+v at first, want %+v", obs.Mark, first)
	}
	if req.Restore.Follows {
		wantFollowing(t, obs, req.Restore.Source.Name)
	}
	if first != req.Mark {
		b.Finish(t)
		b.do(t, req, writeMark)
		b.Finish(t)
		if obs := b.observe(t, *req); obs.Mark != req.Mark {
			t.Errorf("after its own mark was written, it has %+v, want %+v", obs.Mark, req.Mark)
		}
	}
	b.converge(t, req)
}

// makesNothing tries to make the object of a request, which is to be refused with a code.
func makesNothing[S any](t testing.TB, b *bench[S], req request[S], code driver.Code) {
	t.Helper()
	sent := req
	sent.Login.Password = ""
	if _, err := b.open(t).Create(t.Context(), sent); err == nil || driver.CodeOf(err) != code {
		t.Errorf("Create: got error %v (%v), want one of code %v", err, driver.CodeOf(err), code)
	}
	if obs := b.observe(t, req); obs.State != driver.Absent {
		t.Errorf("after that the state is %v, want Absent", obs.State)
	}
}

func restored[S any](t testing.TB, b *bench[S]) {
	of, from := taken(t, b)
	req := ofSnapshot(t, b, from)
	req.Login.Password += "-another"
	restore(t, b, &req)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.Mark != req.Mark || !obs.Available || obs.ID == of.ID && obs.ID != "" {
		t.Errorf("got the mark %+v and the id %q, available: %t; want the mark %+v and an id of its own", obs.Mark, obs.ID, obs.Available, req.Mark)
	}
	if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != of.Login.Password {
		t.Error("the administrator does not have the password of the snapshot")
	}
	b.changePassword(t, &req, driver.SetPassword)
	unchanged(t, b.observe(t, req))
	if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != req.Login.Password {
		t.Error("the administrator did not get the new password")
	}
	unchanged(t, b.observe(t, of)) // what the snapshot was taken of
}

func restoredManaged[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.ManagedPassword, "cloud that manages passwords")
	_, from := taken(t, b)
	req := ofSnapshot(t, b, from)
	req.CloudManaged = true
	restore(t, b, &req)
	b.changePassword(t, &req, driver.HandOverPassword)
	wantManaged(t, b, req, true)
}

func restoredAgain[S any](t testing.TB, b *bench[S]) {
	req, from := taken(t, b)
	skipUnless(t, !b.described(t).Capabilities.Contents, "kind that is deleted at once")
	again := req
	req.Deletion = &driver.Deletion{}
	b.gone(t, &req)
	again.Restore, again.ID, again.Operation, again.Applied = from, "", "", nil
	restore(t, b, &again)
	unchanged(t, b.observe(t, again))
}

func restoreMissing[S any](t testing.TB, b *bench[S]) {
	_, from := taken(t, b)
	from.Snapshot += "-no"
	if from.SnapshotID != "" {
		from.SnapshotID += "9"
	}
	req := ofSnapshot(t, b, from)
	makesNothing(t, b, req, driver.NotFound)
}

func restoredTwice[S any](t testing.TB, b *bench[S]) {
	of, from := taken(t, b)
	again := of
	again.Restore, again.Mark.UID, again.Login.Password = from, "uid-thief", ""
	if _, err := b.open(t).Create(t.Context(), again); err == nil || driver.CodeOf(err) != driver.Conflict {
		t.Errorf("Create: got error %v (%v), want one of code Conflict", err, driver.CodeOf(err))
	}
	unchanged(t, b.observe(t, of))
}

// source makes an object that can be restored as it was, and returns its request and how to name it.
func source[S any](t testing.TB, b *bench[S]) (request[S], *driver.Restore) {
	t.Helper()
	skipUnless(t, b.described(t).Capabilities.PointInTime, "way to make one of another at a time")
	req := b.request(t, b.kind.Full())
	obs := b.create(t, &req)
	b.Finish(t)
	from := &driver.Restore{Source: driver.ParentRef{Name: req.Name, ID: obs.ID}}
	if b.described(t).Capabilities.Copies {
		from.SourceMark = req.Mark
	}
	return req, from
}

// copied makes a copy whose spec has no field that returns to a safe value. What the other one had counts as applied to it, as the caller notes.
func copied[S any](t testing.TB, b *bench[S]) {
	of, from := source(t, b)
	skipUnless(t, b.described(t).Capabilities.Copies, "object that is born as a copy")
	req := ofSnapshot(t, b, from)
	req.Applied = b.observe(t, of).Applied
	var left []Field
	for _, f := range b.kind.Fields {
		if f.Safe != nil && !slices.Contains(b.kind.Needed, f.Name) {
			set(t, &req.Spec, f.Name, nil)
			left = append(left, f)
		}
	}
	restore(t, b, &req)
	for _, f := range left {
		if _, still := req.Applied[f.Name]; still {
			t.Errorf("%s still counts as applied", f.Name)
		}
	}
	has := mirrored(t, b, req)
	for _, f := range left {
		if got := readings(t, has, f)[f.Name]; got != Text(f.Safe) && got != "" {
			t.Errorf("%s is %q, want its safe value %q", f.Name, got, f.Safe)
		}
	}
	unchanged(t, b.observe(t, of))
}

func copyRefused[S any](t testing.TB, b *bench[S]) {
	of, from := source(t, b)
	skipUnless(t, b.described(t).Capabilities.Copies, "object that is born as a copy")
	from.SourceMark.UID = "uid-before"
	req := ofSnapshot(t, b, from)
	makesNothing(t, b, req, driver.Conflict)
	unchanged(t, b.observe(t, of))
}

func recovered[S any](t testing.TB, b *bench[S]) {
	of, from := source(t, b)
	req := ofSnapshot(t, b, from)
	restore(t, b, &req)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.Mark != req.Mark || !obs.Available || obs.ID == of.ID {
		t.Errorf("got the mark %+v and the id %q, available: %t; want the mark %+v and an id of its own", obs.Mark, obs.ID, obs.Available, req.Mark)
	}
	unchanged(t, b.observe(t, of))
}

func recoverMissing[S any](t testing.TB, b *bench[S]) {
	_, from := source(t, b)
	from.Source.ID += "-before"
	req := ofSnapshot(t, b, from)
	makesNothing(t, b, req, driver.NotFound)
}

func refusesRecovery[S any](t testing.TB, b *bench[S]) {
	can := b.described(t).Capabilities
	skipUnless(t, can.Restores && !can.PointInTime, "kind that is restored from snapshots alone")
	of := b.request(t, b.kind.Full())
	req := ofSnapshot(t, b, &driver.Restore{Source: driver.ParentRef{Name: of.Name, ID: b.create(t, &of).ID}})
	makesNothing(t, b, req, driver.Unsupported)
}
