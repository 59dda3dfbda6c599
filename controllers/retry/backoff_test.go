package retry

import (
	"testing"
	"testing/synctest"
	"time"
)

var cadence = DefaultCadence(10 * time.Minute)

// An object whose every call fails is tried for ever, and never at once: backoff's default gives up after 15 minutes
// and then returns -1, at which a queue would spin.
func TestAfterErrorNeverStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began, least := NewBackoff(cadence), time.Now(), cadence.First/2
		for tries := 0; time.Since(began) < 24*time.Hour; tries++ {
			wait := p.AfterError(0)
			if wait < least || wait > cadence.Longest*13/10 {
				t.Fatalf("try %d, after %v: %v is not between %v and %v", tries, time.Since(began), wait, least, cadence.Longest*13/10)
			}
			if time.Since(began) > time.Hour {
				least = cadence.Longest / 2
			}
			time.Sleep(wait)
		}
	})
}

func TestNextPollStartsQuickAndWidens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, began, looks := NewBackoff(cadence), time.Now(), 0
		for time.Since(began) < time.Hour {
			wait := p.NextPoll()
			if wait <= 0 || wait > cadence.PollLongest*13/10 && wait > time.Since(began)/20 {
				t.Fatalf("look %d, after %v: wait %v", looks, time.Since(began), wait)
			}
			if looks == 0 && wait > 2*cadence.First {
				t.Errorf("the first look comes after %v", wait)
			}
			looks++
			time.Sleep(wait)
		}
		if looks < 50 || looks > 100 {
			t.Errorf("%d looks in an hour", looks)
		}
	})
}

// What the cloud never finishes is not polled every half minute for ever.
func TestNextPollAfterDays(t *testing.T) {
	p, looks := NewBackoff(cadence), 0
	for waited := time.Duration(0); waited < 24*time.Hour; looks++ {
		wait := p.NextPoll()
		if wait > cadence.Longest {
			t.Fatalf("wait %v", wait)
		}
		waited += wait
	}
	if looks > 400 {
		t.Errorf("%d looks in a day", looks)
	}
	p.Reset()
	if wait := p.NextPoll(); wait > 2*cadence.First {
		t.Errorf("the first look after that comes after %v", wait)
	}
}

// Jitter makes single waits vary, so what is compared are medians.
func TestWaitsGrow(t *testing.T) {
	for name, wait := range map[string]func(*Backoff) time.Duration{
		"errors": func(p *Backoff) time.Duration { return p.AfterError(0) },
		"polls":  (*Backoff).NextPoll,
		"steps":  func(p *Backoff) time.Duration { return p.AfterStep(true) },
	} {
		var sums [6]time.Duration
		for range 200 {
			p := NewBackoff(cadence)
			for i := range sums {
				sums[i] += wait(p)
			}
		}
		for i := 1; i < len(sums); i++ {
			if sums[i] < sums[i-1]*6/5 {
				t.Errorf("%s: wait %d is on average %v, after %v", name, i, sums[i]/200, sums[i-1]/200)
			}
		}
	}
}

func TestRetryAfterIsRespected(t *testing.T) {
	p := NewBackoff(cadence)
	for range 20 {
		if got := p.AfterError(time.Hour); got != time.Hour {
			t.Fatalf("the cloud asked for an hour, and got %v", got)
		}
	}
}

// Success forgets failures, and not how long the cloud has been at work; settling and edits forget both.
func TestWhatForgetsWaits(t *testing.T) {
	grown := func() *Backoff {
		p := NewBackoff(cadence)
		for range 20 {
			p.AfterError(0)
			p.NextPoll()
		}
		return p
	}
	quick := 2 * cadence.First
	p := grown()
	p.Succeeded()
	if got := p.AfterError(0); got > quick {
		t.Errorf("first failure after a success: %v", got)
	}
	if got := p.NextPoll(); got < quick {
		t.Errorf("a success is no end of the cloud's work: %v", got)
	}
	p = grown()
	p.Reset()
	if errors, polls := p.AfterError(0), p.NextPoll(); errors > quick || polls > quick {
		t.Errorf("after settling: %v and %v", errors, polls)
	}
}

// What a step did is looked at at once, unless it was made before or is one of very many in a row. A success in between changes nothing; what gets on, rests or is edited does.
func TestStepsInARow(t *testing.T) {
	const atOnce = time.Millisecond
	for name, test := range map[string]struct {
		before func(*Backoff)
		least  time.Duration // of the next step, which is another one
	}{
		"the first":                {func(*Backoff) {}, 0},
		"some":                     {func(p *Backoff) { steps(p, 10, false) }, 0},
		"very many":                {func(p *Backoff) { steps(p, 50, false) }, cadence.First},
		"repeated":                 {func(p *Backoff) { steps(p, 20, true) }, cadence.Longest / 2},
		"repeated, with success":   {func(p *Backoff) { steps(p, 20, true); p.Succeeded() }, cadence.Longest / 2},
		"repeated, until it rests": {func(p *Backoff) { steps(p, 20, true); p.Reset() }, 0},
		"very many that get on":    {func(p *Backoff) { steps(p, 50, false); p.MadeProgress() }, 0},
	} {
		p := NewBackoff(cadence)
		test.before(p)
		if got := p.AfterStep(false); (test.least == 0) != (got == atOnce) || got < test.least {
			t.Errorf("%s: the next step is looked at after %v, want at least %v", name, got, test.least)
		}
	}
}

func steps(p *Backoff, n int, repeated bool) {
	for range n {
		p.AfterStep(repeated)
	}
}

func TestUntilSyncIsSpread(t *testing.T) {
	p, least, most := NewBackoff(cadence), time.Duration(1<<62), time.Duration(0)
	for range 1000 {
		wait := p.UntilSync()
		least, most = min(least, wait), max(most, wait)
	}
	if least < 9*time.Minute || most > 11*time.Minute || most-least < time.Minute {
		t.Errorf("between %v and %v", least, most)
	}
}

// A short sync period bounds everything, so that a test of an hour's behaviour takes seconds.
func TestDefaultCadenceIsBoundedBySync(t *testing.T) {
	for _, sync := range []time.Duration{100 * time.Millisecond, time.Second, time.Minute, 10 * time.Minute, time.Hour} {
		c := DefaultCadence(sync)
		if c.Sync != sync || c.First <= 0 || c.First > c.PollLongest || c.PollLongest > c.Longest || c.Longest > sync {
			t.Errorf("sync period %v: %+v", sync, c)
		}
	}
}
