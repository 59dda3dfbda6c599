package retry

import (
	"math/rand/v2"
	"time"

	"github.com/cenkalti/backoff/v4"
)

// A Cadence holds the intervals between two reconciliations of an object.
type Cadence struct {
	// Sync is the interval at which a converged object is observed, with a jitter of 10 percent.
	Sync time.Duration
	// First is the shortest wait, and Longest the longest, after errors. While an operation runs in the cloud,
	// PollLongest is the longest wait at first. An operation that takes unusually long is polled less often, up to
	// Longest.
	First       time.Duration
	Longest     time.Duration
	PollLongest time.Duration
	// ConsistencyWindow is how long a refusal is retried quickly if an eventually consistent cloud may be its cause.
	// IAM of Google Cloud takes up to 7 minutes to apply a change, S3 and IAM of AWS take seconds.
	// https://cloud.google.com/iam/docs/access-change-propagation
	ConsistencyWindow time.Duration
}

// DefaultCadence returns the cadence for a sync period.
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

// StaleAfterRateLimited returns the age at which an observation is stale in an account whose call rate is limited: one
// hour, or two sync periods if they are longer. In all other accounts it is stale after two sync periods.
func StaleAfterRateLimited(sync time.Duration) time.Duration { return max(longestPaced, 2*sync) }

// A Backoff computes how long one object waits until its next reconciliation. It is not safe for concurrent use: an
// object is reconciled by one worker at a time.
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

// NewBackoff returns the backoff of an object that has not waited yet.
func NewBackoff(c Cadence) *Backoff { return &Backoff{cadence: c} }

// AfterError returns how long to wait after an error. The wait grows with each error in a row, and is never shorter
// than atLeast.
func (p *Backoff) AfterError(atLeast time.Duration) time.Duration {
	if p.errors == nil {
		p.errors = exponential(p.cadence.First, p.cadence.Longest, 2)
	}
	return max(p.errors.NextBackOff(), atLeast)
}

// NextPoll returns how long to wait before polling an operation in the cloud again. The wait grows, so that an
// operation of several hours is polled every few minutes.
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

// AfterStep returns how long to wait before the result of a step in the cloud is observed. There is no wait, unless the
// step repeats an earlier one, or more than 20 steps came in a row. In these cases the wait grows until Reset or
// MadeProgress is called.
func (p *Backoff) AfterStep(repeated bool) time.Duration {
	if p.steps++; !repeated && p.steps <= mostAtOnce {
		return time.Millisecond
	}
	if p.repeats == nil {
		p.repeats = exponential(p.cadence.First, p.cadence.Longest, 2)
	}
	return p.repeats.NextBackOff()
}

// MadeProgress resets the waits of AfterStep. Call it after a step that completed a good part of a long operation, for
// example the deletion of many objects in a bucket.
func (p *Backoff) MadeProgress() { p.repeats, p.steps = nil, 0 }

// UntilSync returns how long to wait before a converged object is observed again. The jitter spreads objects that were
// created together.
func (p *Backoff) UntilSync() time.Duration {
	return time.Duration(float64(p.cadence.Sync) * (0.9 + 0.2*rand.Float64()))
}

// Succeeded resets the wait after errors. It does not reset the wait of NextPoll, which Reset does.
func (p *Backoff) Succeeded() { p.errors = nil }

// Reset resets all waits.
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
