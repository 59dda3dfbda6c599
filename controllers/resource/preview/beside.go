package preview

import (
	"slices"

	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// besideLine says how the version changes if another server is to take the place of this one; nothing if it does not, or if the version stays.
func besideLine(e *edit, changes []plan.Decided) []string {
	version := slices.ContainsFunc(changes, func(c plan.Decided) bool { return c.Field == "version" && c.Effect != driver.Impossible })
	if !version || !plan.BesideOf(e.Kind, e.after.want, e.described(e.after.object.GetResourceStatus().Provider).Capabilities) {
		return nil
	}
	return []string{"updates.strategy BlueGreen: the cloud prepares a second server with that version, which takes half an hour or more and costs as much as the first; connections break for seconds when it takes over, and the former server stays until you approve its deletion"}
}
