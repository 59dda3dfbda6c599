package rds

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// move takes an instance from one state through another. with is what changes beside the state, nil if nothing does, and work what the
// server behind it does meanwhile, nil if it runs on throughout.
func (c *call) move(name *string, from string, through step, status string, work func(id string) error, with func(*rdstypes.DBInstance)) (*rdstypes.DBInstance, error) {
	key, have, err := c.instance(name)
	if err != nil {
		return nil, err
	}
	if have.status() != from || have.step != resting {
		return nil, invalidState("Instance %s is not in %s state.", key.name, from)
	}
	if through == starting {
		if err := c.checkCapacity(have.db.DBInstanceClass); err != nil {
			return nil, err
		}
	}
	next := have.clone()
	next.enter(through, status, c.now.Add(c.cloud.Options.Durations.Modify), c.powerJob(have, through, work), c.failLate)
	next.db.AutomaticRestartTime = nil
	if through != stopping {
		next.end = c.endOfStart(next)
	}
	if with != nil && next.end == "" {
		with(&next.db)
	}
	c.store(key, next)
	answered := c.shown(next)
	return &answered, nil
}

// rebootInstance restarts an instance; with a failover in the zone of its standby, which takes the place of the other. One that could not start with its
// parameters can only be restarted or deleted, the former without a failover.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_RebootDBInstance.html (ForceFailover)
// https://aws.amazon.com/premiumsupport/knowledge-center/aurora-mysql-incompatible-parameter/
func (c *call) rebootInstance(in *rds.RebootDBInstanceInput) (any, error) {
	c.call.Disrupts = "restart"
	failOver, from := restarted, "available"
	_, have, err := c.instance(in.DBInstanceIdentifier)
	if err != nil {
		return nil, err
	}
	switch {
	case aws.ToBool(in.ForceFailover):
		standby := c.shown(have).SecondaryAvailabilityZone
		if standby == nil {
			return nil, invalidCombination("ForceFailover cannot be specified since the instance is not configured for either MultiAZ or High Availability")
		}
		failOver = func(db *rdstypes.DBInstance) {
			db.AvailabilityZone = standby
			restarted(db)
		}
	case have.status() == "incompatible-parameters":
		from = have.status()
	}
	db, err := c.move(in.DBInstanceIdentifier, from, rebooting, "rebooting", c.cloud.Engines.Restart, failOver)
	return &rds.RebootDBInstanceOutput{DBInstance: db}, err
}

// powerJob is what the server behind an instance does; nil for nothing. One that starts takes what its parameter group sets.
func (c *call) powerJob(of *Instance, through step, work func(id string) error) *engine.Job {
	switch {
	case work == nil || c.failLate:
		return nil
	case through != stopping:
		return of.retake(of, work)
	}
	id := *of.db.DbiResourceId
	return c.begin(func() (*engine.Engine, error) { return nil, work(id) })
}

// week is how long an instance stays stopped.
const week = 7 * 24 * time.Hour

// stopInstance stops an instance, which starts by itself after a week. One that has read replicas, or is one, is not stopped.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_StopInstance.html
func (c *call) stopInstance(in *rds.StopDBInstanceInput) (any, error) {
	c.call.Disrupts = "stop"
	if err := c.checkStop(in.DBInstanceIdentifier); err != nil {
		return nil, err
	}
	db, err := c.move(in.DBInstanceIdentifier, "available", stopping, "stopping", c.cloud.Engines.Suspend, func(db *rdstypes.DBInstance) {
		db.AutomaticRestartTime = aws.Time(c.now.Add(week))
	})
	return &rds.StopDBInstanceOutput{DBInstance: db}, err
}

// restarted is for an instance whose server took what its parameter group sets.
func restarted(db *rdstypes.DBInstance) {
	status := db.DBParameterGroups[0]
	status.ParameterApplyStatus = aws.String("in-sync")
	db.DBParameterGroups = []rdstypes.DBParameterGroupStatus{status}
}

func (c *call) startInstance(in *rds.StartDBInstanceInput) (any, error) {
	db, err := c.move(in.DBInstanceIdentifier, "stopped", starting, "starting", c.cloud.Engines.Resume, restarted)
	return &rds.StartDBInstanceOutput{DBInstance: db}, err
}
