package preview

import (
	"slices"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// whyBeside is what the change of a version comes to where another server takes the place of this one.
const whyBeside = "connections break for seconds, when the server that the cloud prepares takes over"

// costBeside has changes say what the change of the version comes to where another server takes the place of this one: the cost that a driver knows is that of the server itself.
func costBeside(beside bool, changes []driver.Change) {
	for i := range changes {
		if c := &changes[i]; beside && c.Field == "version" && c.Effect != driver.Impossible {
			c.Why = whyBeside
		}
	}
}

// besideLine says how the version changes if another server is to take the place of this one; nothing if it does not, or if the version stays.
func besideLine(e *edit, changes []plan.Decided) []string {
	version := slices.ContainsFunc(changes, func(c plan.Decided) bool { return c.Field == "version" && c.Effect != driver.Impossible })
	if !version || !plan.BesideOf(e.Kind, e.after.want, e.described(e.after.object.GetResourceStatus().Provider).Capabilities) {
		return nil
	}
	return []string{"updates.strategy BlueGreen: the cloud prepares a second server with that version, which takes half an hour or more and costs as much as the first; connections break for seconds when it takes over, and the former server stays until you approve its deletion"}
}
