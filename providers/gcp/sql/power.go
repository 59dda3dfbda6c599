package sql

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// The activation policies of Cloud SQL. Its state stays RUNNABLE while a server is stopped, as a recording shows.
// https://cloud.google.com/sql/docs/postgres/start-stop-restart-instance
const (
	always = "ALWAYS"
	never  = "NEVER"
)

// powerRow is whether the server runs. A new one does: Cloud SQL creates none that is stopped.
// https://github.com/hashicorp/terraform-provider-google/issues/8874
var powerRow = table.Field(driver.FieldPowerState,
	func(p *databaseParameters) *v1alpha1.PowerState { return p.PowerState },
	powerOf,
	func(p *instanceParams, v v1alpha1.PowerState) { p.ActivationPolicy = new(activationPolicy(v)) },
).EffectOf(func(_ *v1alpha1.PowerState, to v1alpha1.PowerState, _ *instance) (driver.Effect, string) {
	return portable.PowerEffect(to)
}, portable.PowerEffects(stopCost)...)

func activationPolicy(v v1alpha1.PowerState) string {
	if v == v1alpha1.PowerStateStopped {
		return never
	}
	return always
}

// powerOf follows the policy alone, which is what a call sets: a server that reports STOPPED beside ALWAYS would be told ALWAYS for ever.
func powerOf(i *instance) *v1alpha1.PowerState {
	if i.settings().ActivationPolicy == never {
		return new(v1alpha1.PowerStateStopped)
	}
	return new(v1alpha1.PowerStateRunning)
}

// stopped reports whether no server runs, for whatever reason.
func (i *instance) stopped() bool {
	return i.State == "STOPPED" || i.settings().ActivationPolicy == never
}

// policyOf is the activation policy of an instance that is as a spec says.
func policyOf(p *databaseParameters) string {
	if p.PowerState == nil {
		return always
	}
	return activationPolicy(*p.PowerState)
}

// takenStopped are the fields that concern no server: labels and the deletion protection. Whether Cloud SQL changes others of a stopped one, no
// recording and no document says. Databases and users it refuses ("Invalid request since instance is not running"), and the start
// goes in a patch of its own.
// https://github.com/hashicorp/terraform-provider-google/issues/7810
// https://github.com/hashicorp/terraform-provider-google/issues/13810
var takenStopped = []string{"tags", driver.FieldMark, "deletionProtection"}

// onceStarted says which changes wait until a stopped server runs.
func onceStarted(have *instance, changes []driver.Change) []driver.Change {
	if !have.stopped() {
		return changes
	}
	return portable.WhileStopped(changes, takenStopped...)
}

// review is table.Adapter.Review.
func review(_ *request, have *instance, o *driver.Observation) {
	differs := o.Changes
	o.Changes = onceStarted(have, oncePooled(have, differs))
	o.LeftOut = table.LeftOut(differs, o.Changes)
}

// notStopped is why changes are not sent to a stopped server.
func notStopped(have *instance, changes []driver.Change) error {
	if !slices.ContainsFunc(onceStarted(have, changes), func(c driver.Change) bool { return c.NeedsRunning }) {
		return nil
	}
	return &driver.Error{Code: driver.Busy, Op: "instances.patch", Message: "the server is stopped: set spec.powerState to Running, or wait until the server runs"}
}
