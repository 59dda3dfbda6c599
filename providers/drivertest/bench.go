package drivertest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type (
	external[S any]   = table.External[S]
	request[S any]    = table.Request[S]
	obligation[S any] struct {
		name string
		run  func(t testing.TB, b *bench[S])
	}
)

// bench tries one kind.
type bench[S any] struct {
	*Harness
	kind   *Kind[S]
	name   string
	serial int
	// held is the session for all calls; nil if each has one of its own.
	held external[S]
	// parent is what objects are made within; zero for a kind without a parent, or before the first.
	parent driver.ParentRef
}

func newBench[S any](h *Harness, name string, kind *Kind[S]) *bench[S] {
	return &bench[S]{Harness: h, kind: kind, name: name}
}

// checks returns the kind's obligations, those of single fields by field.
func (b *bench[S]) checks() []Check {
	all := slices.Concat(life[S](b.kind.Login.Password != "", b.kind.ManagedPassword), ownership[S](), parents[S](), sources[S](), restores[S](), replicas[S](), vanished[S](), differences[S](b.kind.Fields), failures[S](), deletion[S](), lists[S](), actions[S](b.kind.Actions), commands[S](), lacking[S](b.kind.Lacking))
	for _, f := range b.kind.Fields {
		for _, o := range single[S](f) {
			all = append(all, obligation[S]{"field " + f.Name + "/" + o.name, o.run})
		}
	}
	checks := make([]Check, 0, len(all))
	for _, o := range all {
		checks = append(checks, Check{b.name + "/" + o.name, func(t testing.TB) { o.run(t, b) }})
	}
	return checks
}

// open returns the kind in the suite's account.
func (b *bench[S]) open(t testing.TB) external[S] {
	t.Helper()
	if b.held != nil {
		return b.held
	}
	return table.Of[S](b.Harness.open(t), b.name)
}

// described returns what the driver says of the kind.
func (b *bench[S]) described(t testing.TB) driver.Resource {
	t.Helper()
	d := b.Driver.Describe()
	r, has := d.Resource(b.name)
	if !has {
		t.Fatalf("the driver describes no %s, and has one", b.name)
	}
	return r
}

// preview returns what the driver says of an edit, before it is made.
func (b *bench[S]) preview(t testing.TB, from, to S, applied driver.Applied) []driver.Change {
	t.Helper()
	before, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	after, err := json.Marshal(to)
	if err != nil {
		t.Fatal(err)
	}
	changes, err := b.Driver.Preview(b.name, before, after, applied)
	if err != nil {
		t.Fatalf("Preview: %v", err)
	}
	return changes
}

// checked demands that nothing is refused of a spec that the driver takes. mirror is nil for a new object.
func (b *bench[S]) checked(t testing.TB, req request[S], mirror json.RawMessage) {
	t.Helper()
	spec, err := json.Marshal(req.Spec)
	if err != nil {
		t.Fatal(err)
	}
	before := b.Calls()
	refusals, err := b.Driver.Check(b.name, driver.Draft{Spec: spec, Observed: mirror, Location: req.Location})
	if err != nil || len(refusals) > 0 {
		t.Errorf("Check refuses what the driver takes: %+v, %v", refusals, err)
	}
	if b.Calls() != before {
		t.Error("Check called the cloud")
	}
}

// request returns a request for an object of a new name.
func (b *bench[S]) request(t testing.TB, spec S) request[S] {
	t.Helper()
	b.serial++
	name := fmt.Sprintf("%s-%s-%d", b.Prefix, strings.ToLower(b.name), b.serial)
	return request[S]{
		Request: driver.Request{
			Name:      name,
			Location:  b.Config.Location,
			Parent:    origin(t, b),
			NotBefore: b.Now(),
			Mark:      driver.Mark{Cluster: "cluster-1", Namespace: "shop", Name: name, UID: "uid-1", NamespaceUID: "0b4f0a3e-5d0c-4b6e-9c5a-2f1d7e8c9a10"},
		},
		Spec: spec, Login: b.kind.Login,
	}
}

// observe observes, and checks what holds of every observation that is no error.
func (b *bench[S]) observe(t testing.TB, req request[S]) driver.Observation {
	t.Helper()
	req.NotBefore = b.Now()
	before, was := b.Calls(), fingerprint(t, req)
	obs, err := b.open(t).Observe(t.Context(), req)
	if err != nil {
		t.Fatalf("Observe: %v", err)
	}
	if cost := b.Calls().minus(before); cost.Writes != 0 {
		t.Errorf("Observe wrote: %+v: reads never write", cost)
	}
	if fingerprint(t, req) != was {
		t.Error("Observe changed its request")
	}
	b.sound(t, req, obs)
	return obs
}

