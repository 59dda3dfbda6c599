package storage

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// holdCost is what it costs that new objects get a hold.
var holdCost = driver.Cost{
	Text:   "clients can't delete or replace objects that are written from then on, until somebody releases the hold of each; existing objects have none",
	Source: "https://cloud.google.com/storage/docs/object-holds",
}

// holdRow is whether new objects get an event-based hold.
var holdRow = table.Field("gcp.defaultEventBasedHold",
	func(p *v1alpha1.BucketParameters) *bool { return gcpOf(p).DefaultEventBasedHold },
	func(b *bucket) *bool { return &b.DefaultEventBasedHold },
	func(p *parameters, v bool) { p.DefaultEventBasedHold = &v },
).EffectOf(func(_ *bool, to bool, _ *bucket) (driver.Effect, string) {
	if to {
		return driver.Interrupts, ""
	}
	return driver.Online, ""
},
	driver.PossibleEffect{Effect: driver.Online, When: "it becomes false"},
	driver.PossibleEffect{Effect: driver.Interrupts, When: "it becomes true: new objects get a hold", Cost: holdCost})
