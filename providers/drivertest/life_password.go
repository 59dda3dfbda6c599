package drivertest

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

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
	cost := b.changePassword(t, &req, driver.SetPassword)
	if cost.Writes != 1 {
		t.Errorf("a new password cost %+v, want one write", cost)
	}
	unchanged(t, b.observe(t, req))
	if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != req.Login.Password {
		t.Error("the password was not set")
	}
	second := req
	second.Login.Password = ""
	if _, err := b.open(t).Do(t.Context(), second, writeMark); err != nil {
		t.Errorf("a command that is not about the password: %v", err)
	}
	b.Finish(t)
	if b.kind.Cloud.Password != nil && b.kind.Cloud.Password(t, req.Name) != req.Login.Password {
		t.Error("the password was touched by a command that is not about it")
	}
}

func latePassword[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	req.Login.Password += "-new"
	lift := b.fail(t, Fault{Kind: FailLate, Writes: true})
	b.changePassword(t, &req, driver.SetPassword)
	lift()
	if obs := b.observe(t, req); obs.OperationError == nil && !obs.Login.GetPasswordRefused() {
		t.Errorf("got %v, and neither OperationError nor PasswordRefused: the password would count as set", obs.State)
	}
	req.Operation = ""
	if obs := b.observe(t, req); obs.State != driver.Ready {
		t.Errorf("the state is %v, so the password can't be sent again", obs.State)
	}
	b.changePassword(t, &req, driver.SetPassword)
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.OperationError != nil || obs.Login.GetPasswordRefused() {
		t.Errorf("the password was set, and yet OperationError is %v and PasswordRefused %t", obs.OperationError, obs.Login.GetPasswordRefused())
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
