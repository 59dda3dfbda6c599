package driver

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Code is what went wrong, as far as Mooring acts upon it.
type Code int

// The codes. Only NotFound says that something is not there. Numbers cross wires: they never change, and none is used again.
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

// SetsNothing reports whether an error with the code is an answer of the cloud by which a call that is one step did nothing, and never did. It is not where a
// former try of the same call may have done it, whose answer was lost: what is in the way, or busy, may be that.
func (c Code) SetsNothing() bool {
	switch c {
	case Invalid, Denied, NotFound, Quota, Unsupported:
		return true
	case Internal, Conflict, NotEmpty, Protected, Busy, Throttled, Unavailable, Capacity, PageExpired:
		return false
	}
	return false
}

// UnmarshalJSON implements json.Unmarshaler. A code that another version of the contract has is Internal here.
func (c *Code) UnmarshalJSON(text []byte) error {
	var number int
	if err := json.Unmarshal(text, &number); err != nil {
		return fmt.Errorf("a code: %w", err)
	}
	*c = Code(number).known()
	return nil
}

// An Error is an error of a cloud, wrapped once at the boundary. It is data.
type Error struct {
	Code Code
	// Op is the cloud's name of the call: CreateBucket. Empty for what was found wrong without a call: our own
	// names of things tell nobody anything.
	Op string
	// Message is for people, and stable: no request ids, times or counters. It says what happened
	// and, where the driver knows, what to do.
	Message string
	// Settling: what the call refers to, such as a role, a policy or a block of public access, may have been made or changed a short time ago, and clouds see that everywhere only
	// after seconds or minutes. The same call may be taken then, so nobody is to be told at once that a value is wrong.
	Settling bool `json:",omitempty"`
	// RetryAfter is how long the cloud asked to wait; 0 if it did not.
	RetryAfter time.Duration
	// Err is the SDK's error. It may hold request ids, is not shown to people and stays in the process that made it: no caller of a
	// driver decides by it.
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

// Settles reports whether err may pass by itself, because clouds see changes everywhere only after a while.
func Settles(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e != nil && e.Settling
}

// ErrorOf returns an error as data: the *Error that it is, or one with the same code and text; nil for nil. What has no code is Internal.
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

// NoKind is the error of a driver that is asked about a kind that its cloud lacks.
func NoKind(cloud, kind string) error {
	return &Error{Code: Invalid, Message: fmt.Sprintf("%s has no %s", cloud, kind)}
}
