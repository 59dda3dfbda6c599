package window

import (
	"fmt"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

const (
	// Length is how long a window is open. Cloud SQL's own windows have one hour too, those of RDS at least 30 minutes.
	// One hour leaves room for a second change where the cloud takes one at a time.
	Length = time.Hour
	week   = 7 * 24 * time.Hour
)

// A Window is an hour that comes each week.
type Window struct {
	// Day is the weekday, in UTC, on which the window opens. Start is the time of day at which it opens, as the time
	// since midnight.
	Day   time.Weekday
	Start time.Duration
}

// FromSpec returns the window that a spec declares; nil if the spec declares none, or lacks its day or its start.
func FromSpec(asked *v1alpha1.MaintenanceWindow) *Window {
	if asked == nil || asked.Day == nil || asked.StartTime == nil {
		return nil
	}
	return Parse(string(*asked.Day), *asked.StartTime)
}

// Parse returns the window that opens on a day (Monday to Sunday) at a time (HH:MM); nil if one of them is not valid.
func Parse(day, startTime string) *Window {
	at, err := time.Parse("15:04", startTime)
	if err != nil || len(startTime) != len("15:04") {
		return nil
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		if d.String() == day {
			return &Window{Day: d, Start: time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute}
		}
	}
	return nil
}

// FromString parses what String returns, for example "Sunday 03:00–04:00 UTC". It returns nil for any other text.
func FromString(text string) *Window {
	day, rest, _ := strings.Cut(text, " ")
	start, _, _ := strings.Cut(rest, "–")
	if w := Parse(day, start); w != nil && w.String() == text {
		return w
	}
	return nil
}

// Last returns when the window last opened, at the given time or before it.
func (w Window) Last(at time.Time) time.Time {
	at = at.UTC()
	midnight := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	opened := midnight.AddDate(0, 0, -int((at.Weekday()-w.Day+7)%7)).Add(w.Start)
	if opened.After(at) {
		opened = opened.Add(-week)
	}
	return opened
}

// Next returns when the window opens next, after the given time.
func (w Window) Next(at time.Time) time.Time { return w.Last(at).Add(week) }

// Closes returns the end of the window that opened last, at the given time or before it. That end may have passed.
func (w Window) Closes(at time.Time) time.Time { return w.Last(at).Add(Length) }

// Open reports whether the window is open at a time. The start belongs to the window, the end does not.
func (w Window) Open(at time.Time) bool { return at.Before(w.Closes(at)) }

// Missed returns the start of the latest window that is over, if a change was due before that window ended. It returns
// the zero time if the change became due later. due is when the change became due.
func (w Window) Missed(due, now time.Time) time.Time {
	opened := w.Last(now)
	if w.Open(now) {
		opened = opened.Add(-week)
	}
	if due.Before(opened.Add(Length)) {
		return opened
	}
	return time.Time{}
}

// String returns the window as messages show it: "Sunday 03:00–04:00 UTC".
func (w Window) String() string {
	day := time.Time{}.Add(w.Start)
	return fmt.Sprintf("%s %s–%s UTC", w.Day, day.Format("15:04"), day.Add(Length).Format("15:04"))
}
