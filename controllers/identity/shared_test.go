package identity

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Whoever asks for the account while another does gets the answer, although the first is cancelled meanwhile; that one waits no longer.
func TestCancelledCallerTakesNobodyAlong(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		answers := make(chan struct{})
		c.Session = identified{ask: func(ctx context.Context) (driver.AccountID, error) {
			select {
			case <-answers:
				return "111", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}}
		first, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 2)
		go func() { _, err := c.Account(first); errs <- err }()
		synctest.Wait()
		go func() { _, err := c.Account(t.Context()); errs <- err }()
		synctest.Wait()
		cancel()
		if err := <-errs; !errors.Is(err, context.Canceled) {
			t.Errorf("who was cancelled got %v", err)
		}
		close(answers)
		if err := <-errs; err != nil {
			t.Errorf("who was not cancelled got %v", err)
		}
	})
}

// A shared call has the deadline of the first caller, or one of its own; it is given up then.
func TestSharedCallEnds(t *testing.T) {
	for name, deadline := range map[string]time.Duration{"the caller's": time.Second, "its own": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, want := t.Context(), sharedDeadline
				if deadline != 0 {
					limited, cancel := context.WithTimeout(ctx, deadline)
					defer cancel()
					ctx, want = limited, deadline
				}
				began := time.Now()
				const gives = time.Millisecond // what the call takes to end
				_, err := share(ctx, &singleflight.Group{}, "", func(ctx context.Context) (int, error) {
					<-ctx.Done()
					time.Sleep(gives)
					return 0, errors.New("no answer")
				})
				if err == nil || err.Error() != "no answer" || time.Since(began) != want+gives {
					t.Errorf("%v after %v, want the error of the call after %v", err, time.Since(began), want)
				}
			})
		})
	}
}

// Each caller waits until its own deadline, whatever that of the first is, whose call goes on.
func TestDeadlineOfASecondCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		group, answers := &singleflight.Group{}, make(chan struct{})
		call := func(ctx context.Context) (int, error) {
			select {
			case <-answers:
				return 1, nil
			case <-ctx.Done():
				return 0, errors.New("no answer")
			}
		}
		first := make(chan error, 1)
		go func() {
			_, err := share(t.Context(), group, "", call)
			first <- err
		}()
		synctest.Wait()
		hurried, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if _, err := share(hurried, group, "", call); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("%v after %v, want the end of its own deadline after a second", err, time.Since(began))
		}
		close(answers)
		if err := <-first; err != nil {
			t.Errorf("the first caller got %v", err)
		}
	})
}

// Who gets no answer of the cloud in time is told that the account is unavailable, so that it counts as not answering: the first who asks, one
// who waits for the answer of another, and one who had no time from the beginning.
func TestNoAnswerInTimeIsUnavailable(t *testing.T) {
	h := newFixture(t, teamConfig(), keys("shop", "keys", "111"))
	c, err := h.Connect(t.Context(), team)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		joins bool
		after time.Duration
	}{
		"the first caller": {false, time.Second},
		"another caller":   {true, time.Second},
		"the first caller, whose deadline has passed": {false, -time.Second},
		"another caller, whose deadline has passed":   {true, -time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers, first := make(chan struct{}), make(chan error, 1)
				c.Session = identified{ask: func(ctx context.Context) (driver.AccountID, error) {
					select {
					case <-answers:
						return "111", nil
					case <-ctx.Done():
						return "", ctx.Err()
					}
				}}
				if test.joins {
					go func() {
						_, err := c.Account(t.Context())
						first <- err
					}()
					synctest.Wait()
				}
				hurried, cancel := context.WithTimeout(t.Context(), test.after)
				defer cancel()
				if _, err := c.Account(hurried); driver.CodeOf(err) != driver.Unavailable || !errors.Is(err, context.DeadlineExceeded) || err.Error() == "" {
					t.Errorf("got %v with code %s, want one that is Unavailable because of the deadline", err, driver.CodeOf(err))
				}
				close(answers)
				if test.joins {
					if err := <-first; err != nil {
						t.Errorf("the first caller got %v", err)
					}
				}
				c.known = ""
			})
		})
	}
}

// A panic is one of the caller, whose controller recovers it: the process lives on.
func TestSharedCallPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("the caller did not panic")
		}
	}()
	_, _ = share(t.Context(), &singleflight.Group{}, "", func(context.Context) (int, error) { panic("a defect of the driver") })
}
