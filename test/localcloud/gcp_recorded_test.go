package localcloud_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestSQLAsRecorded holds what recordings of Cloud SQL taught: what an instance shows beside what was asked for.
func TestSQLAsRecorded(t *testing.T) {
	for _, version := range []string{"POSTGRES_9_6", "MYSQL_5_7"} {
		g := sdk.StartGCP(t, localcloud.Options{})
		in := sdk.Orders()
		in.DatabaseVersion, in.Settings.Tier = version, "db-n1-standard-1"
		in.Settings.LocationPreference = &sqladmin.LocationPreference{Zone: "europe-west1-c"}
		g.Create(t, in)
		raw, err := json.Marshal(sqlOrders(t, g))
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		settings := got["settings"].(map[string]any)
		for path, pair := range map[string][2]any{
			"gceZone":                   {got["gceZone"], "europe-west1-c"},
			"satisfiesPzi":              {got["satisfiesPzi"], true},
			"sqlNetworkArchitecture":    {got["sqlNetworkArchitecture"], "NEW_NETWORK_ARCHITECTURE"},
			"authorizedNetworks":        {settings["ipConfiguration"].(map[string]any)["authorizedNetworks"], []any{}},
			"authorizedGaeApplications": {settings["authorizedGaeApplications"], []any{}},
			"transactionalLogStorageState": {settings["backupConfiguration"].(map[string]any)["transactionalLogStorageState"],
				"TRANSACTIONAL_LOG_STORAGE_STATE_UNSPECIFIED"},
		} {
			if fmt.Sprintf("%#v", pair[0]) != fmt.Sprintf("%#v", pair[1]) {
				t.Errorf("%s: %s is %#v, want %#v", version, path, pair[0], pair[1])
			}
		}
		_, err = g.SQL.Databases.Get("acme", "orders", "none").Do()
		sdk.WantGCP(t, err, 404, "notFound")
	}
}

// sqlOrders returns the resource as it is sent.
func sqlOrders(t *testing.T, g *sdk.GCP) (sent map[string]any) {
	t.Helper()
	if err := g.Send(t, "GET", "/v1/projects/acme/instances/orders", "", &sent); err != nil {
		t.Fatal(err)
	}
	return sent
}

// TestGCSAsRecorded holds what recordings of Cloud Storage taught.
func TestGCSAsRecorded(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	var b storage.Bucket
	for _, step := range []struct {
		name, method, path, body string
		want                     func() bool
	}{
		{"autoclass", "POST", "/storage/v1/b?project=acme", `{"name":"recorded","location":"US","autoclass":{"enabled":true}}`, func() bool {
			return b.Autoclass.TerminalStorageClass == "NEARLINE" && b.Autoclass.ToggleTime != "" && b.SoftDeletePolicy.EffectiveTime != ""
		}},
		{"a patch that changes nothing", "PATCH", "/storage/v1/b/recorded", `{}`, func() bool { return b.Metageneration == 1 }},
		{"without soft delete", "PATCH", "/storage/v1/b/recorded", `{"softDeletePolicy":{"retentionDurationSeconds":"0"}}`, func() bool {
			return b.SoftDeletePolicy.EffectiveTime == "" && b.Metageneration == 2
		}},
	} {
		b = storage.Bucket{}
		if err := g.Send(t, step.method, step.path, step.body, &b); err != nil || !step.want() {
			t.Errorf("%s: %+v, %v", step.name, b, err)
		}
	}
}

// TestSQLReplicaConfigurationAsRecorded holds that a configuration of replicas alone makes no replica: it is kept and shown.
func TestSQLReplicaConfigurationAsRecorded(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	in := sdk.Orders()
	in.DatabaseVersion, in.Settings.Tier = "MYSQL_5_7", "db-n1-standard-1"
	in.ReplicaConfiguration = &sqladmin.ReplicaConfiguration{MysqlReplicaConfiguration: &sqladmin.MySqlReplicaConfiguration{Username: "initial-user"}}
	g.Create(t, in)
	raw, err := json.Marshal(sqlOrders(t, g))
	if err != nil {
		t.Fatal(err)
	}
	var got sqladmin.DatabaseInstance
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.ReplicaConfiguration == nil || got.ReplicaConfiguration.MysqlReplicaConfiguration.Username != "initial-user" {
		t.Errorf("the configuration is %v", got.ReplicaConfiguration)
	}
}

// TestSQLReplicaAsRecorded is the life of a replica as a recording shows it: its operation is the primary's, it has root and takes its deletion, and no backups.
func TestSQLReplicaAsRecorded(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	in := sdk.Orders()
	in.DatabaseVersion, in.Settings.Tier, in.RootPassword = "MYSQL_5_7", "db-custom-1-3840", ""
	in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, BinaryLogEnabled: true}
	g.Create(t, in)
	check.Need(g.SQL.Users.Delete("acme", "orders").Name("root").Host("%").Do())(t)
	op := check.Need(g.SQL.Instances.Insert("acme", &sqladmin.DatabaseInstance{
		Name: "copy", InstanceType: "READ_REPLICA_INSTANCE", MasterInstanceName: "acme:orders", DatabaseVersion: "MYSQL_5_7", Region: "europe-west1",
		Settings: &sqladmin.Settings{Tier: "db-custom-1-3840", Edition: "ENTERPRISE", AvailabilityType: "ZONAL", DataDiskType: "PD_SSD"},
	}).Do())(t)
	if op.OperationType != "CREATE_REPLICA" || op.TargetId != "acme:orders" || op.Status != "PENDING" || !strings.HasSuffix(op.TargetLink, "/instances/acme:orders") {
		t.Errorf("the operation is %+v", op)
	}
	got := check.Need(g.SQL.Instances.Get("acme", "copy").Do())(t)
	b := got.Settings.BackupConfiguration
	if got.State != "RUNNABLE" || got.InstanceType != "READ_REPLICA_INSTANCE" || got.MasterInstanceName != "acme:orders" || got.ReplicaNames != nil || got.Settings.DataDiskSizeGb != 10 ||
		b.Enabled || b.BinaryLogEnabled || b.TransactionLogRetentionDays != 7 || b.BackupRetentionSettings.RetainedBackups != 7 ||
		b.TransactionalLogStorageState != "TRANSACTIONAL_LOG_STORAGE_STATE_UNSPECIFIED" {
		t.Errorf("the replica is %+v, its backups %+v", got, b)
	}
	if users := check.Need(g.SQL.Users.List("acme", "copy").Do())(t).Items; len(users) != 1 || users[0].Name != "root" || users[0].Instance != "copy" {
		t.Errorf("the users are %v", users)
	}
	if op := check.Need(g.SQL.Users.Delete("acme", "copy").Name("root").Host("%").Do())(t); op.OperationType != "DELETE_USER" || op.Status != "DONE" {
		t.Errorf("the operation is %+v", op)
	}
	if op := check.Need(g.SQL.Instances.Delete("acme", "copy").Do())(t); op.OperationType != "DELETE" || op.TargetId != "copy" {
		t.Errorf("the operation is %+v", op)
	}
	check.Need(g.SQL.Instances.Get("acme", "orders").Do())(t)
	check.Need(g.SQL.Instances.Delete("acme", "orders").Do())(t)
}
