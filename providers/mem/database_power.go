package mem

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// powerRow is whether the server runs. The cloud has that outside the spec of an object, so that somebody can stop one that says nothing of it.
var powerRow = table.Field(driver.FieldPowerState,
	func(p *databaseParameters) *v1alpha1.PowerState { return p.PowerState },
	powerOf,
	func(p *databaseParams, v v1alpha1.PowerState) { p.Spec.PowerState = &v },
).Reported(func(d *Database) *v1alpha1.PowerState { return powerOf(d.live()) }).
	EffectOf(func(_ *v1alpha1.PowerState, to v1alpha1.PowerState, _ *Database) (driver.Effect, string) {
		return portable.PowerEffect(to)
	}, portable.PowerEffects(stopCost)...)

func powerOf(d *Database) *v1alpha1.PowerState {
	if d.Stopped {
		return new(v1alpha1.PowerStateStopped)
	}
	return new(v1alpha1.PowerStateRunning)
}

// switchPower starts or stops the server, if a change of the spec asked for it.
func (d *Database) switchPower() {
	if asked := d.Spec.PowerState; asked != nil {
		d.Stopped, d.Spec.PowerState = *asked == v1alpha1.PowerStateStopped, nil
	}
}

// whileStopped says which changes wait until a server runs: all but those of what the cloud keeps outside it.
func whileStopped(have *Database, changes []driver.Change) []driver.Change {
	if !have.Stopped {
		return changes
	}
	return portable.WhileStopped(changes, "tags", driver.FieldMark, "deletionProtection")
}
