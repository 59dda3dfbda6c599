package rds

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// replicaParameters are what the creation of a replica takes here. The call has no master user, password, name of a database, engine, encryption, days of backups or
// windows: a replica has those of its source. The insights mode "isn't supported", and a signed URL "is ignored" outside of GovCloud and China. What is of clusters,
// Oracle, SQL Server, Db2, Outposts and directories is not served.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstanceReadReplica.html
var replicaParameters = withParameters(
	"DBInstanceIdentifier", "SourceDBInstanceIdentifier", "DBInstanceClass", "AllocatedStorage", "MaxAllocatedStorage", "StorageType", "Iops", "StorageThroughput", "KmsKeyId",
	"MultiAZ", "AvailabilityZone", "CACertificateIdentifier", "EnableIAMDatabaseAuthentication", "EnablePerformanceInsights", "PerformanceInsightsKMSKeyId",
	"PerformanceInsightsRetentionPeriod", "MonitoringInterval", "MonitoringRoleArn", "DedicatedLogVolume", "EnableCloudwatchLogsExports", "DBSubnetGroupName", "VpcSecurityGroupIds",
	"NetworkType", "Port", "DBParameterGroupName", "OptionGroupName", "Tags", "PreSignedUrl")

const (
	// rdsReplicaQuota is how many replicas a source of MariaDB, MySQL or PostgreSQL may have. Other engines have fewer.
	// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstanceReadReplica.html (SourceDBInstanceIdentifier)
	rdsReplicaQuota = 15
	// rdsReplicaDepth is how many replicas a chain that begins at a source may have.
	// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.Replication.ReadReplicas.html (cascading read replicas)
	rdsReplicaDepth = 3
)

// An rdsFollowing is what a replica follows, and what its promotion gives it.
type rdsFollowing struct {
	source Key
	id     string // the source's resource id; empty for an instance that is no replica
	ended  bool   // the source is gone, and nobody has promoted the replica
	// days and window are of the backups that the instance has once it is promoted.
	days   *int32
	window *string
}

// createReplica is CreateDBInstanceReadReplica: an instance that repeats what is written to its source, has the users and passwords of that, and refuses writes. It has no backups at first. A replica
// in another region names its source by an ARN, and shows it so; so does the source with such a replica. A recording shows a replica of PostgreSQL and sources of
// replicas, and none shows the call, nor any refusal. Codes are those of the reference; words are ours where no issue is named.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstanceReadReplica.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_ReadRepl.html
func (c *call) createReplica(in *rds.CreateDBInstanceReadReplicaInput) (any, error) {
	for name, value := range map[string]*string{"DBInstanceIdentifier": in.DBInstanceIdentifier, "SourceDBInstanceIdentifier": in.SourceDBInstanceIdentifier} {
		if aws.ToString(value) == "" {
			return nil, missingParameter(name)
		}
	}
	from, source, err := c.replicated(*in.SourceDBInstanceIdentifier)
	if err != nil {
		return nil, err
	}
	remote := from.region != c.caller.Region
	if err := cmp.Or(c.checkSource(from, source), checkReplica(in, &source.db, remote), c.checkReplicaNetwork(in, source)); err != nil {
		return nil, err
	}
	asked := asReplica(in, source, remote)
	if err := c.checkNew(asked); err != nil {
		return nil, err
	}
	key := c.key(*in.DBInstanceIdentifier)
	made, err := c.newInstance(key, asked)
	if err != nil {
		return nil, err
	}
	if err := c.checkRoom(key, made); err != nil {
		return nil, err
	}
	made.follows = rdsFollowing{source: from, id: *source.db.DbiResourceId}
	made.db.ReadReplicaSourceDBInstanceIdentifier = aws.String(from.seenFrom(key))
	c.make(key, made, engine.Spec{
		ID: *made.db.DbiResourceId, Engine: *made.db.Engine, StandardPort: true, Port: int(*asked.Port), Follows: *source.db.DbiResourceId,
	})
	answered := made.db
	answered.AvailabilityZone = in.AvailabilityZone // as at a creation
	return &rds.CreateDBInstanceReadReplicaOutput{DBInstance: &answered}, nil
}

// seenFrom names an instance as one of the same region does, or one of another.
func (k Key) seenFrom(other Key) string {
	if k.region == other.region {
		return k.name
	}
	return "arn:aws:rds:" + k.region + ":" + k.account + ":db:" + k.name
}

// replicated returns the instance that a call names as the source: by its name in the region, or by its ARN in any.
func (c *call) replicated(name string) (Key, *Instance, error) {
	key := c.key(name)
	if parts := strings.Split(name, ":"); len(parts) == 7 && strings.HasPrefix(name, "arn:aws:rds:") && parts[5] == "db" {
		key = Key{parts[4], parts[3], strings.ToLower(parts[6])}
	}
	source := c.instances[key].Read(false)
	if source == nil || key.account != c.caller.Account {
		return key, nil, instanceResource.missing(name)
	}
	return key, source, nil
}

