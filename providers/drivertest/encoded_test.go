package drivertest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A field that JSON loses or changes is an error, and so is what no JSON can hold.
func TestRoundTripShowsWhatIsLost(t *testing.T) {
	type message struct {
		Name string
		Left string `json:"-"`
		own  string
		List []string `json:",omitempty"`
		Err  error    `json:"-"`
	}
	for name, tt := range map[string]struct {
		lossy bool
		send  func(t testing.TB)
	}{
		"all of it arrives":               {false, func(t testing.TB) { roundTrip(t, message{Name: "a"}) }},
		"a field that JSON leaves out":    {true, func(t testing.TB) { roundTrip(t, message{Left: "a"}) }},
		"a field that is not exported":    {true, func(t testing.TB) { roundTrip(t, message{own: "a"}) }},
		"an empty list that becomes none": {true, func(t testing.TB) { roundTrip(t, message{List: []string{}}) }},
		"an error of another message":     {true, func(t testing.TB) { roundTrip(t, message{Err: errors.New("a")}) }},
		"a function":                      {true, func(t testing.TB) { roundTrip(t, struct{ F func() }{func() {}}) }},
		"a field that nobody knows":       {true, func(t testing.TB) { roundTrip(t, nicknamed{}) }},
		"two texts":                       {true, func(t testing.TB) { roundTrip(t, json.RawMessage(`{}{}`)) }},
		"JSON with white space and <":     {false, func(t testing.TB) { roundTrip(t, json.RawMessage(`{"a": "<"}`)) }},
		"no JSON at all":                  {true, func(t testing.TB) { roundTrip(t, json.RawMessage{}) }},
		"an error of the contract, without the SDK's": {false, func(t testing.TB) {
			roundTrip(t, driver.FieldError{Err: &driver.Error{Code: driver.Busy, Settling: true, RetryAfter: time.Minute, Err: errors.New("SDK")}})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &errorRecorder{TB: t}
			if tt.send(r); (len(r.errors) > 0) != tt.lossy {
				t.Errorf("got errors %q, want some: %t", r.errors, tt.lossy)
			}
		})
	}
}

// nicknamed is encoded with a field that it does not have.
type nicknamed struct{ Name string }

func (nicknamed) MarshalJSON() ([]byte, error) { return []byte(`{"Name":"","Nickname":"a"}`), nil }

// scripted is a driver and its session, which record what arrives and answer what a test says.
type scripted struct {
	driver.Driver
	driver.Session
	opening driver.Opening
	request driver.Request
	edit    driver.Edit
	command driver.Command
	secrets driver.Secrets
	result  driver.Result
	err     error
	observe func(ctx context.Context, host driver.Host) driver.Observation
}

func (s *scripted) Describe() driver.Description {
	return driver.Description{Name: "third", Contract: driver.ContractVersion, Resources: []driver.Resource{{Kind: "Bucket"}}}
}

func (s *scripted) Open(_ context.Context, with driver.Opening) (driver.Session, error) {
	s.opening = with
	return s, s.err
}

func (s *scripted) Observe(ctx context.Context, _ string, req driver.Request, secrets driver.Secrets) (driver.Observation, error) {
	s.request, s.secrets = req, secrets
	return s.observe(ctx, s.opening.Host), s.err
}

func (s *scripted) Create(_ context.Context, _ string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	s.request, s.secrets = req, secrets
	return s.result, s.err
}

func (s *scripted) Update(
	_ context.Context, _ string, req driver.Request, edit driver.Edit, secrets driver.Secrets,
) (driver.Result, error) {
	s.request, s.edit, s.secrets = req, edit, secrets
	return s.result, s.err
}

func (s *scripted) Do(
	_ context.Context, _ string, req driver.Request, command driver.Command, secrets driver.Secrets,
) (driver.Result, error) {
	s.request, s.command, s.secrets = req, command, secrets
	return s.result, s.err
}

func (s *scripted) Delete(_ context.Context, _ string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	s.request, s.secrets = req, secrets
	return s.result, s.err
}

// encoded opens a session of a scripted driver.
func (s *scripted) encoded(t *testing.T, with driver.Opening) driver.Session {
	t.Helper()
	session, err := Encoded(t, s).Open(t.Context(), with)
	if err != nil {
		t.Fatal(err)
	}
	return session
}

