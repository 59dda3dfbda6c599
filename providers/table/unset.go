package table

import (
	"errors"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/prose"
)

// Unset is the error of a write that makes one call for each entry, and that may have set some of them. Names are the
// entries that are certainly not set: the cloud refused them, or no call was made for them.
type Unset struct {
	Err   error
	Names []string
}

// Error implements error.
func (u *Unset) Error() string { return u.Err.Error() }

// Unwrap returns the error of the cloud.
func (u *Unset) Unwrap() error { return u.Err }

// Joined returns errors as one that says all, with the code of the last one that is about no value. It returns nil if there are none.
func Joined(failed []*driver.Error) error {
	if len(failed) == 0 {
		return nil
	}
	var messages []string
	all := *failed[0]
	for _, e := range failed {
		if e.Code != driver.Invalid {
			all = *e
		}
		messages = append(messages, e.Message)
	}
	all.Message = prose.Join(messages)
	return &all
}

// unset returns the entries that a change was to add and that a failed write certainly did not set. A write without Unset is one call, which sets all or nothing.
func unset(err error, c driver.Change) (names []string) {
	partly, some := errors.AsType[*Unset](err)
	for _, name := range c.Adds {
		if some && slices.Contains(partly.Names, name) || !some && driver.CodeOf(err).SetsNothing() {
			names = append(names, name)
		}
	}
	return names
}
