package drivertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// life returns what holds of objects that are made and looked at.
func life[S any](login, managesPassword bool) []obligation[S] {
	all := []obligation[S]{
		{"every row has an entry in the harness", rows[S]},
		{"its capabilities are those that it describes", capabilities[S]},
		{"a missing object is Absent and no error", absent[S]},
		{"Create puts the mark on from the first moment", createMarks[S]},
		{"what was made in full is as declared", createFull[S]},
		{"what was made with the least is as declared", createMinimal[S]},
		{"a second Create is Conflict and changes nothing", createTwice[S]},
		{"Update of a missing object is NotFound and makes none", updateMissing[S]},
		{"the mirror is the object in the words of the spec", mirror[S]},
		{"Applied says what is set", applied[S]},
		{"the request stays the caller's", kept[S]},
		{"neighbours are not mistaken for each other", neighbours[S]},
		{"the longest name is taken", longestName[S]},
		{"names that the cloud refuses are known before it is asked", refusedNames[S]},
		{"what somebody stopped is Stopped, Ready and not Available", stopped[S]},
	}
	if !login {
		return all
	}
	return append(slices.Concat(all, managed[S](managesPassword)),
		obligation[S]{"Create sets the password", createPassword[S]},
		obligation[S]{"a new password costs one write and changes nothing else", newPassword[S]},
		obligation[S]{"a new password that the cloud accepts and can't set shows, and is set when it is sent again", latePassword[S]},
		obligation[S]{"passwords are set or refused as it describes", describedPasswords[S]},
		obligation[S]{"another administrator is a change of the username", otherUsername[S]},
	)
}

func rows[S any](t testing.TB, b *bench[S]) {
	docs := b.described(t).Fields
	full := b.kind.Full()
	for _, d := range docs {
		known := slices.ContainsFunc(b.kind.Fields, func(f Field) bool { return f.Name == d.Field })
		if !known && d.Field != driver.FieldUsername {
			t.Errorf("the harness has no entry for the row %q, so nothing shows that it works", d.Field)
		}
		alone := slices.ContainsFunc(b.kind.Fields, func(f Field) bool { return f.Name == d.Field && f.Given[f.Name] != nil })
		if _, declared := get(&full, d.Field); known && !declared && !alone {
			t.Errorf("the harness's Full does not declare %q", d.Field)
		}
	}
	for _, f := range b.kind.Fields {
		if !slices.ContainsFunc(docs, func(d driver.Field) bool { return d.Field == f.Name }) {
			t.Errorf("the harness has an entry for %q, and the table no row", f.Name)
		}
	}
}

