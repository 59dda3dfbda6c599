package gather

import (
	"encoding/json"
	"hash/fnv"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// mirrorsWholeEvery is how often everything is read of an object that is only observed, for its mirror. In between only what the spec declares is.
const mirrorsWholeEvery = time.Hour

// mirrorsWhole reports whether the mirror is to have what the spec does not declare. Of an object that a former process mirrored this is due
// within the hour, so that a restart does not read everything of all of them.
func mirrorsWhole(g *reconciliation.State) bool {
	if g.Policy.Management != v1alpha1.ManagementObserve || g.Deleting {
		return false
	}
	switch due := g.Now.Add(-mirrorsWholeEvery); {
	case g.Object.GetObserved() == nil: // or it could not be stored
		return true
	case g.News.Asked:
		g.Memory.MirroredWhole = due // until it was read: the object may have to wait for its turn
	case g.Memory.MirroredWhole.IsZero():
		sum := fnv.New32a()
		_, _ = sum.Write([]byte(g.Object.GetUID()))
		g.Memory.MirroredWhole = g.Now.Add(-time.Duration(sum.Sum32()) * time.Second % mirrorsWholeEvery)
	}
	return g.Now.Sub(g.Memory.MirroredWhole) >= mirrorsWholeEvery
}

// keepMirrored keeps in the mirror of an object that is only observed what was read earlier, and not this time.
func keepMirrored(g *reconciliation.State, seen *driver.Observation) {
	if g.Policy.Management != v1alpha1.ManagementObserve {
		return
	}
	if seen.State == driver.Absent { // what comes in its place is another one
		g.Memory.MirroredWhole = g.Now.Add(-mirrorsWholeEvery)
	}
	if seen.Mirror == nil {
		return
	}
	if g.Request.Whole {
		g.Memory.MirroredWhole = g.Now
	}
	before, err := class.TreeOf(g.Object.GetObserved())
	if err != nil || before == nil {
		return
	}
	var mirror class.Tree
	if json.Unmarshal(seen.Mirror, &mirror) != nil {
		return // whoever stores it says so
	}
	class.CopyFields(mirror, before, seen.Unread)
	if text, err := json.Marshal(mirror); err == nil {
		seen.Mirror = text
	}
}
