package driver

import (
	"fmt"
	"time"
)

// Following says what an object follows.
type Following struct {
	// Primary is the name in the cloud of the object that it follows, and Location where that is if it is elsewhere; empty if it is in the same location, or if
	// the cloud does not say it, because names are the same in all locations.
	Primary  string
	Location string `json:",omitempty"`
	// Problem says in the cloud's words why it does not repeat what is written to Primary; empty if it does, or if the cloud says nothing of that.
	Problem string `json:",omitempty"`
	// Lag is how long ago what it has repeated was written to Primary, as the cloud measured it last, some minutes ago at most; nil if the cloud did not say. It is never negative.
	Lag *time.Duration `json:",omitempty"`
}

// Makes says how an object is made of what String says, as a part of a message.
func (r *Restore) Makes() string {
	if r.Follows {
		return "as a read replica of"
	}
	return "from"
}

// RefusesSource returns why nothing is made to follow Source, whose mark was read by a call; nil if something is. What has another mark is no longer that of the
// object which the spec names, and may be another tenant's.
func (r *Restore) RefusesSource(op string, mark Mark) error {
	switch want := r.SourceMark; {
	case want.Zero(), mark.Is(want):
		return nil
	case mark.Zero(), mark.PartOf(want):
		return &Error{Code: Busy, Op: op, Message: fmt.Sprintf("the mark of %s is missing or incomplete; Mooring waits until it is there", r.Source.Name)}
	}
	return &Error{Code: Invalid, Op: op, Message: fmt.Sprintf("%s has the mark of another object by now, so nothing is made to follow it: name another Database in spec.replica.primaryRef", r.Source.Name)}
}
