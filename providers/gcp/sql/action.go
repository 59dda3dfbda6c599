package sql

import (
	"context"
	"fmt"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/session"
)

// possibleActions are what Cloud SQL does to an instance once. It manages no administrator's password.
var possibleActions = []driver.Action{driver.Restart, driver.Failover}

// An operator does to servers what people ask for once.
type operator struct{ of *instances }

// actions says what there is to say of each action. Cloud SQL shows a failover by the zone, which changes places with that of the standby.
// https://cloud.google.com/sql/docs/postgres/high-availability
func (operator) actions(_ *request, have *instance, o *driver.Observation) map[driver.Action]driver.ActionState {
	waits := ""
	switch what := have.op.work().What; {
	case have.op.underWay() != "":
		waits = "Cloud SQL is " + what
	case o.State == driver.Pending:
		waits = "Cloud SQL is at work on the instance"
	}
	restart := driver.ActionState{Waits: waits, UnderWay: have.op.underWay() != "" && have.op.kind() == "RESTART"}
	failover := driver.ActionState{Waits: waits, UnderWay: have.op.underWay() != "" && have.op.kind() == "FAILOVER", Before: have.GceZone}
	if have.settings().AvailabilityType != "REGIONAL" {
		failover.Refused = "the server has no standby: set spec.availability to MultiZone, or restart the server with mooring.dev/restart"
	}
	return map[driver.Action]driver.ActionState{driver.Restart: restart, driver.Failover: failover}
}

// act does an action by one call, which is not repeated. A failover is guarded by the version of the settings that was just read. Whether that version is another
// one after the failover no document says, so the zone says whether it was done.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/restart
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/failover
func (p operator) act(ctx context.Context, req *request, have *instance, action driver.Action) (string, error) {
	var started *sqladmin.Operation
	var err error
	switch action {
	case driver.Failover:
		started, err = session.Do(ctx, p.of.Caller, "instances.failover", func(ctx context.Context) (*sqladmin.Operation, error) {
			return p.of.sql.Instances.Failover(p.of.Project, req.Name, &sqladmin.InstancesFailoverRequest{
				FailoverContext: &sqladmin.FailoverContext{SettingsVersion: have.settings().SettingsVersion},
			}).Context(ctx).Do()
		})
	case driver.Restart:
		started, err = session.Do(ctx, p.of.Caller, "instances.restart", func(ctx context.Context) (*sqladmin.Operation, error) {
			return p.of.sql.Instances.Restart(p.of.Project, req.Name).Context(ctx).Do()
		})
	default:
		return "", &driver.Error{Code: driver.Unsupported, Message: fmt.Sprintf("Cloud SQL has no action %q", action)}
	}
	if err != nil {
		return "", err
	}
	return started.Name, nil
}
