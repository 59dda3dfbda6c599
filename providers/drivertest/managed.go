package drivertest

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// managed returns what holds of passwords that the cloud manages, or is asked to manage and can't.
func managed[S any](can bool) []obligation[S] {
	if !can {
		return []obligation[S]{{"a password that the cloud is to manage is refused without a call", refusesManagement[S]}}
	}
	return []obligation[S]{
		{"an object whose password the cloud manages is made without one, and says where it is", createManaged[S]},
		{"the cloud takes the password over by one write, and the former one no longer holds", handOver[S]},
		{"a password takes the place of one that the cloud manages by one write", takeBack[S]},
		{"a password alone does not take the place of one that the cloud manages", keepsManaged[S]},
		{"management that the cloud accepts and can't begin shows", lateHandOver[S]},
	}
}

// passwordFailed returns why an update did not change the password; nil if it did.
func passwordFailed(result driver.Result, err error) error {
	if err == nil && result.PasswordFailed != nil {
		return result.PasswordFailed
	}
	return err
}

// underManagement makes an object whose password the cloud manages.
func underManagement[S any](t testing.TB, b *bench[S]) request[S] {
	t.Helper()
	req := b.request(t, b.kind.Full())
	req.CloudManaged, req.Login.Password = true, ""
	seen := req
	seen.Login = b.kind.Login // nobody uses it: so nothing is found that looks like a password
	seen.Applied = b.observe(t, seen).Applied
	req.Applied = seen.Applied
	result, err := b.open(t).Create(t.Context(), req)
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	req.ID, req.Operation = result.ID, result.Operation
	req.Login = b.kind.Login
	b.converge(t, &req)
	return req
}

// wantManaged checks that the cloud manages the password of an object, or that it does not.
func wantManaged[S any](t testing.TB, b *bench[S], req request[S], want bool) {
	t.Helper()
	obs := b.observe(t, req)
	unchanged(t, obs)
	if obs.Login.GetCloudManaged() != want || (obs.Endpoint.PasswordSecret != "") != want {
		t.Errorf("the cloud manages the password: %t, in %q; want %t", obs.Login.GetCloudManaged(), obs.Endpoint.PasswordSecret, want)
	}
	if obs.Login.GetPasswordProblem() != "" || obs.Login.GetPasswordRefused() {
		t.Errorf("the password has the problem %q, refused: %t", obs.Login.GetPasswordProblem(), obs.Login.GetPasswordRefused())
	}
}

// passwordOf returns the password of an object as the cloud has it; empty if the harness can't see it.
func passwordOf[S any](t testing.TB, b *bench[S], req request[S]) string {
	t.Helper()
	if b.kind.Cloud.Password == nil {
		return ""
	}
	return b.kind.Cloud.Password(t, req.Name)
}

func createManaged[S any](t testing.TB, b *bench[S]) {
	req := underManagement(t, b)
	wantManaged(t, b, req, true)
	if got := passwordOf(t, b, req); got == req.Login.Password {
		t.Error("the password is one that the cloud did not make")
	}
}

func handOver[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	b.create(t, &req)
	wantManaged(t, b, req, false)
	req.CloudManaged = true
	unchanged(t, b.observe(t, req)) // only the caller knows what is wanted
	without := req
	without.Login.Password = ""
	if cost := b.changePassword(t, &without, driver.HandOverPassword); cost.Writes != 1 {
		t.Errorf("it cost %+v, want one write", cost)
	}
	req.Operation = without.Operation
	b.converge(t, &req)
	wantManaged(t, b, req, true)
	if b.kind.Cloud.Password != nil && passwordOf(t, b, req) == req.Login.Password {
		t.Error("the former password still holds")
	}
}