// Messages arrive, and so do the secrets beside them. What arrives shares nothing with what was sent.
func TestEncodedDeliversMessagesAndSecrets(t *testing.T) {
	s := &scripted{result: driver.Result{Operation: "op-1", Failed: []driver.FieldError{{Field: "tags", Err: &driver.Error{Code: driver.Quota}}}}}
	with := driver.Opening{
		Config:      driver.Config{Location: "eu-west-1", Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: "eu-west-1"}}},
		Credentials: driver.Credentials{"key": []byte("canary\x00\xff")},
	}
	session := s.encoded(t, with)
	if diff := cmp.Diff(with.Config, s.opening.Config); diff != "" || string(s.opening.Credentials["key"]) != "canary\x00\xff" || s.opening.Host != nil {
		t.Errorf("the opening arrived with %d credentials and host %v; its config (-sent +arrived):\n%s",
			len(s.opening.Credentials), s.opening.Host, diff)
	}
	s.opening.Credentials["key"][0] = 'x'
	s.opening.Account.AWS.Region = "elsewhere"
	if string(with.Credentials["key"]) != "canary\x00\xff" || with.Account.AWS.Region != "eu-west-1" {
		t.Error("the driver changed what its caller sent")
	}
	spec := &v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}
	sent := driver.Request{Name: "photos", Spec: driver.NewSpec(spec)}
	edit := driver.Edit{Changes: []driver.Change{{Field: "versioning", To: "Enabled"}}, Password: driver.SetPassword}
	secrets := driver.Secrets{Own: "canary", Parent: driver.Login{Username: "admin", Password: "of the parent"}}
	result, err := session.Update(t.Context(), "Bucket", sent, edit, secrets)
	if err != nil || s.secrets != secrets {
		t.Errorf("got error %v and %d bytes of password", err, len(s.secrets.Own))
	}
	for what, diff := range map[string]string{
		"request": cmp.Diff(sent, s.request), "edit": cmp.Diff(edit, s.edit), "result": cmp.Diff(s.result, result),
	} {
		if diff != "" {
			t.Errorf("the %s (-sent +arrived):\n%s", what, diff)
		}
	}
	if arrived, err := driver.SpecOf[v1alpha1.BucketParameters](s.request.Spec); err != nil || arrived == spec {
		t.Errorf("the driver got the pointer of its caller, or error %v", err)
	}
	if _, err := session.Create(t.Context(), "Bucket", sent, driver.Secrets{Own: "canary-2"}); err != nil || s.secrets.Own != "canary-2" {
		t.Errorf("got error %v and %d bytes of password", err, len(s.secrets.Own))
	}
	command := driver.Command{Verb: driver.Restart, Before: "boot-1"}
	if _, err := session.Do(t.Context(), "Bucket", sent, command, secrets); err != nil || s.command != command || s.secrets != secrets {
		t.Errorf("got error %v, command %+v and %d bytes of password", err, s.command, len(s.secrets.Own))
	}
	s.observe = func(context.Context, driver.Host) driver.Observation { return driver.Observation{} }
	for name, call := range map[string]func(driver.Secrets) error{
		"Observe": func(with driver.Secrets) error {
			_, err := session.Observe(t.Context(), "Bucket", sent, with)
			return err
		},
		"Delete": func(with driver.Secrets) error {
			_, err := session.Delete(t.Context(), "Bucket", sent, with)
			return err
		},
	} {
		s.secrets = driver.Secrets{}
		if err := call(secrets); err != nil || s.secrets != secrets {
			t.Errorf("%s: got error %v and %d bytes of the parent's password", name, err, len(s.secrets.Parent.Password))
		}
	}
}

// An error arrives with all that is data in it, and nothing beside it does. What has no code is Internal.
func TestEncodedDeliversErrors(t *testing.T) {
	denied := &driver.Error{Code: driver.Denied, Op: "PutBucketTagging", Message: "no", Settling: true, RetryAfter: time.Minute, Err: errors.New("SDK")}
	arrives := *denied
	arrives.Err = nil
	for name, tt := range map[string]struct {
		err  error
		want *driver.Error
	}{
		"with a code": {denied, &arrives},
		"without one": {errors.New("boom"), &driver.Error{Code: driver.Internal, Message: "boom"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{result: driver.Result{ID: "of a call that failed"}}
			session := s.encoded(t, driver.Opening{})
			s.err = tt.err
			result, err := session.Create(t.Context(), "Bucket", driver.Request{}, driver.Secrets{})
			got, ok := err.(*driver.Error) //nolint:errorlint // it arrives as it is
			if !ok || result.ID != "" {
				t.Fatalf("got error %T %v and result %+v, want an error of the contract alone", err, err, result)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("the error (-want +arrived):\n%s", diff)
			}
			if _, err := Encoded(t, s).Open(t.Context(), driver.Opening{}); driver.CodeOf(err) != tt.want.Code {
				t.Errorf("Open: got error %v of code %v, want %v", err, driver.CodeOf(err), tt.want.Code)
			}
		})
	}
}

