package drivertest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// lists returns what holds of lists.
func lists[S any]() []obligation[S] {
	all := []obligation[S]{
		{"list/a kind that is not described as one that can be listed is Invalid, without a call", listCapability[S]},
		{"list/an object is listed as Observe sees it", listAgrees[S]},
		{"list/an object at which the cloud is at work is listed in that state", listStates[S]},
		{"list/has the objects of everybody, with whatever mark they have", listMarks[S]},
		{"list/objects with a cluster's mark are found by it", listCluster[S]},
		{"list/what does not fit on a page is on the next, and nothing is there twice", listPages[S]},
		{"list/an account without objects has one empty page", listEmpty[S]},
		{"list/a token that the cloud does not know is PageExpired, and never an empty page", listToken[S]},
		{"list/another account's objects are not there", listAccount[S]},
		{"list/objects of other locations are there only if the page says so", listLocation[S]},
		{"list/a context that is over makes no call", listOver[S]},
	}
	for _, kind := range []FaultKind{Denied, Throttled, ServerError, Hang} {
		all = append(all, obligation[S]{fmt.Sprintf("list/%s is an error of its code, and never an empty page", kind), func(t testing.TB, b *bench[S]) { listFails(t, b, kind) }})
	}
	return all
}

// skipUnlessLists skips a check for a driver that can't list the kind.
func skipUnlessLists[S any](t testing.TB, b *bench[S]) {
	t.Helper()
	skipUnless(t, b.described(t).Capabilities.List, "driver that can list the kind")
}

// walk returns all pages of a list.
func walk[S any](t testing.TB, b *bench[S], s driver.Session, req driver.ListRequest) []driver.Page {
	t.Helper()
	var pages []driver.Page
	tokens := map[string]bool{}
	req.Parent = b.within(t)
	for {
		before := b.Calls()
		page, err := s.List(t.Context(), b.name, req)
		if err != nil {
			t.Fatalf("List of page %d: %v", len(pages)+1, err)
		}
		if cost := b.Calls().minus(before); cost != (Calls{Reads: 1}) {
			t.Errorf("page %d cost %+v, want one read", len(pages)+1, cost)
		}
		soundPage(t, b, page)
		if pages = append(pages, page); page.Next == "" {
			return pages
		}
		if tokens[page.Next] {
			t.Fatalf("page %d has the token of an earlier page: the list never ends", len(pages))
		}
		tokens[page.Next], req.Page = true, page.Next
	}
}

// soundPage checks what holds of every page.
func soundPage[S any](t testing.TB, b *bench[S], page driver.Page) {
	t.Helper()
	for _, name := range page.Lacks {
		if name != driver.FieldMark && !slices.ContainsFunc(b.described(t).Fields, func(d driver.Field) bool { return d.Field == name }) {
			t.Errorf("the page lacks %q, which is no field of the kind", name)
		}
	}
	for _, o := range page.Objects {
		if o.Name == "" || o.Location == "" || o.State == driver.Unknown || o.State == driver.Absent {
			t.Errorf("%+v: want a name, a location, and the state of an object that is there", o)
		}
		if page.Location != "" && o.Location != page.Location {
			t.Errorf("%s is in %s, and the page has the objects of %s", o.Name, o.Location, page.Location)
		}
		if unknown := slices.Contains(page.Lacks, driver.FieldMark); unknown != (o.Mark == nil) {
			t.Errorf("%s has the mark %v, and that the page lacks marks is %t: no mark and an unknown one can't be told apart", o.Name, o.Mark, unknown)
		}
		var mirror S
		if err := json.Unmarshal(o.Mirror, &mirror); err != nil {
			t.Fatalf("%s: the mirror %s is no spec: %v", o.Name, o.Mirror, err)
		}
		for _, name := range page.Lacks {
			if value, has := get(&mirror, name); has && name != driver.FieldMark {
				t.Errorf("%s has %s = %q, which the page says it lacks", o.Name, name, value)
			}
		}
	}
}

// find returns an object of a list, and the page that it is on; nil if it is not there.
func find(t testing.TB, pages []driver.Page, name string) (*driver.Listed, driver.Page) {
	t.Helper()
	var found *driver.Listed
	var on driver.Page
	for _, page := range pages {
		for i := range page.Objects {
			if page.Objects[i].Name != name {
				continue
			}
			if found != nil {
				t.Errorf("%s is in the list twice", name)
			}
			found, on = &page.Objects[i], page
		}
	}
	return found, on
}

