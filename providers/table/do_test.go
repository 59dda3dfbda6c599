package table

import (
	"context"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An adapter carries out the commands that it has functions for, and refuses all others before it calls anybody, whatever its kind is described to have.
func TestCommandsOfAnAdapter(t *testing.T) {
	type h struct{}
	type p struct{}
	for _, verb := range driver.Verbs {
		if verb == driver.WriteMark {
			continue
		}
		bare := &Adapter[v1alpha1.BucketParameters, h, p]{Noun: "bucket"}
		if _, err := bare.Do(t.Context(), Request[v1alpha1.BucketParameters]{}, driver.Command{Verb: verb}); driver.CodeOf(err) != driver.Unsupported {
			t.Errorf("%s: got %v, want Unsupported", verb, err)
		}
	}
}

// What travels beside a request is never shown by an error: neither the object's own password nor that of its parent.
func TestSecretsOfAnAdapter(t *testing.T) {
	type h struct{}
	type p struct{}
	type request = Request[v1alpha1.BucketParameters]
	refused := &driver.Error{Code: driver.Invalid, Message: "refused own-password and parent-password"}
	a := &Adapter[v1alpha1.BucketParameters, h, p]{
		Noun: "bucket", Parts: []Part[v1alpha1.BucketParameters, h, p]{{}},
		Read:   func(context.Context, *request, *driver.Observation) (*h, error) { return nil, refused },
		Remove: func(context.Context, *request) (driver.Result, error) { return driver.Result{}, refused },
		Make:   func(context.Context, *request, *p) (driver.Result, error) { return driver.Result{}, refused },
		Login:  func(context.Context, *request, *h, *driver.Observation) error { return nil },
	}
	req := request{Login: driver.Login{Password: "own-password"}, ParentLogin: driver.Login{Password: "parent-password"}}
	_, observed := a.Observe(t.Context(), req)
	_, created := a.Create(t.Context(), req)
	_, updated := a.Update(t.Context(), req, driver.Edit{Password: driver.SetPassword})
	_, deleted := a.Delete(t.Context(), req)
	for method, err := range map[string]error{"Observe": observed, "Create": created, "Update": updated, "Delete": deleted} {
		if err == nil || err.Error() != "refused (secret) and (secret)" {
			t.Errorf("%s: the error shows %q", method, err)
		}
	}
}

// What an observation could not read, and how an operation ended, show no secret either.
func TestObservationShowsNoSecret(t *testing.T) {
	type h struct{}
	type p struct{}
	type request = Request[v1alpha1.BucketParameters]
	refused := &driver.Error{Code: driver.Denied, Message: "refused own-password and parent-password"}
	refuse := func(context.Context, *request, *h) error { return refused }
	location := Field("location", func(s *v1alpha1.BucketParameters) *string { return s.Location }, func(*h) *string { return nil }, func(*p, string) {})
	a := &Adapter[v1alpha1.BucketParameters, h, p]{
		Noun: "bucket", Table: Table[v1alpha1.BucketParameters, h, p]{location},
		Parts: []Part[v1alpha1.BucketParameters, h, p]{{Fields: []string{"location"}, Read: refuse, Hidden: refuse}},
		Read:  func(context.Context, *request, *driver.Observation) (*h, error) { return &h{}, nil },
		State: func(_ *request, _ *h, o *driver.Observation) { o.State, o.OperationError = driver.Ready, refused },
	}
	req := request{Login: driver.Login{Password: "own-password"}, ParentLogin: driver.Login{Password: "parent-password"}}
	req.Spec.Location = new("here")
	o, err := a.Observe(t.Context(), req)
	if err != nil || len(o.Unreadable) != 2 {
		t.Fatalf("got %v and %v, want the field unreadable twice", o.Unreadable, err)
	}
	for _, e := range []*driver.Error{o.Unreadable[0].Err, o.Unreadable[1].Err, o.OperationError} {
		if e.Error() != "refused (secret) and (secret)" {
			t.Errorf("the observation shows %q", e)
		}
	}
}
