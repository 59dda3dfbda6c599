package rds

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// An rdsSnapshot is a manual snapshot. The final one of an instance is one, too.
type rdsSnapshot struct {
	db    rdstypes.DBSnapshot
	due   time.Time
	job   *engine.Job // copies the data
	fails bool
	// copy is the name of the copy of the server's data.
	copy string
	// source is the instance as it was.
	source *Instance
}

func (s *rdsSnapshot) settle(now time.Time) {
	if *s.db.Status != "creating" || now.Before(s.due) || !s.job.Finished() {
		return
	}
	s.db.Status, s.db.PercentProgress = aws.String("available"), aws.Int32(100)
	if s.fails || s.job.Failed() {
		s.db.Status = aws.String("failed")
	}
}

// finalSnapshot begins the snapshot that a deletion takes. An instance that does not work can't have one. It stays if the deletion fails later, with the data
// unless it is the snapshot itself that failed. No recording shows either.
func (c *call) finalSnapshot(of *Instance, name string) (*rdsSnapshot, error) {
	if err := validIdentifier("FinalDBSnapshotIdentifier", name, 255); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"available", "storage-optimization", "stopped"}, of.status()) {
		return nil, notAvailable(of)
	}
	if c.cloud.Options.InstanceQuota >= 0 && count(own(c, c.snapshots)) >= SnapshotQuota { // or else the cloud is one of any size
		return nil, errSnapshotQuota
	}
	snapshot, err := c.snapshotOf(of, name, c.failLate && c.injected.Code == "failed")
	if err == nil && aws.ToBool(of.db.CopyTagsToSnapshot) {
		snapshot.db.TagList = of.db.TagList
	}
	return snapshot, err
}

func notAvailable(of *Instance) *amazon.Error {
	return invalidState("Cannot create a snapshot because the database instance %s is not currently in the available state.", *of.db.DBInstanceIdentifier)
}

// SnapshotQuota is how many manual snapshots an account may have in a region.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/CHAP_Limits.html
const SnapshotQuota = 100

// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DeleteDBInstance.html (SnapshotQuotaExceeded)
var errSnapshotQuota = amazon.Err(http.StatusBadRequest, "SnapshotQuotaExceeded", "The request can't be processed because it would exceed the maximum number of snapshots.")

// createSnapshot is CreateDBSnapshot. The instance is backing-up meanwhile, and takes no changes. The call copies the instance's tags if the instance
// has CopyTagsToSnapshot and the call has no tags. No recording shows the call.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBSnapshot.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_CreateSnapshot.html
func (c *call) createSnapshot(in *rds.CreateDBSnapshotInput) (any, error) {
	if err := validIdentifier("DBSnapshotIdentifier", aws.ToString(in.DBSnapshotIdentifier), 255); err != nil {
		return nil, err
	}
	if err := validRDSTags(in.Tags); err != nil {
		return nil, err
	}
	key, of, err := c.instance(in.DBInstanceIdentifier)
	if err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"available", "storage-optimization"}, of.status()) || of.step != resting {
		return nil, notAvailable(of)
	}
	if count(own(c, c.snapshots)) >= SnapshotQuota {
		return nil, errSnapshotQuota
	}
	snapshot, err := c.snapshotOf(of, *in.DBSnapshotIdentifier, c.failLate)
	if err != nil {
		return nil, err
	}
	if snapshot.db.TagList = in.Tags; len(in.Tags) == 0 && aws.ToBool(of.db.CopyTagsToSnapshot) {
		snapshot.db.TagList = of.db.TagList
	}
	next := of.clone()
	next.enter(backingUp, "backing-up", snapshot.due, snapshot.job, false)
	c.store(key, next)
	answered := snapshot.db
	return &rds.CreateDBSnapshotOutput{DBSnapshot: &answered}, nil
}

// snapshotOf begins a snapshot of an instance, which may fail. What it says of the instance is what the recorded snapshots say.
func (c *call) snapshotOf(of *Instance, name string, fails bool) (*rdsSnapshot, error) {
	key := c.key(name)
	if c.snapshots[key] != nil {
		return nil, amazon.Err(http.StatusBadRequest, "DBSnapshotAlreadyExists", "Cannot create the snapshot because a snapshot with the identifier "+key.name+" already exists.")
	}
	db := of.db
	c.writes++
	copied := fmt.Sprintf("rds-snapshot-%d", c.writes)
	snapshot := &rdsSnapshot{due: c.now.Add(c.cloud.Options.Durations.Snapshot), fails: fails, copy: copied, source: of, db: rdstypes.DBSnapshot{
		AllocatedStorage: db.AllocatedStorage, AvailabilityZone: db.AvailabilityZone, DBInstanceIdentifier: db.DBInstanceIdentifier,
		DBSnapshotArn: aws.String(c.arn(snapshotResource, key.name)), DBSnapshotIdentifier: aws.String(key.name), DbiResourceId: db.DbiResourceId,
		Encrypted: db.StorageEncrypted, Engine: db.Engine, EngineVersion: db.EngineVersion, InstanceCreateTime: db.InstanceCreateTime,
		Iops: db.Iops, KmsKeyId: db.KmsKeyId, LicenseModel: db.LicenseModel, MasterUsername: db.MasterUsername,
		PercentProgress: aws.Int32(0), SnapshotCreateTime: aws.Time(c.now), SnapshotType: aws.String("manual"),
		Status: aws.String("creating"), StorageType: db.StorageType, TagList: []rdstypes.Tag{},
		IAMDatabaseAuthenticationEnabled: db.IAMDatabaseAuthenticationEnabled, OptionGroupName: aws.String(of.optionGroup()), OriginalSnapshotCreateTime: aws.Time(c.now),
		ProcessorFeatures: []rdstypes.ProcessorFeature{}, SnapshotTarget: aws.String("region"), StorageThroughput: db.StorageThroughput, VpcId: db.DBSubnetGroup.VpcId,
	}}
	if db.Endpoint != nil {
		snapshot.db.Port = db.Endpoint.Port
	}
	if !fails {
		snapshot.job = c.begin(func() (*engine.Engine, error) { return nil, c.cloud.Engines.Snapshot(*db.DbiResourceId, copied) })
	}
	c.snapshots[key], c.newestSnapshot = snapshot, key
	return snapshot, nil
}

// shownSnapshots are the snapshots of the caller. A stale list lacks the newest one.
func (c *call) shownSnapshots(*rds.DescribeDBSnapshotsInput) (all []rdstypes.DBSnapshot, _ error) {
	for key, snapshot := range own(c, c.snapshots) {
		if !c.stale || key != c.newestSnapshot {
			all = append(all, snapshot.db)
		}
	}
	return all, nil
}

func (c *call) deleteSnapshot(in *rds.DeleteDBSnapshotInput) (any, error) {
	key := c.ownKey(aws.ToString(in.DBSnapshotIdentifier), snapshotResource)
	snapshot := c.snapshots[key]
	switch {
	case snapshot == nil:
		return nil, snapshotResource.missing(key.name)
	case *snapshot.db.Status == "creating":
		return nil, amazon.Err(http.StatusBadRequest, "InvalidDBSnapshotState", "The snapshot is still being created.")
	}
	delete(c.snapshots, key)
	c.begin(func() (*engine.Engine, error) { return nil, c.cloud.Engines.Drop(snapshot.copy) })
	gone := snapshot.db
	gone.Status = aws.String("deleted")
	return &rds.DeleteDBSnapshotOutput{DBSnapshot: &gone}, nil
}
