package drivertest

import (
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
		{"what a Create set by calls of their own is not read again, and is as if it were", createSets[S]},
		{"a second Create is Conflict and changes nothing", createTwice[S]},
		{"Update of a missing object is NotFound and makes none", updateMissing[S]},
		{"the mirror is the object in the words of the spec", mirror[S]},
		{"what the cloud reports of its support arrives, and stays as it is", supported[S]},
		{"a whole mirror has what the spec does not declare", mirrorWhole[S]},
		{"Applied says what is set", applied[S]},
		{"the request stays the caller's", kept[S]},
		{"neighbours are not mistaken for each other", neighbours[S]},
		{"the longest name is taken", longestName[S]},
		{"names that the cloud refuses are known before it is asked", refusedNames[S]},
		{"what somebody stopped is Stopped, Ready and not Available", stopped[S]},
		{"an unknown change of the password is refused without a write", refusesPassword[S]("forget")},
	}
	if !login {
		return append(all, obligation[S]{"a password is refused without a write where there is no administrator", refusesPassword[S](driver.PasswordChanges...)})
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
		if b.kind.lacks(d.Field) {
			if known {
				t.Errorf("the harness tries %q, and says that the cloud lacks it", d.Field)
			}
			continue
		}
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
	b.atRest(t, b.request(t, b.kind.Full()), b.kind.Reads+b.kind.SupportReads)
}

func createMinimal[S any](t testing.TB, b *bench[S]) {
	b.atRest(t, b.request(t, b.kind.Minimal()), b.kind.MinimalReads+b.kind.SupportReads)
}

// createSets: a look right after a Create that is told what it set says the same as one that reads all. Only what the Create did not set is read.
func createSets[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	req.Applied = b.observe(t, req).Applied
	result, err := b.open(t).Create(t.Context(), req)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	req.ID, req.Operation = result.ID, result.Operation
	b.Finish(t)
	if len(result.Sent) == 0 {
		return // then there is nothing that need not be read
	}
	reads := func(req request[S]) (driver.Observation, int) {
		before := b.Calls()
		seen := b.observe(t, req)
		return seen, b.Calls().minus(before).Reads
	}
	all, most := reads(req)
	told := req
	told.JustSet = driver.Names(result.Sent)
	quick, fewer := reads(told)
	if fewer >= most {
		t.Errorf("a look that is told that %v was set took %d reads, and one that is not told %d", told.JustSet, fewer, most)
	}
	asJSON := cmp.Transformer("JSON", func(text json.RawMessage) (value any) {
		if err := json.Unmarshal(text, &value); err != nil {
			t.Errorf("the mirror is %s: %v", text, err)
		}
		return value
	})
	if diff := cmp.Diff(all, quick, asJSON); diff != "" {
		t.Errorf("a look that reads all, and one that is told what was set (-all +told):\n%s", diff)
	}
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
	if _, err := b.open(t).Update(t.Context(), req, driver.Edit{}); err != nil {
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
	_, err := writeLeast(t.Context(), b, b.open(t), req)
	if code := driver.CodeOf(err); err == nil || code != driver.NotFound {
		t.Errorf("got error %v (%v), want one of code NotFound", err, code)
	}
	b.Finish(t)
	if obs := b.observe(t, req); obs.State != driver.Absent {
		t.Errorf("Update made an object: %v", obs.State)
	}
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
