package table

import (
	"errors"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Fields are the fields that a refusal depends on, as in driver.Refusal.
type Fields []string

// Refuse returns an error with the Code Invalid for a spec that the cloud would certainly refuse. Refused returns the
// fields in it.
func (f Fields) Refuse(format string, args ...any) error {
	return &refused{fields: f, err: invalid(format, args...)}
}

type refused struct {
	fields Fields
	err    *driver.Error
}

// Error implements error.
func (r *refused) Error() string { return r.err.Error() }

// Unwrap returns the error with its code.
func (r *refused) Unwrap() error { return r.err }

// Refused returns the refusals in errors that Fields.Refuse returned, each once. Other errors are left out, because
// they do not depend on the spec alone.
func Refused(problems ...error) (all []driver.Refusal) {
	for _, p := range problems {
		r, ok := errors.AsType[*refused](p)
		if !ok || slices.ContainsFunc(all, func(other driver.Refusal) bool { return other.Message == r.err.Message }) {
			continue
		}
		all = append(all, driver.Refusal{Fields: r.fields, Message: r.err.Message})
	}
	return all
}
