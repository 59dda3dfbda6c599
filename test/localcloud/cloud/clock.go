package cloud

import (
	"slices"
	"sync"
	"time"
)

// A Clock notes what the cloud's clock shows while the machine's goes on. The servers write the machine's time into their logs, and a test may set the
// cloud's clock by hand: who asks for the data of a time asks by the cloud's clock.
type Clock struct {
	now func() time.Time

	mu        sync.Mutex
	stretches []stretch // oldest first
	watched   bool
}

// A stretch is a while in which the cloud's clock stood still, or went as the machine's does. A new one begins when it jumps.
type stretch struct{ wall, shown, wallEnd, shownEnd time.Time }

const (
	// clockPause is how long a jump of the clock may go unnoticed.
	clockPause = 10 * time.Millisecond
	// clockSlack is how far two clocks that go alike may seem to be apart, since they can't be read at once.
	clockSlack = 5 * time.Millisecond
)

// Watch begins to look at the clock until the cloud closes.
func (l *Clock) Watch(closing <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.watched {
		return
	}
	l.watched = true
	go func() {
		ticks := time.NewTicker(clockPause)
		defer ticks.Stop()
		for {
			select {
			case <-closing:
				return
			case <-ticks.C:
				l.Note()
			}
		}
	}()
}

// Note looks at the clock: again, if something came between the two looks.
func (l *Clock) Note() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for range 3 {
		wall, shown := time.Now(), l.now()
		if took := time.Since(wall); took <= clockSlack {
			l.add(wall, shown)
			return
		}
	}
}

func (l *Clock) add(wall, shown time.Time) {
	if n := len(l.stretches); n > 0 && l.stretches[n-1].extend(wall, shown) {
		return
	}
	l.stretches = append(l.stretches, stretch{wall, shown, wall, shown})
}

// extend makes the stretch longer, unless the clock has jumped.
func (s *stretch) extend(wall, shown time.Time) bool {
	goes, went := shown.Sub(s.shown), wall.Sub(s.wall)
	stood := s.shownEnd.Equal(s.shown) && shown.Equal(s.shown)
	runs := goes >= 0 && (goes-went).Abs() <= clockSlack && (s.wallEnd.Equal(s.wall) || !s.shownEnd.Equal(s.shown))
	if stood || runs {
		s.wallEnd, s.shownEnd = wall, shown
	}
	return stood || runs
}

// WallAt returns the machine's time up to which the cloud's clock showed a time at most. It is not ok if the clock shows no later time yet: all that was ever
// written was written by then.
func (l *Clock) WallAt(shown time.Time) (at time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, s := range slices.Backward(l.stretches) {
		switch {
		case s.shown.After(shown):
		case shown.Before(s.shownEnd):
			return s.wall.Add(shown.Sub(s.shown)), true
		case i+1 < len(l.stretches):
			return l.stretches[i+1].wall.Add(-time.Microsecond), true
		default:
			return time.Time{}, false
		}
	}
	if len(l.stretches) == 0 {
		return time.Time{}, false
	}
	return l.stretches[0].wall, true
}

// WholeMillisecond is the next one, if a time is none: answers have no finer times, and who sends one back must not be too early.
func WholeMillisecond(t time.Time) time.Time {
	return t.Add(time.Millisecond - time.Nanosecond).Truncate(time.Millisecond)
}
