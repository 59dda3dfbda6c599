package localcloud

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"
)

// An rdsSnapshot is a manual snapshot: the final one of an instance.
type rdsSnapshot struct {
	db    rdstypes.DBSnapshot
	due   time.Time
	fails bool
}

func (s *rdsSnapshot) settle(now time.Time) {
	if *s.db.Status != "creating" || now.Before(s.due) {
		return
	}
	s.db.Status, s.db.PercentProgress = aws.String("available"), aws.Int32(100)
	if s.fails {
		s.db.Status = aws.String("failed")
	}
}

func (c *rdsCall) deleteInstance(in *rds.DeleteDBInstanceInput) (any, error) {
	key, have, err := c.instance(in.DBInstanceIdentifier)
	if err != nil {
		return nil, err
	}
	skip, final := aws.ToBool(in.SkipFinalSnapshot), aws.ToString(in.FinalDBSnapshotIdentifier)
	switch {
	case skip && final != "":
		return nil, invalidCombination("FinalDBSnapshotIdentifier can not be specified when skipping the final snapshot.")
	case !skip && final == "":
		return nil, invalidCombination("FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified.")
	case have.step == deleting:
		return nil, invalidState("Instance %s is already being deleted.", key.name)
	case aws.ToBool(have.db.DeletionProtection):
		return nil, invalidCombination("Cannot delete protected DB Instance, please disable deletion protection and try again.")
	case have.step != resting:
		return nil, invalidState("Instance %s is currently %s and can't be deleted.", key.name, have.status())
	}
	next := have.clone()
	due := c.now.Add(c.cloud.opts.Durations.Delete)
	if !skip {
		if next.final, err = c.finalSnapshot(have, final); err != nil {
			return nil, err
		}
		due = due.Add(c.cloud.opts.Durations.Snapshot)
	}
	var job *engineJob
	if !c.failLate {
		job = c.begin(func() (*engine, error) { return nil, c.cloud.engines.stop(*have.db.DbiResourceId) })
	}
	next.enter(deleting, "deleting", due, job, c.failLate)
	c.store(key, next)
	answered := next.shown(c.now)
	return &rds.DeleteDBInstanceOutput{DBInstance: &answered}, nil
}

// finalSnapshot begins the snapshot that a deletion takes. An instance that does not work can't have one.
func (c *rdsCall) finalSnapshot(of *rdsInstance, name string) (*rdsSnapshot, error) {
	if err := validIdentifier("FinalDBSnapshotIdentifier", name, 255); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"available", "storage-optimization", "stopped"}, of.status()) {
		return nil, invalidState("Cannot create a snapshot because the database instance %s is not currently in the available state.", *of.db.DBInstanceIdentifier)
	}
	key := c.key(name)
	if c.snapshots[key] != nil {
		return nil, awsErr(http.StatusBadRequest, "DBSnapshotAlreadyExists", "Cannot create the snapshot because a snapshot with the identifier "+key.name+" already exists.")
	}
	db := of.db
	snapshot := &rdsSnapshot{due: c.now.Add(c.cloud.opts.Durations.Snapshot), fails: c.failLate, db: rdstypes.DBSnapshot{
		AllocatedStorage: db.AllocatedStorage, AvailabilityZone: db.AvailabilityZone, DBInstanceIdentifier: db.DBInstanceIdentifier,
		DBSnapshotArn: aws.String(c.arn("snapshot", key.name)), DBSnapshotIdentifier: aws.String(key.name), DbiResourceId: db.DbiResourceId,
		Encrypted: db.StorageEncrypted, Engine: db.Engine, EngineVersion: db.EngineVersion, InstanceCreateTime: db.InstanceCreateTime,
		Iops: db.Iops, KmsKeyId: db.KmsKeyId, LicenseModel: db.LicenseModel, MasterUsername: db.MasterUsername,
		PercentProgress: aws.Int32(0), SnapshotCreateTime: aws.Time(c.now), SnapshotType: aws.String("manual"),
		Status: aws.String("creating"), StorageType: db.StorageType, TagList: []rdstypes.Tag{},
	}}
	if aws.ToBool(db.CopyTagsToSnapshot) {
		snapshot.db.TagList = db.TagList
	}
	c.snapshots[key] = snapshot
	return snapshot, nil
}

func snapshotNotFound(name string) *awsError {
	return awsErr(http.StatusNotFound, "DBSnapshotNotFound", "DBSnapshot "+name+" not found.")
}

func (c *rdsCall) describeSnapshots(in *rds.DescribeDBSnapshotsInput) (any, error) {
	var all []rdstypes.DBSnapshot
	for key, snapshot := range c.snapshots {
		switch {
		case key.account != c.caller.account || key.region != c.caller.region:
		case in.DBSnapshotIdentifier != nil && key != c.ownKey(*in.DBSnapshotIdentifier, "snapshot"):
		case in.DBInstanceIdentifier != nil && *snapshot.db.DBInstanceIdentifier != c.ownKey(*in.DBInstanceIdentifier, "db").name:
		case in.DbiResourceId != nil && *snapshot.db.DbiResourceId != *in.DbiResourceId:
		case in.SnapshotType != nil && *snapshot.db.SnapshotType != *in.SnapshotType:
		default:
			all = append(all, snapshot.db)
		}
	}
	if in.DBSnapshotIdentifier != nil && len(all) == 0 {
		return nil, snapshotNotFound(*in.DBSnapshotIdentifier)
	}
	slices.SortFunc(all, func(a, b rdstypes.DBSnapshot) int {
		return cmp.Compare(*a.DBSnapshotIdentifier, *b.DBSnapshotIdentifier)
	})
	page, marker, err := paginate(all, in.Marker, in.MaxRecords, c.cloud.pageOfAtMost)
	return &rds.DescribeDBSnapshotsOutput{DBSnapshots: page, Marker: marker}, err
}

func (c *rdsCall) deleteSnapshot(in *rds.DeleteDBSnapshotInput) (any, error) {
	key := c.ownKey(aws.ToString(in.DBSnapshotIdentifier), "snapshot")
	snapshot := c.snapshots[key]
	switch {
	case snapshot == nil:
		return nil, snapshotNotFound(key.name)
	case *snapshot.db.Status == "creating":
		return nil, awsErr(http.StatusBadRequest, "InvalidDBSnapshotState", "The snapshot is still being created.")
	}
	delete(c.snapshots, key)
	gone := snapshot.db
	gone.Status = aws.String("deleted")
	return &rds.DeleteDBSnapshotOutput{DBSnapshot: &gone}, nil
}
