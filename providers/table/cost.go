package table

import "github.com/mooring-dev/mooring/providers/driver"

// Zoned is implemented by an H of objects that can have a standby in a second zone. A change may affect the users of
// such an object for a shorter time.
type Zoned interface {
	// InTwoZones reports whether the object has a standby now.
	InTwoZones() bool
}

// withCost returns what a change brings about, together with what the row lists as the cost of its effect.
func withCost(c driver.Change, listed []driver.PossibleEffect, have any) string {
	zoned, ok := have.(Zoned)
	for _, e := range listed {
		if e.Effect == c.Effect {
			return e.Cost.After(c.Why, ok && zoned.InTwoZones())
		}
	}
	return c.Why
}
