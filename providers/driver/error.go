package driver

import (
	"errors"
	"time"
)

// A Code is what went wrong, as far as Mooring acts upon it.
type Code int

// The codes. Only NotFound says that something is not there.
const (
	Internal    Code = iota // anything else, bugs included
	Invalid                 // the cloud refuses a value; trying again does not help
	Denied                  // the credentials are refused, or what they may do
	NotFound                // something that the call refers to is not there
	Conflict                // something that exists is in the way
	NotEmpty                // a deletion is refused because of what is inside
	Protected               // a deletion is refused because of deletion protection
	Busy                    // the cloud is at work on the object; later it will take the call
	Quota                   // the account is at a limit
	Throttled               // too many calls
	Unavailable             // no answer, a time-out, or the cloud's own failure
	Capacity                // the cloud itself has no room for it now
)

// String returns the code's name.
func (c Code) String() string {
	names := [...]string{"Internal", "Invalid", "Denied", "NotFound", "Conflict", "NotEmpty", "Protected", "Busy", "Quota", "Throttled", "Unavailable", "Capacity"}
	if c < 0 || int(c) >= len(names) {
		return "Internal"
	}
	return names[c]
}

// An Error is an error of a cloud, wrapped once at the boundary.
type Error struct {
	Code Code
	// Op is the cloud's name of the call: CreateBucket. Empty for what was found wrong without a call: our own
	// names of things tell nobody anything.
	Op string
	// Message is for people, and stable: no request ids, times or counters. It says what happened
	// and, where the driver knows, what to do.
	Message string
	// RetryAfter is how long the cloud asked to wait; 0 if it did not.
	RetryAfter time.Duration
	// Err is the SDK's error. It may hold request ids, and is not shown to people.
	Err error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Op == "" {
		return e.Message
	}
	return e.Op + ": " + e.Message
}

// Unwrap returns the SDK's error.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of err, or Internal if it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return Internal
}
