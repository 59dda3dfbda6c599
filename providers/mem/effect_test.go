package mem

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/field"
	"github.com/mooring-dev/mooring/providers/field/fieldtest"
)

func TestEffectsOfBuckets(t *testing.T) {
	fieldtest.Effects(t, bucketTable, []fieldtest.Example[v1alpha1.BucketParameters, Bucket]{
		fieldtest.Of("location", v1alpha1.BucketParameters{Location: new("b")}, Bucket{Location: "a"}, field.Impossible),
		fieldtest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, Bucket{}, field.Online),
		fieldtest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessAllowed)}, Bucket{PublicAccess: v1alpha1.PublicAccessBlocked}, field.Online),
		fieldtest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.BucketEncryption{Key: new("k")}}, Bucket{}, field.Online),
		fieldtest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, Bucket{}, field.Online),
	})
}

func TestEffectsOfDatabases(t *testing.T) {
	days := func(n int32) databaseParameters {
		return databaseParameters{Backup: &v1alpha1.DatabaseBackup{RetentionDays: &n}}
	}
	fieldtest.Effects(t, databaseTable, []fieldtest.Example[databaseParameters, Database]{
		fieldtest.Of("location", databaseParameters{Location: new("b")}, Database{Location: "a"}, field.Impossible),
		fieldtest.Of("engine", databaseParameters{Engine: new(v1alpha1.EngineMySQL)}, Database{Engine: v1alpha1.EnginePostgres}, field.Impossible),
		fieldtest.Of("version", databaseParameters{Version: new("17")}, Database{Version: "16"}, field.Interrupts),
		fieldtest.Of("version", databaseParameters{Version: new("15")}, Database{Version: "16"}, field.Impossible),
		fieldtest.Of("storage.sizeGiB", databaseParameters{Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}}, Database{SizeGiB: 20}, field.Online),
		fieldtest.Of("databaseName", databaseParameters{DatabaseName: new("b")}, Database{DatabaseName: "a"}, field.Impossible),
		fieldtest.Of("backup.retentionDays", days(14), Database{RetentionDays: 7}, field.Online),
		fieldtest.Of("backup.retentionDays", days(3), Database{RetentionDays: 7}, field.LosesBackups),
		fieldtest.Of("deletionProtection", databaseParameters{DeletionProtection: new(true)}, Database{}, field.Online),
		fieldtest.Of("tags", databaseParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, Database{}, field.Online),
		fieldtest.Of("aws.instanceClass", databaseParameters{AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("b")}}, Database{InstanceClass: "a"}, field.Restarts),
		fieldtest.Of("gcp.tier", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Tier: new("b")}}, Database{Tier: "a"}, field.Restarts),
	})
}
