package cloud

import (
	"fmt"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// TestClockLog has a clock that stands, jumps, goes as the machine's does, and jumps again.
func TestClockLog(t *testing.T) {
	wall, shown := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return wall.Add(time.Duration(seconds * float64(time.Second))) }
	shows := func(minutes float64) time.Time { return shown.Add(time.Duration(minutes * float64(time.Minute))) }
	l := &Clock{}
	if _, ok := l.WallAt(shown); ok {
		t.Error("an empty log knows a time")
	}
	for _, seen := range []struct{ wall, shown float64 }{
		{0, 0}, {1, 0}, {2, 0}, // stands
		{3, 10}, {4, 10}, // jumped by ten minutes
		{5, 20}, {65, 21}, {125.001, 22}, // jumped, and goes
		{126, 60}, // jumped
	} {
		l.add(at(seen.wall), shows(seen.shown))
	}
	if len(l.stretches) != 4 {
		t.Errorf("there are %d stretches, want 4: %v", len(l.stretches), l.stretches)
	}
	const before = -1e-6 // a microsecond
	for name, test := range map[string]struct {
		shown, wall float64
		ok          bool
	}{
		"before all":             {-1, 0, true},
		"while it stood":         {0, 3 + before, true},
		"in a jump":              {5, 3 + before, true},
		"while it stood again":   {10, 5 + before, true},
		"while it went":          {20.5, 35, true},
		"at the end of going":    {22, 126 + before, true},
		"in the last jump":       {30, 126 + before, true},
		"now":                    {60, 0, false},
		"a time that is to come": {61, 0, false},
	} {
		got, ok := l.WallAt(shows(test.shown))
		if ok != test.ok || ok && !got.Equal(at(test.wall)) {
			t.Errorf("%s: got %v (%v), want %v (%v)", name, got, ok, at(test.wall), test.ok)
		}
	}
}

// TestClockLogWatches: a jump is noticed without a call to the cloud, and real time makes one stretch.
func TestClockLogWatches(t *testing.T) {
	clock := &check.Clock{At: time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)}
	closing := make(chan struct{})
	defer close(closing)
	jumps, even := &Clock{now: clock.Now}, &Clock{now: time.Now}
	jumps.Watch(closing)
	even.Watch(closing)
	has := func(n int) {
		t.Helper()
		check.Await(t, fmt.Sprint(n, " stretches"), func() (bool, string) {
			jumps.mu.Lock()
			defer jumps.mu.Unlock()
			return len(jumps.stretches) == n, fmt.Sprint(jumps.stretches)
		})
	}
	has(1)
	clock.Advance(time.Hour)
	has(2)
	even.mu.Lock()
	defer even.mu.Unlock()
	if len(even.stretches) != 1 {
		t.Errorf("real time makes %d stretches, want 1", len(even.stretches))
	}
}