func absent[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	obs := b.observe(t, req)
	if obs.State != driver.Absent || obs.Available || obs.ID != "" || !obs.Mark.Zero() || len(obs.Mirror) != 0 {
		t.Errorf("got %+v, want Absent and nothing else", obs)
	}
	want, got := fullyApplied(t, b), ofSpec(b, obs.Applied)
	for _, f := range b.kind.Fields {
		if f.Later {
			delete(want, f.Name)
			if len(got[f.Name]) == 0 { // no value, and yet to be returned to its safe one
				delete(got, f.Name)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Applied of an Absent object is what a creation would set (-want +got):\n%s", diff)
	}
}

// fullyApplied is what is set in an object made from Full.
func fullyApplied[S any](t testing.TB, b *bench[S]) driver.Applied {
	t.Helper()
	full, want := b.kind.Full(), driver.Applied{}
	for _, f := range b.kind.Fields {
		text, declared := get(&full, f.Name)
		if !declared && f.Given[f.Name] != nil { // Full leaves it out
			continue
		}
		if _, isMap := f.To.(map[string]string); isMap {
			want[f.Name] = appliedEntries(t, b, f.Name, entriesOf(t, &full, f.Name))
		} else if declared {
			want[f.Name] = []string{text}
		}
	}
	return want
}

// ofSpec returns what was applied of the spec's own fields. Drivers remember more than these.
func ofSpec[S any](b *bench[S], applied driver.Applied) driver.Applied {
	out := driver.Applied{}
	for _, f := range b.kind.Fields {
		if values, ok := applied[f.Name]; ok {
			out[f.Name] = values
		}
	}
	return out
}

func createMarks[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	result, err := b.open(t).Create(t.Context(), req)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	obs := b.observe(t, req) // before the cloud has had time for anything
	if obs.State != driver.Pending && obs.State != driver.Ready {
		t.Errorf("right after Create the state is %v, want Pending or Ready", obs.State)
	}
	if obs.Mark != b.markOf(req) {
		t.Errorf("right after Create the mark is %+v, want %+v: a crash now would leave an object that nobody owns", obs.Mark, b.markOf(req))
	}
	if (result.ID != "" || b.kind.IDAtOnce) && result.ID != obs.ID {
		t.Errorf("Create gave the id %q, Observe %q", result.ID, obs.ID)
	}
	if b.kind.Cloud.Labels != nil {
		labels := b.kind.Cloud.Labels(t, req.Name)
		for k, v := range b.markOf(req).Labels() {
			if labels[k] != v {
				t.Errorf("in the cloud the label %s is %q, want %q", k, labels[k], v)
			}
		}
	}
}

func createFull[S any](t testing.TB, b *bench[S]) {
	b.atRest(t, b.request(t, b.kind.Full()), b.kind.Reads)
}

func createMinimal[S any](t testing.TB, b *bench[S]) {
	b.atRest(t, b.request(t, b.kind.Minimal()), b.kind.MinimalReads)
}

// atRest makes an object and checks what holds of one at rest, and that a look costs no more than reads.
func (b *bench[S]) atRest(t testing.TB, req request[S], reads int) {
	t.Helper()
	obs := b.create(t, &req)
	if !obs.Available || obs.Stopped || obs.Problem != "" || obs.Operation != "" || obs.OperationError != nil {
		t.Errorf("got %+v, want it available and nothing under way", obs)
	}
	if obs.Mark != b.markOf(req) {
		t.Errorf("the mark is %+v, want %+v", obs.Mark, b.markOf(req))
	}
	full := b.kind.Full()
	if where, declared := get(&full, "location"); declared && obs.Location != where {
		t.Errorf("the location is %q, want %q", obs.Location, where)
	}
	if b.kind.HasID && obs.ID == "" {
		t.Error("no ID")
	}
	if b.kind.Login.Password != "" {
		e := obs.Endpoint
		if e.Host == "" || e.Port == 0 || e.Username == "" {
			t.Errorf("the endpoint %+v does not say how to connect", e)
		}
	} else if e := obs.Endpoint; b.kind.Within == nil && (e.Name != req.Name || e.URL == "") {
		t.Errorf("the endpoint %+v does not say how to reach %q", e, req.Name)
	}
	before := b.Calls()
	unchanged(t, b.observe(t, req))
	if cost := b.Calls().minus(before); cost.Writes != 0 || cost.Reads > reads {
		t.Errorf("a look at what is as declared cost %+v, want no writes and at most %d reads", cost, reads)
	}
	before = b.Calls()
	if _, err := b.open(t).Update(t.Context(), req, nil); err != nil {
		t.Errorf("Update of nothing: %v", err)
	}
	if cost := b.Calls().minus(before); cost.Writes != 0 {
		t.Errorf("Update of nothing cost %+v, want no writes", cost)
	}
}

func createTwice[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	first := b.create(t, &req)
	again := req
	again.Spec, again.Mark.UID, again.Applied = b.kind.Minimal(), "uid-2", nil
	_, err := b.open(t).Create(t.Context(), again)
	if code := driver.CodeOf(err); err == nil || code != driver.Conflict {
		t.Errorf("got error %v (%v), want one of code Conflict", err, code)
	}
	b.Finish(t)
	if diff := cmp.Diff(first, b.observe(t, req)); diff != "" {
		t.Errorf("a second Create changed the object (-before +after):\n%s", diff)
	}
}

func updateMissing[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	_, err := b.open(t).Update(t.Context(), req, smallest(b))
	if code := driver.CodeOf(err); err == nil || code != driver.NotFound {
		t.Errorf("got error %v (%v), want one of code NotFound", err, code)
	}
	b.Finish(t)
	if obs := b.observe(t, req); obs.State != driver.Absent {
		t.Errorf("Update made an object: %v", obs.State)
	}
}

func mirror[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	obs := b.create(t, &req)
	var got S
	decoder := json.NewDecoder(bytes.NewReader(obs.Mirror))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("the mirror %s is no spec: %v", obs.Mirror, err)
	}
	for _, f := range b.kind.Fields {
		want, declared := get(&req.Spec, f.Name)
		if text, ok := get(&got, f.Name); (declared || f.Given[f.Name] == nil) && (!ok || text != want) {
			t.Errorf("the mirror has %s = %q, want %q", f.Name, text, want)
		}
	}
	for _, k := range driver.MarkKeys() {
		if strings.Contains(string(obs.Mirror), k) {
			t.Errorf("the mirror shows the mark's label %s: it is not the spec's", k)
		}
	}
}

func applied[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	obs := b.create(t, &req)
	if diff := cmp.Diff(fullyApplied(t, b), ofSpec(b, obs.Applied)); diff != "" {
		t.Errorf("once all is set (-want +got):\n%s", diff)
	}
	req.Spec = b.kind.Minimal()
	for name := range b.observe(t, req).Applied {
		field := slices.ContainsFunc(b.kind.Fields, func(f Field) bool { return f.Name == name }) // drivers remember more than fields
		if _, declared := get(&req.Spec, name); field && !declared && !b.kind.returns(name) {
			t.Errorf("%s is still Applied although the spec no longer has it", name)
		}
	}
}

// returns reports whether a field returns to a safe value when it is taken out of the spec.
func (k *Kind[S]) returns(name string) bool {
	return slices.ContainsFunc(k.Fields, func(f Field) bool { return f.Name == name && f.Safe != nil })
}

func kept[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	for _, f := range b.kind.Fields {
		set(t, &req.Spec, f.Name, f.To) // in place, as a careless caller might
	}
	for k := range req.Applied {
		req.Applied[k] = append(req.Applied[k][:0], "overwritten")
	}
	req.Spec, req.Applied = b.kind.Full(), fullyApplied(t, b)
	unchanged(t, b.observe(t, req))
}

func neighbours[S any](t testing.TB, b *bench[S]) {
	var all []request[S]
	for range 3 {
		req := b.request(t, b.kind.Minimal())
		b.create(t, &req)
		all = append(all, req)
	}
	for _, req := range all {
		if obs := b.observe(t, req); obs.Mark != b.markOf(req) || obs.ID != req.ID {
			t.Errorf("looking for %s found mark %+v and id %q, want %+v and %q", req.Name, obs.Mark, obs.ID, req.Mark, req.ID)
		}
	}
}

func longestName[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	length := b.described(t).Name.In(b.Account).MaxLength
	if length < 20 {
		t.Fatalf("names have at most %d characters: too few to tell objects apart", length)
	}
	req.Name += strings.Repeat("x", max(length-len(req.Name), 0))
	b.create(t, &req)
}

// refusedNames holds the driver's rule against the cloud: it must say the same, in neither direction more.
func refusedNames[S any](t testing.TB, b *bench[S]) {
	rule := b.described(t).Name.In(b.Account)
	for _, name := range b.kind.RefusedNames {
		req := b.request(t, b.kind.Minimal())
		req.Name = name
		if err := rule.Refuses(name); err == nil || driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%q: the rule says %v, want Invalid", name, err)
		}
		if _, err := b.open(t).Create(t.Context(), req); driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%q: the cloud says %v, want Invalid", name, err)
		}
	}
	for _, name := range append(b.kind.OddNames, b.request(t, b.kind.Minimal()).Name) {
		if err := rule.Refuses(name); err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		req := b.request(t, b.kind.Minimal())
		req.Name = name
		b.create(t, &req)
	}
}

