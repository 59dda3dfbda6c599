package gcp

import (
	"errors"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// updateTogether looks at the object and applies changes in one call. If the cloud refuses a value, each
// change is tried on its own, and what it refuses then has failed, so that one bad value does not hold up the
// others. Any other error (busy, throttled, no answer) is no fault of a change, and ends it; so does a refusal
// of all of them that is not for their values.
func updateTogether[H any](changes []field.Change, look func() (H, error), apply func(H, []field.Change) error) ([]driver.FieldError, error) {
	have, err := look()
	if err != nil {
		return nil, err
	}
	err = apply(have, changes)
	if err == nil || !refusesValue(err) {
		return nil, err
	}
	if len(changes) == 1 {
		return blame(changes, err)
	}
	var failed []driver.FieldError
	for i, c := range changes {
		if have, err = look(); err == nil {
			err = apply(have, []field.Change{c})
		}
		switch {
		case err == nil:
		case refusesValue(err):
			failed = append(failed, fail([]field.Change{c}, err)...)
		default:
			return append(failed, fail(changes[i:], err)...), nil
		}
	}
	if len(failed) == len(changes) {
		return blame(changes, failed[0].Err, failed...)
	}
	return failed, nil
}

// blame returns what failed if err is about values, and else err: the call as a whole was refused.
func blame(changes []field.Change, err error, failed ...driver.FieldError) ([]driver.FieldError, error) {
	if driver.CodeOf(err) != driver.Invalid {
		return nil, err
	}
	if failed == nil {
		failed = fail(changes, err)
	}
	return failed, nil
}

func fail(changes []field.Change, err error) []driver.FieldError {
	var failed []driver.FieldError
	for _, c := range changes {
		failed = append(failed, driver.FieldError{Field: c.Field, Err: driver.ErrorOf(err)})
	}
	return failed
}

// refusesValue reports whether err may be about one value of several: a value that is wrong, or a key that is
// not there or not to be used.
func refusesValue(err error) bool {
	switch driver.CodeOf(err) {
	case driver.Invalid, driver.NotFound, driver.Denied:
		return true
	}
	return false
}

// partition sets aside the changes that can't be made to what exists.
func partition(changes []field.Change) (possible []field.Change, failed []driver.FieldError) {
	for _, c := range changes {
		if c.Effect == field.Impossible {
			failed = append(failed, driver.FieldError{Field: c.Field, Err: driver.ErrorOf(invalid("can't change: %s", c.Why))})
			continue
		}
		possible = append(possible, c)
	}
	return possible, failed
}

// splitMark sets aside the change of the mark.
func splitMark(changes []field.Change) (others []field.Change, mark bool) {
	for _, c := range changes {
		if c.Field == driver.FieldMark {
			mark = true
			continue
		}
		others = append(others, c)
	}
	return others, mark
}

// sameObject returns an error if what was just read is not what the request is about: deleted and made again
// between the caller's look and ours.
func sameObject(op, want, have string) error {
	if want == "" || want == have {
		return nil
	}
	return &driver.Error{Code: driver.Conflict, Op: op,
		Message: "another object has taken the name in the meantime", Err: errors.New("created " + have + ", not " + want)}
}