func takeBack[S any](t testing.TB, b *bench[S]) {
	req := underManagement(t, b)
	req.CloudManaged, req.Login.Password = false, req.Login.Password+"-back"
	unchanged(t, b.observe(t, req))
	without := req
	without.Login.Password = ""
	result, err := b.open(t).Update(t.Context(), without, driver.Edit{Password: driver.TakeBackPassword})
	if err != nil || result.PasswordFailed == nil || result.PasswordFailed.Code != driver.Invalid {
		t.Errorf("without a password: got %v, %v; want it to fail with the code Invalid", result.PasswordFailed, err)
	}
	b.Finish(t)
	wantManaged(t, b, req, true)
	if cost := b.changePassword(t, &req, driver.TakeBackPassword); cost.Writes != 1 {
		t.Errorf("it cost %+v, want one write", cost)
	}
	b.converge(t, &req)
	wantManaged(t, b, req, false)
	if b.kind.Cloud.Password != nil && passwordOf(t, b, req) != req.Login.Password {
		t.Error("the password was not set")
	}
}

func keepsManaged[S any](t testing.TB, b *bench[S]) {
	req := underManagement(t, b)
	before := passwordOf(t, b, req)
	req.CloudManaged, req.Login.Password = false, req.Login.Password+"-alone"
	result, err := b.open(t).Update(t.Context(), req, driver.Edit{Password: driver.SetPassword})
	err = passwordFailed(result, err)
	if err == nil || driver.CodeOf(err) != driver.Conflict {
		t.Errorf("got %v, want code Conflict: somebody may have turned it on a moment ago", err)
	}
	noSecrets(t, err, []string{req.Login.Password})
	b.Finish(t)
	wantManaged(t, b, req, true)
	if passwordOf(t, b, req) != before {
		t.Error("the password was replaced all the same")
	}
}

func lateHandOver[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	b.create(t, &req)
	req.CloudManaged = true
	lift := b.fail(t, Fault{Kind: FailLate, Writes: true})
	b.changePassword(t, &req, driver.HandOverPassword)
	lift()
	if obs := b.observe(t, req); obs.OperationError == nil && !obs.Login.GetPasswordRefused() && obs.Problem == "" && obs.Login.GetCloudManaged() {
		t.Errorf("got %v, and nothing says that the cloud does not manage the password", obs.State)
	}
}

// refusesPassword returns the check that Update refuses changes of the password, and makes no call that writes.
func refusesPassword[S any](changes ...driver.PasswordChange) func(testing.TB, *bench[S]) {
	return func(t testing.TB, b *bench[S]) {
		req := b.request(t, b.kind.Minimal())
		b.create(t, &req)
		req.Login.Password = "nobody-logs-in"
		before := b.Calls()
		for _, change := range changes {
			result, err := b.open(t).Update(t.Context(), req, driver.Edit{Password: change})
			if err != nil || result.PasswordFailed == nil || result.PasswordFailed.Code != driver.Invalid {
				t.Errorf("%s: got %v, %v; want it to fail with the code Invalid", change, result.PasswordFailed, err)
			}
		}
		if cost := b.Calls().minus(before); cost.Writes != 0 {
			t.Errorf("Update wrote: %+v", cost)
		}
	}
}

func refusesManagement[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Minimal())
	asks := req
	asks.CloudManaged, asks.Login.Password = true, ""
	before := b.Calls()
	if _, err := b.open(t).Create(t.Context(), asks); driver.CodeOf(err) != driver.Invalid || err == nil {
		t.Errorf("Create: got %v, want code Invalid", err)
	}
	if cost := b.Calls().minus(before); cost != (Calls{}) {
		t.Errorf("Create made calls: %+v", cost)
	}
	b.create(t, &req)
	before = b.Calls()
	result, err := b.open(t).Update(t.Context(), req, driver.Edit{Password: driver.HandOverPassword})
	if err != nil || result.PasswordFailed == nil || result.PasswordFailed.Code != driver.Invalid {
		t.Errorf("Update: got %v, %v; want it to fail with the code Invalid", result.PasswordFailed, err)
	}
	if cost := b.Calls().minus(before); cost.Writes != 0 {
		t.Errorf("Update wrote: %+v", cost)
	}
}
