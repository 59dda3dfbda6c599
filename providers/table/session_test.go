package table_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type parameters = v1alpha1.BucketParameters

// noting is a kind that notes what it is asked.
type noting struct {
	calls []string
	last  table.Request[parameters]
}

func (n *noting) note(call string, req table.Request[parameters]) {
	n.calls, n.last = append(n.calls, call), req
}

func (n *noting) Observe(_ context.Context, req table.Request[parameters]) (driver.Observation, error) {
	n.note("Observe", req)
	return driver.Observation{State: driver.Ready}, nil
}

func (n *noting) List(_ context.Context, req driver.ListRequest) (driver.Page, error) {
	n.note("List "+req.Page, table.Request[parameters]{})
	return driver.Page{Next: "2"}, nil
}

func (n *noting) Create(_ context.Context, req table.Request[parameters]) (driver.Result, error) {
	n.note("Create", req)
	return driver.Result{ID: "made"}, nil
}

func (n *noting) Update(_ context.Context, req table.Request[parameters], edit driver.Edit) (driver.Result, error) {
	n.note("Update "+edit.Changes[0].Field, req)
	return driver.Result{ID: "changed"}, nil
}

func (n *noting) Do(_ context.Context, req table.Request[parameters], command driver.Command) (driver.Result, error) {
	n.note("Do "+string(command.Verb), req)
	return driver.Result{ID: "done"}, nil
}

func (n *noting) Delete(_ context.Context, req table.Request[parameters]) (driver.Result, error) {
	n.note("Delete", req)
	return driver.Result{ID: "gone"}, nil
}

func session(kind *noting) driver.Session {
	identity := func(context.Context) (driver.AccountID, error) { return "111", nil }
	return table.NewSession("the cloud", identity, map[string]table.Handler{"Bucket": table.Handle(kind)})
}

// Each call reaches the kind's own method, with the spec in the kind's own type, however it came.
func TestSessionReachesTheKind(t *testing.T) {
	spec := &parameters{Versioning: new(v1alpha1.VersioningEnabled)}
	text, err := json.Marshal(driver.NewSpec(spec))
	if err != nil {
		t.Fatal(err)
	}
	var arrived driver.Spec
	if err := json.Unmarshal(text, &arrived); err != nil {
		t.Fatal(err)
	}
	for name, sent := range map[string]driver.Spec{"passed": driver.NewSpec(spec), "decoded": arrived} {
		kind := &noting{}
		s, req := session(kind), driver.Request{Name: "photos", Spec: sent}
		secrets := driver.Secrets{Own: "canary", Parent: driver.Login{Username: "admin", Password: "of the parent"}}
		arrive := func(method string) {
			if got := kind.last; got.Login.Password != "canary" || got.ParentLogin != secrets.Parent {
				t.Errorf("%s: the secrets that arrived by %s are not those that were sent", name, method)
			}
		}
		seen, _ := s.Observe(t.Context(), "Bucket", req, secrets)
		arrive("Observe")
		page, _ := s.List(t.Context(), "Bucket", driver.ListRequest{Page: "1"})
		created, _ := s.Create(t.Context(), "Bucket", req, secrets)
		arrive("Create")
		updated, _ := s.Update(t.Context(), "Bucket", req, driver.Edit{Changes: []driver.Change{{Field: "tags"}}}, secrets)
		arrive("Update")
		done, _ := s.Do(t.Context(), "Bucket", req, driver.Command{Verb: driver.WriteMark}, secrets)
		arrive("Do")
		deleted, _ := s.Delete(t.Context(), "Bucket", req, secrets)
		arrive("Delete")
		if seen.State != driver.Ready || created.ID != "made" || updated.ID != "changed" || done.ID != "done" || deleted.ID != "gone" || page.Next != "2" {
			t.Errorf("%s: the answers did not come back: %v %q %q %q %q %q", name, seen.State, page.Next, created.ID, updated.ID, done.ID, deleted.ID)
		}
		if want := "Observe List 1 Create Update tags Do write-mark Delete"; want != strings.Join(kind.calls, " ") {
			t.Errorf("%s: the kind was asked %q, want %q", name, strings.Join(kind.calls, " "), want)
		}
		if v := kind.last.Spec.Versioning; kind.last.Name != "photos" || v == nil || *v != v1alpha1.VersioningEnabled {
			t.Errorf("%s: the request that arrived is %+v", name, kind.last)
		}
	}
}

// A kind that the cloud lacks, and a spec that can't be read, are Invalid, and nothing is called.
func TestSessionRefuses(t *testing.T) {
	var broken driver.Spec
	if err := json.Unmarshal([]byte(`{"versioning": 5}`), &broken); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		kind string
		spec driver.Spec
	}{"no such kind": {"Queue", driver.Spec{}}, "no such spec": {"Bucket", broken}} {
		kind := &noting{}
		s, req := session(kind), driver.Request{Name: "photos", Spec: tt.spec}
		_, observed := s.Observe(t.Context(), tt.kind, req, driver.Secrets{})
		_, created := s.Create(t.Context(), tt.kind, req, driver.Secrets{})
		_, updated := s.Update(t.Context(), tt.kind, req, driver.Edit{Changes: []driver.Change{{Field: "tags"}}}, driver.Secrets{})
		_, done := s.Do(t.Context(), tt.kind, req, driver.Command{Verb: driver.WriteMark}, driver.Secrets{})
		_, deleted := s.Delete(t.Context(), tt.kind, req, driver.Secrets{})
		for method, err := range map[string]error{"Observe": observed, "Create": created, "Update": updated, "Do": done, "Delete": deleted} {
			if err == nil || driver.CodeOf(err) != driver.Invalid {
				t.Errorf("%s: %s: got error %v, want code Invalid", name, method, err)
			}
		}
		if len(kind.calls) > 0 {
			t.Errorf("%s: the kind was asked %q", name, kind.calls)
		}
	}
}

// Of is the way back: what is asked of a part of a session reaches the kind as it is.
func TestPartOfASession(t *testing.T) {
	kind := &noting{}
	part := table.Of[parameters](session(kind), "Bucket")
	req := table.Request[parameters]{Request: driver.Request{Name: "photos"}, Spec: parameters{Versioning: new(v1alpha1.VersioningEnabled)}}
	if _, err := part.Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "versioning"}}}); err != nil {
		t.Fatal(err)
	}
	if kind.last.Spec.Versioning != req.Spec.Versioning || kind.last.Name != "photos" {
		t.Errorf("the request that arrived is %+v", kind.last)
	}
}
