package drivertest

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
)

// single returns what holds of a single field.
func single[S any](f Field) []obligation[S] {
	var all []obligation[S]
	add := func(name string, run func(t testing.TB, b *bench[S], f Field)) {
		all = append(all, obligation[S]{name, func(t testing.TB, b *bench[S]) { run(t, b, f) }})
	}
	add("set on an object that was made without it, it is exactly one change", addedLater[S])
	if f.Effect == driver.Impossible {
		add("an edit is Impossible, says what to do, and writes nothing", editImpossible[S])
		return all
	}
	add("an edit is exactly one change and one write", edit[S])
	if f.isMap() {
		add("an edit taken back while the cloud is at work leaves no entry behind", takenBack[S])
		return all // see entries
	}
	if _, isList := f.To.([]string); isList {
		if f.Single == "" {
			add("another order is no change", reordered[S])
		}
		if f.NoEmpty == "" {
			add("an empty list is exactly one change and one write", emptied[S])
		}
	}
	if isRules(f.To) {
		add("an empty list is exactly one change and one write", emptied[S])
	}
	if f.drifts() {
		add("drift is exactly one change and one write", drift[S])
	}
	if len(f.Same) > 0 {
		add("what means the same is no change", same[S])
	}
	if f.Safe != nil {
		add("taken out of the spec it returns to its safe value", releaseSafe[S])
		add("taken out of the spec while the cloud is at work it returns to its safe value", takenBack[S])
	} else {
		add("taken out of the spec it is left as it is", releaseField[S])
	}
	return all
}

// only returns the one change that there must be, of f, beside those of the fields that are edited along with it.
func only(t testing.TB, obs driver.Observation, f Field, along ...string) driver.Change {
	t.Helper()
	if diff := cmp.Diff(sorted(append(along, f.Name)...), sorted(driver.Names(obs.Changes)...)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	return obs.Changes[slices.Index(driver.Names(obs.Changes), f.Name)]
}

// given returns parameters that declare every field, as the cases of a field need them.
func given[S any](t testing.TB, b *bench[S], f Field) S {
	t.Helper()
	spec := b.kind.Full()
	for name, value := range f.Given {
		set(t, &spec, name, value)
	}
	return spec
}

// says checks what a change of a scalar says of itself.
func says(t testing.TB, got driver.Change, from, to string, effect driver.Effect) {
	t.Helper()
	if effect == "" {
		effect = driver.Online
	}
	if got.From != from || got.To != to || got.Effect != effect {
		t.Errorf("the change says %q to %q, %s; want %q to %q, %s", got.From, got.To, got.Effect, from, to, effect)
	}
}

// foretold checks that an edit is previewed as it is then observed.
func foretold[S any](t testing.TB, b *bench[S], req request[S], observed driver.Observation) {
	t.Helper()
	var mirror S
	if err := json.Unmarshal(observed.Mirror, &mirror); err != nil {
		t.Fatalf("the mirror is not in the shape of the spec: %v", err)
	}
	previewed := b.preview(t, mirror, req.Spec, req.Applied)
	for _, f := range b.kind.Fields {
		at := func(c driver.Change) bool { return c.Field == f.Name }
		seen, announced := slices.IndexFunc(observed.Changes, at), slices.IndexFunc(previewed, at)
		if f.Worst && seen >= 0 && announced >= 0 && previewed[announced].Effect.Compare(observed.Changes[seen].Effect) >= 0 {
			previewed[announced].Effect, previewed[announced].Why = observed.Changes[seen].Effect, observed.Changes[seen].Why
		}
	}
	if diff := cmp.Diff(observed.Changes, previewed, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the preview of what is observed and its mirror (-observed +previewed):\n%s", diff)
	}
}

// costs makes a change, which must take so many writes and leave no difference.
func costs[S any](t testing.TB, b *bench[S], req *request[S], f Field, changes []driver.Change) {
	t.Helper()
	cost, most := b.update(t, req, changes), max(f.Writes, 1)
	if least := map[bool]int{true: 1, false: most}[f.Member != nil]; cost.Writes < least || cost.Writes > most { // each member may have calls of its own
		t.Errorf("Update(%s) cost %+v, want %d writes", f.Name, cost, most)
	}
	obs := b.observe(t, *req)
	if f.Then != "" {
		obs = followed(t, b, req, []Field{f}, obs)
	}
	unchanged(t, obs)
	req.Applied = obs.Applied
}

// followed demands that the second changes of fields follow the first ones, makes them, and returns what is observed then. Until they are made the
// fields are not applied: what is remembered of them does not change.
func followed[S any](t testing.TB, b *bench[S], req *request[S], fields []Field, obs driver.Observation) driver.Observation {
	t.Helper()
	var follow []string
	for _, f := range fields {
		if f.Then == "" {
			continue
		}
		follow = append(follow, f.Name)
		i := slices.IndexFunc(obs.Changes, func(c driver.Change) bool { return c.Field == f.Name })
		if to, _ := get(&req.Spec, f.Name); i < 0 || obs.Changes[i].To != to || obs.Changes[i].From == to || obs.Changes[i].Effect != f.Then {
			t.Errorf("after the first change of %s: got %+v, want a second one to %q, %s", f.Name, obs.Changes, to, f.Then)
		}
		if diff := cmp.Diff(req.Applied[f.Name], obs.Applied[f.Name]); diff != "" {
			t.Errorf("%s is applied after the second change only (-want +got):\n%s", f.Name, diff)
		}
	}
	if len(follow) == 0 {
		return obs
	}
	if diff := cmp.Diff(sorted(follow...), sorted(driver.Names(obs.Changes)...)); diff != "" {
		t.Fatalf("the changes that follow (-want +got):\n%s", diff)
	}
	if cost := b.update(t, req, obs.Changes); cost.Writes != len(follow) {
		t.Errorf("the changes that follow cost %+v, want %d writes", cost, len(follow))
	}
	return b.observe(t, *req)
}

func edit[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, given(t, b, f))
	b.create(t, &req)
	from, _ := get(&req.Spec, f.Name)
	set(t, &req.Spec, f.Name, f.To)
	for name, value := range f.Along {
		set(t, &req.Spec, name, value)
	}
	obs := b.observe(t, req)
	change := only(t, obs, f, slices.Collect(maps.Keys(f.Along))...)
	foretold(t, b, req, obs)
	if !f.isMap() {
		before, after := f.shown(from, Text(f.To), true)
		says(t, change, before, after, f.Effect)
		was := stored(t, b, f, from)
		if f.Member != nil {
			was = stored(t, b, f, from, Text(f.To))
		}
		if diff := cmp.Diff(was, obs.Applied[f.Name]); diff != "" {
			t.Errorf("until the edit is made, Applied has the old value (-want +got):\n%s", diff)
		}
	}
	costs(t, b, &req, f, obs.Changes)
	if !f.isMap() {
		if diff := cmp.Diff(stored(t, b, f, Text(f.To)), req.Applied[f.Name]); diff != "" {
			t.Errorf("once the edit is made, Applied has the new value (-want +got):\n%s", diff)
		}
	}
}

