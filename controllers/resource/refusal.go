package resource

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// fieldErrors are the fields that the cloud refused, or that could not be read, each with the reason.
type fieldErrors []driver.FieldError

// Error names every field, in the order of their names.
func (e fieldErrors) Error() string {
	var all []string
	for _, failed := range e {
		all = append(all, fmt.Sprintf("%s: %v", failed.Field, failed.Err))
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// Unwrap returns the error that decides what comes of all: one that needs a person, if there is one.
func (e fieldErrors) Unwrap() error {
	if i := slices.IndexFunc(e, func(f driver.FieldError) bool { return retry.Judge(f.Err).Stalled }); i >= 0 {
		return e[i].Err
	}
	return e[0].Err
}

// refusedUpdate says which fields were to be set in a call that the cloud refused as invalid: its own words may name none.
func refusedUpdate(changes []driver.Change, err error) error {
	if driver.CodeOf(err) != driver.Invalid {
		return err
	}
	var names []string
	for _, c := range changes {
		names = append(names, c.Field)
	}
	slices.Sort(names)
	return fmt.Errorf("%s: %w", strings.Join(names, ", "), err)
}
