package drivertest

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// ownership returns what holds of marks and of what belongs to others.
func ownership[S any]() []obligation[S] {
	return []obligation[S]{
		{"the mark is rewritten by one write that changes nothing else", remark[S]},
		{"a mark is released and taken back", release[S]},
		{"a mark of an earlier release is completed with the next change of tags", completed[S]},
		{"a mark that is final is released to all but its own object", finalMark[S]},
		{"an object without a mark has the zero mark", unmarked[S]},
		{"a mark of somebody else is shown as it is", foreignMark[S]},
		{"an object in another account is out of reach", foreignAccount[S]},
	}
}

// writeMark is the command that writes the mark.
var writeMark = driver.Command{Verb: driver.WriteMark}

// rewrite has the mark of req written, by at most so many writes.
func rewrite[S any](t testing.TB, b *bench[S], req *request[S], writes int) {
	t.Helper()
	cost := do(t, b, req, writeMark)
	if cost.Writes < 1 || cost.Writes > writes {
		t.Errorf("writing the mark cost %+v, want at most %d writes", cost, writes)
	}
	if obs := b.observe(t, *req); obs.Mark != b.markOf(*req) {
		t.Errorf("the mark is %+v, want %+v", obs.Mark, b.markOf(*req))
	}
}

func remark[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.marks(t) && !b.described(t).MarkIsFinal, "kind whose objects' marks change")
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	b.kind.addLabel(t, req.Name, "owner", "somebody")
	before := b.observe(t, req)
	req.Mark.UID = "uid-2"
	rewrite(t, b, &req, 1+b.kind.Beside)
	after := b.observe(t, req)
	before.Mark = after.Mark
	before.OperationError, after.OperationError = nil, nil
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("writing the mark changed something else (-before +after):\n%s", diff)
	}
}

// addLabel adds a label as somebody else would, if the harness can.
func (k *Kind[S]) addLabel(t testing.TB, name, key, value string) {
	t.Helper()
	if k.Cloud.Labels == nil || k.Cloud.Relabel == nil {
		return
	}
	labels := maps.Clone(k.Cloud.Labels(t, name))
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	k.Cloud.Relabel(t, name, labels)
}

func release[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.marks(t) && !b.described(t).MarkIsFinal, "kind whose objects' marks change")
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	b.kind.fill(t, req.Name)
	req.Mark.Released = true
	rewrite(t, b, &req, 2+2*b.kind.Beside) // where labels are set and removed by calls of their own
	req.Mark.Released = false
	rewrite(t, b, &req, 2+2*b.kind.Beside)
}

func completed[S any](t testing.TB, b *bench[S]) {
	at := slices.IndexFunc(b.kind.Fields, func(f Field) bool { return f.Name == "tags" })
	skipUnless(t, at >= 0 && b.marks(t) && !b.described(t).MarkIsFinal && b.kind.Cloud.Labels != nil && b.kind.Cloud.Relabel != nil, "way to take a label away")
	_, req, declared := beginEntries(t, b, b.kind.Fields[at])
	before := req.Mark
	before.NamespaceUID = ""
	labels := maps.Clone(b.kind.Cloud.Labels(t, req.Name))
	delete(labels, driver.LabelNamespaceUID)
	b.kind.Cloud.Relabel(t, req.Name, labels)
	if obs := b.observe(t, req); obs.Mark != before || len(obs.Changes) > 0 {
		t.Errorf("with the mark of an earlier release it has the mark %+v and the changes %v", obs.Mark, obs.Changes)
	}
	set(t, &req.Spec, "tags", with(declared, "brand-new", "1"))
	updateEntries(t, b, b.kind.Fields[at], &req)
	if obs := b.observe(t, req); obs.Mark != req.Mark {
		t.Errorf("the mark is %+v after a change of tags, want %+v", obs.Mark, req.Mark)
	}
}

