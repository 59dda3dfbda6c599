package mem

import (
	"context"
	"crypto/rand"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// OpAct is the call that does an action.
const OpAct Op = "Act"

// The zones of a database, which change places in a failover.
const (
	firstZone  = "a"
	secondZone = "b"
)

// actions is table.Adapter.Actions.
func (m *databases) actions(_ *databaseRequest, d *Database, _ *driver.Observation) map[driver.Action]driver.ActionState {
	var idle driver.ActionState
	if d.work.phase != resting {
		idle.Waits = "the cloud is at work on the database"
	}
	restart, failover, rotate := idle, idle, idle
	restart.UnderWay, failover.UnderWay, rotate.UnderWay = d.acting == driver.Restart, d.acting == driver.Failover, d.acting == driver.RotatePassword
	failover.Before = firstZone
	if d.live().Elsewhere {
		failover.Before = secondZone
	}
	if a := d.live().Spec.Availability; a == nil || *a != v1alpha1.AvailabilityMultiZone {
		failover.Refused = "the server has no standby: set spec.availability to MultiZone"
	}
	if d.live().Secret == "" {
		rotate.Refused = "the cloud does not manage the administrator's password: set spec.credentials.source to CloudManaged"
	}
	return map[driver.Action]driver.ActionState{driver.Restart: restart, driver.Failover: failover, driver.RotatePassword: rotate}
}

// act is table.Adapter.Act.
func (m *databases) act(ctx context.Context, req *databaseRequest, _ *Database, action driver.Action) (operation string, err error) {
	err = m.call(ctx, OpAct, req.Name, func(call *Call, h hits) error {
		have, err := m.own(call)
		switch {
		case err != nil:
			return err
		case have == nil:
			return fail(call, driver.NotFound, "no such database")
		case m.busy(call, have) != nil:
			return m.busy(call, have)
		}
		call.Fields = []string{string(action)}
		next := have.clone()
		next.was, next.acting = have, action
		switch action {
		case driver.Restart:
			next.Restarts++
		case driver.Failover:
			next.Elsewhere = !next.Elsewhere
		case driver.RotatePassword:
			next.Password = rand.Text()
		default:
			return fail(call, driver.Unsupported, "no such action")
		}
		operation = m.begin(next, modifying, h)
		return nil
	})
	return orZero(operation, err)
}
