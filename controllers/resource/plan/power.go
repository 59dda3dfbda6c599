package plan

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
)

// keepAgreed keeps the approval of what a person agreed to before the server was stopped: it stays that of the plan, and is not used up.
func (d *DecidedChanges) keepAgreed(v View) {
	asks := func(c Decided) bool { return c.Fate == AfterStart && c.Asks }
	var asked []driver.Change
	for _, c := range d.Changes {
		if asks(c) {
			asked = append(asked, c.Change)
		}
	}
	if len(asked) == 0 || v.Approval == "" || d.Hash != "" || d.Blocked || !agreed(v, planHash(v, asked), asked) {
		return
	}
	for i := range d.Changes {
		if c := &d.Changes[i]; asks(*c) {
			c.Asks, c.Approved = false, true
		}
	}
	d.Hash = v.Approval
}

// sleeps says what waits until the server runs.
func sleeps(sleeping []driver.Change) string {
	return fmt.Sprintf("waiting until the database runs: %s; the database is stopped; set spec.powerState to Running, or wait until somebody starts it", ListChanges(sleeping))
}

// stoppedBy says why a server that is up to date does not run.
func stoppedBy(o driver.Observation) string {
	if declaredStopped(o) {
		return "up to date, and stopped, as spec.powerState says"
	}
	return "up to date, and stopped in the cloud"
}

func declaredStopped(o driver.Observation) bool {
	applied := o.Applied[driver.FieldPowerState]
	return len(applied) == 1 && applied[0] == string(v1alpha1.PowerStateStopped)
}

// IsDown reports whether a server is stopped, or is on its way there because the spec says so. A stop takes long at times, and nobody
// is to be called for it.
func IsDown(o driver.Observation) bool {
	differs := slices.Contains(driver.Names(o.Changes), driver.FieldPowerState)
	return o.Stopped || o.State == driver.Pending && !o.Available && !differs && declaredStopped(o)
}

// WhileStopped returns changes that only the controller knows, such as that of a password or of the role of a replica. While a server is stopped, no cloud
// makes them: they wait until it runs.
func WhileStopped(o driver.Observation, changes []driver.Change) []driver.Change {
	if !o.Stopped {
		return changes
	}
	return portable.WhileStopped(changes)
}
