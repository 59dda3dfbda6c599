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

// ReserveUserRequest takes a reconciliation that somebody asked for out of the share that a namespace has of the account's. It returns how long the object has to wait
// for it, longest at most; 0 if its turn is now.
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
