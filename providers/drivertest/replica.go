package drivertest

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// replicas returns what holds of objects that follow others.
func replicas[S any]() []obligation[S] {
	return []obligation[S]{
		{"replica/an object that follows another one has its own mark from the first moment, and says what it follows", replicated[S]},
		{"replica/a promotion ends it, and everything of the spec differs then until it converged", promoted[S]},
		{"replica/a promotion asked for twice is no error", promotedTwice[S]},
		{"replica/of one that does not exist under its id nothing is made", followsMissing[S]},
		{"replica/of one that has another object's mark by now nothing is made", followsAnothers[S]},
		{"replica/a second creation is Conflict and changes nothing", followedTwice[S]},
		{"replica/what follows takes no final snapshot", followerTakesNone[S]},
		{"replica/where the cloud has none it is Unsupported", refusesReplicas[S]},
	}
}

// promotion is the command that ends that an object follows another one.
var promotion = driver.Command{Verb: driver.Promote}

// primary makes an object that others can follow. It returns its request, and that of one that is to follow it.
func primary[S any](t testing.TB, b *bench[S]) (of, req request[S]) {
	t.Helper()
	skipUnless(t, b.described(t).Capabilities.Replicas, "object that follows another one")
	of = b.request(t, b.kind.primary())
	obs := b.create(t, &of)
	if obs.Replication.GetFollows() != nil || len(obs.Replication.GetFollowers()) > 0 {
		t.Errorf("nobody follows anybody, and got %+v and %v", obs.Replication.GetFollows(), obs.Replication.GetFollowers())
	}
	return of, ofSnapshot(t, b, &driver.Restore{Follows: true, Source: driver.ParentRef{Name: of.Name, ID: obs.ID}, SourceMark: of.Mark})
}

// primary returns parameters of an object that others can follow.
func (k *Kind[S]) primary() S {
	if k.Primary != nil {
		return k.Primary()
	}
	return k.Full()
}

// followsAnothers makes nothing follow what an object of another namespace has by now, whatever id it has.
func followsAnothers[S any](t testing.TB, b *bench[S]) {
	of, req := primary(t, b)
	req.Restore.SourceMark.Namespace += "-other"
	makesNothing(t, b, req, driver.Invalid)
	unchanged(t, b.observe(t, of))
}

// wantFollowing checks what an observation says of whom the object follows: nobody if the name is empty.
func wantFollowing(t testing.TB, obs driver.Observation, name string) {
	t.Helper()
	switch {
	case name == "" && obs.Replication.GetFollows() != nil:
		t.Errorf("it follows %+v, want nobody", *obs.Replication.GetFollows())
	case name != "" && obs.Replication.GetFollows() == nil:
		t.Errorf("it follows nobody, want %s", name)
	case name != "":
		got := *obs.Replication.GetFollows()
		if lag := got.Lag; lag != nil && *lag < 0 {
			t.Errorf("it lags behind by %s, which nothing can", *lag)
		}
		if got.Lag = nil; got != (driver.Following{Primary: name}) {
			t.Errorf("it follows %+v, want %s in the same location, without a problem", got, name)
		}
	}
}

// wantFollowers checks who follows an object, also for those who are about to delete it.
func wantFollowers[S any](t testing.TB, b *bench[S], of request[S], names ...string) {
	t.Helper()
	of.Deletion = nil
	for _, deletion := range []*driver.Deletion{nil, {}} {
		of.Deletion = deletion
		if got := b.observe(t, of).Replication.GetFollowers(); !slices.Equal(got, names) {
			t.Errorf("it is followed by %v, want %v (deletion: %t)", got, names, deletion != nil)
		}
	}
}

func replicated[S any](t testing.TB, b *bench[S]) {
	of, req := primary(t, b)
	restore(t, b, &req)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.Mark != req.Mark || !obs.Available || obs.ID == "" || obs.ID == of.ID {
		t.Errorf("got the mark %+v and the id %q, available: %t; want the mark %+v and an id of its own", obs.Mark, obs.ID, obs.Available, req.Mark)
	}
	wantFollowing(t, obs, of.Name)
	going := req
	going.Deletion = &driver.Deletion{}
	wantFollowing(t, b.observe(t, going), of.Name)
	wantFollowers(t, b, of, req.Name)
	wantFollowers(t, b, req)
	unchanged(t, b.observe(t, of))
}

