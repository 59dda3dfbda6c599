package window

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// 2026-11-22 is a Sunday.
func TestWindow(t *testing.T) {
	for _, tt := range []struct {
		day, start, now string
		open            bool
		next            string
	}{
		{"Sunday", "03:00", "2026-11-22T02:59:59Z", false, "2026-11-22T03:00:00Z"},
		{"Sunday", "03:00", "2026-11-22T03:00:00Z", true, "2026-11-29T03:00:00Z"},
		{"Sunday", "03:00", "2026-11-22T03:59:59Z", true, "2026-11-29T03:00:00Z"},
		{"Sunday", "03:00", "2026-11-22T04:00:00Z", false, "2026-11-29T03:00:00Z"},
		{"Sunday", "03:00", "2026-11-25T12:00:00Z", false, "2026-11-29T03:00:00Z"},
		{"Saturday", "23:30", "2026-11-22T00:10:00Z", true, "2026-11-28T23:30:00Z"}, // across midnight, and the end of the week
		{"Saturday", "23:30", "2026-11-22T00:30:00Z", false, "2026-11-28T23:30:00Z"},
		{"Monday", "00:00", "2026-11-22T23:59:00Z", false, "2026-11-23T00:00:00Z"},
		{"Sunday", "03:00", "2026-11-22T04:30:00+01:00", true, "2026-11-29T03:00:00Z"}, // whatever zone the clock has
		{"Thursday", "12:00", "2026-12-31T12:30:00Z", true, "2027-01-07T12:00:00Z"},
	} {
		w := Parse(tt.day, tt.start)
		if w == nil {
			t.Fatalf("%s %s is no window", tt.day, tt.start)
		}
		now := at(t, tt.now)
		if open, next := w.Open(now), w.Next(now).Format(time.RFC3339); open != tt.open || next != tt.next {
			t.Errorf("%s at %s: open %v, next %s; want %v, %s", w, tt.now, open, next, tt.open, tt.next)
		}
	}
}

// A window that opens is open then, and is over an hour later; the next opening is always ahead, and a week at most.
func TestWindowThroughAWeek(t *testing.T) {
	from := at(t, "2026-11-22T00:00:00Z")
	for day := time.Sunday; day <= time.Saturday; day++ {
		for start := time.Duration(0); start < 24*time.Hour; start += 97 * time.Minute {
			w := Window{Day: day, Start: start}
			var open time.Duration
			for now := from; now.Before(from.Add(week)); now = now.Add(time.Minute) {
				if w.Open(now) {
					open += time.Minute
				}
				next := w.Next(now)
				if !next.After(now) || next.Sub(now) > week || !w.Open(next) || w.Open(next.Add(-time.Second)) || next.Weekday() != day {
					t.Fatalf("%s at %s opens next at %s", w, now, next)
				}
			}
			if open != Length {
				t.Errorf("%s is open for %s of a week", w, open)
			}
		}
	}
}

func TestMissed(t *testing.T) {
	w := Parse("Sunday", "03:00")
	for _, tt := range []struct{ due, now, want string }{
		{"2026-11-22T04:00:00Z", "2026-11-28T03:00:00Z", ""},                     // due after the last
		{"2026-11-21T10:00:00Z", "2026-11-21T12:00:00Z", ""},                     // none was since
		{"2026-11-21T10:00:00Z", "2026-11-22T03:30:00Z", ""},                     // it is open
		{"2026-11-21T10:00:00Z", "2026-11-22T04:00:00Z", "2026-11-22T03:00:00Z"}, // it is over
		{"2026-11-22T03:30:00Z", "2026-11-23T00:00:00Z", "2026-11-22T03:00:00Z"}, // due while it was open
		{"2026-11-01T10:00:00Z", "2026-11-23T00:00:00Z", "2026-11-22T03:00:00Z"}, // of several the last
		{"2026-11-21T10:00:00Z", "2026-11-29T03:30:00Z", "2026-11-22T03:00:00Z"}, // and the next is open
	} {
		got := w.Missed(at(t, tt.due), at(t, tt.now))
		if said := got.Format(time.RFC3339); said != tt.want && !(got.IsZero() && tt.want == "") {
			t.Errorf("due %s, now %s: missed %s, want %q", tt.due, tt.now, said, tt.want)
		}
	}
}

func TestNoWindow(t *testing.T) {
	for _, tt := range [][2]string{{"", "03:00"}, {"sunday", "03:00"}, {"Sunday", ""}, {"Sunday", "3:00"}, {"Sunday", "24:00"}} {
		if w := Parse(tt[0], tt[1]); w != nil {
			t.Errorf("%q is %s", tt, w)
		}
	}
	day := v1alpha1.Weekday("Sunday")
	if FromSpec(nil) != nil || FromSpec(&v1alpha1.MaintenanceWindow{Day: &day}) != nil {
		t.Error("half a window is one")
	}
	if said := FromSpec(&v1alpha1.MaintenanceWindow{Day: &day, StartTime: new("23:30")}).String(); said != "Sunday 23:30–00:30 UTC" {
		t.Error(said)
	}
}
