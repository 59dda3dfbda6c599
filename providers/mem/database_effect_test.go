package mem

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfDatabases(t *testing.T) {
	days := func(n int32) databaseParameters {
		return databaseParameters{Backup: &v1alpha1.DatabaseBackup{RetentionDays: &n}}
	}
	tabletest.Effects(t, databaseTable, []tabletest.Example[databaseParameters, Database]{
		tabletest.Of("location", databaseParameters{Location: new("b")}, Database{Spec: databaseParameters{Location: new("a")}}, driver.Impossible),
		tabletest.Of("engine", databaseParameters{Engine: new(v1alpha1.EngineMySQL)}, Database{Spec: databaseParameters{Engine: new(v1alpha1.EnginePostgres)}}, driver.Impossible),
		tabletest.Of("version", databaseParameters{Version: new("17")}, Database{Spec: databaseParameters{Version: new("16")}}, driver.Interrupts),
		tabletest.Of("version", databaseParameters{Version: new("15")}, Database{Spec: databaseParameters{Version: new("16")}}, driver.Impossible),
		tabletest.Of("storage.sizeGiB", databaseParameters{Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}}, Database{Spec: databaseParameters{Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}}}, driver.Online),
		tabletest.Of("encryption.key", databaseParameters{Encryption: &v1alpha1.Encryption{Key: new("b")}}, Database{Spec: databaseParameters{Encryption: &v1alpha1.Encryption{Key: new("a")}}}, driver.Impossible),
		tabletest.Of("databaseName", databaseParameters{DatabaseName: new("b")}, Database{Spec: databaseParameters{DatabaseName: new("a")}}, driver.Impossible),
		tabletest.Of("backup.retentionDays", days(14), Database{Spec: days(7)}, driver.Online),
		tabletest.Of("backup.retentionDays", days(3), Database{Spec: days(7)}, driver.LosesBackups),
		tabletest.Of("deletionProtection", databaseParameters{DeletionProtection: new(true)}, Database{}, driver.Online),
		tabletest.Of("powerState", databaseParameters{PowerState: new(v1alpha1.PowerStateRunning)}, Database{Stopped: true}, driver.Online),
		tabletest.Of("powerState", databaseParameters{PowerState: new(v1alpha1.PowerStateStopped)}, Database{}, driver.Interrupts),
		tabletest.Of("tags", databaseParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, Database{}, driver.Online),
		tabletest.Of("aws.instanceClass", databaseParameters{AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("b")}}, Database{Spec: databaseParameters{AWS: &v1alpha1.DatabaseAWS{InstanceClass: new("a")}}}, driver.Restarts),
		tabletest.Of("aws.associatedRoles", databaseParameters{AWS: &v1alpha1.DatabaseAWS{AssociatedRoles: []v1alpha1.AssociatedRole{{FeatureName: "s3Import"}}}}, Database{}, driver.Online),
		tabletest.Of("gcp.tier", databaseParameters{GCP: &v1alpha1.DatabaseGCP{Tier: new("b")}}, Database{Spec: databaseParameters{GCP: &v1alpha1.DatabaseGCP{Tier: new("a")}}}, driver.Restarts),
	})
}
