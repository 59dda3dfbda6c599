package gcp

import (
	"errors"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// updateTogether applies changes in one call. If the cloud refuses a value, each change is tried on its
// own: what it refuses then is what failed. Any other error (busy, throttled, no answer) is no fault of a change,
// and ends it.
func updateTogether(changes []field.Change, apply func([]field.Change) error) (driver.Result, error) {
	possible, failed := partition(changes)
	if len(possible) == 0 {
		return driver.Result{Failed: failed}, nil
	}
	err := apply(possible)
	if err == nil {
		return driver.Result{Failed: failed}, nil
	}
	if !refusesValue(err) {
		return driver.Result{}, err
	}
	if len(possible) == 1 {
		return driver.Result{Failed: append(failed, driver.FieldError{Field: possible[0].Field, Err: err})}, nil
	}
	for i, c := range possible {
		err := apply([]field.Change{c})
		if err == nil {
			continue
		}
		failed = append(failed, driver.FieldError{Field: c.Field, Err: err})
		if !refusesValue(err) {
			for _, rest := range possible[i+1:] {
				failed = append(failed, driver.FieldError{Field: rest.Field, Err: err})
			}
			break
		}
	}
	return driver.Result{Failed: failed}, nil
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
			failed = append(failed, driver.FieldError{Field: c.Field, Err: invalid("update", "can't change: %s", c.Why)})
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
		Message: "another object has taken the name meanwhile", Err: errors.New("created " + have + ", not " + want)}
}
