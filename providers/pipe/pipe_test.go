package pipe_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/pipe"
)

// scripted is a driver whose sessions do what a test says.
type scripted struct {
	driver.Driver
	driver.Session
	with    driver.Opening
	observe func(ctx context.Context, with driver.Opening, req driver.Request) (driver.Observation, error)
	// secrets are what Create was given.
	secrets driver.Secrets
}

func (s *scripted) Open(_ context.Context, with driver.Opening) (driver.Session, error) {
	s.with = with
	return s, nil
}

func (s *scripted) Observe(ctx context.Context, _ string, req driver.Request) (driver.Observation, error) {
	return s.observe(ctx, s.with, req)
}

func (s *scripted) Create(_ context.Context, _ string, _ driver.Request, secrets driver.Secrets) (driver.Result, error) {
	s.secrets = secrets
	return driver.Result{}, nil
}

func (s *scripted) Update(context.Context, string, driver.Request, []driver.Change, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, errors.New("boom")
}

// joined is a driver at the other end of a pipe, and the ends of that pipe.
type joined struct {
	driver.Driver
	session  driver.Session
	scripted *scripted
	cut      func()
}

func join(t *testing.T, observe func(context.Context, driver.Opening, driver.Request) (driver.Observation, error), host driver.Host) *joined {
	t.Helper()
	s := &scripted{Driver: mem.New(mem.Options{}).Driver(), observe: observe}
	fromCaller, toDriver := io.Pipe()
	fromDriver, toCaller := io.Pipe()
	go func() { _ = pipe.Serve(fromCaller, toCaller, s) }()
	cut := func() { _, _ = toDriver.Close(), toCaller.Close() }
	t.Cleanup(cut)
	d, err := pipe.Connect(t.Context(), fromDriver, toDriver)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := d.Open(t.Context(), driver.Opening{
		Config: driver.Config{Location: "eu-west-1"}, Credentials: driver.Credentials{"key": []byte("canary\x00\xff")}, Host: host,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &joined{d, opened, s, cut}
}

func ready(context.Context, driver.Opening, driver.Request) (driver.Observation, error) {
	return driver.Observation{State: driver.Ready}, nil
}

// What is sent arrives: the request with its spec, and the secrets, which nothing but the pipe encodes.
func TestWhatIsSentArrives(t *testing.T) {
	var got driver.Request
	j := join(t, func(_ context.Context, _ driver.Opening, req driver.Request) (driver.Observation, error) {
		got = req
		return driver.Observation{State: driver.Ready, OperationError: &driver.Error{Code: driver.Quota, Op: "insert", Message: "too many"}}, nil
	}, nil)
	want := driver.Request{Name: "photos", Spec: driver.NewSpec(&v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})}
	seen, err := j.session.Observe(t.Context(), "Bucket", want)
	if err != nil || seen.State != driver.Ready || driver.CodeOf(seen.OperationError) != driver.Quota {
		t.Errorf("got %+v and error %v", seen, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the request (-sent +arrived):\n%s", diff)
	}
	sent := driver.Secrets{Own: "canary", Parent: driver.Login{Username: "boss", Password: "canary of the parent"}}
	if _, err := j.session.Create(t.Context(), "Database", driver.Request{}, sent); err != nil {
		t.Fatal(err)
	}
	if j.scripted.secrets != sent || string(j.scripted.with.Credentials["key"]) != "canary\x00\xff" || j.scripted.with.Location != "eu-west-1" {
		t.Errorf("secrets or config did not arrive: %d bytes of password, %d credentials, %+v",
			len(j.scripted.secrets.Own), len(j.scripted.with.Credentials), j.scripted.with.Config)
	}
	if _, err := j.session.Update(t.Context(), "Bucket", want, nil, driver.Secrets{}); driver.CodeOf(err) != driver.Internal || !strings.Contains(err.Error(), "boom") {
		t.Errorf("an error without a code came as %v of code %v, want Internal with its text", err, driver.CodeOf(err))
	}
	if diff := cmp.Diff(j.scripted.Describe(), j.Describe()); diff != "" {
		t.Errorf("the description (-driver +caller):\n%s", diff)
	}
}

// The end of a caller's context ends the call at the other side, and the call is Unavailable, not an absence.
func TestCancellationIsCarried(t *testing.T) {
	arrived, ended := make(chan bool, 1), make(chan error, 1)
	j := join(t, func(ctx context.Context, _ driver.Opening, _ driver.Request) (driver.Observation, error) {
		_, limited := ctx.Deadline()
		arrived <- limited
		<-ctx.Done()
		ended <- ctx.Err()
		return driver.Observation{}, &driver.Error{Code: driver.Unavailable, Message: "no answer", Err: ctx.Err()}
	}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	if _, err := j.session.Observe(ctx, "Bucket", driver.Request{}); driver.CodeOf(err) != driver.Unavailable || err == nil {
		t.Errorf("got error %v of code %v, want Unavailable", err, driver.CodeOf(err))
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("at the other side the call ended with %v", err)
	}
}

// A pipe that breaks makes each call Unavailable, those under way and those that come, and ends nothing else.
func TestABrokenPipeIsUnavailable(t *testing.T) {
	arrived := make(chan struct{}, 10)
	j := join(t, func(ctx context.Context, _ driver.Opening, _ driver.Request) (driver.Observation, error) {
		arrived <- struct{}{}
		<-ctx.Done()
		return driver.Observation{State: driver.Absent}, nil
	}, nil)
	var calls sync.WaitGroup
	for range 5 {
		calls.Go(func() {
			seen, err := j.session.Observe(t.Context(), "Bucket", driver.Request{})
			if err == nil || driver.CodeOf(err) != driver.Unavailable || seen.State != driver.Unknown {
				t.Errorf("a call under way: got %v and error %v (%v), want Unavailable", seen.State, err, driver.CodeOf(err))
			}
		})
	}
	for range 5 {
		<-arrived
	}
	j.cut()
	calls.Wait()
	_, observed := j.session.Observe(t.Context(), "Bucket", driver.Request{})
	_, identified := j.session.Identity(t.Context())
	_, created := j.session.Create(t.Context(), "Bucket", driver.Request{}, driver.Secrets{Own: "canary"})
	_, opened := j.Open(t.Context(), driver.Opening{})
	_, previewed := j.Preview("Bucket", []byte("{}"), []byte("{}"), nil)
	_, checked := j.Check("Bucket", driver.Draft{Spec: []byte("{}")})
	for call, err := range map[string]error{"Observe": observed, "Identity": identified, "Create": created, "Open": opened, "Preview": previewed, "Check": checked} {
		if err == nil || driver.CodeOf(err) != driver.Unavailable {
			t.Errorf("%s after the break: got error %v (%v), want Unavailable", call, err, driver.CodeOf(err))
		}
	}
	if j.Describe().Name != "aws" {
		t.Error("the description went with the pipe")
	}
}

// A message that is too long is refused, and harms no other call.
func TestFramesAreBounded(t *testing.T) {
	j := join(t, func(_ context.Context, _ driver.Opening, req driver.Request) (driver.Observation, error) {
		if req.Name == "answer" {
			return driver.Observation{State: driver.Ready, Problem: strings.Repeat("x", 9<<20)}, nil
		}
		return driver.Observation{State: driver.Ready}, nil
	}, nil)
	if _, err := j.session.Observe(t.Context(), "Bucket", driver.Request{Name: strings.Repeat("x", 9<<20)}); driver.CodeOf(err) != driver.Invalid {
		t.Errorf("a request: got error of code %v, want Invalid", driver.CodeOf(err))
	}
	if seen, err := j.session.Observe(t.Context(), "Bucket", driver.Request{Name: "answer"}); err == nil || driver.CodeOf(err) != driver.Internal {
		t.Errorf("an answer: got %v and error of code %v, want Internal", seen.State, driver.CodeOf(err))
	}
	if seen, err := j.session.Observe(t.Context(), "Bucket", driver.Request{}); err != nil || seen.State != driver.Ready {
		t.Errorf("the next call: got %v, %v", seen.State, err)
	}
}

// A line that never ends, and what is no frame, break the pipe instead of filling the memory. What it held is not quoted.
func TestGarbageBreaksThePipe(t *testing.T) {
	for name, garbage := range map[string]string{"endless": strings.Repeat("x", 9<<20), "no JSON": "canary\n"} {
		err := pipe.Serve(strings.NewReader(garbage), io.Discard, mem.New(mem.Options{}).Driver())
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}

type callerKey struct{}

// The driver asks its host for tokens and reports its requests, on behalf of the call that needs them. A request that the host forbids
// is over before it begins, or as soon as it is forbidden.
func TestHostIsAsked(t *testing.T) {
	forbid, cancelled := make(chan struct{}), make(chan struct{})
	var ended []driver.Call
	host := driver.HostFuncs{
		Tokens: func(ctx context.Context, audience string) (string, error) {
			if ctx.Value(callerKey{}) != "the caller" {
				t.Error("the host does not know on whose behalf it is asked")
			}
			return "token for " + audience, nil
		},
		Calls: func(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
			ctx, end := context.WithCancel(ctx)
			if operation == "forbidden" {
				end()
			}
			go func() { <-forbid; end() }()
			return ctx, func(call driver.Call) { ended = append(ended, call) }
		},
	}
	j := join(t, func(ctx context.Context, with driver.Opening, _ driver.Request) (driver.Observation, error) {
		value, err := with.Host.Token(ctx, "aud")
		if err != nil || value != "token for aud" {
			t.Errorf("got token %q and error %v", value, err)
		}
		refused, end := with.Begin(ctx, "s3", "forbidden")
		if refused.Err() == nil {
			t.Error("a request that the host forbids may be sent")
		}
		end(driver.Call{Service: "s3", Operation: "forbidden", Failed: true})
		allowed, end := with.Begin(ctx, "s3", "allowed")
		if allowed.Err() != nil {
			t.Errorf("a request that the host allows: %v", allowed.Err())
		}
		close(forbid)
		<-allowed.Done()
		close(cancelled)
		end(driver.Call{Service: "s3", Operation: "allowed", Status: 200})
		return driver.Observation{State: driver.Ready}, nil
	}, host)
	if _, err := j.session.Observe(context.WithValue(t.Context(), callerKey{}, "the caller"), "Bucket", driver.Request{}); err != nil {
		t.Fatal(err)
	}
	<-cancelled
	want := []driver.Call{{Service: "s3", Operation: "forbidden", Failed: true}, {Service: "s3", Operation: "allowed", Status: 200}}
	if diff := cmp.Diff(want, ended); diff != "" {
		t.Errorf("before the call ended these requests had ended at the host (-want +got):\n%s", diff)
	}
}

// Many calls at once: each gets its own answer.
func TestAnswersReachTheirCallers(t *testing.T) {
	j := join(t, func(_ context.Context, _ driver.Opening, req driver.Request) (driver.Observation, error) {
		return driver.Observation{State: driver.Ready, ID: req.Name}, nil
	}, nil)
	var calls sync.WaitGroup
	for i := range 200 {
		name := strings.Repeat("x", i)
		calls.Go(func() {
			if seen, err := j.session.Observe(t.Context(), "Bucket", driver.Request{Name: name}); err != nil || seen.ID != name {
				t.Errorf("got %q and error %v, want %q", seen.ID, err, name)
			}
		})
	}
	calls.Wait()
}

// What a call costs through a pipe, beside TestSpecIsThePointer of package driver, which shows that it costs nothing without one.
func BenchmarkObserve(b *testing.B) {
	fromCaller, toDriver := io.Pipe()
	fromDriver, toCaller := io.Pipe()
	s := &scripted{Driver: mem.New(mem.Options{}).Driver(), observe: ready}
	go func() { _ = pipe.Serve(fromCaller, toCaller, s) }()
	defer func() { _, _ = toDriver.Close(), toCaller.Close() }()
	d, err := pipe.Connect(b.Context(), fromDriver, toDriver)
	if err != nil {
		b.Fatal(err)
	}
	opened, err := d.Open(b.Context(), driver.Opening{})
	if err != nil {
		b.Fatal(err)
	}
	req := driver.Request{Name: "photos", Spec: driver.NewSpec(&v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})}
	for name, session := range map[string]driver.Session{"in one process": s, "through a pipe": opened} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := session.Observe(b.Context(), "Bucket", req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
