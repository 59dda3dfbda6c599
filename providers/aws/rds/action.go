package rds

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// actions are what RDS does to an instance once. None of the calls takes a token by which RDS would know a second one.
var actions = []driver.Action{driver.Restart, driver.Failover, driver.RotatePassword}

// An operator does to servers what people ask for once.
type operator struct{ of *instances }

// actions says what there is to say of each action. RDS shows a restart by the status rebooting alone, and a failover by the zone also, which changes places with
// that of the standby.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_RebootInstance.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/Concepts.MultiAZ.Failover.html
func (operator) actions(_ *request, have *instance, _ *driver.Observation) map[driver.Action]driver.ActionState {
	status := aws.ToString(have.DBInstanceStatus)
	rebooting := status == "rebooting"
	restart := driver.ActionState{UnderWay: rebooting}
	if status != unfit { // which a restart may mend
		restart.Waits = actsLater(status)
	}
	failover := driver.ActionState{Waits: actsLater(status), UnderWay: rebooting, Before: aws.ToString(have.AvailabilityZone)}
	switch {
	case !aws.ToBool(have.MultiAZ) && waitsForStandby(have):
		failover.Waits = "RDS is making the standby"
	case !aws.ToBool(have.MultiAZ):
		failover.Refused = "the server has no standby: set spec.availability to MultiZone, or restart the server with mooring.dev/restart"
	case aws.ToString(have.SecondaryAvailabilityZone) == "" && failover.Waits == "":
		failover.Waits = "RDS does not show the zone of the standby yet"
	}
	rotate := driver.ActionState{Waits: actsLater(status)}
	if secret := have.MasterUserSecret; secret == nil {
		rotate.Refused = "RDS does not manage the administrator's password: set spec.credentials.source to CloudManaged"
	} else {
		rotate.Refused, rotate.UnderWay = secretProblem(have), aws.ToString(secret.SecretStatus) == secretRotating
		if rotate.Waits == "" && rotate.UnderWay {
			rotate.Waits = "RDS is changing the administrator's password"
		}
	}
	return map[driver.Action]driver.ActionState{driver.Restart: restart, driver.Failover: failover, driver.RotatePassword: rotate}
}

// waitsForStandby reports whether RDS was asked for a standby that is not there yet.
func waitsForStandby(have *instance) bool {
	return have.PendingModifiedValues != nil && aws.ToBool(have.PendingModifiedValues.MultiAZ)
}

// actsLater is why RDS does nothing to a server in a status; empty if it does. "You can't reboot your DB instance if it isn't in the Available state."
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_RebootInstance.html
func actsLater(status string) string {
	switch work := works[status]; {
	case status == "available":
		return ""
	case work.What != "":
		return "RDS is " + work.String()
	case problems[status] != "":
		return problems[status]
	default:
		return fmt.Sprintf("RDS takes it of a server in the status available only, and this one is in %q", status)
	}
}

// act does an action by one call, which is not repeated.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RebootDBInstance.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_ModifyDBInstance.html (RotateMasterUserPassword)
func (p operator) act(ctx context.Context, _ *request, have *instance, action driver.Action) (string, error) {
	var err error
	switch action {
	case driver.Restart:
		err = p.of.restart(ctx, have)
	case driver.Failover:
		_, err = session.Call(ctx, p.of.Session, "RebootDBInstance", p.of.rds.RebootDBInstance,
			&rds.RebootDBInstanceInput{DBInstanceIdentifier: have.DBInstanceIdentifier, ForceFailover: aws.Bool(true)}, onceRDS)
	case driver.RotatePassword:
		_, err = session.Call(ctx, p.of.Session, "ModifyDBInstance", p.of.rds.ModifyDBInstance,
			&rds.ModifyDBInstanceInput{DBInstanceIdentifier: have.DBInstanceIdentifier, RotateMasterUserPassword: aws.Bool(true), ApplyImmediately: aws.Bool(true)}, onceRDS)
	default:
		err = &driver.Error{Code: driver.Unsupported, Message: fmt.Sprintf("RDS has no action %q", action)}
	}
	return "", err
}
