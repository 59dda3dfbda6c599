package password

import (
	"fmt"
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// MaxEarly is how long before the end of its period a password is rotated at most.
const MaxEarly = 24 * time.Hour

// A Schedule says when a generated password is rotated next. It is computed once for a password and a period, and
// stored in the status, so that it stays the same in later reconciliations. The zero Schedule means no rotation.
type Schedule struct {
	// Period is the maximum age of the password.
	Period time.Duration
	// Last is when the present password was confirmed, and Next when it is rotated. Both are whole seconds.
	Last, Next time.Time
}

// For returns the schedule of an owner's password that was confirmed at last. It returns s itself if s is for that
// password and period.
//
// The password is rotated before its period ends, by up to a tenth of the period, and by at most MaxEarly. The exact
// time differs by owner, so that many passwords with one period are not rotated at once. If that time has passed, as
// for an old password whose owner gets a period, the same span is counted from now. A last that is in the future,
// because the clock was set back, counts as now.
func (s Schedule) For(owner types.UID, period time.Duration, last, now time.Time) Schedule {
	if s.Period == period && s.Last.Equal(last) {
		return s
	}
	early, from := earliness(owner, period, last), last
	if now.Before(from) {
		from = now
	}
	next := from.Add(period - early)
	if next.Before(now) {
		next = now.Add(early)
	}
	return Schedule{Period: period, Last: last, Next: next.Truncate(time.Second)}
}

// Due reports whether a password that was confirmed at last has to be rotated now. It is false if the schedule is for
// another password or another period.
func (s Schedule) Due(period time.Duration, last, now time.Time) bool {
	return period > 0 && s.Period == period && s.Last.Equal(last) && !now.Before(s.Next)
}

// earliness is how much before the end of its period a password is changed: the same for the same password, and another for each.
func earliness(owner types.UID, period time.Duration, last time.Time) time.Duration {
	span := min(period/10, MaxEarly)
	if span <= 0 {
		return 0
	}
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%s %d", owner, last.Unix())
	return time.Duration(hash.Sum64() % uint64(span))
}

// Rotatable reports whether Mooring may rotate the password: it is in force and known, and no other password is
// pending.
func (s State) Rotatable() bool {
	s = s.confirmed()
	return s.Current != "" && s.Next == "" && !s.Foreign && !s.Superseded
}

// Rotating reports whether the pending password is a rotation that did not fail.
func (s State) Rotating() bool { return s.Rotated && !s.Superseded }

// ConfirmedAt returns when the password in force was confirmed. The Secret has no such time for a password that the
// creation set, or that an earlier release stored. Then it is firstReady, when the server first became ready.
func (s State) ConfirmedAt(firstReady time.Time) time.Time {
	if s.Confirmed == 0 {
		return firstReady.Truncate(time.Second)
	}
	return time.Unix(s.Confirmed, 0)
}
