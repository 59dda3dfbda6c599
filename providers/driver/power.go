package driver

import "github.com/mooring-dev/mooring/apis/v1alpha1"

// FieldPowerState is the field of the spec that says whether a server runs.
const FieldPowerState = "powerState"

// Stops reports whether a change stops a running server.
func (c Change) Stops() bool {
	return c.Field == FieldPowerState && c.To == string(v1alpha1.PowerStateStopped)
}
