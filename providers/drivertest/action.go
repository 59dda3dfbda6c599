package drivertest

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// actions returns what holds of actions that people ask for. has are those that objects of the kind have.
func actions[S any](has []driver.Action) []obligation[S] {
	var all []obligation[S]
	for _, action := range driver.Actions {
		name := "action " + string(action) + "/"
		if !slices.Contains(has, action) { // commandLacking has it
			continue
		}
		all = append(all,
			obligation[S]{name + "takes one write, and nothing differs after it", func(t testing.TB, b *bench[S]) { actOnce(t, b, action) }},
			obligation[S]{name + "goes to the object that was observed, as it was observed", func(t testing.TB, b *bench[S]) { actElsewhere(t, b, action) }},
			obligation[S]{name + "is Unavailable if the answer is lost, and is not repeated", func(t testing.TB, b *bench[S]) { actLost(t, b, action) }},
			obligation[S]{name + "that sends nothing does not look like one that may have arrived", func(t testing.TB, b *bench[S]) { actUnread(t, b, action) }},
		)
		if action != driver.Restart {
			all = append(all, obligation[S]{name + "is Invalid for an object that can't have it, and costs no write", func(t testing.TB, b *bench[S]) { actRefused(t, b, action) }})
		}
	}
	return all
}

// actor makes an object that can have an action: one with a standby, whose password the cloud manages if the action is about that.
func actor[S any](t testing.TB, b *bench[S], action driver.Action) (request[S], driver.ActionState) {
	t.Helper()
	if action == driver.RotatePassword {
		req := underManagement(t, b)
		return req, mayAct(t, b, req, action)
	}
	spec := b.kind.Full()
	if action == driver.Failover {
		spec = withStandby(t, b)
	}
	req := b.request(t, spec)
	b.create(t, &req)
	b.converge(t, &req)
	return req, mayAct(t, b, req, action)
}

// withStandby returns parameters of an object that has a standby, and all else that goes with one.
func withStandby[S any](t testing.TB, b *bench[S]) S {
	t.Helper()
	two := string(v1alpha1.AvailabilityMultiZone)
	spec := b.kind.Full()
	if at := slices.IndexFunc(b.kind.Fields, func(f Field) bool { return f.Name == "availability" && f.To == any(two) }); at >= 0 {
		spec = given(t, b, b.kind.Fields[at])
	}
	set(t, &spec, "availability", two)
	return spec
}

// mayAct returns what an observation says of an action that the object can have now.
func mayAct[S any](t testing.TB, b *bench[S], req request[S], action driver.Action) driver.ActionState {
	t.Helper()
	state, says := b.observe(t, req).Actions[action]
	if !says || state.Refused != "" || state.Waits != "" || state.UnderWay {
		t.Fatalf("Observe says of the action (%t): %+v", says, state)
	}
	return state
}

func actOnce[S any](t testing.TB, b *bench[S], action driver.Action) {
	req, before := actor(t, b, action)
	id := b.observe(t, req).ID
	if cost := b.do(t, &req, driver.Command{Verb: action, Before: before.Before}); cost.Writes != 1 {
		t.Errorf("the action cost %+v, want one write", cost)
	}
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.ID != id {
		t.Errorf("the object was %q, and is %q", id, obs.ID)
	}
	after := mayAct(t, b, req, action)
	if after.Before == before.Before && before.Before != "" {
		t.Errorf("after it Observe says %q, as before: nothing shows that it was done", after.Before)
	}
	if action == driver.Failover && before.Before == "" {
		t.Error("nothing shows a failover")
	}
}

func actElsewhere[S any](t testing.TB, b *bench[S], action driver.Action) {
	req, before := actor(t, b, action)
	writes := b.Calls().Writes
	if _, err := b.open(t).Do(t.Context(), req, driver.Command{Verb: action, Before: before.Before + "-no-longer"}); err == nil || driver.CodeOf(err) != driver.Conflict {
		t.Errorf("with what is no longer so: got error %v, want Conflict", err)
	}
	missing := b.request(t, b.kind.Full())
	if _, err := b.open(t).Do(t.Context(), missing, driver.Command{Verb: action}); err == nil || driver.CodeOf(err) != driver.NotFound {
		t.Errorf("of a missing object: got error %v, want NotFound", err)
	}
	if b.kind.HasID {
		other := req
		other.ID = "another"
		if _, err := b.open(t).Do(t.Context(), other, driver.Command{Verb: action, Before: before.Before}); err == nil || driver.CodeOf(err) != driver.Conflict {
			t.Errorf("of another object of that name: got error %v, want Conflict", err)
		}
	}
	if cost := b.Calls().Writes - writes; cost != 0 {
		t.Errorf("that cost %d writes", cost)
	}
}

func actLost[S any](t testing.TB, b *bench[S], action driver.Action) {
	req, before := actor(t, b, action)
	calls := b.Calls()
	lift := b.fail(t, Fault{Kind: ResponseLost, Writes: true})
	_, err := b.open(t).Do(t.Context(), req, driver.Command{Verb: action, Before: before.Before})
	lift()
	if err == nil || driver.CodeOf(err) != driver.Unavailable {
		t.Errorf("got error %v, want Unavailable", err)
	}
	if cost := b.Calls().minus(calls); cost.Writes != 1 {
		t.Errorf("it cost %+v, want one write", cost)
	}
	b.Finish(t)
	unchanged(t, b.observe(t, req))
}

func actUnread[S any](t testing.TB, b *bench[S], action driver.Action) {
	req, before := actor(t, b, action)
	writes := b.Calls().Writes
	lift := b.fail(t, Fault{Kind: ServerError, Reads: true})
	_, err := b.open(t).Do(t.Context(), req, driver.Command{Verb: action, Before: before.Before})
	lift()
	if code := driver.CodeOf(err); err == nil || code == driver.Unavailable || code == driver.Internal {
		t.Errorf("got error %v, whose code says that it may have arrived", err)
	}
	if cost := b.Calls().Writes - writes; cost != 0 {
		t.Errorf("it cost %d writes", cost)
	}
}

func actRefused[S any](t testing.TB, b *bench[S], action driver.Action) {
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	b.converge(t, &req)
	state := b.observe(t, req).Actions[action]
	if state.Refused == "" {
		t.Fatalf("Observe says of the action: %+v", state)
	}
	writes := b.Calls().Writes
	if _, err := b.open(t).Do(t.Context(), req, driver.Command{Verb: action, Before: state.Before}); err == nil || driver.CodeOf(err) != driver.Invalid {
		t.Errorf("got error %v, want Invalid", err)
	}
	if cost := b.Calls().Writes - writes; cost != 0 {
		t.Errorf("it cost %d writes", cost)
	}
}
