package session

import (
	"errors"
	"regexp"
	"slices"
	"strings"

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

// A Refusal is what to do about a refusal of an API. Either Correct or Advice says it.
type Refusal struct {
	// Operations are those that are refused; none for all.
	Operations []string
	// Code is that of the refusal.
	Code driver.Code
	// Words match what the API says; nil for whatever it says.
	Words *regexp.Regexp
	// Correct names the field to correct. It comes ahead of what the API says.
	Correct string
	// Advice comes behind what the API says. It is not given about a policy of the organization, which has advice of its own.
	Advice string
}

// is reports whether an error of an operation is the refusal.
func (r *Refusal) is(operation string, e *driver.Error) bool {
	return e.Code == r.Code && (r.Operations == nil || slices.Contains(r.Operations, operation)) && (r.Words == nil || r.Words.MatchString(e.Message)) &&
		(r.Advice == "" || !OfOrganization(e))
}

// advise returns the error of an operation with what to do about it, if the API's table says that.
func (a *API) advise(operation string, err error) error {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return err
	}
	for _, r := range a.Refusals {
		if !r.is(operation, e) {
			continue
		}
		with := *e
		if r.Correct != "" {
			with.Message = r.Correct + ": " + e.Message
			return &with
		}
		with.Message, with.Err = strings.TrimSuffix(e.Message, ".")+": "+r.Advice, &advised{e.Err}
		return &with
	}
	return err
}

// An advised error is the refusal of a call whose message says what to do about it. err is nil if the refusal has no cause.
type advised struct{ err error }

func (a *advised) Error() string {
	if a.err == nil {
		return ""
	}
	return a.err.Error()
}

func (a *advised) Unwrap() error { return a.err }

// Advise adds advice to the message of an error with one of codes, unless its message has advice already: that of its API's table, or that about a policy of
// the organization.
func Advise(err error, advice string, codes ...driver.Code) error {
	var e *driver.Error
	if !errors.As(err, &e) {
		return err
	}
	if slices.Contains(codes, e.Code) && !errors.As(err, new(*advised)) && !OfOrganization(err) {
		with := *e
		with.Message = strings.TrimSuffix(e.Message, ".") + ": " + advice
		return &with
	}
	return err
}