// sound checks what holds of every observation.
func (b *bench[S]) sound(t testing.TB, req request[S], obs driver.Observation) {
	t.Helper()
	if obs.State == driver.Unknown {
		t.Error("the state is Unknown without an error")
	}
	if there := obs.State != driver.Unknown && obs.State != driver.Absent; there && obs.Location == "" {
		t.Errorf("%v, and nothing says where: it might be created again elsewhere", obs.State)
	}
	if (obs.State == driver.Absent || obs.State == driver.Deleting) && len(obs.Changes) > 0 {
		t.Errorf("%v, and yet there are changes: %v", obs.State, obs.Changes)
	}
	b.soundChanges(t, obs.Changes)
	seen := driver.Names(obs.Changes)
	for _, u := range obs.Unreadable {
		if slices.Contains(seen, u.Field) {
			t.Errorf("%q could not be read, and yet a change of it was reported", u.Field)
		}
	}
	for _, field := range obs.LeftOut {
		if slices.Contains(seen, field) {
			t.Errorf("%q is left out, and yet a change of it was reported", field)
		}
	}
	if names := b.described(t).UnexpectedFacets(&obs); len(names) > 0 {
		t.Errorf("the observation has the facets %v, and the kind lacks their capabilities", names)
	}
	if b.kind.Login.Password != "" {
		encoded, err := json.Marshal(obs) // with what its facets point to
		if text := fmt.Sprintf("%+v %s %s", obs, obs.Mirror, encoded); err != nil || strings.Contains(text, req.Login.Password) {
			t.Errorf("the observation shows the password, or can't be encoded: %v", err)
		}
	}
}

// soundChanges checks what holds of all changes of an observation.
func (b *bench[S]) soundChanges(t testing.TB, changes []driver.Change) {
	t.Helper()
	var seen []string
	docs := b.described(t).Fields
	for _, c := range changes {
		if slices.Contains(seen, c.Field) {
			t.Errorf("two changes of %q", c.Field)
		}
		seen = append(seen, c.Field)
		if c.Field == driver.FieldMark {
			t.Errorf("a change of %q was reported: only the caller knows when that is wanted", c.Field)
		}
		if !listed(docs, c) && (c.Why == "" || !slices.ContainsFunc(docs, func(d driver.Field) bool { return listed(docs, driver.Change{Field: d.Field, Effect: c.Effect}) })) {
			t.Errorf("the change of %q from %q to %q is %q, which Docs does not list", c.Field, c.From, c.To, c.Effect)
		}
		if c.Effect == driver.Impossible && c.Why == "" {
			t.Errorf("the change of %q is Impossible, and nothing says why and what to do instead", c.Field)
		}
	}
}

// listed reports whether a field's row lists the effect of a change. A change that brings about another one, which waits in the cloud, says so, and has
// the effect of that one.
func listed(docs []driver.Field, c driver.Change) bool {
	return slices.ContainsFunc(docs, func(d driver.Field) bool {
		return d.Field == c.Field && slices.ContainsFunc(d.Effects, func(e driver.PossibleEffect) bool { return e.Effect == c.Effect })
	})
}

// create makes an object as req says and brings it to rest without differences. req.Applied is kept as a
// caller would keep it.
func (b *bench[S]) create(t testing.TB, req *request[S]) driver.Observation {
	t.Helper()
	req.ID = "" // of what was there before
	req.Applied = b.observe(t, *req).Applied
	result, err := b.open(t).Create(t.Context(), *req)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	b.checked(t, *req, nil)
	if result.ID != "" {
		req.ID = result.ID
	}
	req.Operation = result.Operation
	return b.converge(t, req)
}

// converge applies what differs until nothing does, in a few rounds.
func (b *bench[S]) converge(t testing.TB, req *request[S]) driver.Observation {
	t.Helper()
	const rounds = 5 // creation, aspects that it can't take, and what those bring about
	for range rounds {
		b.Finish(t)
		obs := b.observe(t, *req)
		if obs.State != driver.Ready {
			t.Fatalf("the state is %v (%s) after the cloud had all the time it needs, want Ready", obs.State, obs.Problem)
		}
		req.Applied, req.Operation = obs.Applied, obs.Operation // as a caller keeps them
		if obs.ID != "" {
			req.ID = obs.ID
		}
		if len(obs.Changes) == 0 {
			return obs
		}
		b.update(t, req, obs.Changes)
	}
	t.Fatalf("still not as declared after %d rounds: %v", rounds, b.observe(t, *req).Changes)
	return driver.Observation{}
}