func drift[S any](t testing.TB, b *bench[S], f Field) {
	skipUnless(t, b.kind.Cloud.Edit != nil, "way to edit behind the driver's back")
	req := b.request(t, given(t, b, f))
	b.create(t, &req)
	to, _ := get(&req.Spec, f.Name)
	b.kind.Cloud.Edit(t, req.Name, f.Name, f.drift())
	b.Finish(t)
	obs := b.observe(t, req)
	effect := f.DriftEffect
	if effect == "" {
		effect = f.Effect
	}
	before, after := f.shown(Text(f.drift()), to, false)
	says(t, only(t, obs, f), before, after, effect)
	foretold(t, b, req, obs)
	if diff := cmp.Diff(stored(t, b, f, to), obs.Applied[f.Name]); diff != "" {
		t.Errorf("Applied has the value that we set, which tells drift from an edit (-want +got):\n%s", diff)
	}
	costs(t, b, &req, f, obs.Changes)
}

func same[S any](t testing.TB, b *bench[S], f Field) {
	skipUnless(t, b.kind.Cloud.Edit != nil, "way to edit behind the driver's back")
	for _, value := range f.Same {
		req := b.request(t, given(t, b, f))
		b.create(t, &req)
		b.kind.Cloud.Edit(t, req.Name, f.Name, value)
		b.Finish(t)
		obs := b.observe(t, req)
		if len(obs.Changes) != 0 {
			t.Errorf("%v in the cloud: got changes %v, want none", value, obs.Changes)
		}
		foretold(t, b, req, obs)
	}
}

