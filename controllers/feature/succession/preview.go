package succession

import (
	"slices"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// expect has the change of the version say what it comes to where a successor takes the place of the server: the cost that a driver knows is that of an upgrade in place.
func expect(in *reconciliation.State) {
	for i := range in.Observation.Changes {
		if c := &in.Observation.Changes[i]; isBeside(*in) && c.Field == fieldVersion && c.Effect != driver.Impossible {
			c.Why = "connections break for seconds, when the server that the cloud prepares takes over"
		}
	}
}

// remarks say how the version changes if a successor is to take the place of the server; nothing if it does not, or if the version stays.
func remarks(in reconciliation.State, changes []plan.Decided) []string {
	version := slices.ContainsFunc(changes, func(c plan.Decided) bool { return c.Field == fieldVersion && c.Effect != driver.Impossible })
	if !version || !isBeside(in) {
		return nil
	}
	return []string{"updates.strategy BlueGreen: the cloud prepares a second server with that version, which takes half an hour or more and costs as much as the first; connections break for seconds when it takes over, and the former server stays until you approve its deletion"}
}
