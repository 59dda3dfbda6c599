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

// ReplicaLagAfter returns the lag that the status shows, for a measured lag and the lag that it showed before; before
// may be empty. The shown lag rises at once. It falls only if the measured lag is below half of the threshold at which
// it rose. So a lag that varies around a minute, an hour or a day causes no writes.
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