// agrees checks that a list says of an object what Observe says.
func agrees[S any](t testing.TB, b *bench[S], pages []driver.Page, req request[S]) {
	t.Helper()
	req.Operation = "" // a list knows of none
	o := b.observe(t, req)
	listed, page := find(t, pages, req.Name)
	if listed == nil {
		if o.State != driver.Absent && o.State != driver.Deleting {
			t.Errorf("%s is %v, and not in the list", req.Name, o.State)
		}
		return
	}
	want, got := driver.Listed{
		Name: req.Name, State: o.State, ID: o.ID, Mark: &o.Mark, Location: o.Location,
		Available: o.Available, Stopped: o.Stopped, Protected: o.Protected, Problem: o.Problem, Work: o.Work,
	}, *listed
	got.Mirror = nil
	if slices.Contains(page.Lacks, driver.FieldMark) {
		want.Mark = nil
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-observed +listed):\n%s", req.Name, diff)
	}
	if len(o.Mirror) == 0 {
		return // nothing was read of an object that goes
	}
	bare := req
	bare.Spec = *new(S) // a list knows none: of fields that exclude each other a mirror has the one of the spec
	o = b.observe(t, bare)
	var observed, shown S
	if err := json.Unmarshal(o.Mirror, &observed); err != nil {
		t.Fatal(err)
	}
	for _, name := range page.Lacks {
		if name != driver.FieldMark {
			set(t, &observed, name, nil)
		}
	}
	if err := json.Unmarshal(listed.Mirror, &shown); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(observed, shown); diff != "" {
		t.Errorf("the mirror of %s (-observed +listed), of a page that lacks %q:\n%s", req.Name, page.Lacks, diff)
	}
}

func listCapability[S any](t testing.TB, b *bench[S]) {
	before := b.Calls()
	page, err := b.Harness.open(t).List(t.Context(), b.name, driver.ListRequest{})
	if b.described(t).Capabilities.List {
		if err != nil {
			t.Errorf("it is described as one that can be listed: %v", err)
		}
		return
	}
	if err == nil || driver.CodeOf(err) != driver.Invalid {
		t.Errorf("got a page of %d objects and error %v, want code Invalid", len(page.Objects), err)
	}
	if cost := b.Calls().minus(before); cost != (Calls{}) {
		t.Errorf("it cost calls: %+v", cost)
	}
}

func listAgrees[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	full, minimal := b.request(t, b.kind.Full()), b.request(t, b.kind.Minimal())
	for _, req := range []*request[S]{&full, &minimal} {
		b.create(t, req)
	}
	if b.kind.Cloud.Stop != nil {
		stopped := b.request(t, b.kind.Minimal())
		b.create(t, &stopped)
		b.kind.Cloud.Stop(t, stopped.Name)
		b.Finish(t)
		agrees(t, b, walk(t, b, b.Harness.open(t), driver.ListRequest{}), stopped)
	}
	pages := walk(t, b, b.Harness.open(t), driver.ListRequest{})
	agrees(t, b, pages, full)
	agrees(t, b, pages, minimal)
}

func listStates[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	created, deleted := b.request(t, b.kind.Minimal()), b.deletable(t)
	if _, err := b.open(t).Create(t.Context(), created); err != nil {
		t.Fatalf("Create: %v", err)
	}
	if _, err := b.open(t).Delete(t.Context(), deleted); err != nil {
		t.Fatalf("Delete: %v", err)
	}
	pages := walk(t, b, b.Harness.open(t), driver.ListRequest{})
	agrees(t, b, pages, created)
	agrees(t, b, pages, deleted)
}

func listMarks[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	skipUnless(t, b.kind.Cloud.Relabel != nil, "way to change labels")
	ours, theirs, nobodys, released := b.request(t, b.kind.Minimal()), b.request(t, b.kind.Minimal()), b.request(t, b.kind.Minimal()), b.request(t, b.kind.Minimal())
	for _, req := range []*request[S]{&ours, &theirs, &nobodys, &released} {
		b.create(t, req)
	}
	theirs.Mark = driver.Mark{Cluster: "cluster-2", Namespace: "theirs", Name: "other", UID: "uid-9"}
	b.kind.Cloud.Relabel(t, theirs.Name, theirs.Mark.Labels())
	nobodys.Mark = driver.Mark{}
	b.kind.Cloud.Relabel(t, nobodys.Name, map[string]string{"owner": "somebody"})
	released.Mark.Released = true
	b.kind.Cloud.Relabel(t, released.Name, released.Mark.Labels())
	b.Finish(t)
	pages := walk(t, b, b.Harness.open(t), driver.ListRequest{})
	for _, req := range []request[S]{ours, theirs, nobodys, released} {
		listed, page := find(t, pages, req.Name)
		switch {
		case listed == nil:
			t.Errorf("the object with the mark %+v is not in the list", req.Mark)
		case !slices.Contains(page.Lacks, driver.FieldMark) && *listed.Mark != req.Mark:
			t.Errorf("the mark is %+v, want %+v", *listed.Mark, req.Mark)
		}
	}
}

func listCluster[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	for _, cluster := range []string{req.Mark.Cluster, "no such value OR x:y"} { // the second must not break the call
		listed, _ := find(t, walk(t, b, b.Harness.open(t), driver.ListRequest{Cluster: cluster}), req.Name)
		if listed == nil && cluster == req.Mark.Cluster {
			t.Errorf("an object with the mark of cluster %q is not in the list of that cluster's", cluster)
		}
	}
}

