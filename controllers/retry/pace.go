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
}

// DefaultCadence is the cadence for a sync period.
func DefaultCadence(sync time.Duration) Cadence {
	return Cadence{
		Sync:        sync,
		First:       min(time.Second, sync),
		Longest:     min(5*time.Minute, sync),
		PollLongest: min(30*time.Second, sync),
	}
}

// A Pace is the memory of one object's waits. It is not safe for concurrent use: an object is
// reconciled by one worker at a time.
type Pace struct {
	cadence Cadence
	errors  *backoff.ExponentialBackOff
	polls   *backoff.ExponentialBackOff
	// polled is how long the cloud has been waited for.
	polled time.Duration
}

// NewPace returns the pace of a fresh object.
func NewPace(c Cadence) *Pace { return &Pace{cadence: c} }

// AfterError returns how long to wait after a failure: longer with each in a row, at least atLeast.
func (p *Pace) AfterError(atLeast time.Duration) time.Duration {
	if p.errors == nil {
		p.errors = exponential(p.cadence.First, p.cadence.Longest, 2)
	}
	return max(p.errors.NextBackOff(), atLeast)
}

// WhileCloudWorks returns how long to wait before looking again. What the cloud has been at work on for hours is polled
// every few minutes.
func (p *Pace) WhileCloudWorks() time.Duration {
	if p.polls == nil {
		p.polls = exponential(p.cadence.First, p.cadence.PollLongest, 1.5)
	}
	wait := max(p.polls.NextBackOff(), min(p.polled/20, p.cadence.Longest))
	p.polled += wait
	return wait
}

// UntilSync returns how long to wait before a converged object is looked at again. The jitter
// spreads objects that were made together.
func (p *Pace) UntilSync() time.Duration {
	return time.Duration(float64(p.cadence.Sync) * (0.9 + 0.2*rand.Float64()))
}

// Succeeded forgets failures; Reset forgets polls too, and so does an edit.
func (p *Pace) Succeeded() { p.errors = nil }

// Reset forgets all waits.
func (p *Pace) Reset() { p.errors, p.polls, p.polled = nil, nil, 0 }

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
