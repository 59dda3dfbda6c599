package table

import (
	"errors"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Fields are the fields that a refusal depends on, as driver.Refusal has them.
type Fields []string

// Refuse returns the error of a spec of which no call has to be made to know that the cloud refuses it. Its code is Invalid. Refused finds
// the fields in it.
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

// Refused returns the errors that Refuse made, as data, each once. Other errors are left out: they are no matter of the spec alone.
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
