package pipe_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/pipe"
)

// A host may forbid a request while its permission is on the way to the driver: the Stop arrives before the answer to Begin. The
// request is not sent.
func TestAStopBeforeTheAnswerIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forbidden := make(chan bool, 1)
		s := &scripted{Driver: mem.New(mem.Options{}).Driver()}
		s.observe = func(ctx context.Context, with driver.Opening, _ driver.Request) (driver.Observation, error) {
			requested, end := with.Begin(ctx, "s3", "HeadBucket")
			forbidden <- requested.Err() != nil
			end(driver.Call{Failed: true})
			return driver.Observation{}, nil
		}
		w := newWire(t, func(r io.Reader, w io.Writer) { _ = pipe.Serve(r, w, s) })
		w.send(1, "Open", `{"Session":1,"HasHost":true}`)
		w.receiveMethod("answer")
		w.send(2, "Observe", `{"Session":1,"Kind":"Bucket"}`)
		begin := w.receiveMethod("Begin")
		var asked struct{ Number uint64 }
		if err := json.Unmarshal(begin.Body, &asked); err != nil {
			t.Fatal(err)
		}
		w.send(0, "Stop", fmt.Sprintf(`{"Number":%d}`, asked.Number))
		w.send(begin.ID, "answer", `{}`)
		if !<-forbidden {
			t.Error("a request that the host had forbidden may be sent")
		}
		w.receiveMethod("Ended")
		w.receiveMethod("answer")
	})
}

// recorder is a host that records the requests that begin and end.
type recorder struct {
	mu    sync.Mutex
	begun int
	ended []driver.Call
	// beginning, if not nil, runs while Begin does.
	beginning func()
}

func (r *recorder) Token(context.Context, string) (string, error) { return "token", nil }

func (r *recorder) Begin(ctx context.Context, _, _ string) (context.Context, func(driver.Call)) {
	if r.beginning != nil {
		r.beginning()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun++
	return ctx, func(call driver.Call) {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.ended = append(r.ended, call)
	}
}

// verify checks that each request ended, and how.
func (r *recorder) verify(t *testing.T, want ...driver.Call) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun != len(want) {
		t.Errorf("%d requests began, want %d", r.begun, len(want))
	}
	if diff := cmp.Diff(want, r.ended); diff != "" {
		t.Errorf("requests that ended (-want +got):\n%s", diff)
	}
}

// Of the requests that are under way when the pipe breaks each is ended at the host, before the calls that they were made for.
func TestABrokenPipeEndsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host, begun := &recorder{}, make(chan struct{})
		j := join(t, func(ctx context.Context, with driver.Opening, _ driver.Request) (driver.Observation, error) {
			for range 3 {
				_, end := with.Begin(ctx, "s3", "HeadBucket")
				defer end(driver.Call{Service: "s3", Operation: "HeadBucket", Status: 200})
			}
			close(begun)
			<-ctx.Done()
			return driver.Observation{}, nil
		}, host)
		go func() { <-begun; j.cut() }()
		if _, err := j.session.Observe(t.Context(), "Bucket", driver.Request{}); driver.CodeOf(err) != driver.Unavailable {
			t.Errorf("got error %v, want Unavailable", err)
		}
		lost := driver.Call{Service: "s3", Operation: "HeadBucket", Failed: true, Code: driver.Unavailable}
		host.verify(t, lost, lost, lost)
	})
}

// A request that begins at the host only after the driver gave up waiting for its permission, or after the pipe broke, is ended.
func TestARequestThatBeginsTooLateIsEnded(t *testing.T) {
	for name, breaks := range map[string]bool{"the driver gives up": false, "the pipe breaks": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release, asked := make(chan struct{}), make(chan struct{})
				host := &recorder{beginning: func() { close(asked); <-release }}
				j := join(t, func(ctx context.Context, with driver.Opening, _ driver.Request) (driver.Observation, error) {
					ctx, cancel := context.WithCancel(ctx)
					go func() {
						if <-asked; !breaks {
							cancel()
						}
					}()
					defer cancel()
					requested, end := with.Begin(ctx, "s3", "HeadBucket")
					if requested.Err() == nil {
						t.Error("a request without permission may be sent")
					}
					end(driver.Call{Service: "s3", Operation: "HeadBucket", Failed: true, Code: driver.Unavailable})
					return driver.Observation{}, nil
				}, host)
				if breaks {
					go func() { <-asked; j.cut() }()
				}
				_, _ = j.session.Observe(t.Context(), "Bucket", driver.Request{})
				host.verify(t)
				close(release)
				synctest.Wait()
				host.verify(t, driver.Call{Service: "s3", Operation: "HeadBucket", Failed: true, Code: driver.Unavailable})
			})
		})
	}
}

// A request may be made in a context that outlives the call of its caller, as one for a token that several calls share. The caller's end does not
// forbid it.
func TestARequestMayOutliveItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		host := &recorder{}
		j := join(t, func(ctx context.Context, with driver.Opening, _ driver.Request) (driver.Observation, error) {
			<-ctx.Done()
			requested, end := with.Begin(context.WithoutCancel(ctx), "sts", "AssumeRole")
			if err := requested.Err(); err != nil {
				t.Errorf("the request is forbidden: %v", err)
			}
			end(driver.Call{Service: "sts", Operation: "AssumeRole", Status: 200})
			return driver.Observation{}, nil
		}, host)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { synctest.Wait(); cancel() }()
		_, _ = j.session.Observe(ctx, "Bucket", driver.Request{})
		host.verify(t, driver.Call{Service: "sts", Operation: "AssumeRole", Status: 200})
	})
}