// update applies changes, all of which must be taken, and lets the cloud finish.
func (b *bench[S]) update(t testing.TB, req *request[S], changes []driver.Change) Calls {
	t.Helper()
	before, was := b.Calls(), fingerprint(t, *req)
	result, err := b.open(t).Update(t.Context(), *req, driver.Edit{Changes: changes})
	if err != nil {
		t.Fatalf("Update(%v): %v", driver.Names(changes), err)
	}
	if begunCheck(b.kind.Fields, changes, result) {
		if cost := b.Calls().minus(before); cost.Writes != 1 {
			t.Errorf("the check before Update(%v) cost %+v, want one write", driver.Names(changes), cost)
		}
		b.Finish(t)
		req.Operation = result.Operation
		obs := b.observe(t, *req)
		if diff := cmp.Diff(changes, obs.Changes); diff != "" || obs.State != driver.Ready || obs.Operation != req.Operation {
			t.Fatalf("after the check it is %v, with the operation %q, want %q; changes (-want +got):\n%s", obs.State, obs.Operation, req.Operation, diff)
		}
		before, was = b.Calls(), fingerprint(t, *req)
		if result, err = b.open(t).Update(t.Context(), *req, driver.Edit{Changes: changes}); err != nil {
			t.Fatalf("Update(%v): %v", driver.Names(changes), err)
		}
	}
	for _, f := range result.Failed {
		t.Errorf("Update(%v): %s was not applied: %v", driver.Names(changes), f.Field, f.Err)
	}
	if fingerprint(t, *req) != was {
		t.Error("Update changed its request")
	}
	cost := b.Calls().minus(before)
	req.Operation = result.Operation
	b.Finish(t)
	return cost
}

// changePassword makes a change of the password, which must be taken, and lets the cloud finish.
func (b *bench[S]) changePassword(t testing.TB, req *request[S], change driver.PasswordChange) Calls {
	t.Helper()
	before, was := b.Calls(), fingerprint(t, *req)
	result, err := b.open(t).Update(t.Context(), *req, driver.Edit{Password: change})
	if err = passwordFailed(result, err); err != nil {
		t.Fatalf("Update(%s): %v", change, err)
	}
	if fingerprint(t, *req) != was {
		t.Error("Update changed its request")
	}
	cost := b.Calls().minus(before)
	req.Operation = result.Operation
	b.Finish(t)
	return cost
}

// do carries out a command, which must be taken, and lets the cloud finish.
func (b *bench[S]) do(t testing.TB, req *request[S], command driver.Command) Calls {
	t.Helper()
	before, was := b.Calls(), fingerprint(t, *req)
	result, err := b.open(t).Do(t.Context(), *req, command)
	if err != nil {
		t.Fatalf("Do(%s): %v", command.Verb, err)
	}
	if len(result.Failed) > 0 {
		t.Errorf("Do(%s): a command that was taken has failed changes: %v", command.Verb, result.Failed)
	}
	if fingerprint(t, *req) != was {
		t.Error("Do changed its request")
	}
	cost := b.Calls().minus(before)
	req.Operation = result.Operation
	b.Finish(t)
	return cost
}

// begunCheck reports whether an update only began to look whether a change can be made.
func begunCheck(fields []Field, changes []driver.Change, result driver.Result) bool {
	checked := slices.ContainsFunc(fields, func(f Field) bool { return f.Checked && slices.Contains(driver.Names(changes), f.Name) })
	made := func(f driver.FieldError) bool { return driver.CodeOf(f.Err) != driver.Busy }
	return checked && result.Operation != "" && len(result.Failed) == len(changes) && !slices.ContainsFunc(result.Failed, made)
}

// unchanged checks that nothing differs.
func unchanged(t testing.TB, obs driver.Observation) {
	t.Helper()
	if obs.State != driver.Ready || len(obs.Changes) != 0 {
		t.Errorf("got %v with changes %v, want Ready with none", obs.State, obs.Changes)
	}
}

// bounded returns a context that ends as soon as the suite's patience does.
func (b *bench[S]) bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), b.Patience)
	t.Cleanup(cancel)
	return ctx
}

// fingerprint tells whether a request was changed.
func fingerprint[S any](t testing.TB, req request[S]) string {
	t.Helper()
	raw, err := json.Marshal(req)
	if err != nil {
		t.Fatalf("fingerprint of a request: %v", err)
	}
	return string(raw)
}

// noSecrets checks that an error shows none of the values, however it is printed.
func noSecrets(t testing.TB, err error, values []string) {
	t.Helper()
	if err == nil {
		return
	}
	text := fmt.Sprintf("%v %+v %s", err, err, err)
	for _, v := range values {
		if v != "" && strings.Contains(text, v) {
			t.Errorf("an error shows a secret: %.20q…", text)
		}
	}
}
