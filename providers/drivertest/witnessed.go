package drivertest

import (
	"fmt"
	"testing"
)

// witnessed is a test that notes what fails, in place of failing.
type witnessed struct {
	testing.TB
	said []string
}

// ended is what a failure that ends a witnessed test panics with.
type ended struct{}

// run runs something until it ends or fails for good.
func (w *witnessed) run(something func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(ended); !ours {
				panic(r)
			}
		}
	}()
	something()
}

// Errorf implements testing.TB.
func (w *witnessed) Errorf(format string, args ...any) {
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// Error implements testing.TB.
func (w *witnessed) Error(args ...any) { w.said = append(w.said, fmt.Sprint(args...)) }

// Fatalf implements testing.TB.
func (w *witnessed) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	panic(ended{})
}

// Fatal implements testing.TB.
func (w *witnessed) Fatal(args ...any) {
	w.Error(args...)
	panic(ended{})
}
