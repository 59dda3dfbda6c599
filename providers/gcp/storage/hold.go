package storage

import (
	"github.com/mooring-dev/mooring/providers/driver"
)

// holdCost is what it costs that new objects get a hold.
var holdCost = driver.Cost{
	Text:   "clients can't delete or replace objects that are written from then on, until somebody releases the hold of each; existing objects have none",
	Source: "https://cloud.google.com/storage/docs/object-holds",
}

// holdRow is whether new objects get an event-based hold.
var holdRow = plain("gcp.defaultEventBasedHold", "DefaultEventBasedHold", func(b *bucket) *bool { return &b.DefaultEventBasedHold }).EffectOf(func(_ *bool, to bool, _ *bucket) (driver.Effect, string) {
	if to {
		return driver.Interrupts, ""
	}
	return driver.Online, ""
},
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes false"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes true: new objects get a hold", Cost: holdCost})
