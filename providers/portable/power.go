package portable

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

const whyStops = "the server stops"

// PowerEffect is the effect of a change of the power state: to stop a server ends all connections, and nobody uses one that is started.
func PowerEffect(to v1alpha1.PowerState) (driver.Effect, string) {
	if to == v1alpha1.PowerStateStopped {
		return driver.Interrupts, whyStops
	}
	return driver.Online, ""
}

// PowerEffects are the effects of PowerEffect. stop is what it costs that the server stops.
func PowerEffects(stop driver.Cost) []driver.PossibleEffect {
	return []driver.PossibleEffect{{Effect: driver.Online, When: "it becomes Running"}, {Effect: driver.Interrupts, When: "it becomes Stopped: " + whyStops, Cost: stop}}
}

// WhileStopped returns the changes of an object that is stopped. Only the power state and the fields that are named can change before it runs.
func WhileStopped(changes []driver.Change, taken ...string) []driver.Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		changes[i].NeedsRunning = c.Field != driver.FieldPowerState && c.Effect != driver.Impossible && !slices.Contains(taken, c.Field)
	}
	return changes
}
