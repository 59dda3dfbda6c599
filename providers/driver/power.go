package driver

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// FieldPowerState is the field of the spec that says whether a server runs.
const FieldPowerState = "powerState"

const whyStops = "the server stops"

// PowerEffect is the effect of a change of the power state: to stop a server ends all connections, and nobody uses one that is started.
func PowerEffect(to v1alpha1.PowerState) (Effect, string) {
	if to == v1alpha1.PowerStateStopped {
		return Interrupts, whyStops
	}
	return Online, ""
}

// PowerEffects are the effects of PowerEffect. stop is what it costs that the server stops.
func PowerEffects(stop Cost) []PossibleEffect {
	return []PossibleEffect{{Effect: Online, When: "it becomes Running"}, {Effect: Interrupts, When: "it becomes Stopped: " + whyStops, Cost: stop}}
}

// Stops reports whether a change stops the server.
func (c Change) Stops() bool {
	return c.Field == FieldPowerState && c.To == string(v1alpha1.PowerStateStopped)
}

// WhileStopped returns the changes of an object that is stopped. Only the power state and the fields that are named can change before it runs.
func WhileStopped(changes []Change, taken ...string) []Change {
	changes = slices.Clone(changes)
	for i, c := range changes {
		changes[i].NeedsRunning = c.Field != FieldPowerState && c.Effect != Impossible && !slices.Contains(taken, c.Field)
	}
	return changes
}
