package session

import (
	"github.com/mooring-dev/mooring/providers/driver"
)

// RefusesValue reports whether err may be about one value of several: a value that is wrong, or a key that is
// not there or not to be used.
func RefusesValue(err error) bool {
	switch driver.CodeOf(err) {
	case driver.Invalid, driver.NotFound, driver.Denied:
		return true
	}
	return false
}

// RefusesAll reports whether err is no fault of a value: busy, throttled, no answer, or a call that is refused as a whole. A policy of the organization forbids values.
func RefusesAll(err error) bool { return driver.CodeOf(err) != driver.Invalid && !OfOrganization(err) }

// MayPass reports whether the same call may be answered a little later.
func MayPass(err error) bool {
	code := driver.CodeOf(err)
	return code == driver.Throttled || code == driver.Unavailable
}

// UnlessNotFound drops an error that says that something is not there, where that is an answer.
func UnlessNotFound(err error) error {
	if driver.CodeOf(err) == driver.NotFound {
		return nil
	}
	return err
}
