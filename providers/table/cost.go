package table

import "github.com/mooring-dev/mooring/providers/driver"

// Zoned is for what a cloud has of an object that can have a standby in a second zone: a change may cost its users less then.
type Zoned interface {
	// InTwoZones reports whether it has a standby now.
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
