package gcp

import (
	"encoding/json"

	"github.com/mooring-dev/mooring/providers/driver"
)

// refusesValue reports whether err may be about one value of several: a value that is wrong, or a key that is
// not there or not to be used.
func refusesValue(err error) bool {
	switch driver.CodeOf(err) {
	case driver.Invalid, driver.NotFound, driver.Denied:
		return true
	}
	return false
}

// refusesAll reports whether err is no fault of a value: busy, throttled, no answer, or a call that is refused as a whole. A policy of the organization forbids values.
func refusesAll(err error) bool { return driver.CodeOf(err) != driver.Invalid && !ofOrganization(err) }

// mayPass reports whether the same call may be answered a little later.
func mayPass(err error) bool {
	code := driver.CodeOf(err)
	return code == driver.Throttled || code == driver.Unavailable
}

// unlessNotFound drops an error that says that something is not there, where that is an answer.
func unlessNotFound(err error) error {
	if driver.CodeOf(err) == driver.NotFound {
		return nil
	}
	return err
}

// checkLacks refuses what a spec asks for that the cloud lacks. Whoever calls the driver refuses that too, of new objects and of existing ones, as far
// as the spec says it: see checkEdition for what a spec leaves unsaid.
func checkLacks(lacks []driver.Lack, spec *databaseParameters) error {
	raw, err := json.Marshal(spec)
	if err != nil {
		return invalid("the spec can't be read: %v", err)
	}
	var says map[string]any
	if err := json.Unmarshal(raw, &says); err != nil {
		return invalid("the spec can't be read: %v", err)
	}
	for _, l := range driver.Lacking(lacks, says) {
		return invalid("spec.%s: %s", l.Field, l)
	}
	return nil
}
