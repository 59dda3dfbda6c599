package window

import (
	"fmt"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

const (
	// Length is how long a window is open. Cloud SQL's own windows have an hour too, and those of RDS at least 30 minutes. An hour leaves room for
	// a second change where the cloud takes one at a time.
	Length = time.Hour
	week   = 7 * 24 * time.Hour
)

// A Window is an hour that comes each week.
type Window struct {
	// Day is the day of the week on which it opens in UTC, and Start how long after that day's midnight.
	Day   time.Weekday
	Start time.Duration
}

// FromSpec returns the window that a spec asks for; nil if it asks for none, or not for a whole one.
func FromSpec(asked *v1alpha1.MaintenanceWindow) *Window {
	if asked == nil || asked.Day == nil || asked.StartTime == nil {
		return nil
	}
	return Parse(string(*asked.Day), *asked.StartTime)
}

// Parse returns the window of a day (Monday to Sunday) and a time (HH:MM); nil if they are none.
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

// FromString returns the window that String says; nil if a text says none.
func FromString(text string) *Window {
	day, rest, _ := strings.Cut(text, " ")
	start, _, _ := strings.Cut(rest, "–")
	if w := Parse(day, start); w != nil && w.String() == text {
		return w
	}
	return nil
}

// Last returns when the window opened last, at a time or before it.
func (w Window) Last(at time.Time) time.Time {
	at = at.UTC()
	midnight := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	opened := midnight.AddDate(0, 0, -int((at.Weekday()-w.Day+7)%7)).Add(w.Start)
	if opened.After(at) {
		opened = opened.Add(-week)
	}
	return opened
}

// Next returns when the window opens next, after a time.
func (w Window) Next(at time.Time) time.Time { return w.Last(at).Add(week) }

// Closes returns when the window closes, or closed, that opened last.
func (w Window) Closes(at time.Time) time.Time { return w.Last(at).Add(Length) }

// Open reports whether the window is open at a time. It is so from its start until before its end.
func (w Window) Open(at time.Time) bool { return at.Before(w.Closes(at)) }

// Missed returns when the last window opened that is over, if something was due before its end; zero if there was none.
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

// String says the window as sentences have it.
func (w Window) String() string {
	day := time.Time{}.Add(w.Start)
	return fmt.Sprintf("%s %s–%s UTC", w.Day, day.Format("15:04"), day.Add(Length).Format("15:04"))
}
