package outcome

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// FieldErrors are the fields that the cloud refused, or that could not be read, each with the reason.
type FieldErrors []driver.FieldError

// Error names the fields, in the order of their names, as prose.List tells them.
func (e FieldErrors) Error() string {
	var all []string
	for _, failed := range e {
		all = append(all, fmt.Sprintf("%s: %v", failed.Field, failed.Err))
	}
	slices.Sort(all)
	return prose.Join(all)
}

// Unwrap returns the error that decides what comes of all: one that needs a person, if there is one, and rather one that does not pass by itself.
func (e FieldErrors) Unwrap() error {
	decides := 0
	for i, failed := range e {
		if !retry.Classify(failed.Err).Stalled {
			continue
		}
		if decides = i; !driver.Settles(failed.Err) {
			break
		}
	}
	return e[decides].Err
}

// RefusedUpdate says which fields were to be set in a call that the cloud refused as invalid: its own words may name none.
func RefusedUpdate(changes []driver.Change, err error) error {
	if driver.CodeOf(err) != driver.Invalid {
		return err
	}
	refused := refusedUpdate{Err: err}
	for _, c := range changes {
		refused.Fields = append(refused.Fields, c.Field)
	}
	slices.Sort(refused.Fields)
	return refused
}

// A refusedUpdate is the refusal of one call that was to set several fields.
type refusedUpdate struct {
	Fields []string
	Err    error
}

func (e refusedUpdate) Error() string { return strings.Join(e.Fields, ", ") + ": " + e.Err.Error() }

func (e refusedUpdate) Unwrap() error { return e.Err }

// RefusedFields returns the fields that an error is about, as far as it says so otherwise than in words.
func RefusedFields(err error) (fields []string) {
	if update, ok := errors.AsType[refusedUpdate](err); ok && len(update.Fields) == 1 { // of several, nobody knows which one
		fields = append(fields, update.Fields...)
	}
	if each, ok := errors.AsType[FieldErrors](err); ok {
		for _, failed := range each {
			fields = append(fields, failed.Field)
		}
	}
	return fields
}

// Acted marks an error of something that was done, rather than observed: the cloud refused it, and
// another request would be refused too.
type Acted struct{ Err error }

// Error is that of the cloud.
func (a Acted) Error() string { return a.Err.Error() }

// Unwrap returns the error of the cloud.
func (a Acted) Unwrap() error { return a.Err }

// ErrStale says that the cache showed an old version of the object. The next reconciliation sees the new one.
var ErrStale = apierrors.NewConflict(corev1.Resource("objects"), "", fmt.Errorf("the cache is behind"))