type nameKey struct{}

// The driver asks its host on behalf of the call that needs it. The values of a context stay where they are, and its end goes along. A
// request that the host forbids is over before it begins, or as soon as it is forbidden.
func TestEncodedAsksTheHost(t *testing.T) {
	forbid := make(chan struct{})
	var ended []driver.Call
	host := driver.HostFuncs{
		Tokens: func(ctx context.Context, audience string) (string, error) {
			if ctx.Value(nameKey{}) != "the caller" {
				t.Error("the host does not know on whose behalf it is asked")
			}
			return "token for " + audience, nil
		},
		Calls: func(ctx context.Context, _, operation string) (context.Context, func(driver.Call)) {
			ctx, end := context.WithCancel(context.WithValue(ctx, nameKey{}, "the host"))
			if operation == "forbidden" {
				end()
			}
			go func() { <-forbid; end() }()
			return ctx, func(call driver.Call) { ended = append(ended, call) }
		},
	}
	s := &scripted{observe: func(ctx context.Context, host driver.Host) driver.Observation {
		if name := ctx.Value(nameKey{}); name != nil {
			t.Errorf("the driver sees the value %v of the caller's context", name)
		}
		if token, err := host.Token(ctx, "aud"); err != nil || token != "token for aud" {
			t.Errorf("got token %q and error %v", token, err)
		}
		refused, end := host.Begin(ctx, "s3", "forbidden")
		if refused.Err() == nil {
			t.Error("a request that the host forbids may be sent")
		}
		end(driver.Call{Failed: true})
		allowed, end := host.Begin(ctx, "s3", "allowed")
		if allowed.Err() != nil || allowed.Value(nameKey{}) != nil {
			t.Errorf("a request that the host allows: %v, with the value %v", allowed.Err(), allowed.Value(nameKey{}))
		}
		close(forbid)
		<-allowed.Done()
		end(driver.Call{Status: 200})
		return driver.Observation{State: driver.Ready}
	}}
	session := s.encoded(t, driver.Opening{Host: host})
	if _, err := session.Observe(context.WithValue(t.Context(), nameKey{}, "the caller"), "Bucket", driver.Request{}, driver.Secrets{}); err != nil {
		t.Fatal(err)
	}
	want := []driver.Call{{Service: "s3", Operation: "forbidden", Failed: true}, {Service: "s3", Operation: "allowed", Status: 200}}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Errorf("requests that ended at the host (-want +got):\n%s", diff)
	}
}

// The caller's end and deadline reach the driver. A request that the driver makes for longer than its caller waits, such as one for a
// token that several calls share, goes on.
func TestEncodedCarriesTheEndOfACall(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	s := &scripted{observe: func(ctx context.Context, host driver.Host) driver.Observation {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("the deadline did not arrive")
		}
		cancel()
		<-ctx.Done()
		if requested, _ := host.Begin(ctx, "s3", "HeadBucket"); requested.Err() == nil {
			t.Error("a request for a call that ended may be sent")
		}
		if requested, _ := host.Begin(context.WithoutCancel(ctx), "sts", "AssumeRole"); requested.Err() != nil {
			t.Errorf("a request that outlives its caller is forbidden: %v", requested.Err())
		}
		return driver.Observation{}
	}}
	if _, err := s.encoded(t, driver.Opening{Host: driver.HostFuncs{}}).Observe(ctx, "Bucket", driver.Request{}, driver.Secrets{}); err != nil {
		t.Fatal(err)
	}
}

// A host's error keeps its code on the way to the driver.
func TestEncodedDeliversErrorsOfTheHost(t *testing.T) {
	host := driver.HostFuncs{Tokens: func(context.Context, string) (string, error) {
		return "", &driver.Error{Code: driver.Denied, Message: "no ServiceAccount", Err: errors.New("API")}
	}}
	s := &scripted{observe: func(ctx context.Context, host driver.Host) driver.Observation {
		if _, err := host.Token(ctx, "aud"); driver.CodeOf(err) != driver.Denied || errors.Unwrap(err) != nil || !strings.Contains(err.Error(), "no ServiceAccount") {
			t.Errorf("got error %v of code %v, want the data of it alone", err, driver.CodeOf(err))
		}
		return driver.Observation{}
	}}
	if _, err := s.encoded(t, driver.Opening{Host: host}).Observe(t.Context(), "Bucket", driver.Request{}, driver.Secrets{}); err != nil {
		t.Fatal(err)
	}
}
