package report

import (
	"maps"
	"slices"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/telemetry"
)

// driftBefore returns the drift that waits already when this process first observes an object: it was found by another.
func driftBefore(waiting []v1alpha1.PendingChange) Drifts {
	before := Drifts{}
	for _, w := range waiting {
		if w.Cause == v1alpha1.CauseDrift {
			before[w.Field] = FieldDrift{Open: true}
		}
	}
	return before
}

// Drifts remember, by field, what was found changed in the cloud and what became of it.
type Drifts map[string]FieldDrift

// FieldDrift is that of one field: Open while it differs, Sent once it was set, and then right since a time.
type FieldDrift struct {
	Open, Sent bool
	since      time.Time
}

// returning is how long drift that was put right is remembered: what comes again in that time has come back.
const returning = 24 * time.Hour

// look takes in what differs now, and returns what is new about it. inWindow: what does not differ may only not be shown.
func (d *Drifts) look(differs []string, inWindow bool, sent []string, now time.Time) (news telemetry.Drift) {
	if *d == nil {
		*d = Drifts{}
	}
	for _, name := range differs {
		was, known := (*d)[name]
		if was.Open {
			continue
		}
		news.Detected, news.Recurred = true, news.Recurred || known
		(*d)[name] = FieldDrift{Open: true}
	}
	for _, name := range sent {
		if is := (*d)[name]; is.Open {
			is.Sent = true
			(*d)[name] = is
		}
	}
	for name, is := range *d {
		if !is.Open || inWindow || slices.Contains(differs, name) {
			continue
		}
		news.Corrected = news.Corrected || is.Sent
		(*d)[name] = FieldDrift{since: now}
		if !is.Sent { // it went by itself
			delete(*d, name)
		}
	}
	maps.DeleteFunc(*d, func(_ string, is FieldDrift) bool { return !is.Open && now.Sub(is.since) > returning })
	return news
}