// checkSource refuses a source that can't have another replica. The words about the secret are those of https://github.com/terraform-aws-modules/terraform-aws-rds/issues/532;
// the guide has the rule for all engines but SQL Server: https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/rds-secrets-manager.html (limitations). The reference has no code for
// a replica too many.
func (c *call) checkSource(key Key, source *Instance) error {
	engine, depth := *source.db.Engine, 1
	for at := source; at != nil && at.follows.id != ""; at = c.sourceOf(at) {
		depth++
	}
	switch {
	case source.step != resting || source.status() != "available":
		return invalidState("Instance %s is not in available state.", key.name)
	case aws.ToInt32(source.db.BackupRetentionPeriod) == 0 || source.backups.since.IsZero():
		return invalidState("Automated backups are not enabled for this database instance. To enable automated backups, use ModifyDBInstance to set the backup retention period to a non-zero value.")
	case source.db.MasterUserSecret != nil:
		return invalidValue("Creating read replicas for source instance with engine %s where ManageMasterUserPassword is enabled is not supported.", engine)
	case source.follows.ended:
		return invalidState("The replication of instance %s has ended.", key.name)
	case depth > 1 && !backsUpReplicas(&source.db): // "PostgreSQL version earlier than 14.1"
		return invalidState("A read replica of a read replica isn't supported for engine %s %s.", engine, *source.db.EngineVersion)
	case depth > rdsReplicaDepth:
		return invalidState("A chain of read replicas can't have more than %d.", rdsReplicaDepth)
	case len(c.replicasOf(source)) >= rdsReplicaQuota:
		return invalidState("Instance %s has %d read replicas already.", key.name, rdsReplicaQuota)
	}
	return nil
}

// backsUpReplicas reports whether replicas of an engine's version can have automated backups, without which they can have no replicas.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_PostgreSQL.Replication.ReadReplicas.html (limitations)
func backsUpReplicas(db *rdstypes.DBInstance) bool {
	return *db.Engine != "postgres" || !strings.HasPrefix(*db.EngineVersion, "13.")
}

// checkReplica refuses what a replica can't be. The words about parameter groups are those of https://github.com/hashicorp/terraform-provider-aws/issues/38056; the reference has
// them for MySQL in another region alone. That a disk is no smaller than that of the source is strict: the reference says "enough".
func checkReplica(in *rds.CreateDBInstanceReadReplicaInput, of *rdstypes.DBInstance, remote bool) error {
	encrypted := aws.ToBool(of.StorageEncrypted)
	switch {
	case in.DBParameterGroupName != nil && (*of.Engine != "mysql" || !remote):
		return invalidCombination("A parameter group can't be specified during Read Replica creation for the following DB engine: %s", *of.Engine)
	case in.KmsKeyId != nil && !encrypted:
		return invalidCombination("You can't create an encrypted read replica from an unencrypted DB instance.")
	case in.KmsKeyId == nil && encrypted && remote:
		return invalidCombination("You must specify a KMS key identifier for an encrypted read replica in another region.")
	case in.AllocatedStorage != nil && *in.AllocatedStorage < *of.AllocatedStorage:
		return invalidValue("The allocated storage of %d GiB is less than that of the source, %d GiB.", *in.AllocatedStorage, *of.AllocatedStorage)
	}
	return nil
}

// checkReplicaNetwork holds the replicas that one source has in a region to one VPC.
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_CreateDBInstanceReadReplica.html (DBSubnetGroupName, Errors)
func (c *call) checkReplicaNetwork(in *rds.CreateDBInstanceReadReplicaInput, source *Instance) error {
	if in.DBSubnetGroupName == nil {
		return nil
	}
	vpc, err := vpcOf(*in.DBSubnetGroupName)
	if err != nil {
		return err
	}
	for _, key := range c.replicasOf(source) {
		if other := c.instances[key].Now; key.region == c.caller.Region && *other.db.DBSubnetGroup.VpcId != vpc.id {
			return amazon.Err(http.StatusBadRequest, "InvalidDBSubnetGroupFault", "The DB subnet group "+*in.DBSubnetGroupName+" isn't in the VPC of the read replica "+key.name+" of the same source.")
		}
	}
	return nil
}

