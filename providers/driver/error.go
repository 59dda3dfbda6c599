package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Code classifies an error, as far as Mooring's reaction depends on it.
type Code int

// The codes. Only NotFound says that an object does not exist. The numbers are part of messages: they never change, and
// none is used again.
const (
	Internal    Code = 0  // anything else, bugs included, and a number that is not here
	Invalid     Code = 1  // the cloud refuses a value; trying again does not help
	Denied      Code = 2  // the credentials are refused, or what they may do
	NotFound    Code = 3  // something that the call refers to is not there
	Conflict    Code = 4  // something that exists is in the way
	NotEmpty    Code = 5  // a deletion is refused because of what is inside
	Protected   Code = 6  // a deletion is refused because of deletion protection
	Busy        Code = 7  // the cloud is at work on the object; later it will take the call
	Quota       Code = 8  // the account is at a limit
	Throttled   Code = 9  // too many calls
	Unavailable Code = 10 // no answer, a time-out, or the cloud's own failure
	Capacity    Code = 11 // the cloud itself has no room for it now
	PageExpired Code = 12 // the token of a page is refused: begin the list anew
	Unsupported Code = 13 // the cloud lacks what the call is about, and says so; trying again does not help
)

// codes are the names of the codes, by their numbers.
var codes = [...]string{
	"Internal", "Invalid", "Denied", "NotFound", "Conflict", "NotEmpty", "Protected", "Busy", "Quota", "Throttled", "Unavailable", "Capacity",
	"PageExpired", "Unsupported",
}

// String returns the code's name.
func (c Code) String() string {
	return codes[c.known()]
}

// known returns the code, or Internal if it is none: another version of the contract may have more.
func (c Code) known() Code {
	if c < 0 || int(c) >= len(codes) {
		return Internal
	}
	return c
}

// SetsNothing reports whether an error with this code says that a single call had no effect. It does not exclude an
// earlier attempt of the same call whose response was lost. A Conflict or Busy may be the result of that attempt.
func (c Code) SetsNothing() bool {
	switch c {
	case Invalid, Denied, NotFound, Quota, Unsupported:
		return true
	case Internal, Conflict, NotEmpty, Protected, Busy, Throttled, Unavailable, Capacity, PageExpired:
		return false
	}
	return false
}

// UnmarshalJSON implements json.Unmarshaler. A code of another version of the contract becomes Internal.
func (c *Code) UnmarshalJSON(text []byte) error {
	var number int
	if err := json.Unmarshal(text, &number); err != nil {
		return fmt.Errorf("a code: %w", err)
	}
	*c = Code(number).known()
	return nil
}

// An Error is an error of a cloud, as a message of the contract. It is created once, where the cloud's response enters
// the driver.
type Error struct {
	Code Code
	// Op is the cloud's name of the operation: CreateBucket. It is empty if the error was found without a call.
	Op string
	// Message is for people. It says what happened and, where the driver knows, what to do. It is stable: it has no
	// request ids, times or counters.
	Message string
	// Settling: the call may succeed later without a correction. It refers to something, such as a role or a policy,
	// that may have been changed recently, and the cloud is eventually consistent. So the caller retries before it
	// reports an invalid value.
	Settling bool `json:",omitempty"`
	// RetryAfter is how long the cloud asked to wait; 0 if it did not.
	RetryAfter time.Duration
	// Err is the SDK's error. It may have request ids, and is not shown to users. It is not encoded, so callers of a
	// driver must not depend on it.
	Err error `json:"-"`
}

// Error implements error.
func (e *Error) Error() string {
	switch {
	case e == nil: // a driver left it out of a message
		return "no reason was given"
	case e.Op == "":
		return e.Message
	}
	return e.Op + ": " + e.Message
}

// Unwrap returns the SDK's error.
func (e *Error) Unwrap() error {
	if e == nil {
		return nil
	}
	return e.Err
}

// CodeOf returns the code of err, or Internal if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok && e != nil {
		return e.Code.known()
	}
	return Internal
}

// Settles reports whether err may disappear by itself, because the cloud is eventually consistent. See Error.Settling.
func Settles(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e != nil && e.Settling
}

// ErrorOf converts an error to an *Error with the same code and text. It returns nil for nil. An error without a code
// is Internal.
func ErrorOf(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*Error); ok { //nolint:errorlint // what wraps one says more, and is kept below
		return e
	}
	out := &Error{Code: CodeOf(err), Message: err.Error(), Err: err}
	if e, ok := errors.AsType[*Error](err); ok {
		out.RetryAfter, out.Settling = e.RetryAfter, e.Settling
	}
	return out
}

// NoKind returns the error of a driver for a kind that its cloud lacks.
func NoKind(cloud, kind string) error {
	return &Error{Code: Invalid, Message: fmt.Sprintf("%s has no %s", cloud, kind)}
}
