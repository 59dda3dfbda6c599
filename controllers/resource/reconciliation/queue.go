package reconciliation

import "time"

// A Queue is what is remembered of an object's wait for a slot.
type Queue struct {
	// Since is when the object began to wait; zero if it does not.
	Since time.Time
	// Said is what the conditions have said since then.
	Said Said
	// AllowedAt is when the share of the namespace allows a reconciliation that somebody asked for; zero if none waits for that.
	AllowedAt time.Time
}

// Said is how much the conditions have said while the object waits for a slot. They only ever say more, until the cloud object
// is observed: an account that answers and times out in turns would else have all of its objects written each time.
type Said int

// What the conditions say.
const (
	SaidNothing    Said = iota
	SaidQueued          // its account has no slot
	SaidDegraded        // its account does not answer
	SaidUnobserved      // it was not observed for two sync periods
)

// Postpone returns how long an object that somebody asked to reconcile waits for the share that its namespace has of the account, and whether
// it waited for that until now. What was edited or is being deleted does not wait.
func (q *Queue) Postpone(now time.Time, asked, pending bool, share func() time.Duration) (wait time.Duration, waited bool) {
	if asked && !pending && q.AllowedAt.IsZero() {
		if wait := share(); wait > 0 {
			q.AllowedAt = now.Add(wait)
		}
	}
	switch {
	case q.AllowedAt.IsZero():
		return 0, false
	case !pending && now.Before(q.AllowedAt):
		return q.AllowedAt.Sub(now), false
	}
	q.AllowedAt = time.Time{}
	return 0, true
}
