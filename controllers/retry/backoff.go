package retry

import (
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// Cadence is how often an object is looked at.
type Cadence struct {
	// Sync is how often a converged object is observed, give or take a tenth.
	Sync time.Duration
	// First and Longest bound the waits after errors; First and PollLongest those while the cloud works, unless that takes it
	// unusually long: then Longest does.
	First       time.Duration
	Longest     time.Duration
	PollLongest time.Duration
	// Settle is how long a refusal is retried like an answer that the cloud is busy, where it may pass by itself: IAM of Google Cloud takes up to 7 minutes, S3 and
	// IAM of AWS seconds. https://cloud.google.com/iam/docs/access-change-propagation
	ConsistencyWindow time.Duration
}

// DefaultCadence is the cadence for a sync period.
func DefaultCadence(sync time.Duration) Cadence {
	return Cadence{
		Sync:              sync,
		First:             min(time.Second, sync),
		Longest:           min(5*time.Minute, sync),
		PollLongest:       min(30*time.Second, sync),
		ConsistencyWindow: min(3*time.Minute, 5*sync),
	}
}

// longestPaced is how long an object may go unobserved, at least, because its account's calls are limited.
const longestPaced = time.Hour

// StaleAfterRateLimited returns the age from which an observation is too old although the account's calls are limited: an hour, or two sync periods
// if they are longer. In all other accounts it is too old after two sync periods.
func StaleAfterRateLimited(sync time.Duration) time.Duration { return max(longestPaced, 2*sync) }

// A Backoff is the memory of one object's waits. It is not safe for concurrent use: an object is
// reconciled by one worker at a time.
type Backoff struct {
	cadence Cadence
	errors  *backoff.ExponentialBackOff
	polls   *backoff.ExponentialBackOff
	// polled is how long the cloud has been waited for.
	polled time.Duration
	// repeats are the waits after steps that are repeated, and steps counts the steps in a row.
	repeats *backoff.ExponentialBackOff
	steps   int
}

// NewBackoff returns the pace of a fresh object.
func NewBackoff(c Cadence) *Backoff { return &Backoff{cadence: c} }

// AfterError returns how long to wait after a failure: longer with each in a row, at least atLeast.
func (p *Backoff) AfterError(atLeast time.Duration) time.Duration {
	if p.errors == nil {
		p.errors = exponential(p.cadence.First, p.cadence.Longest, 2)
	}
	return max(p.errors.NextBackOff(), atLeast)
}

// NextPoll returns how long to wait before looking again. What the cloud has been at work on for hours is polled
// every few minutes.
func (p *Backoff) NextPoll() time.Duration {
	if p.polls == nil {
		p.polls = exponential(p.cadence.First, p.cadence.PollLongest, 1.5)
	}
	wait := max(p.polls.NextBackOff(), min(p.polled/20, p.cadence.Longest))
	p.polled += wait
	return wait
}

// mostAtOnce is how many steps in a row are each followed at once by a look at what they did. A creation takes fewer than ten.
const mostAtOnce = 20

// AfterStep returns how long to wait before the result of a step in the cloud is looked at: nothing, unless the step is one that was made before, or one of
// very many. Then the waits grow, until the object is at rest, an edit comes, or a step gets on with something that takes many.
func (p *Backoff) AfterStep(repeated bool) time.Duration {
	if p.steps++; !repeated && p.steps <= mostAtOnce {
		return time.Millisecond
	}
	if p.repeats == nil {
		p.repeats = exponential(p.cadence.First, p.cadence.Longest, 2)
	}
	return p.repeats.NextBackOff()
}

// MadeProgress forgets the steps: the last one got on with something that takes many.
func (p *Backoff) MadeProgress() { p.repeats, p.steps = nil, 0 }

// UntilSync returns how long to wait before a converged object is looked at again. The jitter
// spreads objects that were made together.
func (p *Backoff) UntilSync() time.Duration {
	return time.Duration(float64(p.cadence.Sync) * (0.9 + 0.2*rand.Float64()))
}

// Succeeded forgets failures; Reset forgets polls too, and so does an edit.
func (p *Backoff) Succeeded() { p.errors = nil }

// Reset forgets all waits.
func (p *Backoff) Reset() {
	p.errors, p.polls, p.polled = nil, nil, 0
	p.MadeProgress()
}

func exponential(first, longest time.Duration, factor float64) *backoff.ExponentialBackOff {
	return backoff.NewExponentialBackOff(
		backoff.WithInitialInterval(first),
		backoff.WithMaxInterval(longest),
		backoff.WithMultiplier(factor),
		backoff.WithRandomizationFactor(0.3),
		// v4 gives up after 15 minutes unless told otherwise, and then returns Stop (-1), which would
		// spin the queue.
		backoff.WithMaxElapsedTime(0),
	)
}