func stopped[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Cloud.Stop != nil, "way to stop an object")
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	b.kind.Cloud.Stop(t, req.Name)
	b.Finish(t)
	if obs := b.observe(t, req); obs.State != driver.Ready || obs.Available || !obs.Stopped {
		t.Errorf("got %v, available %t, stopped %t", obs.State, obs.Available, obs.Stopped)
	}
}

func createPassword[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Cloud.Password != nil, "way to see a password")
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	if b.kind.Cloud.Password(t, req.Name) != req.Login.Password {
		t.Error("the password is not the one asked for")
	}
}

func newPassword[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	req.Login.Password += "-new"
	unchanged(t, b.observe(t, req)) // a driver can't know
	cost := b.update(t, &req, []driver.Change{{Field: driver.FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}})
	if cost.Writes != 1 {
		t.Errorf("a new password cost %+v, want one write", cost)
	}
	unchanged(t, b.observe(t, req))
	if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != req.Login.Password {
		t.Error("the password was not set")
	}
	second := req
	second.Login.Password = ""
	_, err := b.open(t).Update(t.Context(), second, []driver.Change{{Field: driver.FieldMark, Effect: driver.Online}})
	if err != nil {
		t.Errorf("an update that is not about the password: %v", err)
	}
	b.Finish(t)
	if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != req.Login.Password {
		t.Error("the password was touched by an update that is not about it")
	}
}

func latePassword[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	req.Login.Password += "-new"
	change := []driver.Change{{Field: driver.FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}}
	lift := b.fail(t, Fault{Kind: FailLate, Writes: true})
	b.update(t, &req, change)
	lift()
	if obs := b.observe(t, req); obs.OperationError == nil && !obs.PasswordRefused {
		t.Errorf("got %v, and neither OperationError nor PasswordRefused: the password would count as set", obs.State)
	}
	req.Operation = ""
	if obs := b.observe(t, req); obs.State != driver.Ready {
		t.Errorf("the state is %v, so the password can't be sent again", obs.State)
	}
	b.update(t, &req, change)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.OperationError != nil || obs.PasswordRefused {
		t.Errorf("the password was set, and yet OperationError is %v and PasswordRefused %t", obs.OperationError, obs.PasswordRefused)
	}
	if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != req.Login.Password {
		t.Error("the password was not set")
	}
}

func otherUsername[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	req.Login.Username = "somebodyelse"
	changes := b.observe(t, req).Changes
	if len(changes) != 1 || changes[0].Field != driver.FieldUsername {
		t.Fatalf("got changes %v, want exactly one of %s", changes, driver.FieldUsername)
	}
	if changes[0].Effect != driver.Impossible {
		b.update(t, &req, changes)
		unchanged(t, b.converge(t, &req))
	}
}