// asReplica returns the creation that a replica is, but for its data. "All other attributes are inherited from the source DB instance, except as specified": what the reference
// gives a default of its own is as that says (the type of the disk, one zone, monitoring, security groups, logins by token, tags of snapshots, deletion protection), and so is what it
// describes as of the new instance (insights and exports). In another region groups are the default ones.
func asReplica(in *rds.CreateDBInstanceReadReplicaInput, source *Instance, remote bool) *rds.CreateDBInstanceInput {
	of, asked := &source.db, &rds.CreateDBInstanceInput{}
	copySameNames(asked, in)
	asked.Engine, asked.EngineVersion, asked.LicenseModel = of.Engine, of.EngineVersion, of.LicenseModel
	asked.EngineLifecycleSupport = of.EngineLifecycleSupport
	asked.MasterUsername, asked.DBName, asked.StorageEncrypted = of.MasterUsername, of.DBName, of.StorageEncrypted
	asked.BackupRetentionPeriod = aws.Int32(0)
	asked.PreferredBackupWindow, asked.PreferredMaintenanceWindow = of.PreferredBackupWindow, of.PreferredMaintenanceWindow
	asked.DBInstanceClass = orElse(in.DBInstanceClass, *of.DBInstanceClass)
	asked.AllocatedStorage = orElse(in.AllocatedStorage, *of.AllocatedStorage)
	if validMaxStorage(of.MaxAllocatedStorage, *asked.AllocatedStorage) == nil && in.MaxAllocatedStorage == nil {
		asked.MaxAllocatedStorage = of.MaxAllocatedStorage
	}
	asked.Port = orElse(in.Port, *of.Endpoint.Port)
	asked.AutoMinorVersionUpgrade = orElse(in.AutoMinorVersionUpgrade, aws.ToBool(of.AutoMinorVersionUpgrade))
	asked.PubliclyAccessible = orElse(in.PubliclyAccessible, aws.ToBool(of.PubliclyAccessible))
	asked.NetworkType = orElse(in.NetworkType, *of.NetworkType)
	disk := &rds.RestoreDBInstanceFromDBSnapshotInput{}
	copySameNames(disk, in)
	asked.StorageType, asked.Iops, asked.StorageThroughput = restoredDisk(disk, of)
	if remote {
		return asked
	}
	asked.KmsKeyId = orElse(in.KmsKeyId, aws.ToString(of.KmsKeyId))
	if *asked.KmsKeyId == "" {
		asked.KmsKeyId = nil
	}
	asked.DBSubnetGroupName = orElse(in.DBSubnetGroupName, *of.DBSubnetGroup.DBSubnetGroupName)
	asked.OptionGroupName = orElse(in.OptionGroupName, source.optionGroup())
	if group := source.groupName(); !strings.HasPrefix(group, "default.") {
		asked.DBParameterGroupName = &group
	}
	return asked
}

// sourceOf returns the source of a replica; nil if it is gone, or there never was one.
func (s *Service) sourceOf(in *Instance) *Instance {
	source := s.instances[in.follows.source].Read(false)
	if source == nil || *source.db.DbiResourceId != in.follows.id {
		return nil
	}
	return source
}

// replicasOf returns the replicas of an instance, those being made and being deleted among them, in the order of their names.
func (s *Service) replicasOf(in *Instance) (all []Key) {
	for key, p := range s.instances {
		if p.Now != nil && p.Now.follows.id == *in.db.DbiResourceId {
			all = append(all, key)
		}
	}
	slices.SortFunc(all, func(a, b Key) int { return cmp.Or(cmp.Compare(a.region, b.region), cmp.Compare(a.name, b.name)) })
	return all
}

// replicaNames returns the replicas of an instance as it shows them.
func (s *Service) replicaNames(in *Instance) []string {
	names := []string{}
	for _, key := range s.replicasOf(in) {
		names = append(names, key.seenFrom(keyOfARN(*in.db.DBInstanceArn)))
	}
	return names
}

func keyOfARN(arn string) Key {
	parts := strings.Split(arn, ":")
	return Key{parts[4], parts[3], parts[6]}
}

// SetReplicaLag has the metric of a replica show these seconds. It reports whether there is such a replica.
func (s *Service) SetReplicaLag(account, region, name string, seconds ...float64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.instances[Key{account, region, name}].Read(false)
	if in == nil || in.follows.id == "" {
		return false
	}
	s.lags[*in.db.DbiResourceId] = seconds
	return true
}

// An ReplicaMetric is what CloudWatch measures of a read replica.
type ReplicaMetric struct {
	Since time.Time
	Ended bool // it follows its source no longer
	Lag   cloud.ReplicaLag
}

// Replica returns what CloudWatch measures of an instance of the caller's account and region, if that is a read replica.
func (s *Service) Replica(caller amazon.Caller, name string, now time.Time) (m ReplicaMetric, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(now)
	in := s.instances[Key{caller.Account, caller.Region, name}].Read(false)
	if in == nil || in.follows.id == "" || in.db.InstanceCreateTime == nil {
		return m, false
	}
	return ReplicaMetric{*in.db.InstanceCreateTime, in.follows.ended, s.lags[*in.db.DbiResourceId]}, true
}
