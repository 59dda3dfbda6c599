package kind

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// The lag of each line is the first one that is said so; the line after it ends that. Before is what was said before.
func TestReplicaLagAfter(t *testing.T) {
	const day = 24 * time.Hour
	for before, steps := range map[v1alpha1.ReplicaLag]map[v1alpha1.ReplicaLag]time.Duration{
		"":                         {"Seconds": 0, "Minutes": time.Minute, "Hours": time.Hour, "Days": day},
		v1alpha1.ReplicaLagSeconds: {"Seconds": 0, "Minutes": time.Minute, "Hours": time.Hour, "Days": day},
		v1alpha1.ReplicaLagMinutes: {"Seconds": 0, "Minutes": time.Minute / 2, "Hours": time.Hour, "Days": day},
		v1alpha1.ReplicaLagHours:   {"Seconds": 0, "Minutes": time.Minute / 2, "Hours": time.Hour / 2, "Days": day},
		v1alpha1.ReplicaLagDays:    {"Seconds": 0, "Minutes": time.Minute / 2, "Hours": time.Hour / 2, "Days": day / 2},
	} {
		want := func(lag time.Duration) (is v1alpha1.ReplicaLag) {
			since := time.Duration(-1)
			for name, from := range steps {
				if lag >= from && from > since {
					is, since = name, from
				}
			}
			return is
		}
		for _, lag := range []time.Duration{
			0, time.Second, 30*time.Second - 1, 30 * time.Second, time.Minute - 1, time.Minute, 29 * time.Minute, 30*time.Minute - 1, 30 * time.Minute, time.Hour - 1, time.Hour,
			12*time.Hour - 1, 12 * time.Hour, day - 1, day, 30 * day, 10000 * day,
		} {
			if got := ReplicaLagAfter(before, lag); got != want(lag) {
				t.Errorf("%s after %q: got %s, want %s", lag, before, got, want(lag))
			}
		}
	}
}

// What is said once is said again of the same lag: a lag that does not change causes no writes.
func TestReplicaLagStays(t *testing.T) {
	for lag := time.Duration(0); lag < 60*time.Hour; lag += 7 * time.Second {
		for _, before := range []v1alpha1.ReplicaLag{"", "Seconds", "Minutes", "Hours", "Days", "Weeks"} {
			first := ReplicaLagAfter(before, lag)
			if second := ReplicaLagAfter(first, lag); second != first {
				t.Fatalf("%s after %q is %s, and then %s", lag, before, first, second)
			}
		}
	}
}
