package pipe_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

// crashing is a driver whose process ends with an error when a session is opened.
type crashing struct{ driver.Driver }

func (crashing) Open(context.Context, driver.Opening) (driver.Session, error) {
	os.Exit(3)
	return nil, nil
}

func TestMain(m *testing.M) {
	drivertest.ServeChild(func() driver.Driver { return crashing{mem.New(mem.Options{}).Driver()} })
	os.Exit(m.Run())
}

// recordingT records what a test reports, and runs its cleanups when it is told.
type recordingT struct {
	testing.TB
	ctx      context.Context //nolint:containedctx // it is that of the test
	cleanups []func()
	errors   []string
}

func (r *recordingT) Context() context.Context { return r.ctx }
func (r *recordingT) Cleanup(f func())         { r.cleanups = append(r.cleanups, f) }
func (r *recordingT) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

// A test whose driver runs in a child process fails if that process fails, and only then.
func TestAFailedChildIsReported(t *testing.T) {
	for name, crash := range map[string]bool{"ends by itself": false, "crashes": true} {
		t.Run(name, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			inner := &recordingT{TB: t, ctx: ctx}
			d := drivertest.InChild(inner)
			if crash {
				if _, err := d.Open(t.Context(), driver.Opening{}); driver.CodeOf(err) != driver.Unavailable {
					t.Errorf("Open of a driver that crashed: got error %v, want Unavailable", err)
				}
			}
			end() // as package testing does before cleanups
			for _, cleanup := range slices.Backward(inner.cleanups) {
				cleanup()
			}
			if reported := len(inner.errors) > 0; reported != crash {
				t.Errorf("reported %q, want a report: %v", inner.errors, crash)
			}
		})
	}
}
