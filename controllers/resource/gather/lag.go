package gather

import (
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// lag returns how far the cloud object lags behind what it follows, where the status said before; empty if that is not known. What a single observation does not say stays for two sync periods: the call
// may have failed, and the cloud is not asked while it is at work on the object. With a problem, the lag is of no use: it grows, and the problem says why.
func lag(g *reconciliation.State, sync time.Duration, before v1alpha1.ReplicaLag) v1alpha1.ReplicaLag {
	if !g.Observed {
		return before
	}
	follows := g.Observation.Replication.GetFollows()
	switch {
	case follows == nil:
		g.Memory.LagKnown = time.Time{}
		return ""
	case follows.Lag != nil:
		g.Memory.LagKnown = g.Now
		return kind.ReplicaLagAfter(before, *follows.Lag)
	case follows.Problem != "":
		return ""
	case g.Memory.LagKnown.IsZero():
		g.Memory.LagKnown = g.Now
	}
	if g.Now.Sub(g.Memory.LagKnown) > 2*sync {
		return ""
	}
	return before
}
