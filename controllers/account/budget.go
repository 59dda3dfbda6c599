package account

import (
	"math"
	"time"
)

// A budget is how many calls of one class an account may make in a time. Nobody knows that number before the cloud refuses a call for
// it: clouds publish it for some services, change it for some accounts, and share it with whoever else uses the account. So it is
// learnt. As long as no call was refused there is no limit.
//
// Clouds count by buckets of tokens. A refusal says that the bucket is empty. Between two refusals it was filled as often as calls were
// taken, so their number by the time between is the rate that the cloud allows. The budget stays a little below that rate, and grows until
// the next refusal, which then measures anew: about one call in a hundred is refused. It grows slowly at first, and faster the longer no call is
// refused, because the limit was raised, or because the others who used it are gone.
type budget struct {
	name string
	// rate is how many calls a second are made; 0 while no limit is known. tokens are those that may be made now; below zero are calls that
	// were made beyond what was planned. Without a limit there are none.
	rate, tokens float64
	filled       time.Time
	// paused is until when no call is planned.
	paused time.Time
	// fast: the rate grows fast, because what was measured is not sure. waited is when somebody last had to wait: a rate that nobody needs does not grow.
	fast   bool
	waited time.Time
	// emptied is when the cloud's bucket was empty, as far as that is known, and taken how many calls the cloud took since.
	emptied time.Time
	taken   int
	// refused is when the rate fell last, and inRow how often it did since the cloud took a call. Calls that began before epoch began before
	// the rate fell last, and their refusals say nothing new.
	refused time.Time
	inRow   int
	epoch   int
	// all and resyncs are the calls of the last minute that the cloud took.
	all, resyncs minute
	// period is how long objects go unobserved between two periodic observations, as an average of late.
	period time.Duration
}

const (
	// below is how far the rate stays below what was measured.
	below = 0.97
	// slowGrowth and fastGrowth are by how much the rate grows in a second: at first, and at most. It doubles within steady of a refusal.
	slowGrowth, fastGrowth = 0.001, 0.05
	steady                 = 30 * time.Second
	// shortest is how long calls are counted for a measurement, at least.
	shortest = 5 * time.Second
	// forgotten is how long after the last refusal a limit is forgotten that nobody comes near to.
	forgotten = 15 * time.Minute
	// slowest is the lowest rate: a call in ten seconds finds out whether the cloud takes calls again.
	slowest = 0.1
	// longestPause is how long no call is planned after refusals in a row, at most.
	longestPause = 20 * time.Second
	// saved is how many seconds' calls can be saved up.
	saved = 5
)

// limited reports whether the budget has a limit now.
func (b *budget) limited() bool { return b.rate > 0 }

// most is how many calls can be saved up.
func (b *budget) most() float64 { return max(10, b.rate*saved) }

// takeUnplanned takes in a call that nothing was set aside for. What is owed for such calls is bounded, because others wait for it to be made up.
func (b *budget) takeUnplanned() {
	if b.limited() {
		b.tokens = max(-b.most(), b.tokens-1)
	}
}

// fill brings the tokens up to date, and the rate.
func (b *budget) fill(now time.Time) {
	elapsed := now.Sub(b.filled).Seconds()
	if !b.limited() || elapsed <= 0 {
		return
	}
	b.filled = now
	if now.Sub(b.refused) > forgotten && now.Sub(b.waited) > forgotten {
		b.rate, b.tokens, b.inRow = 0, 0, 0
		return
	}
	b.tokens = min(b.most(), b.tokens+b.rate*elapsed)
	if now.Sub(b.waited) > shortest { // what it can take is not known as long as nobody needs it
		return
	}
	growth := fastGrowth
	if !b.fast {
		growth = min(fastGrowth, slowGrowth*(1+math.Pow(now.Sub(b.refused).Seconds()/steady.Seconds(), 3)))
	}
	b.rate *= math.Exp(growth * min(elapsed, shortest.Seconds()))
}

// until returns how long it takes until a number of calls can be made; 0 for now.
func (b *budget) until(calls float64, now time.Time) time.Duration {
	if !b.limited() {
		return 0
	}
	b.fill(now)
	if !b.limited() {
		return 0
	}
	wait := b.paused.Sub(now)
	if missing := min(calls, b.most()) - b.tokens; missing > 1e-9 {
		wait = max(wait, time.Duration(missing/b.rate*float64(time.Second))+time.Millisecond)
	}
	if wait > 0 {
		b.waited = now
	}
	return max(0, wait)
}

// took counts a call that the cloud took.
func (b *budget) took(resync bool, now time.Time) {
	b.inRow = 0
	b.taken++
	b.all.add(now)
	if resync {
		b.resyncs.add(now)
	}
}

// refuse takes in that the cloud refused a call that began in an epoch.
func (b *budget) refuse(epoch int, now time.Time) {
	if b.limited() && epoch < b.epoch {
		return
	}
	b.fill(now)
	b.epoch++
	b.inRow++
	measured := float64(b.all.count(now, time.Minute)) / 60 // the first one: how full the bucket was is not known, nor when it was empty
	since := now.Sub(b.emptied)
	switch {
	case !b.limited():
		b.rate = math.Inf(1)
	case since >= shortest:
		measured = float64(b.taken) / since.Seconds()
		if since >= steady { // while the rate grew, most of the calls were those of late
			measured = max(measured, float64(b.all.count(now, steady))/steady.Seconds())
		}
	default:
		measured = b.rate * 0.9
	}
	if since >= shortest || b.emptied.IsZero() {
		b.emptied, b.taken = now, 0
	}
	b.fast = math.IsInf(b.rate, 1) || b.inRow > 2
	b.rate = max(slowest, min(b.rate, measured)*below)
	b.tokens, b.filled, b.refused, b.waited = min(b.tokens, 0), now, now, now
	if b.inRow > 1 {
		b.paused = now.Add(min(longestPause, time.Second<<min(b.inRow-2, 5)))
	}
}

// observed takes in how long an object was not observed until a periodic observation of it begins.
func (b *budget) observed(after time.Duration) {
	if b.period == 0 {
		b.period = after
		return
	}
	b.period += (after - b.period) / 16
}

// A minute counts what happened in each of the last sixty seconds.
type minute struct {
	counts  [60]int
	seconds [60]int64
}

func (m *minute) add(now time.Time) {
	second := now.Unix()
	at := ((second % 60) + 60) % 60
	if m.seconds[at] != second {
		m.seconds[at], m.counts[at] = second, 0
	}
	m.counts[at]++
}

// count returns how often it happened within a time of at most a minute.
func (m *minute) count(now time.Time, within time.Duration) (n int) {
	for i, second := range m.seconds {
		if age := now.Unix() - second; age >= 0 && age < int64(within/time.Second) {
			n += m.counts[i]
		}
	}
	return n
}
