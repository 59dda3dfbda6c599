package kind

import (
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// replicaLags are the values of a lag, the longest first, and the shortest lag that has each.
var replicaLags = []struct {
	lag  v1alpha1.ReplicaLag
	from time.Duration
}{
	{v1alpha1.ReplicaLagDays, 24 * time.Hour},
	{v1alpha1.ReplicaLagHours, time.Hour},
	{v1alpha1.ReplicaLagMinutes, time.Minute},
	{v1alpha1.ReplicaLagSeconds, 0},
}

// ReplicaLagAfter returns what the status says of a lag, after it said before, which is empty if it said nothing. It rises at once, and falls where the lag is less than half of what it rose at: so a lag
// that comes and goes around a minute, an hour or a day causes no writes.
func ReplicaLagAfter(before v1alpha1.ReplicaLag, lag time.Duration) v1alpha1.ReplicaLag {
	falls := false
	for _, l := range replicaLags {
		from := l.from
		if falls = falls || l.lag == before; falls {
			from /= 2
		}
		if lag >= from {
			return l.lag
		}
	}
	return v1alpha1.ReplicaLagSeconds
}