func promoted[S any](t testing.TB, b *bench[S]) {
	of, req := primary(t, b)
	restore(t, b, &req)
	if cost := b.do(t, &req, promotion); cost.Writes != 1 {
		t.Errorf("a promotion cost %+v, want one write", cost)
	}
	wantFollowing(t, b.observe(t, req), "")
	obs := b.converge(t, &req)
	wantFollowing(t, obs, "")
	wantFollowers(t, b, of)
	unchanged(t, b.observe(t, of))
	has := mirrorOf[S](t, obs)
	for _, f := range b.kind.Fields {
		want, declared := get(&req.Spec, f.Name)
		if got, _ := get(&has, f.Name); declared && got != want {
			t.Errorf("%s is %q once nothing differs, want %q", f.Name, got, want)
		}
	}
}

func promotedTwice[S any](t testing.TB, b *bench[S]) {
	_, req := primary(t, b)
	restore(t, b, &req)
	promote := func(when string) Calls {
		t.Helper()
		before := b.Calls()
		if result, err := b.open(t).Do(t.Context(), req, promotion); err != nil || len(result.Failed) > 0 {
			t.Errorf("%s: got error %v, failed %v", when, err, result.Failed)
		}
		return b.Calls().minus(before)
	}
	promote("at first")
	promote("while the cloud is at it")
	b.Finish(t)
	wantFollowing(t, b.observe(t, req), "")
	if cost := promote("once it is done"); cost.Writes != 0 {
		t.Errorf("a promotion that is done cost %+v, want no writes", cost)
	}
	b.converge(t, &req)
}

func followsMissing[S any](t testing.TB, b *bench[S]) {
	of, req := primary(t, b)
	req.Restore.Source.ID += "-before"
	makesNothing(t, b, req, driver.NotFound)
	wantFollowers(t, b, of)
}

func followedTwice[S any](t testing.TB, b *bench[S]) {
	of, req := primary(t, b)
	restore(t, b, &req)
	again := req
	again.ID, again.Mark.UID, again.Login.Password = "", "uid-thief", ""
	if _, err := b.open(t).Create(t.Context(), again); err == nil || driver.CodeOf(err) != driver.Conflict {
		t.Errorf("Create: got error %v (%v), want one of code Conflict", err, driver.CodeOf(err))
	}
	b.Finish(t)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.Mark != req.Mark {
		t.Errorf("the mark is %+v, want %+v", obs.Mark, req.Mark)
	}
	wantFollowers(t, b, of, req.Name)
}

// followerTakesNone deletes an object that follows another one, although a final snapshot was asked for. It is not protected, and nobody follows it.
func followerTakesNone[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Snapshots, "final snapshot")
	of, req := primary(t, b)
	restore(t, b, &req)
	req.Deletion = &driver.Deletion{Snapshot: req.Name + "-final"}
	obs := b.gone(t, &req)
	if obs.Backup.GetFinalSnapshot() != driver.Absent {
		t.Errorf("the final snapshot is %v, want Absent", obs.Backup.GetFinalSnapshot())
	}
	wantFollowers(t, b, of)
	unchanged(t, b.observe(t, of))
}

func refusesReplicas[S any](t testing.TB, b *bench[S]) {
	if b.described(t).Capabilities.Replicas {
		t.Skip("not shown: it has replicas")
	}
	of := b.request(t, b.kind.Full())
	obs := b.create(t, &of)
	req := b.request(t, b.kind.Full())
	req.Restore = &driver.Restore{Follows: true, Source: driver.ParentRef{Name: of.Name, ID: obs.ID}}
	makesNothing(t, b, req, driver.Unsupported)
	if _, err := b.open(t).Do(t.Context(), of, promotion); err == nil || driver.CodeOf(err) != driver.Unsupported {
		t.Errorf("a promotion: got error %v (%v), want one of code Unsupported", err, driver.CodeOf(err))
	}
	unchanged(t, b.observe(t, of))
}
