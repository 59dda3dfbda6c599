package table

import "github.com/mooring-dev/mooring/providers/driver"

// Always returns the effects of a field if every change has the effect e, and the object stays available.
func Always(e driver.Effect) []driver.PossibleEffect { return []driver.PossibleEffect{{Effect: e}} }

// AlwaysRestarts returns the effects of a field if every change restarts the server. cost says how long that makes the
// server unavailable.
func AlwaysRestarts(cost driver.Cost) []driver.PossibleEffect {
	return []driver.PossibleEffect{{Effect: driver.Restarts, Cost: cost}}
}
