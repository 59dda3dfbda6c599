package rds

import (
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// shownInstances are the instances of the caller.
func (c *call) shownInstances(*rds.DescribeDBInstancesInput) (all []rdstypes.DBInstance, _ error) {
	for in := range listed(c, c.instances) {
		all = append(all, c.shown(in))
	}
	return all, nil
}

// namedInstance is an instance that a call names. A stale read of it lacks its last write, whatever was written since.
func (c *call) namedInstance(name string) (rdstypes.DBInstance, error) {
	in := c.instances[c.ownKey(name, instanceResource)].Read(c.stale)
	if in == nil {
		return rdstypes.DBInstance{}, instanceResource.missing(name)
	}
	return c.shown(in), nil
}

// shown returns an instance as it is described at a time: up to when it can be restored, and where it stands by.
func (c *call) shown(in *Instance) rdstypes.DBInstance {
	db := in.db
	db.LatestRestorableTime = in.restorable(c.now, c.cloud.Options.LogInterval)
	db.ReadReplicaDBInstanceIdentifiers = c.replicaNames(in)
	db.SecondaryAvailabilityZone = standbyOf(&db)
	db.OptionGroupMemberships = in.optionGroups()
	in.taking.show(&db, c.now)
	db.AssociatedRoles = in.shownRoles(c.now)
	return db
}
