package patience

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

const (
	// Quiet is how long a wait may last on a machine that has a processor for each process that wants one. What tests wait for takes seconds there.
	Quiet = 3 * time.Minute
	// Longest is how long a wait may last on any machine.
	Longest = 20 * time.Minute
)

// ErrOver is the cause that ends the context of a wait that has lasted too long.
var ErrOver = errors.New("the wait has lasted too long")

// A Wait is one wait of a test. It is for one goroutine.
type Wait struct {
	began, last time.Time
	relative    time.Duration // how long the wait has lasted, as a quiet machine counts
	load        func() float64
	now         func() time.Time
}

// New begins a wait.
func New() *Wait { return newWait(load, time.Now) }

func newWait(load func() float64, now func() time.Time) *Wait {
	return &Wait{began: now(), last: now(), load: load, now: now}
}

// Over reports whether the wait has lasted too long. Call it again and again: it counts the time since the call before by the load of the machine.
func (w *Wait) Over() bool {
	now := w.now()
	if passed := now.Sub(w.last); passed > time.Second || w.relative == 0 {
		w.relative += time.Duration(float64(passed) / max(1, w.load()))
		w.last = now
	}
	return w.relative > Quiet || now.Sub(w.began) > Longest
}

// String says how long the wait has lasted.
func (w *Wait) String() string {
	return fmt.Sprintf("%s, which count as %s on a quiet machine", w.now().Sub(w.began).Round(time.Second), w.relative.Round(time.Second))
}

// Context returns a context that ends with the cause ErrOver when a wait that begins now has lasted too long.
func Context(parent context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	w := New()
	tick := time.NewTicker(2 * time.Second)
	go func() {
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if w.Over() {
					cancel(fmt.Errorf("%w: %s", ErrOver, w))
					return
				}
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// ForTest returns a context that ends when a wait of the test that begins now has lasted too long. It outlives the test's own, which
// ends before the test's cleanup begins, so that a cleanup can wait, too.
func ForTest(t testing.TB) (context.Context, context.CancelFunc) {
	return Context(context.WithoutCancel(t.Context()))
}

// load returns how many processes want each processor of the machine, on average over the last minute; 1 where the system does not tell.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 1
	}
	first, _, _ := bytes.Cut(text, []byte(" "))
	all, err := strconv.ParseFloat(string(first), 64)
	if err != nil {
		return 1
	}
	return all / float64(runtime.NumCPU())
}
