package account

import "time"

// A namespace may ask for so many reconciliations of an account's objects at once, and for one more each interval. What people ask for by an annotation
// costs the calls of all who share the account.
const (
	askedAtOnce   = 30
	askedInterval = time.Second
)

// mostShares is how many namespaces are remembered before those that asked for nothing of late are forgotten.
const mostShares = 1000

// ReserveUserRequest counts a reconciliation that a user requested by an annotation against the limit of the user's
// namespace. Each namespace has such a limit in each account, because these reconciliations make calls that all users
// of the account pay for.
//
// It returns how long the reconciliation has to wait: 0 if it may start now, and longest at most.
func (s *Source) ReserveUserRequest(namespace string, longest time.Duration) time.Duration {
	s.all.mu.Lock()
	defer s.all.mu.Unlock()
	l, now := s.limiter, s.all.now()
	due := l.asked[namespace] // when the share is whole again
	if due.Before(now) {
		due = now
	}
	wait := due.Sub(now) - (askedAtOnce-1)*askedInterval
	if wait >= longest { // its periodic observation comes earlier
		return longest
	}
	if len(l.asked) >= mostShares {
		for other, whole := range l.asked {
			if whole.Before(now) {
				delete(l.asked, other)
			}
		}
	}
	l.asked[namespace] = due.Add(askedInterval)
	return max(0, wait)
}
