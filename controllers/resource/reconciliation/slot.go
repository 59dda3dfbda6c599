package reconciliation

import (
	"errors"
	"time"

	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Slot says whether the object has a slot of its account.
type Slot struct {
	// Queued: it waits for one. Degraded: the account does not answer. Moves: others get theirs meanwhile. Account is how messages name the account.
	Queued, Degraded, Moves bool
	Account                 string
	// Postponed is how long the object waits because its namespace asked for many reconciliations.
	Postponed time.Duration
	// Held is the slot that the object has; nil if it has none.
	Held *account.Slot
}

// Paced reports whether the cloud refused a call because the account made too many, of those that the account's limiter counts: then the limiter
// says when the object's turn is.
func (s Slot) Paced() bool { return s.Held != nil && s.Held.RateLimited() }

// Excuses reports whether an object that was not observed for so long is only late: the calls of its account are limited, or others of the account
// get their slots before it.
func (s Slot) Excuses(age, sync time.Duration, paces bool) bool {
	return (paces || s.Queued && s.Moves && !s.Degraded) && age <= retry.StaleAfterRateLimited(sync)
}

// Release gives the slot of the account back, if the object has one, and notes what the error of the last call says about the account as
// a whole.
func (s State) Release() {
	code := driver.CodeOf(s.CallError)
	if s.CallError != nil && code == driver.Denied {
		s.Connection.ReloadCredentials()
	}
	if s.Slot.Held == nil {
		return
	}
	if cloud, ok := errors.AsType[*driver.Error](s.CallError); ok && cloud != nil {
		s.Slot.Held.RetryAfter(cloud.RetryAfter)
	}
	s.Slot.Held.Release(s.CallError == nil || code != driver.Unavailable)
}