func reordered[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	at, _ := fieldpath.Get(&req.Spec, f.Name)
	turned := slices.Clone(at.Interface().([]string))
	slices.Reverse(turned)
	if slices.Equal(turned, at.Interface().([]string)) {
		t.Fatalf("Full has %q: nothing is shown by fewer than two strings", turned)
	}
	set(t, &req.Spec, f.Name, turned)
	unchanged(t, b.observe(t, req))
}

func emptied[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, given(t, b, f))
	b.create(t, &req)
	from, _ := get(&req.Spec, f.Name)
	set(t, &req.Spec, f.Name, []any{})
	obs := b.observe(t, req)
	says(t, only(t, obs, f), from, "", f.Effect)
	foretold(t, b, req, obs)
	costs(t, b, &req, f, obs.Changes)
}

func releaseField[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, given(t, b, f))
	b.create(t, &req)
	set(t, &req.Spec, f.Name, nil)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if _, still := obs.Applied[f.Name]; still {
		t.Error("still Applied: were it set again one day, an old value would pass for ours")
	}
}

func releaseSafe[S any](t testing.TB, b *bench[S], f Field) {
	spec := given(t, b, f)
	if now, _ := get(&spec, f.Name); now == Text(f.Safe) {
		set(t, &spec, f.Name, f.To)
	}
	req := b.request(t, spec)
	b.create(t, &req)
	from, _ := get(&req.Spec, f.Name)
	set(t, &req.Spec, f.Name, nil)
	obs := b.observe(t, req)
	change := only(t, obs, f)
	if !change.Release || change.From != from || change.To != Text(f.Safe) {
		t.Errorf("got %+v, want a release from %q to %q", change, from, f.Safe)
	}
	if _, still := obs.Applied[f.Name]; !still {
		t.Error("no longer Applied before it returned: were the write lost, it would stay as it is for ever")
	}
	costs(t, b, &req, f, obs.Changes)
	if _, still := req.Applied[f.Name]; still {
		t.Error("still Applied after it returned")
	}
}

// takenBack edits a field, and edits it again before the cloud has made the change: back to a map that is there still, or out of the spec. An object is
// looked at in between, and shows no difference.
func takenBack[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, given(t, b, f))
	if now, _ := get(&req.Spec, f.Name); f.Safe != nil && now != Text(f.Safe) {
		set(t, &req.Spec, f.Name, f.Safe)
	}
	b.create(t, &req)
	before := b.kind.declared(t, f)
	set(t, &req.Spec, f.Name, f.To)
	if f.Safe != nil && Text(f.Safe) == Text(f.To) {
		set(t, &req.Spec, f.Name, before)
	}
	obs := b.observe(t, req)
	req.Applied = obs.Applied
	result, err := b.open(t).Update(t.Context(), req, driver.Edit{Changes: obs.Changes})
	if err != nil || len(result.Failed) > 0 {
		t.Fatalf("Update: %v, failed %v", err, result.Failed)
	}
	req.Operation = result.Operation
	if f.Safe != nil {
		before = nil
	}
	set(t, &req.Spec, f.Name, before)
	obs = b.observe(t, req)
	req.Applied, req.Operation = obs.Applied, obs.Operation
	b.converge(t, &req)
	seen := req
	seen.Spec = given(t, b, f) // so that the field is read
	left := readings(t, mirrored(t, b, seen), f)
	if f.Safe != nil {
		if left[f.Name] != Text(f.Safe) {
			t.Errorf("it is %q in the end, want %q", left[f.Name], f.Safe)
		}
		return
	}
	wanted := readings(t, &req.Spec, f)
	var edited S
	set(t, &edited, f.Name, f.To)
	for at := range readings(t, &edited, f) {
		if _, wants := wanted[at]; !wants && left[at] != "" {
			t.Errorf("%s is %q in the end, and the spec has it no longer", at, left[at])
		}
	}
}

func editImpossible[S any](t testing.TB, b *bench[S], f Field) {
	req := b.request(t, given(t, b, f))
	b.create(t, &req)
	from, _ := get(&req.Spec, f.Name)
	set(t, &req.Spec, f.Name, f.To)
	obs := b.observe(t, req)
	says(t, only(t, obs, f), from, Text(f.To), driver.Impossible)
	foretold(t, b, req, obs)
	impossibleWritesNothing(t, b, req, f, obs.Changes)
}