func listPages[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	skipUnless(t, b.PageSize != nil, "way to make pages small")
	var all []request[S]
	for range 3 {
		req := b.request(t, b.kind.Minimal())
		b.create(t, &req)
		all = append(all, req)
	}
	const size = 2
	lift := b.PageSize(size)
	t.Cleanup(lift)
	pages := walk(t, b, b.Harness.open(t), driver.ListRequest{})
	lift()
	if len(pages) < 2 {
		t.Errorf("at least %d objects came on %d pages of %d", len(all), len(pages), size)
	}
	for _, page := range pages {
		if len(page.Objects) > size {
			t.Errorf("a page has %d objects: the harness does not make pages of %d", len(page.Objects), size)
		}
	}
	for _, req := range all {
		agrees(t, b, pages, req)
	}
}

func listEmpty[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	skipUnless(t, b.Empty != nil, "account without objects")
	s, err := b.Driver.Open(t.Context(), *b.Empty)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if pages := walk(t, b, s, driver.ListRequest{}); len(pages) != 1 || len(pages[0].Objects) > 0 {
		t.Errorf("got %+v, want one page without objects", pages)
	}
}

func listToken[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	s := b.Harness.open(t)
	page, err := s.List(t.Context(), b.name, driver.ListRequest{Page: "no token of yours"})
	if err == nil || driver.CodeOf(err) != driver.PageExpired {
		t.Errorf("got a page of %d objects and error %v (%v), want one of code PageExpired", len(page.Objects), err, driver.CodeOf(err))
	}
	if listed, _ := find(t, walk(t, b, s, driver.ListRequest{}), req.Name); listed == nil {
		t.Error("begun anew, the list does not have the object")
	}
}

func listAccount[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	skipUnless(t, b.Other != nil, "other account")
	skipUnless(t, b.kind.Within == nil, "kind whose objects need no other in that account")
	other, err := b.Driver.Open(t.Context(), *b.Other)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	listedElsewhere(t, b, other, b.Other.Location, func(theirs request[S], ours []driver.Page) {
		if listed, _ := find(t, ours, theirs.Name); listed != nil {
			t.Errorf("our list has the object of another account: %+v", *listed)
		}
	})
}

func listLocation[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	i := slices.IndexFunc(b.kind.Fields, func(f Field) bool { return f.Name == "location" })
	skipUnless(t, i >= 0, "field location")
	cfg := b.Config
	cfg.Location = b.kind.Fields[i].To.(string)
	there, err := b.Driver.Open(t.Context(), cfg)
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	listedElsewhere(t, b, there, cfg.Location, func(elsewhere request[S], ours []driver.Page) {
		listed, _ := find(t, ours, elsewhere.Name)
		switch here := ours[0].Location; {
		case here != "" && listed != nil:
			t.Errorf("the list of %s has an object of %s: %+v", here, cfg.Location, *listed)
		case here == "" && (listed == nil || listed.Location != cfg.Location):
			t.Errorf("a list of all locations has %+v of an object in %s", listed, cfg.Location)
		}
	})
}

// listedElsewhere makes an object in a session, which must list it, and hands it over with what our own session lists.
func listedElsewhere[S any](t testing.TB, b *bench[S], s driver.Session, location string, verify func(req request[S], ours []driver.Page)) {
	t.Helper()
	req := b.request(t, b.kind.Minimal())
	req.Location = location
	if _, err := table.Of[S](s, b.name).Create(t.Context(), req); err != nil {
		t.Fatalf("Create: %v", err)
	}
	b.Finish(t)
	if listed, _ := find(t, walk(t, b, s, driver.ListRequest{}), req.Name); listed == nil {
		t.Error("the session that made the object does not list it")
	}
	verify(req, walk(t, b, b.Harness.open(t), driver.ListRequest{}))
}

func listOver[S any](t testing.TB, b *bench[S]) {
	skipUnlessLists(t, b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s, before := b.Harness.open(t), b.Calls()
	_, err := s.List(ctx, b.name, driver.ListRequest{})
	b.wrong(t, "List", err, Hang)
	if cost := b.Calls().minus(before); cost != (Calls{}) {
		t.Errorf("calls were made: %+v", cost)
	}
}

func listFails[S any](t testing.TB, b *bench[S], kind FaultKind) {
	skipUnlessLists(t, b)
	lift := b.fail(t, Fault{Kind: kind, Reads: true})
	b.inTime(t, kind, func(ctx context.Context) {
		page, err := b.Harness.open(t).List(ctx, b.name, driver.ListRequest{})
		b.wrong(t, "List", err, kind)
		if len(page.Objects) > 0 || page.Next != "" {
			t.Errorf("an error, and yet a page: %+v", page)
		}
	})
	lift()
	walk(t, b, b.Harness.open(t), driver.ListRequest{})
}
