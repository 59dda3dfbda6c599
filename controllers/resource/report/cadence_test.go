package report

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/retry"
)

// What is due at a time does not wait behind re-checks then.
func TestWhatIsDueIsNoReCheck(t *testing.T) {
	for _, test := range []struct {
		name     string
		out      outcome.Outcome
		priority account.Priority
	}{
		{"a re-check", outcome.Outcome{Next: outcome.AtSync}, account.Resync},
		{"due before it", outcome.Outcome{Next: outcome.AtSync, AtMost: time.Second}, account.UserRequested},
		{"due long after it", outcome.Outcome{Next: outcome.AtSync, AtMost: 100 * time.Hour}, account.Resync},
		{"what has begun", outcome.Outcome{Next: outcome.Soon, AtMost: time.Microsecond}, account.InProgress},
	} {
		m := NewMemory(retry.DefaultCadence(time.Hour), time.Now())
		next := comeBack(test.out, &m)
		if m.Priority != test.priority || *next.Priority != *QueuePriority(test.priority) {
			t.Errorf("%s: it comes in %s with priority %d, want %d", test.name, next.RequeueAfter, m.Priority, test.priority)
		}
	}
}
