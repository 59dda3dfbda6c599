package table

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

func TestOptionalIsLeftAloneForAWhile(t *testing.T) {
	for name, tt := range map[string]struct {
		err   error
		pause time.Duration
	}{
		"a call that succeeded":             {nil, 0},
		"a call that the cloud refused":     {&driver.Error{Code: driver.Denied}, deniedPause},
		"a call that came too soon":         {&driver.Error{Code: driver.Throttled}, failedPause},
		"a cloud that can't be reached":     {&driver.Error{Code: driver.Unavailable}, failedPause},
		"an error that nobody has heard of": {errors.New("no code"), failedPause},
	} {
		t.Run(name, func(t *testing.T) {
			now, calls := time.Unix(0, 0), 0
			o := &Optional{Now: func() time.Time { return now }}
			try := func(err error) bool {
				return o.Try(t.Context(), func(context.Context) error { calls++; return err })
			}
			if got := try(tt.err); got != (tt.err == nil) || calls != 1 {
				t.Fatalf("got %t after %d calls", got, calls)
			}
			if now = now.Add(tt.pause - time.Second); tt.pause > 0 && (try(nil) || calls != 1) {
				t.Errorf("the cloud was asked again after %s", tt.pause-time.Second)
			}
			if now = now.Add(time.Second); !try(nil) || calls != 2 {
				t.Errorf("the cloud was not asked again after %s", tt.pause)
			}
		})
	}
}

// Who asks for an observation may just have given the permission: the cloud is asked at once, and if that fails again,
// it is left alone again.
func TestOptionalIsTriedForWhoAsks(t *testing.T) {
	now, calls := time.Unix(0, 0), 0
	o := &Optional{Now: func() time.Time { return now }}
	try := func(asked time.Time) {
		o.Try(WithAsked(t.Context(), asked), func(context.Context) error { calls++; return &driver.Error{Code: driver.Denied} })
	}
	try(time.Time{})
	for _, tt := range []struct {
		what  string
		asked time.Duration
		calls int
	}{
		{"who asked before the refusal", -time.Minute, 1}, {"who asked after it", time.Minute, 2}, {"the same once more", time.Minute, 2},
	} {
		now = now.Add(2 * time.Minute)
		if try(time.Unix(0, 0).Add(tt.asked)); calls != tt.calls {
			t.Errorf("%s: %d calls, want %d", tt.what, calls, tt.calls)
		}
	}
}

// Once the call succeeds for whoever asked, it is made for the other objects of the session, for which nobody asked.
func TestOptionalThatSucceedsIsMadeForAll(t *testing.T) {
	now := time.Unix(0, 0)
	o := &Optional{Now: func() time.Time { return now }}
	try := func(ctx context.Context, err error) bool {
		return o.Try(ctx, func(context.Context) error { return err })
	}
	try(t.Context(), &driver.Error{Code: driver.Denied})
	now = now.Add(time.Minute)
	if try(t.Context(), nil) {
		t.Fatal("the call was made within the pause, though nobody asked")
	}
	if !try(WithAsked(t.Context(), now), nil) || !try(t.Context(), nil) {
		t.Error("the permission was granted, and another object goes without the call")
	}
}

func TestOptionalHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		o, began := &Optional{Now: time.Now}, time.Now()
		if o.Try(t.Context(), hang) || time.Since(began) != optionalTime {
			t.Errorf("a call without an answer took %s, want %s", time.Since(began), optionalTime)
		}
	})
}

func TestWhoGivesUpPausesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	o := &Optional{Now: time.Now}
	o.Try(ctx, func(context.Context) error { cancel(); return ctx.Err() })
	if !o.Try(t.Context(), func(context.Context) error { return nil }) {
		t.Error("a caller who gave up keeps others from asking")
	}
}
