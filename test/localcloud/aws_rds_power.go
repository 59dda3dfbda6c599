package localcloud

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// move takes an instance from one state through another, until it starts by itself if restarts says when; the server behind it
// runs on throughout.
func (c *rdsCall) move(name *string, from string, through step, status string, restarts *time.Time) (*rdstypes.DBInstance, error) {
	key, have, err := c.instance(name)
	if err != nil {
		return nil, err
	}
	if have.status() != from || have.step != resting {
		return nil, invalidState("Instance %s is not in %s state.", key.name, from)
	}
	next := have.clone()
	next.enter(through, status, c.now.Add(c.cloud.opts.Durations.Modify), nil, c.failLate)
	next.db.AutomaticRestartTime = restarts
	c.store(key, next)
	answered := next.shown(c.now)
	return &answered, nil
}

func (c *rdsCall) rebootInstance(in *rds.RebootDBInstanceInput) (any, error) {
	if aws.ToBool(in.ForceFailover) {
		return nil, notImplemented("ForceFailover")
	}
	db, err := c.move(in.DBInstanceIdentifier, "available", rebooting, "rebooting", nil)
	return &rds.RebootDBInstanceOutput{DBInstance: db}, err
}

func (c *rdsCall) stopInstance(in *rds.StopDBInstanceInput) (any, error) {
	db, err := c.move(in.DBInstanceIdentifier, "available", stopping, "stopping", aws.Time(c.now.Add(7*24*time.Hour)))
	return &rds.StopDBInstanceOutput{DBInstance: db}, err
}

func (c *rdsCall) startInstance(in *rds.StartDBInstanceInput) (any, error) {
	db, err := c.move(in.DBInstanceIdentifier, "stopped", starting, "starting", nil)
	return &rds.StartDBInstanceOutput{DBInstance: db}, err
}
