package leadership

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A lock is one that does what it is told.
type lock struct {
	resourcelock.Interface
	takes time.Duration
	err   error
}

func (l *lock) Identity() string { return "me" }
func (l *lock) Create(context.Context, resourcelock.LeaderElectionRecord) error {
	time.Sleep(l.takes)
	return l.err
}
func (l *lock) Update(context.Context, resourcelock.LeaderElectionRecord) error {
	time.Sleep(l.takes)
	return l.err
}

func TestHeld(t *testing.T) {
	mine, nobodys := resourcelock.LeaderElectionRecord{HolderIdentity: "me"}, resourcelock.LeaderElectionRecord{}
	for _, c := range []struct {
		name string
		do   func(*Lease, *lock)
		want bool
	}{
		{"never held", func(*Lease, *lock) {}, false},
		{"created", func(l *Lease, _ *lock) { _ = l.Create(t.Context(), mine) }, true},
		{"not created", func(l *Lease, k *lock) { k.err = errors.New("no"); _ = l.Create(t.Context(), mine) }, false},
		{"nearly over", func(l *Lease, _ *lock) { _ = l.Update(t.Context(), mine); time.Sleep(RenewDeadline - 1) }, true},
		{"over", func(l *Lease, _ *lock) { _ = l.Update(t.Context(), mine); time.Sleep(RenewDeadline) }, false},
		{"renewed", func(l *Lease, _ *lock) {
			_ = l.Update(t.Context(), mine)
			time.Sleep(RenewDeadline)
			_ = l.Update(t.Context(), mine)
		}, true},
		{"not renewed", func(l *Lease, k *lock) {
			_ = l.Update(t.Context(), mine)
			time.Sleep(RenewDeadline)
			k.err = errors.New("no")
			_ = l.Update(t.Context(), mine)
		}, false},
		// Others count from when they saw it, which may have been right after it was asked for.
		{"renewed long ago, by the time that was known", func(l *Lease, k *lock) {
			k.takes = RenewDeadline
			_ = l.Update(t.Context(), mine)
		}, false},
		{"released", func(l *Lease, _ *lock) { _ = l.Update(t.Context(), mine); _ = l.Update(t.Context(), nobodys) }, false},
		{"maybe released", func(l *Lease, k *lock) {
			_ = l.Update(t.Context(), mine)
			k.err = errors.New("no answer")
			_ = l.Update(t.Context(), nobodys)
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := &lock{}
				l := &Lease{Interface: k, Now: time.Now}
				c.do(l, k)
				if got := l.IsLeader(); got != c.want {
					t.Errorf("held: %v, want %v", got, c.want)
				}
				ctx, end := driver.Calls(l.Calls).Begin(t.Context(), "s3", "CreateBucket")
				if allowed := ctx.Err() == nil; allowed != c.want {
					t.Errorf("a request may be made: %v, want %v", allowed, c.want)
				}
				if !c.want && !errors.Is(context.Cause(ctx), ErrLost) {
					t.Errorf("the reason is %v, want ErrLost", context.Cause(ctx))
				}
				end(driver.Call{})
			})
		})
	}
}

// TestSuspended: a machine that is suspended may stop either of its clocks meanwhile.
func TestSuspended(t *testing.T) {
	began := time.Now()
	now := began
	l := &Lease{Interface: &lock{}, Now: func() time.Time { return now }}
	if err := l.Update(t.Context(), resourcelock.LeaderElectionRecord{HolderIdentity: "me"}); err != nil || !l.IsLeader() {
		t.Fatal("not held", err)
	}
	now = rewound(began.Add(RenewDeadline))
	if now.Sub(began) != 0 || now.Round(0).Sub(began.Round(0)) != RenewDeadline {
		t.Fatal("the clocks do not disagree")
	}
	if l.IsLeader() {
		t.Error("it is held, by the monotonic clock, which stood")
	}
	now = rewoundWall(began.Add(RenewDeadline))
	if l.IsLeader() {
		t.Error("it is held, by the wall clock, which was set back")
	}
}

// rewound returns the time as it is where the monotonic clock did not move for RenewDeadline, and rewoundWall where the wall
// clock did not. Package time makes none whose readings disagree.
func rewound(now time.Time) time.Time {
	readings := (*[2]int64)(unsafe.Pointer(&now)) // the second is the monotonic one, in nanoseconds
	readings[1] -= int64(RenewDeadline)
	return now
}

func rewoundWall(now time.Time) time.Time {
	now = now.Add(-RenewDeadline)
	readings := (*[2]int64)(unsafe.Pointer(&now))
	readings[1] += int64(RenewDeadline)
	return now
}
