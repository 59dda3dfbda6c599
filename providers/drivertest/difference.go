package drivertest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// differences returns what holds when spec and cloud differ, beyond single fields.
func differences[S any](fields []Field) []obligation[S] {
	all := []obligation[S]{
		{"fields that the spec does not declare are left alone", undeclared[S]},
		{"Update applies exactly the changes it is given", exactly[S]},
		{"all that differs is put right by one Update", together[S]},
		{"a change that can't be made does not keep others from being made", impossible[S]},
		{"a field that can't be read is Unreadable and hides no other", hidden[S]},
		{"a field that is refused is Failed and keeps no other from being applied", refused[S]},
	}
	if slices.ContainsFunc(fields, func(f Field) bool { return f.Name == driver.FieldPowerState }) {
		all = append(all, powers[S]()...)
	}
	for _, f := range fields {
		if !f.isMap() {
			continue
		}
		for _, o := range entries[S](f) {
			all = append(all, obligation[S]{"field " + f.Name + "/" + o.name, o.run})
		}
	}
	return all
}

// drifting returns the fields that somebody could change behind our back.
func (k *Kind[S]) drifting(t testing.TB) []Field {
	t.Helper()
	skipUnless(t, k.Cloud.Edit != nil, "way to edit behind the driver's back")
	var out []Field
	for _, f := range k.Fields {
		if f.drifts() && f.Given[f.Name] == nil {
			out = append(out, f)
		}
	}
	return out
}

func (f Field) drifts() bool {
	return !f.isMap() && f.NoDrift == "" && f.Effect != driver.Impossible
}

func (f Field) drift() any {
	if f.Drift != nil {
		return f.Drift
	}
	return f.To
}

// driftingTogether returns the fields that could change beside each other behind our back.
func (k *Kind[S]) driftingTogether(t testing.TB) []Field {
	t.Helper()
	return slices.DeleteFunc(k.drifting(t), func(f Field) bool { return f.Alone })
}

func undeclared[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	drifting := b.kind.driftingTogether(t)
	b.create(t, &req)
	for _, f := range drifting {
		if _, declared := get(&req.Spec, f.Name); !declared {
			b.kind.Cloud.Edit(t, req.Name, f.Name, f.drift())
		}
	}
	for _, f := range b.kind.Fields {
		if in, ok := b.kind.entriesIn(f.Name); ok {
			in.add(t, req.Name)
		}
	}
	b.Finish(t)
	unchanged(t, b.observe(t, req))
}

func exactly[S any](t testing.TB, b *bench[S]) {
	drifting := slices.DeleteFunc(b.kind.drifting(t), func(f Field) bool { return f.Given != nil })
	if len(drifting) < 2 {
		t.Skip("not shown: fewer than two fields can drift")
	}
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	first, second := drifting[0], drifting[1]
	b.kind.Cloud.Edit(t, req.Name, first.Name, first.drift())
	b.kind.Cloud.Edit(t, req.Name, second.Name, second.drift())
	b.Finish(t)
	changes := b.observe(t, req).Changes
	if diff := cmp.Diff(sorted(first.Name, second.Name), sorted(driver.Names(changes)...)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	given := slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool { return c.Field != second.Name })
	b.update(t, &req, given)
	if diff := cmp.Diff([]string{first.Name}, driver.Names(b.observe(t, req).Changes)); diff != "" {
		t.Errorf("after an update of %s alone, what differs (-want +got):\n%s", second.Name, diff)
	}
}

func sorted(names ...string) []string {
	slices.Sort(names)
	return names
}

func together[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	drifting := b.kind.driftingTogether(t)
	b.create(t, &req)
	for _, f := range drifting {
		b.kind.Cloud.Edit(t, req.Name, f.Name, f.drift())
	}
	b.Finish(t)
	changes := b.observe(t, req).Changes
	if len(changes) != len(drifting) {
		t.Errorf("%d fields drifted, and the changes are %v", len(drifting), driver.Names(changes))
	}
	b.update(t, &req, changes)
	unchanged(t, followed(t, b, &req, drifting, b.observe(t, req)))
}

func impossible[S any](t testing.TB, b *bench[S]) {
	i := slices.IndexFunc(b.kind.Fields, func(f Field) bool { return f.Effect == driver.Impossible })
	if i < 0 {
		t.Skip("not shown: every field can change")
	}
	fixed := b.kind.Fields[i].Name
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	set(t, &req.Spec, fixed, b.kind.Fields[i].To)
	changes := b.observe(t, req).Changes
	if diff := cmp.Diff([]string{fixed}, driver.Names(changes)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	differs, writes := []string{fixed}, 0
	if other, has := harmless(b); has { // which is made although the one beside it is refused
		set(t, &req.Spec, other.Name, other.To)
		differs, writes = append(differs, other.Name), max(1, other.Writes)
	}
	changes = b.observe(t, req).Changes
	if diff := cmp.Diff(sorted(differs...), sorted(driver.Names(changes)...)); diff != "" {
		t.Fatalf("changes (-want +got):\n%s", diff)
	}
	before := b.Calls()
	result, err := b.open(t).Update(t.Context(), req, driver.Edit{Changes: changes})
	if err != nil {
		t.Fatalf("Update: %v, want the field in Result.Failed", err)
	}
	if len(result.Failed) != 1 || result.Failed[0].Field != fixed || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Errorf("Failed is %v, want %s with code Invalid", result.Failed, fixed)
	}
	if cost := b.Calls().minus(before); cost.Writes != writes {
		t.Errorf("the rest cost %+v, want %d writes", cost, writes)
	}
	b.Finish(t)
	if diff := cmp.Diff([]string{fixed}, driver.Names(b.observe(t, req).Changes)); diff != "" {
		t.Errorf("what differs afterwards (-want +got):\n%s", diff)
	}
}

