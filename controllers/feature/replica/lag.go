package replica

import (
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// lag returns how far the cloud object lags behind what it follows, where the status said before; empty if that is not known. What a single observation does not say stays
// for two sync periods: the call may have failed, and the cloud is not asked while it is at work on the object. With a problem, the lag is of no use: it grows, and the
// problem says why.
func lag(in *reconciliation.State, sync time.Duration, before v1alpha1.ReplicaLag) v1alpha1.ReplicaLag {
	if !in.Observed {
		return before
	}
	follows := in.Observation.Replication.GetFollows()
	known := lagKnown.In(in.Memory.Parts)
	switch {
	case follows == nil:
		if !known.IsZero() {
			lagKnown.Set(&in.Memory.Parts, time.Time{})
		}
		return ""
	case follows.Lag != nil:
		lagKnown.Set(&in.Memory.Parts, in.Now)
		return kind.ReplicaLagAfter(before, *follows.Lag)
	case follows.Problem != "":
		return ""
	case known.IsZero():
		known = in.Now
		lagKnown.Set(&in.Memory.Parts, known)
	}
	if in.Now.Sub(known) > 2*sync {
		return ""
	}
	return before
}
