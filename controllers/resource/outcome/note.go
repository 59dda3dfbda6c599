package outcome

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Note is an Event to be recorded about an object, once the reconciliation is reported.
type Note struct {
	// Type is that of the Event: Normal or Warning.
	Type            string
	Reason, Message string
	// FirstTime: each new object takes this step, and its conditions say the same. The step is a line of the log, and an Event only for an
	// object that was Ready before, or that has other Events which this one ends.
	FirstTime bool
	// OnceStored: it is recorded once the status is stored, because what is done again after a crash is told once.
	OnceStored bool
}

// Normal returns a note that something was done.
func Normal(reason, format string, args ...any) Note {
	return Note{Type: corev1.EventTypeNormal, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Warning returns a note that a person should know.
func Warning(reason, format string, args ...any) Note {
	return Note{Type: corev1.EventTypeWarning, Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Released returns a note that fields are no longer managed.
func Released(fields []string) Note {
	return Normal(v1alpha1.EventReleased, "no longer managed, because the spec no longer sets it: %s", strings.Join(slices.Sorted(slices.Values(fields)), ", "))
}
