package password

import (
	"fmt"
	"hash/fnv"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// MaxEarly is how much earlier than its period a password is changed at most.
const MaxEarly = 24 * time.Hour

// A Schedule says when a generated password is changed next. It is made once for a period and a password, and stored: so it does not move with the
// clock. The zero Schedule is none.
type Schedule struct {
	// Period is how old a password gets at most. Last is when the present one was confirmed, and Next when it is changed. Both are whole seconds.
	Period     time.Duration
	Last, Next time.Time
}

// For returns the schedule of an owner's password that was confirmed at last: the same if it is of that period and password already.
//
// The password is changed a little before its period has passed, each one at its own time: up to a tenth of the period, or MaxEarly. If that time
// is over, as for an old password that gets a period, the same span counts from now. So many passwords that get one period are not changed at once.
// What was confirmed in the future, because the clock was set back, counts as confirmed now.
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

// Due reports whether the password has to be changed that was confirmed at last. A schedule of another password says nothing.
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

// Rotatable reports whether Mooring may change the password by itself: it is in force and known, and no other is on its way.
func (s State) Rotatable() bool {
	s = s.confirmed()
	return s.Current != "" && s.Next == "" && !s.Foreign && !s.Superseded
}

// Rotating reports whether a password is on its way because the period of the one before has passed, and nothing went wrong with it.
func (s State) Rotating() bool { return s.Rotated && !s.Superseded }

// ConfirmedAt is when the password in force was confirmed. The password Secret does not say so of one that a creation set, or an earlier
// release: that counts as confirmed when the server was first ready.
func (s State) ConfirmedAt(firstReady time.Time) time.Time {
	if s.Confirmed == 0 {
		return firstReady.Truncate(time.Second)
	}
	return time.Unix(s.Confirmed, 0)
}
