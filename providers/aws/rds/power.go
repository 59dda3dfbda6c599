package rds

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

const stopped = "stopped"

// powerRow is whether the server runs. One that is being stopped counts as stopped. RDS starts a stopped server again after 7 days, and then it
// differs as one that a person started: DescribeDBInstances does not tell who did (AutomaticRestartTime is gone by then).
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html
var powerRow = table.Field(driver.FieldPowerState,
	func(s *databaseSpec) *v1alpha1.PowerState { return s.PowerState },
	powerOf,
	func(p *instanceParams, v v1alpha1.PowerState) { p.PowerState = &v },
).EffectOf(powerEffect, append(portable.PowerEffects(stopCost), driver.PossibleEffect{
	Effect: driver.Impossible, When: "it becomes Stopped, and the server has read replicas or is one", Instead: noStop,
})...)

const noStop = "set spec.powerState to Running, or remove it"

// powerEffect is that of a start or a stop. RDS stops no server that has read replicas, in an Aurora cluster also, or is one.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html#USER_StopInstance.Limitations
func powerEffect(_ *v1alpha1.PowerState, to v1alpha1.PowerState, have *instance) (driver.Effect, string) {
	if to != v1alpha1.PowerStateStopped {
		return portable.PowerEffect(to)
	}
	if source := aws.ToString(have.ReadReplicaSourceDBInstanceIdentifier); source != "" {
		return driver.Impossible, fmt.Sprintf("RDS stops no read replica, and this server is one of %s: %s", source, noStop)
	}
	if replicas := slices.Concat(have.ReadReplicaDBInstanceIdentifiers, have.ReadReplicaDBClusterIdentifiers); len(replicas) > 0 {
		return driver.Impossible, fmt.Sprintf("RDS stops no server that has read replicas, and this one has %s: delete them, or %s", strings.Join(replicas, " and "), noStop)
	}
	return portable.PowerEffect(to)
}

func powerOf(i *instance) *v1alpha1.PowerState {
	if isStopped(i) {
		return new(v1alpha1.PowerStateStopped)
	}
	return new(v1alpha1.PowerStateRunning)
}

func isStopped(i *instance) bool {
	return slices.Contains([]string{stopped, "stopping"}, aws.ToString(i.DBInstanceStatus))
}

// statusOf is the status of an instance with a power state.
func statusOf(s *databaseSpec) *string {
	if s.PowerState != nil && *s.PowerState == v1alpha1.PowerStateStopped {
		return aws.String(stopped)
	}
	return nil
}

// onceStarted says which changes wait until a stopped server runs. "You can't modify a stopped DB instance"; tags have calls of their own.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html#USER_StopInstance.Limitations
func onceStarted(have *instance, changes []driver.Change) []driver.Change {
	if !isStopped(have) {
		return changes
	}
	return portable.WhileStopped(changes, "tags")
}

// notStopped is why a change is not sent to a stopped server: RDS would refuse it as InvalidDBInstanceState.
func notStopped(have *instance) error {
	if !isStopped(have) {
		return nil
	}
	return &driver.Error{Code: driver.Busy, Op: "ModifyDBInstance", Message: "RDS changes no stopped server: set spec.powerState to Running, or wait until the server runs"}
}

// power starts or stops a server. A recording shows a start, and none a stop, which is built from the reference.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_StopDBInstance.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_StartDBInstance.html
func (d *instances) power(ctx context.Context, _ *request, have *instance, params *instanceParams, _ []driver.Change) (string, error) {
	if *params.PowerState == v1alpha1.PowerStateRunning {
		_, err := session.Call(ctx, d.Session, "StartDBInstance", d.rds.StartDBInstance, &rds.StartDBInstanceInput{DBInstanceIdentifier: have.DBInstanceIdentifier}, onceRDS)
		return "", explainStart(err)
	}
	if err := stopsLater(have); err != nil {
		return "", err
	}
	_, err := session.Call(ctx, d.Session, "StopDBInstance", d.rds.StopDBInstance, &rds.StopDBInstanceInput{DBInstanceIdentifier: have.DBInstanceIdentifier}, onceRDS)
	return "", err
}

// explainStart says what to do where a server finds no machine to start on: another class is no way out, since RDS changes no stopped server.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html#USER_StopInstance.Limitations
func explainStart(err error) error {
	if session.ErrorCode(err) != "InsufficientDBInstanceCapacity" {
		return err
	}
	explained := *session.AsError(err)
	explained.Message = "AWS has no capacity for the instance class here now, and RDS changes the class of no stopped server: wait, and Mooring retries; or restore a snapshot as another instance"
	return &explained
}

// stopsLater is why a stop is not sent now. RDS refuses it as InvalidDBInstanceState: "The specified DB instance isn't in the available state".
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_StopDBInstance.html
func stopsLater(have *instance) error {
	status := aws.ToString(have.DBInstanceStatus)
	if status == "available" {
		return nil
	}
	message := fmt.Sprintf("spec.powerState Stopped waits, because RDS stops a server in the status available only, and this one is in %s", status)
	switch work := works[status]; {
	case problems[status] != "":
		message += ": " + problems[status]
	case work.What != "":
		message += ": RDS is " + work.String()
	}
	return &driver.Error{Code: driver.Busy, Op: "StopDBInstance", Message: message}
}
