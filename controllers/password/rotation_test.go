package password

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const month = 720 * time.Hour

func TestSchedule(t *testing.T) {
	now := noon
	first := Schedule{}.For("uid", month, now.Add(-48*time.Hour), now)
	for _, tt := range []struct {
		name       string
		before     Schedule
		period     time.Duration
		last, now  time.Time
		from, till time.Time // of the next time
	}{
		{"a young password", Schedule{}, month, now.Add(-48 * time.Hour), now, now.Add(month - 72*time.Hour), now.Add(month - 48*time.Hour)},
		{"an old one", Schedule{}, month, now.Add(-2 * month), now, now, now.Add(24 * time.Hour)},
		{"of an hour", Schedule{}, time.Hour, now, now, now.Add(54 * time.Minute), now.Add(time.Hour)},
		{"confirmed in the future", Schedule{}, month, now.Add(10 * month), now, now.Add(month - 24*time.Hour), now.Add(month)},
		{"the same, later", first, month, first.Last, now.Add(5 * month), first.Next, first.Next},
		{"the same, after the clock went back", first, month, first.Last, now.Add(-5 * month), first.Next, first.Next},
		{"another period", first, time.Hour, first.Last, now, now, now.Add(6 * time.Minute)},
		{"another password", first, month, now, now, now.Add(month - 24*time.Hour), now.Add(month)},
		{"another password, after a month away", first, month, now.Add(month), now.Add(month), now.Add(2*month - 24*time.Hour), now.Add(2 * month)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.before.For("uid", tt.period, tt.last, tt.now)
			if got.Next.Before(tt.from) || got.Next.After(tt.till) || got.Period != tt.period || !got.Last.Equal(tt.last) {
				t.Errorf("%+v, want a time from %s to %s", got, tt.from, tt.till)
			}
			if again := got.For("uid", tt.period, tt.last, tt.now.Add(time.Minute)); again != got {
				t.Errorf("it moves by itself: %+v, then %+v", got, again)
			}
		})
	}
}

// Many passwords that get a period at the same time are not changed at the same time, neither young ones nor old ones.
func TestScheduleSpreads(t *testing.T) {
	for _, age := range []time.Duration{0, 5 * month} {
		quarters := map[int]int{}
		for i := range 500 {
			uid := types.UID(time.Duration(i).String())
			next := Schedule{}.For(uid, month, noon.Add(-age), noon).Next
			quarters[int(next.Sub(noon).Hours())/6]++
		}
		for quarter, n := range quarters {
			if n > 160 { // of 125
				t.Errorf("of 500 passwords that are %s old, %d are changed in the hours %d to %d", age, n, quarter*6, quarter*6+6)
			}
		}
		if len(quarters) < 4 {
			t.Errorf("500 passwords that are %s old are changed within %d times 6 hours", age, len(quarters))
		}
	}
}

func TestDue(t *testing.T) {
	s := Schedule{Period: month, Last: noon, Next: noon.Add(month)}
	for _, tt := range []struct {
		name      string
		period    time.Duration
		last, now time.Time
		want      bool
	}{
		{"before its time", month, noon, s.Next.Add(-time.Second), false},
		{"at its time", month, noon, s.Next, true},
		{"after a month away", month, noon, s.Next.Add(month), true},
		{"after the clock went back", month, noon, noon.Add(-month), false},
		{"another password was confirmed since", month, noon.Add(time.Hour), s.Next, false},
		{"another period was set since", time.Hour, noon, s.Next, false},
		{"the period was removed", 0, noon, s.Next, false},
	} {
		if got := s.Due(tt.period, tt.last, tt.now); got != tt.want {
			t.Errorf("%s: due %t", tt.name, got)
		}
	}
	if (Schedule{}).Due(0, time.Time{}, noon) {
		t.Error("no schedule is due")
	}
}
