package gcp

import (
	"testing"

	"cloud.google.com/go/storage"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/field"
	"github.com/mooring-dev/mooring/providers/field/fieldtest"
)

func TestEffectsOfBuckets(t *testing.T) {
	fieldtest.Effects(t, bucketTable, []fieldtest.Example[v1alpha1.BucketParameters, storage.BucketAttrs]{
		fieldtest.Of("location", v1alpha1.BucketParameters{Location: new("europe-west4")}, storage.BucketAttrs{Location: "EUROPE-WEST3"}, field.Impossible),
		fieldtest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, storage.BucketAttrs{}, field.Online),
		fieldtest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessBlocked)}, storage.BucketAttrs{}, field.Online),
		fieldtest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.BucketEncryption{Key: new("projects/p/locations/l/keyRings/r/cryptoKeys/k")}},
			storage.BucketAttrs{}, field.Online),
		fieldtest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, storage.BucketAttrs{}, field.Online),
	})
}

func TestEffectsOfDatabases(t *testing.T) {
	of := func(version string, settings *sqladmin.Settings) instance {
		return instance{DatabaseInstance: &sqladmin.DatabaseInstance{Region: "europe-west3", DatabaseVersion: version, Settings: settings}}
	}
	runs := func(version string) instance { return of(version, nil) }
	keeps := func(n int64) instance {
		return of("POSTGRES_16", &sqladmin.Settings{BackupConfiguration: backups(n, n)})
	}
	version := func(v string) databaseParameters { return databaseParameters{Version: &v} }
	days := func(n int32) databaseParameters {
		return databaseParameters{Backup: &v1alpha1.DatabaseBackup{RetentionDays: &n}}
	}
	named := runs("POSTGRES_16")
	named.database = new("a")
	fieldtest.Effects(t, databaseTable, []fieldtest.Example[databaseParameters, instance]{
		fieldtest.Of("location", databaseParameters{Location: new("europe-west4")}, runs("POSTGRES_16"), field.Impossible),
		fieldtest.Of("engine", databaseParameters{Engine: new(v1alpha1.EngineMySQL)}, runs("POSTGRES_16"), field.Impossible),
		fieldtest.Of("version", version("17"), runs("POSTGRES_16"), field.Interrupts),
		fieldtest.Of("version", version("8.0.40"), runs("MYSQL_8_0_36"), field.Restarts),
		fieldtest.Of("version", version("15"), runs("POSTGRES_16"), field.Impossible),
		fieldtest.Of("version", version("16.4"), runs("POSTGRES_16"), field.Impossible),
		fieldtest.Of("version", version("16"), runs("SQLSERVER_2022_STANDARD"), field.Impossible),
		fieldtest.Of("storage.sizeGiB", databaseParameters{Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}}, of("POSTGRES_16", &sqladmin.Settings{DataDiskSizeGb: 20}), field.Online),
		fieldtest.Of("databaseName", databaseParameters{DatabaseName: new("a")}, runs("POSTGRES_16"), field.Online),
		fieldtest.Of("databaseName", databaseParameters{DatabaseName: new("b")}, named, field.Impossible),
		fieldtest.Of("backup.retentionDays", days(14), keeps(7), field.Online),
		fieldtest.Of("backup.retentionDays", days(3), keeps(7), field.LosesBackups),
		fieldtest.Of("backup.retentionDays", days(0), keeps(7), field.LosesBackups),
		fieldtest.Of("deletionProtection", databaseParameters{DeletionProtection: new(true)}, runs("POSTGRES_16"), field.Online),
		fieldtest.Of("tags", databaseParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, runs("POSTGRES_16"), field.Online),
		fieldtest.Of("gcp.tier", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Tier: new("db-custom-2-7680")}}, of("POSTGRES_16", &sqladmin.Settings{Tier: "db-custom-1-3840"}), field.Restarts),
	})
}