// harmless returns a field whose change nobody notices, and that changes by itself, if the kind has one.
func harmless[S any](b *bench[S]) (Field, bool) {
	for _, f := range b.kind.Fields {
		alone := len(f.Along)+len(f.Given)+len(f.Together)+len(f.Dependents) == 0 && f.With == "" && !f.Checked && !f.Later && !f.Alone && len(f.Follows) == 0
		if alone && f.Effect == "" && f.Then == "" {
			return f, true
		}
	}
	return Field{}, false
}

// hidden and refused try every field that the harness can single out.
func hidden[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Cloud.Hide != nil, "fields that are read by calls of their own")
	tried := false
	for _, f := range b.kind.Fields {
		req := b.request(t, b.kind.Full())
		b.create(t, &req)
		set(t, &req.Spec, f.Name, f.To)
		other, drifted := driftBeside(t, b, req.Name, f.Name)
		lift := b.kind.Cloud.Hide(t, req.Name, f.Name)
		if lift == nil {
			continue
		}
		tried = true
		if f.Later {
			delete(req.Applied, f.Name) // it is looked for until it is applied
		}
		obs := b.observe(t, req)
		lift()
		var unread []string
		for _, u := range obs.Unreadable {
			if unread = append(unread, u.Field); driver.CodeOf(u.Err) != driver.Denied {
				t.Errorf("%s: %s is unreadable by %v, want Denied", f.Name, u.Field, u.Err)
			}
		}
		if want := sorted(append(slices.Clone(f.ReadWith), f.Name)...); obs.State != driver.Ready || !slices.Equal(sorted(unread...), want) {
			t.Errorf("%s: got %v, Unreadable %v, want Ready with %v", f.Name, obs.State, unread, want)
		}
		if drifted && !slices.Contains(driver.Names(obs.Changes), other) {
			t.Errorf("%s: the drift of %s was not seen", f.Name, other)
		}
		if diff := cmp.Diff(req.Applied[f.Name], obs.Applied[f.Name]); diff != "" {
			t.Errorf("%s: what was not seen is Applied as before (-want +got):\n%s", f.Name, diff)
		}
		var got S
		if err := json.Unmarshal(obs.Mirror, &got); err != nil {
			t.Fatalf("mirror: %v", err)
		}
		if text, ok := get(&got, f.Name); ok {
			t.Errorf("%s: the mirror shows %q for what was not read", f.Name, text)
		}
	}
	if !tried {
		t.Error("nothing is shown: the harness hides no field")
	}
}

func refused[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Cloud.Refuse != nil, "updates of one field that can be refused")
	tried := false
	for _, f := range b.kind.Fields {
		if f.Effect == driver.Impossible || f.Alone {
			continue
		}
		lift := b.kind.Cloud.Refuse(t, "", f.Name)
		if lift == nil {
			continue
		}
		lift()
		req := b.request(t, given(t, b, f))
		b.create(t, &req)
		set(t, &req.Spec, f.Name, f.To)
		other, drifted := driftBeside(t, b, req.Name, f.Name)
		if !drifted {
			continue
		}
		tried = true
		lift = b.kind.Cloud.Refuse(t, req.Name, f.Name)
		changes := b.observe(t, req).Changes
		result, err := b.open(t).Update(t.Context(), req, driver.Edit{Changes: changes})
		whole := false                                                                                   // an error of the whole update says nothing of its entries
		if err == nil && len(result.Failed) == 1 && driver.CodeOf(result.Failed[0].Err) == driver.Busy { // the cloud makes the other change first
			b.Finish(t)
			result, err = b.open(t).Update(t.Context(), req, driver.Edit{Changes: b.observe(t, req).Changes})
			if whole = err != nil; whole { // the only change that is left
				result, err = driver.Result{Failed: []driver.FieldError{{Field: f.Name, Err: driver.ErrorOf(err)}}}, nil
			}
		}
		lift()
		b.Finish(t)
		if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != f.Name || driver.CodeOf(result.Failed[0].Err) != driver.Denied {
			t.Errorf("%s: got %v, Failed %v, want that field, Denied", f.Name, err, result.Failed)
		}
		for _, c := range changes {
			if c.Field == f.Name && len(result.Failed) == 1 && !whole && !slices.Equal(result.Failed[0].Unset, c.Adds) {
				t.Errorf("%s: %q are said not to be set, want %q", f.Name, result.Failed[0].Unset, c.Adds)
			}
		}
		if diff := cmp.Diff([]string{f.Name}, driver.Names(b.observe(t, req).Changes)); diff != "" {
			t.Errorf("%s was refused beside a change of %s: what differs now (-want +got):\n%s", f.Name, other, diff)
		}
		b.converge(t, &req)
	}
	if !tried {
		t.Error("nothing is shown: the harness refuses no field")
	}
}

// driftBeside changes some other field behind the driver's back.
func driftBeside[S any](t testing.TB, b *bench[S], name, not string) (string, bool) {
	t.Helper()
	for _, f := range b.kind.drifting(t) {
		if f.Name != not {
			b.kind.Cloud.Edit(t, name, f.Name, f.drift())
			b.Finish(t)
			return f.Name, true
		}
	}
	return "", false
}
