package driver

import (
	"fmt"
	"time"
)

// Following describes the primary of a read replica.
type Following struct {
	// Primary is the name of the primary in the cloud. Location is its location, if that differs from the replica's.
	// Location is also empty if names are unique across locations, so that the cloud does not report it.
	Primary  string
	Location string `json:",omitempty"`
	// Problem says in the cloud's words why replication does not work; empty if it works, or if the cloud does not
	// report it.
	Problem string `json:",omitempty"`
	// Lag is the replication lag, as the cloud measured it in the last few minutes; nil if the cloud does not report
	// it. It is never negative.
	Lag *time.Duration `json:",omitempty"`
}

// Makes returns, for a message, the verb for how the object is created from what String returns.
func (r *Restore) Makes() string {
	if r.Follows {
		return "as a read replica of"
	}
	return "from"
}

// RefusesSource returns an error if no replica may be created, because Source has another mark than SourceMark; nil if
// it may. op is the call that read the mark. A server with another mark is no longer the one that the spec names, and
// may belong to another tenant.
func (r *Restore) RefusesSource(op string, mark Mark) error {
	switch want := r.SourceMark; {
	case want.Zero(), mark.Is(want):
		return nil
	case mark.Zero(), mark.PartOf(want):
		return &Error{Code: Busy, Op: op, Message: fmt.Sprintf("the mark of %s is missing or incomplete; Mooring waits until it is there", r.Source.Name)}
	}
	return &Error{Code: Invalid, Op: op, Message: fmt.Sprintf("%s has the mark of another object by now, so nothing is made to follow it: name another Database in spec.replica.primaryRef", r.Source.Name)}
}
