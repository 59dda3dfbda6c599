package rds

import (
	"cmp"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

func (c *call) describeInstances(in *rds.DescribeDBInstancesInput) (any, error) {
	if in.DBInstanceIdentifier != nil {
		found := c.instances[c.ownKey(*in.DBInstanceIdentifier, "db")].Read(c.stale)
		if found == nil {
			return nil, instanceNotFound(*in.DBInstanceIdentifier)
		}
		matches, err := matchesFilters(found.db, in.Filters)
		if err != nil || !matches {
			return &rds.DescribeDBInstancesOutput{DBInstances: []rdstypes.DBInstance{}}, err
		}
		return &rds.DescribeDBInstancesOutput{DBInstances: []rdstypes.DBInstance{c.shown(found)}}, nil
	}
	lagging, _ := cloud.Newest(c.instances)
	var all []rdstypes.DBInstance
	for key, p := range c.instances {
		found := p.Read(c.stale && key == lagging)
		if found == nil || key.account != c.caller.Account || key.region != c.caller.Region {
			continue
		}
		matches, err := matchesFilters(found.db, in.Filters)
		if err != nil {
			return nil, err
		}
		if matches {
			all = append(all, c.shown(found))
		}
	}
	slices.SortFunc(all, func(a, b rdstypes.DBInstance) int {
		return cmp.Compare(*a.DBInstanceIdentifier, *b.DBInstanceIdentifier)
	})
	page, marker, err := paginate(all, in.Marker, in.MaxRecords, c.cloud.PageOfAtMost)
	return &rds.DescribeDBInstancesOutput{DBInstances: page, Marker: marker}, err
}

// matchesFilters reports whether an instance passes every filter; one passes a filter with any of its values.
func matchesFilters(db rdstypes.DBInstance, filters []rdstypes.Filter) (bool, error) {
	for _, filter := range filters {
		var have []string
		switch name := aws.ToString(filter.Name); name {
		case "db-instance-id":
			have = []string{*db.DBInstanceIdentifier, *db.DBInstanceArn}
		case "dbi-resource-id":
			have = []string{*db.DbiResourceId}
		case "engine":
			have = []string{*db.Engine}
		case "db-cluster-id", "domain":
		default:
			return false, invalidValue("Unrecognized filter name: %s", name)
		}
		if !slices.ContainsFunc(filter.Values, func(v string) bool { return slices.Contains(have, v) }) {
			return false, nil
		}
	}
	return true, nil
}

// logInterval is how often RDS saves the changes of a server that keeps backups.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PIT.html
const logInterval = 5 * time.Minute

// restorable returns up to when an instance can be restored; nil if it can't.
func (in *Instance) restorable(now time.Time, interval time.Duration) *time.Time {
	if in.backups.since.IsZero() || aws.ToInt32(in.db.BackupRetentionPeriod) == 0 {
		return nil
	}
	latest := now.Truncate(cmp.Or(interval, logInterval))
	if until := in.backups.until; !until.IsZero() { // what was left is saved, too
		latest = until
	}
	if latest.Before(in.backups.since) {
		latest = in.backups.since
	}
	return &latest
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
