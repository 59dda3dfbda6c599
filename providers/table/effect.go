package table

import "github.com/mooring-dev/mooring/providers/driver"

// Always returns the effect of a field whose every change has that one, and none of them keeps users away.
func Always(e driver.Effect) []driver.PossibleEffect { return []driver.PossibleEffect{{Effect: e}} }

// AlwaysRestarts returns the effect of a field whose every change restarts the server, at that cost.
func AlwaysRestarts(cost driver.Cost) []driver.PossibleEffect {
	return []driver.PossibleEffect{{Effect: driver.Restarts, Cost: cost}}
}
