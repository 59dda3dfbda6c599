package sql

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What Cloud SQL would refuse of a primary is refused before the call, with the field to change.
func TestPrimaryOfAReplicaIsRefused(t *testing.T) {
	const key = "projects/p/locations/europe-west3/keyRings/r/cryptoKeys/k"
	keyed := func(i *sqladmin.DatabaseInstance) {
		i.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: key}
	}
	mysql := func(i *sqladmin.DatabaseInstance) { i.DatabaseVersion = "MYSQL_8_0" }
	both := func(edits ...func(*sqladmin.DatabaseInstance)) func(*sqladmin.DatabaseInstance) {
		return func(i *sqladmin.DatabaseInstance) {
			for _, edit := range edits {
				edit(i)
			}
		}
	}
	backups := func(b *sqladmin.BackupConfiguration) func(*sqladmin.DatabaseInstance) {
		return func(i *sqladmin.DatabaseInstance) { i.Settings.BackupConfiguration = b }
	}
	replica := func(i *sqladmin.DatabaseInstance) { i.MasterInstanceName = "p:first" }
	for _, tt := range []struct {
		name string
		of   func(*sqladmin.DatabaseInstance)
		spec databaseParameters
		code driver.Code
		says string // empty: it is not refused
	}{
		{name: "a server that can"},
		{name: "in another region", spec: databaseParameters{Location: new("us-central1")}},
		{name: "another engine", spec: databaseParameters{Engine: new(v1alpha1.EngineMySQL)}, code: driver.Invalid, says: "set spec.engine to postgres"},
		{name: "stopped", of: func(i *sqladmin.DatabaseInstance) { i.Settings.ActivationPolicy = "NEVER" }, code: driver.Busy, says: "set spec.powerState of its Database to Running"},
		{name: "no backups", of: backups(nil), code: driver.Invalid, says: "set spec.backup.retentionDays of its Database"},
		{name: "no logs", of: backups(&sqladmin.BackupConfiguration{Enabled: true}), code: driver.Invalid, says: "set spec.backup.pointInTimeRecovery of its Database"},
		{name: "no binary logs", of: both(mysql, backups(&sqladmin.BackupConfiguration{Enabled: true})), code: driver.Invalid, says: "set spec.backup.pointInTimeRecovery of its Database"},
		{name: "binary logs", of: both(mysql, backups(&sqladmin.BackupConfiguration{Enabled: true, BinaryLogEnabled: true}))},
		{name: "a replica of PostgreSQL, without backups", of: both(replica, backups(nil))},
		{name: "a replica of MySQL, without binary logs", of: both(replica, mysql, backups(nil)), code: driver.Invalid, says: "name the server that it follows in spec.replica.primaryRef"},
		{name: "a replica of MySQL, with binary logs", of: both(replica, mysql, backups(&sqladmin.BackupConfiguration{BinaryLogEnabled: true}))},
		{name: "connectors alone", of: func(i *sqladmin.DatabaseInstance) { i.Settings.ConnectorEnforcement = "REQUIRED" }, code: driver.Invalid, says: "set spec.gcp.connectorEnforcement of its Database to NOT_REQUIRED"},
		{name: "a key, and the primary has none", spec: databaseParameters{Encryption: &v1alpha1.Encryption{Key: new(key)}}, code: driver.Invalid, says: "remove spec.encryption"},
		{name: "the key of the primary", of: keyed},
		{name: "a key of its own", of: keyed, spec: databaseParameters{Encryption: &v1alpha1.Encryption{Key: new(key)}}},
		{name: "the key of the primary in another region", of: keyed, spec: databaseParameters{Location: new("us-central1")}, code: driver.Invalid, says: "set spec.encryption.key to a key in us-central1"},
		{name: "a key of its own in another region", of: keyed, spec: databaseParameters{Location: new("us-central1"), Encryption: &v1alpha1.Encryption{Key: new(key)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := &sqladmin.DatabaseInstance{Name: "orders", Region: "europe-west3", DatabaseVersion: "POSTGRES_16", Settings: &sqladmin.Settings{
				ActivationPolicy: "ALWAYS", BackupConfiguration: &sqladmin.BackupConfiguration{Enabled: true, PointInTimeRecoveryEnabled: true},
			}}
			if tt.of != nil {
				tt.of(of)
			}
			req := &request{Spec: tt.spec}
			req.Location, req.Restore = "europe-west3", &driver.Restore{Follows: true, Source: driver.ParentRef{Name: "orders"}}
			err := primaryRefusal(req, &instance{DatabaseInstance: of})
			switch {
			case tt.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.says != "" && (driver.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says)):
				t.Errorf("got %v (%v), want %v: %q", err, driver.CodeOf(err), tt.code, tt.says)
			}
		})
	}
}

func TestFollowing(t *testing.T) {
	for name, want := range map[string]*driver.Following{"": nil, "acme:orders": {Primary: "orders"}, "example.com:acme:orders": {Primary: "orders"}, "orders": {Primary: "orders"}} {
		if diff := cmp.Diff(want, following(&instance{DatabaseInstance: &sqladmin.DatabaseInstance{MasterInstanceName: name}})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
	all := followers(&instance{DatabaseInstance: &sqladmin.DatabaseInstance{ReplicaNames: []string{"second", "first"}}})
	if diff := cmp.Diff([]string{"first", "second"}, all); diff != "" {
		t.Errorf("followers (-want +got):\n%s", diff)
	}
}

// Each field of the table is withheld from a replica for a reason that is documented, or is no other than that of any server.
func TestWithheldOfReplica(t *testing.T) {
	want := map[string]bool{driver.FieldUsername: true, driver.FieldPowerState: true, "version": true, "databaseName": true, "gcp.edition": true, "gcp.retainBackupsOnDelete": true, "gcp.maintenanceTrack": true}
	for _, row := range fields.Docs() {
		for _, block := range []string{"backup.", "maintenance.", "gcp.denyMaintenancePeriod.", "gcp.passwordValidationPolicy."} {
			if strings.HasPrefix(row.Field, block) {
				want[row.Field] = true
			}
		}
		if got := withheldOfReplica(nil, nil, driver.Change{Field: row.Field}); got != want[row.Field] {
			t.Errorf("%s is withheld: %t", row.Field, got)
		}
	}
	if len(want) < 15 {
		t.Errorf("the table has few fields that a replica can't have: %v", want)
	}
}
