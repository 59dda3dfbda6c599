package aws

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/field"
	"github.com/mooring-dev/mooring/providers/field/fieldtest"
)

func TestEffectsOfBuckets(t *testing.T) {
	fieldtest.Effects(t, bucketTable, []fieldtest.Example[v1alpha1.BucketParameters, bucket]{
		fieldtest.Of("location", v1alpha1.BucketParameters{Location: new("eu-west-1")}, bucket{region: "eu-central-1"}, field.Impossible),
		fieldtest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, bucket{}, field.Online),
		fieldtest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessAllowed)},
			bucket{publicAccess: new(v1alpha1.PublicAccessBlocked)}, field.Online),
		fieldtest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.BucketEncryption{Key: new("arn:aws:kms:eu-central-1:1:key/a")}},
			bucket{key: new("")}, field.Online),
		fieldtest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, bucket{}, field.Online),
	})
}

func TestEffectsOfDatabases(t *testing.T) {
	version := func(v string) databaseSpec { return databaseSpec{Version: &v} }
	runs := func(v string) types.DBInstance { return types.DBInstance{EngineVersion: &v} }
	days := func(n int32) databaseSpec {
		return databaseSpec{Backup: &v1alpha1.DatabaseBackup{RetentionDays: &n}}
	}
	keeps := func(n int32) types.DBInstance { return types.DBInstance{BackupRetentionPeriod: &n} }
	class := func(c string) databaseSpec { return databaseSpec{AWS: &v1alpha1.DatabaseAWS{InstanceClass: &c}} }
	fieldtest.Effects(t, databaseTable, []fieldtest.Example[databaseSpec, types.DBInstance]{
		fieldtest.Of("location", databaseSpec{Location: new("eu-west-1")}, types.DBInstance{DBInstanceArn: new("arn:aws:rds:eu-central-1:1:db:a")}, field.Impossible),
		fieldtest.Of("engine", databaseSpec{Engine: new(v1alpha1.EngineMySQL)}, types.DBInstance{Engine: new("postgres")}, field.Impossible),
		fieldtest.Of("version", version("16.4"), types.DBInstance{
			EngineVersion: new("16.4"), PendingModifiedValues: &types.PendingModifiedValues{EngineVersion: new("15")},
		}, field.Online),
		fieldtest.Of("version", version("16.8"), runs("16.4"), field.Restarts),
		fieldtest.Of("version", version("17"), runs("16.4"), field.Irreversible),
		fieldtest.Of("version", version("15"), runs("16.4"), field.Impossible),
		fieldtest.Of("storage.sizeGiB", databaseSpec{Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}}, types.DBInstance{AllocatedStorage: new(int32(20))}, field.Online),
		fieldtest.Of("databaseName", databaseSpec{DatabaseName: new("b")}, types.DBInstance{DBName: new("a")}, field.Impossible),
		fieldtest.Of("backup.retentionDays", days(14), keeps(7), field.Online),
		fieldtest.Of("backup.retentionDays", days(7), keeps(0), field.Interrupts),
		fieldtest.Of("backup.retentionDays", days(3), keeps(7), field.LosesBackups),
		fieldtest.Of("backup.retentionDays", days(0), keeps(7), field.LosesBackups),
		fieldtest.Of("deletionProtection", databaseSpec{DeletionProtection: new(true)}, types.DBInstance{}, field.Online),
		fieldtest.Of("tags", databaseSpec{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, types.DBInstance{}, field.Online),
		fieldtest.Of("aws.instanceClass", class("db.t4g.micro"), types.DBInstance{
			DBInstanceClass: new("db.t4g.micro"), PendingModifiedValues: &types.PendingModifiedValues{DBInstanceClass: new("db.t4g.small")},
		}, field.Online),
		fieldtest.Of("aws.instanceClass", class("db.t4g.small"), types.DBInstance{DBInstanceClass: new("db.t4g.micro")}, field.Restarts),
	})
}
