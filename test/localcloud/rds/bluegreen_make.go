package rds

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	rdstypes "github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

// makeGreen begins the creation of the green instances: a replica of the source, and a replica of that for each replica of the source. Those begin once the first is there.
func (c *call) makeGreen(d *rdsDeployment, source Key, in *rds.CreateBlueGreenDeploymentInput, version string) error {
	type green struct {
		key  Key
		made *Instance
		spec engine.Spec
	}
	blue := append([]Key{source}, c.replicasOf(c.instances[source].Now)...)
	var all []green
	for i, key := range blue {
		of := c.instances[key].Now
		asked := asGreen(in, of)
		asked.DBInstanceIdentifier = aws.String(c.greenName(key.name, i))
		if i > 0 {
			asked.EngineVersion, asked.AllocatedStorage = &version, all[0].made.db.AllocatedStorage
		}
		if err := c.checkNew(asked); err != nil {
			return err
		}
		g := green{key: c.key(*asked.DBInstanceIdentifier)}
		var err error
		if g.made, err = c.newInstance(g.key, asked); err != nil {
			return err
		}
		if err := c.checkRoom(g.key, g.made); err != nil {
			return err
		}
		if in.TargetDBParameterGroupName != nil {
			g.made.joinGroup(strings.ToLower(*in.TargetDBParameterGroupName), "in-sync")
		}
		g.made.db.BackupRetentionPeriod = aws.Int32(0)
		leader, lead := key, of
		if i > 0 {
			leader, lead = all[0].key, all[0].made
		}
		g.made.follows = rdsFollowing{source: leader, id: *lead.db.DbiResourceId}
		g.made.db.ReadReplicaSourceDBInstanceIdentifier = aws.String(leader.name)
		g.spec = engine.Spec{
			ID: *g.made.db.DbiResourceId, Engine: *g.made.db.Engine, StandardPort: true, Port: int(*asked.Port), Follows: *lead.db.DbiResourceId,
		}
		all = append(all, g)
		d.pairs = append(d.pairs, rdsPair{
			blue: *of.db.DbiResourceId, green: *g.made.db.DbiResourceId, source: *of.db.DBInstanceArn, target: *g.made.db.DBInstanceArn,
		})
	}
	for i, g := range all {
		if i > 0 {
			g.spec.After = all[0].made.job
		}
		c.make(g.key, g.made, g.spec)
	}
	return nil
}

// greenName is the name of an instance with -green- and six characters: mydb1-green-abc123. How a name is cut that would be too long is not known.
func (c *call) greenName(name string, i int) string {
	sum := sha256.Sum256(fmt.Append(nil, c.caller.Account, name, i, c.writes))
	return strings.TrimRight(name[:min(len(name), 50)], "-") + "-green-" + strings.ToLower(amazon.Base32ID(sum[:], 6))
}

// asGreen returns the creation that a green instance is, but for its data: "RDS copies the blue environment's topology and features". It has backups later. Tags come with the switchover: "If you have tags
// configured in the blue environment, these tags are moved to the new production environment during switchover". Without a parameter group in the call it has the default one: the guide says that of the blue
// instance, and what people report is the default, https://github.com/hashicorp/terraform-provider-aws/issues/49132. Who names the group is safe from both.
func asGreen(in *rds.CreateBlueGreenDeploymentInput, blue *Instance) *rds.CreateDBInstanceInput {
	of, asked := &blue.db, &rds.CreateDBInstanceInput{}
	copySameNames(asked, of)
	asked.StorageEncrypted, asked.AvailabilityZone = of.StorageEncrypted, nil
	asked.BackupRetentionPeriod = aws.Int32(0)
	asked.DBInstanceClass = orElse(in.TargetDBInstanceClass, *of.DBInstanceClass)
	asked.AllocatedStorage = orElse(in.TargetAllocatedStorage, *of.AllocatedStorage)
	if validMaxStorage(of.MaxAllocatedStorage, *asked.AllocatedStorage) != nil {
		asked.MaxAllocatedStorage = nil
	}
	asked.StorageType, asked.Iops, asked.StorageThroughput = restoredDisk(&rds.RestoreDBInstanceFromDBSnapshotInput{
		StorageType: orElse(in.TargetStorageType, *of.StorageType), Iops: in.TargetIops, StorageThroughput: in.TargetStorageThroughput,
	}, of)
	asked.EnableIAMDatabaseAuthentication = of.IAMDatabaseAuthenticationEnabled
	asked.EnablePerformanceInsights = of.PerformanceInsightsEnabled
	if !aws.ToBool(of.PerformanceInsightsEnabled) {
		asked.PerformanceInsightsKMSKeyId, asked.PerformanceInsightsRetentionPeriod = nil, nil
	}
	asked.EnableCloudwatchLogsExports = of.EnabledCloudwatchLogsExports
	asked.Port, asked.DBSubnetGroupName = of.Endpoint.Port, of.DBSubnetGroup.DBSubnetGroupName
	asked.OptionGroupName = aws.String(blue.optionGroup())
	asked.VpcSecurityGroupIds = idsOf(of.VpcSecurityGroups)
	return asked
}

func idsOf(groups []rdstypes.VpcSecurityGroupMembership) (ids []string) {
	for _, g := range groups {
		ids = append(ids, *g.VpcSecurityGroupId)
	}
	return ids
}