// fill adds labels as somebody else would, until there is no room for one more in any cloud, if the harness can.
func (k *Kind[S]) fill(t testing.TB, name string) {
	t.Helper()
	if k.Cloud.Labels == nil || k.Cloud.Relabel == nil {
		return
	}
	labels := maps.Clone(k.Cloud.Labels(t, name))
	for i := 0; labels != nil && len(labels) < 50; i++ {
		labels[fmt.Sprintf("filled-%d", i)] = "x"
	}
	k.Cloud.Relabel(t, name, labels)
}

func finalMark[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.described(t).MarkIsFinal, "kind whose objects' marks are final")
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	ours, id := req.Mark, req.ID

	req.Mark.UID, req.ID = "uid-2", ""
	left := ours
	left.Released = true
	if obs := b.observe(t, req); obs.State != driver.Ready || obs.Mark != left {
		t.Errorf("another object of that name sees %v with the mark %+v, want Ready with %+v", obs.State, obs.Mark, left)
	}
	req.ID = id
	if obs := b.observe(t, req); obs.State != driver.Ready || obs.Mark != req.Mark {
		t.Errorf("the object that took it over sees %v with the mark %+v, want Ready with its own", obs.State, obs.Mark)
	}
	if cost := do(t, b, &req, writeMark); cost.Writes > 0 {
		t.Errorf("what can't be written cost %+v", cost)
	}
	req.Mark.Name = "other"
	result, err := b.open(t).Do(t.Context(), req, writeMark)
	if err == nil && len(result.Failed) == 1 {
		err = result.Failed[0].Err
	}
	if driver.CodeOf(err) != driver.Unsupported {
		t.Errorf("Do for an object of another name: got %v, want an error of code Unsupported", err)
	}
}

func unmarked[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Cloud.Relabel != nil, "way to change labels")
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	b.kind.Cloud.Relabel(t, req.Name, map[string]string{"owner": "somebody"})
	if obs := b.observe(t, req); obs.State != driver.Ready || !obs.Mark.Zero() {
		t.Errorf("got %v with mark %+v, want Ready with none", obs.State, obs.Mark)
	}
}

func foreignMark[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Cloud.Relabel != nil, "way to change labels")
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	want := driver.Mark{Cluster: "cluster-2", Namespace: "theirs", Name: "other", UID: "uid-9"}
	b.kind.Cloud.Relabel(t, req.Name, want.Labels())
	if obs := b.observe(t, req); obs.State != driver.Ready || obs.Mark != want {
		t.Errorf("got %v with mark %+v, want Ready with %+v", obs.State, obs.Mark, want)
	}
}

func foreignAccount[S any](t testing.TB, b *bench[S]) {
	skipUnless(t, b.kind.Within == nil, "kind without a parent") // "a parent of another account is none" is about the others
	skipUnless(t, b.Other != nil, "other account")
	conn, err := b.Driver.Open(t.Context(), *b.Other)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	theirs := b.request(t, b.kind.Minimal()) // Full names cloud objects of our account
	theirs.Location = b.Other.Location
	if _, err := table.Of[S](conn, b.name).Create(t.Context(), theirs); err != nil {
		t.Fatalf("Create in the other account: %v", err)
	}
	b.Finish(t)
	ours := b.request(t, b.kind.Full())
	ours.Name = theirs.Name
	if !b.kind.GlobalNames {
		if obs := b.observe(t, ours); obs.State != driver.Absent {
			t.Errorf("in our account the state is %v, want Absent", obs.State)
		}
		return
	}
	obs, err := b.open(t).Observe(t.Context(), ours)
	if code := driver.CodeOf(err); err == nil || code != driver.Denied {
		t.Errorf("Observe: got %v, error %v (%v), want one of code Denied", obs.State, err, code)
	}
	if _, err := b.open(t).Create(t.Context(), ours); driver.CodeOf(err) != driver.Conflict {
		t.Errorf("Create: got error %v, want one of code Conflict", err)
	}
	if _, err := b.open(t).Delete(t.Context(), ours); driver.CodeOf(err) != driver.Denied {
		t.Errorf("Delete: got error %v, want one of code Denied", err)
	}
	if obs, err := table.Of[S](conn, b.name).Observe(t.Context(), theirs); err != nil || obs.State != driver.Ready {
		t.Errorf("afterwards they see %v, %v, want Ready", obs.State, err)
	}
}
