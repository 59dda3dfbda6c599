package sql_test

import (
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func TestSQLInstanceLifecycle(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Create: 10 * time.Minute, Modify: time.Minute, Delete: 5 * time.Minute}})
	_, err := g.SQL.Instances.Get("acme", "orders").Do()
	sdk.WantGCP(t, err, 404, "instanceDoesNotExist")

	op, err := g.SQL.Instances.Insert("acme", sdk.Orders()).Do()
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.SQL.Instances.Insert("acme", sdk.Orders()).Do()
	sdk.WantGCP(t, err, 409, "instanceAlreadyExists")
	_, err = g.SQL.Databases.List("acme", "orders").Do()
	sdk.WantGCP(t, err, 400, "invalid")
	steps := []struct {
		after         time.Duration
		status, state string
	}{
		{0, "PENDING", "PENDING_CREATE"},
		{time.Minute, "RUNNING", "PENDING_CREATE"},
		{9*time.Minute - 1, "RUNNING", "PENDING_CREATE"},
		{1, "DONE", "RUNNABLE"},
	}
	for _, step := range steps {
		g.Clock.Advance(step.after)
		if op, err = g.SQL.Operations.Get("acme", op.Name).Do(); err != nil || op.Status != step.status {
			t.Fatalf("operation is %v, %v, want %s", op, err, step.status)
		}
		in := g.Orders(t)
		if in.State != step.state {
			t.Fatalf("instance is %s, want %s", in.State, step.state)
		}
		if ready := in.State == "RUNNABLE"; ready != (len(in.IpAddresses) == 1) || in.RootPassword != "" {
			t.Fatalf("state %s, addresses %v, password %q", in.State, in.IpAddresses, in.RootPassword)
		}
	}

	op, err = g.SQL.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do()
	if err != nil || op.Status != "PENDING" {
		t.Fatalf("operation is %v, %v", op, err)
	}
	_, err = g.SQL.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "pw"}).Do()
	sdk.WantGCP(t, err, 409, "operationInProgress")
	_, err = g.SQL.Databases.Get("acme", "orders", "shop").Do()
	sdk.WantGCP(t, err, 404, "")
	g.Clock.Advance(time.Minute)
	_, err = g.SQL.Databases.Get("acme", "orders", "shop").Do()
	sdk.WantGCP(t, err, 0, "")
	_, err = g.SQL.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do()
	sdk.WantGCP(t, err, 400, "invalid")
	_, err = g.SQL.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "pw"}).Do()
	sdk.WantGCP(t, err, 0, "")
	g.Clock.Advance(time.Minute)
	_, err = g.SQL.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "pw"}).Do()
	sdk.WantGCP(t, err, 409, "userAlreadyExists")
	users, err := g.SQL.Users.List("acme", "orders").Do()
	if err != nil || len(users.Items) != 2 || users.Items[0].Name != "postgres" || users.Items[1].Password != "" {
		t.Fatalf("users are %v, %v", users, err)
	}
	_, err = g.SQL.Users.Update("acme", "orders", &sqladmin.User{Password: "new"}).Name("nobody").Do()
	sdk.WantGCP(t, err, 404, "")
	_, err = g.SQL.Users.Update("acme", "orders", &sqladmin.User{Password: "new"}).Name("postgres").Do()
	sdk.WantGCP(t, err, 0, "")
	g.Clock.Advance(time.Minute)
	_, err = g.SQL.Users.Delete("acme", "orders").Name("app").Do()
	sdk.WantGCP(t, err, 0, "")
	g.Clock.Advance(time.Minute)
	_, err = g.SQL.Users.Get("acme", "orders", "app").Do()
	sdk.WantGCP(t, err, 404, "")
	_, err = g.SQL.Databases.Delete("acme", "orders", "shop").Do()
	sdk.WantGCP(t, err, 0, "")
	g.Clock.Advance(time.Minute)
	_, err = g.SQL.Databases.Get("acme", "orders", "shop").Do()
	sdk.WantGCP(t, err, 404, "")

	if _, err = g.SQL.Instances.Delete("acme", "orders").Do(); err != nil {
		t.Fatal(err)
	}
	if in := g.Orders(t); in.State != "PENDING_DELETE" {
		t.Fatalf("instance is %s", in.State)
	}
	g.Clock.Advance(5 * time.Minute)
	_, err = g.SQL.Instances.Get("acme", "orders").Do()
	sdk.WantGCP(t, err, 404, "instanceDoesNotExist")
	ops, err := g.SQL.Operations.List("acme").Instance("orders").Do()
	if err != nil || len(ops.Items) != 7 || ops.Items[0].OperationType != "DELETE" || ops.Items[0].Status != "DONE" {
		t.Fatalf("operations are %v, %v", ops, err)
	}
}

func TestSQLDefaults(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Create(t, sdk.Orders())
	in := g.Orders(t)
	s := in.Settings
	got := fmt.Sprint(s.ActivationPolicy, s.AvailabilityType, s.DataDiskSizeGb, s.DataDiskType, *s.StorageAutoResize, s.DeletionProtectionEnabled,
		s.BackupConfiguration.Enabled, s.BackupConfiguration.TransactionLogRetentionDays, s.IpConfiguration.Ipv4Enabled, s.SettingsVersion)
	if want := "ALWAYSZONAL10PD_SSDtrue false false 7 true 1"; got != want {
		t.Errorf("settings are %s, want %s", got, want)
	}
	if in.ConnectionName != "acme:europe-west1:orders" || in.CreateTime != "2026-05-04T03:02:01.000Z" || in.IpAddresses[0].Type != "PRIMARY" {
		t.Errorf("instance is %+v", in)
	}
	connection, err := net.Dial("tcp", net.JoinHostPort(in.IpAddresses[0].IpAddress, "5432"))
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close()
}

// windowAt has an instance maintained from an hour of a weekday.
func windowAt(day, hour int64) func(*sqladmin.DatabaseInstance) {
	return func(in *sqladmin.DatabaseInstance) {
		in.Settings.MaintenanceWindow = &sqladmin.MaintenanceWindow{Day: day, Hour: hour, ForceSendFields: []string{"Hour"}}
	}
}

func TestSQLInsertRules(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{InstanceQuota: -1})
	tests := []struct {
		name   string
		change func(in *sqladmin.DatabaseInstance)
		want   int
	}{
		{"plain", func(*sqladmin.DatabaseInstance) {}, 0},
		{"name in upper case", func(in *sqladmin.DatabaseInstance) { in.Name = "Orders" }, 400},
		{"name begins with a digit", func(in *sqladmin.DatabaseInstance) { in.Name = "1orders" }, 400},
		{"name ends with a hyphen", func(in *sqladmin.DatabaseInstance) { in.Name = "orders-" }, 400},
		{"longest name", func(in *sqladmin.DatabaseInstance) { in.Name = strings.Repeat("x", 98-len("acme:")) }, 0},
		{"name too long", func(in *sqladmin.DatabaseInstance) { in.Name = strings.Repeat("x", 99-len("acme:")) }, 400},
		{"unknown version", func(in *sqladmin.DatabaseInstance) { in.DatabaseVersion = "POSTGRES_99" }, 400},
		{"unknown engine", func(in *sqladmin.DatabaseInstance) { in.DatabaseVersion = "ORACLE_19" }, 400},
		{"unknown region", func(in *sqladmin.DatabaseInstance) { in.Region = "eu-west-1" }, 400},
		{"no tier", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "" }, 400},
		{"no settings", func(in *sqladmin.DatabaseInstance) { in.Settings = nil }, 400},
		{"custom tier", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "db-custom-2-7680" }, 0},
		{"odd number of processors", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "db-custom-3-11520" }, 400},
		{"memory not a multiple of 256", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "db-custom-2-7681" }, 400},
		{"too little memory", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "db-custom-1-1024" }, 400},
		{"too much memory", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "db-custom-1-7168" }, 400},
		{"tier of RDS", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "db.t4g.micro" }, 400},
		{"plus tier without its edition", func(in *sqladmin.DatabaseInstance) { in.Settings.Tier = "db-perf-optimized-N-2" }, 400},
		{"plus tier", func(in *sqladmin.DatabaseInstance) {
			in.Settings.Tier, in.Settings.Edition = "db-perf-optimized-N-2", "ENTERPRISE_PLUS"
		}, 0},
		{"small tier in plus edition", func(in *sqladmin.DatabaseInstance) { in.Settings.Edition = "ENTERPRISE_PLUS" }, 400},
		{"plus is the default from 16 on", func(in *sqladmin.DatabaseInstance) { in.Settings.Edition = "" }, 400},
		{"and not before", func(in *sqladmin.DatabaseInstance) { in.Settings.Edition, in.DatabaseVersion = "", "POSTGRES_15" }, 0},
		{"small disk", func(in *sqladmin.DatabaseInstance) { in.Settings.DataDiskSizeGb = 9 }, 400},
		{"large disk on a shared core", func(in *sqladmin.DatabaseInstance) { in.Settings.DataDiskSizeGb = 4000 }, 400},
		{"label", func(in *sqladmin.DatabaseInstance) { in.Settings.UserLabels["Team"] = "x" }, 400},
		{"key elsewhere", func(in *sqladmin.DatabaseInstance) {
			in.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: "projects/p/locations/us-east1/keyRings/r/cryptoKeys/k"}
		}, 400},
		{"key", func(in *sqladmin.DatabaseInstance) {
			in.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: "projects/p/locations/europe-west1/keyRings/r/cryptoKeys/k"}
		}, 0},
		{"recovery without backups", func(in *sqladmin.DatabaseInstance) {
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{PointInTimeRecoveryEnabled: true}
		}, 400},
		{"binary log with PostgreSQL", func(in *sqladmin.DatabaseInstance) {
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, BinaryLogEnabled: true}
		}, 400},
		{"logs kept for too long", func(in *sqladmin.DatabaseInstance) {
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{TransactionLogRetentionDays: 8}
		}, 400},
		{"fewer backups than days of logs", func(in *sqladmin.DatabaseInstance) {
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: 6}}
		}, 400},
		{"as many", func(in *sqladmin.DatabaseInstance) {
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: 7}}
		}, 0},
		{"fewer backups than Plus keeps logs", func(in *sqladmin.DatabaseInstance) {
			in.Settings.Tier, in.Settings.Edition = "db-perf-optimized-N-2", "ENTERPRISE_PLUS"
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: 7}}
		}, 400},
		{"start time", func(in *sqladmin.DatabaseInstance) {
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{StartTime: "25:00"}
		}, 400},
		{"maintenance on Sunday at midnight", windowAt(7, 0), 0},
		{"maintenance on an eighth day", windowAt(8, 0), 400},
		{"maintenance at 24 o'clock", windowAt(1, 24), 400},
		{"connectors required", func(in *sqladmin.DatabaseInstance) { in.Settings.ConnectorEnforcement = "REQUIRED" }, 0},
		{"connectors unspecified", func(in *sqladmin.DatabaseInstance) {
			in.Settings.ConnectorEnforcement = "CONNECTOR_ENFORCEMENT_UNSPECIFIED"
		}, 400},
		{"regional without backups", func(in *sqladmin.DatabaseInstance) { in.Settings.AvailabilityType = "REGIONAL" }, 400},
		{"regional", func(in *sqladmin.DatabaseInstance) {
			in.Settings.AvailabilityType = "REGIONAL"
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, PointInTimeRecoveryEnabled: true}
		}, 0},
		{"no address at all", func(in *sqladmin.DatabaseInstance) {
			in.Settings.IpConfiguration = &sqladmin.IpConfiguration{ForceSendFields: []string{"Ipv4Enabled"}}
		}, 400},
		{"malformed network", func(in *sqladmin.DatabaseInstance) {
			in.Settings.IpConfiguration = &sqladmin.IpConfiguration{Ipv4Enabled: true, AuthorizedNetworks: []*sqladmin.AclEntry{{Value: "10.0.0.1/8"}}}
		}, 400},
	}
	for i, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := sdk.Orders()
			in.Name = fmt.Sprintf("orders-%d", i)
			test.change(in)
			_, err := g.SQL.Instances.Insert("acme", in).Do()
			sdk.WantGCP(t, err, test.want, "")
		})
	}
}

func TestSQLPatch(t *testing.T) {
	settings := func(s sqladmin.Settings) *sqladmin.DatabaseInstance { return &sqladmin.DatabaseInstance{Settings: &s} }
	tests := []struct {
		name   string
		patch  *sqladmin.DatabaseInstance
		want   int
		reason string
		during string // the state while the operation is under way
		check  func(in *sqladmin.DatabaseInstance) bool
	}{
		{"tier", settings(sqladmin.Settings{Tier: "db-g1-small"}), 0, "", "MAINTENANCE", func(in *sqladmin.DatabaseInstance) bool { return in.Settings.Tier == "db-g1-small" }},
		{"disk grows", settings(sqladmin.Settings{DataDiskSizeGb: 30}), 0, "", "RUNNABLE", func(in *sqladmin.DatabaseInstance) bool { return in.Settings.DataDiskSizeGb == 30 }},
		{"disk shrinks", settings(sqladmin.Settings{DataDiskSizeGb: 10}), 400, "invalid", "", nil},
		{"label added", settings(sqladmin.Settings{UserLabels: map[string]string{"a": "b"}}), 0, "", "RUNNABLE", func(in *sqladmin.DatabaseInstance) bool {
			return len(in.Settings.UserLabels) == 2
		}},
		{"label removed", settings(sqladmin.Settings{UserLabels: map[string]string{}, ForceSendFields: []string{"UserLabels"}, NullFields: []string{"UserLabels.team"}}), 0, "", "RUNNABLE", func(in *sqladmin.DatabaseInstance) bool {
			return len(in.Settings.UserLabels) == 0
		}},
		{"list replaced", settings(sqladmin.Settings{DatabaseFlags: []*sqladmin.DatabaseFlags{{Name: "work_mem", Value: "4096"}}}), 0, "", "MAINTENANCE", func(in *sqladmin.DatabaseInstance) bool {
			return len(in.Settings.DatabaseFlags) == 1 && in.Settings.DatabaseFlags[0].Name == "work_mem"
		}},
		{"false is sent on purpose", settings(sqladmin.Settings{DeletionProtectionEnabled: false, ForceSendFields: []string{"DeletionProtectionEnabled"}}), 0, "", "RUNNABLE", func(in *sqladmin.DatabaseInstance) bool {
			return !in.Settings.DeletionProtectionEnabled
		}},
		{"false is dropped otherwise", settings(sqladmin.Settings{DeletionProtectionEnabled: false}), 0, "", "RUNNABLE", func(in *sqladmin.DatabaseInstance) bool {
			return in.Settings.DeletionProtectionEnabled
		}},
		{"backup time is normalised", settings(sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{StartTime: "3:30"}}), 0, "", "RUNNABLE", func(in *sqladmin.DatabaseInstance) bool {
			return in.Settings.BackupConfiguration.StartTime == "03:30" && in.Settings.BackupConfiguration.Enabled
		}},
		{"upgrade", &sqladmin.DatabaseInstance{DatabaseVersion: "POSTGRES_17"}, 0, "", "MAINTENANCE", func(in *sqladmin.DatabaseInstance) bool {
			return in.DatabaseVersion == "POSTGRES_17" && strings.HasPrefix(in.DatabaseInstalledVersion, "POSTGRES_17") && in.Settings.Edition == "ENTERPRISE"
		}},
		{"downgrade", &sqladmin.DatabaseInstance{DatabaseVersion: "POSTGRES_15"}, 400, "invalid", "", nil},
		{"other engine", &sqladmin.DatabaseInstance{DatabaseVersion: "MYSQL_8_4"}, 400, "invalid", "", nil},
		{"other region", &sqladmin.DatabaseInstance{Region: "europe-west3"}, 400, "invalid", "", nil},
		{"other disk type", settings(sqladmin.Settings{DataDiskType: "PD_HDD"}), 400, "invalid", "", nil},
		{"right version", settings(sqladmin.Settings{SettingsVersion: 1, Tier: "db-g1-small"}), 0, "", "MAINTENANCE", func(in *sqladmin.DatabaseInstance) bool {
			return in.Settings.SettingsVersion == 2
		}},
		{"stale version", settings(sqladmin.Settings{SettingsVersion: 7, Tier: "db-g1-small"}), 412, "staleData", "", nil},
		{"root password", &sqladmin.DatabaseInstance{RootPassword: "x"}, 400, "invalid", "", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Modify: time.Minute}})
			in := sdk.Orders()
			in.Settings.DataDiskSizeGb, in.Settings.DeletionProtectionEnabled = 20, true
			in.Settings.DatabaseFlags = []*sqladmin.DatabaseFlags{{Name: "max_connections", Value: "50"}, {Name: "log_connections", Value: "on"}}
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true}
			g.Create(t, in)
			before := g.Orders(t)
			op, err := g.SQL.Instances.Patch("acme", "orders", test.patch).Do()
			sdk.WantGCP(t, err, test.want, test.reason)
			if test.want != 0 {
				return
			}
			during := g.Orders(t)
			if during.State != test.during || during.Settings.SettingsVersion != 1 || during.Settings.Tier != before.Settings.Tier {
				t.Errorf("during the operation: %s, version %d, tier %s", during.State, during.Settings.SettingsVersion, during.Settings.Tier)
			}
			_, err = g.SQL.Instances.Patch("acme", "orders", test.patch).Do()
			sdk.WantGCP(t, err, 409, "operationInProgress")
			g.Clock.Advance(time.Minute)
			after := g.Orders(t)
			if !test.check(after) || after.State != "RUNNABLE" || after.Settings.SettingsVersion != 2 || after.Etag == before.Etag {
				t.Errorf("afterwards: %+v %+v", after, after.Settings)
			}
			if op, err = g.SQL.Operations.Get("acme", op.Name).Do(); err != nil || op.Status != "DONE" || op.Error != nil {
				t.Errorf("operation is %+v, %v", op, err)
			}
		})
	}
}

func TestSQLUpdateReplaces(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Create(t, sdk.Orders())
	in := sdk.Orders()
	in.RootPassword, in.Settings.UserLabels = "", nil
	_, err := g.SQL.Instances.Update("acme", "orders", in).Do()
	sdk.WantGCP(t, err, 400, "invalid") // no version
	in.Settings.SettingsVersion = 1
	_, err = g.SQL.Instances.Update("acme", "orders", in).Do()
	sdk.WantGCP(t, err, 0, "")
	if after := g.Orders(t); len(after.Settings.UserLabels) != 0 {
		t.Errorf("labels are %v", after.Settings.UserLabels)
	}
}

func TestSQLStop(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Create(t, sdk.Orders())
	for _, step := range []struct {
		policy string
		want   int
	}{{"NEVER", 400}, {"ALWAYS", 0}} {
		_, err := g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ActivationPolicy: step.policy}}).Do()
		sdk.WantGCP(t, err, 0, "")
		if in := g.Orders(t); in.State != "RUNNABLE" { // as the API's reference says: running, or stopped by its owner
			t.Errorf("state is %s", in.State)
		}
		_, err = g.SQL.Databases.List("acme", "orders").Do()
		sdk.WantGCP(t, err, step.want, "")
		connection, err := net.Dial("tcp", net.JoinHostPort(g.Orders(t).IpAddresses[0].IpAddress, "5432"))
		if (err == nil) != (step.want == 0) {
			t.Errorf("policy %s: connection %v", step.policy, err)
		}
		if err == nil {
			_ = connection.Close()
		}
	}
	_, err := g.SQL.Instances.Restart("acme", "orders").Do()
	sdk.WantGCP(t, err, 0, "")
	if in := g.Orders(t); in.State != "RUNNABLE" {
		t.Errorf("state is %s", in.State)
	}
}

// In a failover an instance and its standby change places, and so do the zones that they prefer. Nothing else changes.
func TestSQLFailover(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Create(t, sdk.Orders())
	failOver := func(version int64) error {
		_, err := g.SQL.Instances.Failover("acme", "orders", &sqladmin.InstancesFailoverRequest{FailoverContext: &sqladmin.FailoverContext{SettingsVersion: version}}).Do()
		return err
	}
	sdk.WantGCP(t, failOver(g.Orders(t).Settings.SettingsVersion), 400, "")
	_, err := g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{
		AvailabilityType: "REGIONAL", BackupConfiguration: &sqladmin.BackupConfiguration{Enabled: true, PointInTimeRecoveryEnabled: true},
	}}).Do()
	sdk.WantGCP(t, err, 0, "")
	before := g.Orders(t)
	sdk.WantGCP(t, failOver(before.Settings.SettingsVersion+1), 412, "staleData")
	sdk.WantGCP(t, failOver(before.Settings.SettingsVersion), 0, "")
	after := g.Orders(t)
	if after.GceZone != before.SecondaryGceZone || after.SecondaryGceZone != before.GceZone || after.GceZone == before.GceZone || after.State != "RUNNABLE" {
		t.Errorf("was in %s and %s, is %s in %s and %s", before.GceZone, before.SecondaryGceZone, after.State, after.GceZone, after.SecondaryGceZone)
	}
	if p := after.Settings.LocationPreference; p.Zone != after.GceZone || p.SecondaryZone != after.SecondaryGceZone {
		t.Errorf("is in %s and %s, and prefers %+v", after.GceZone, after.SecondaryGceZone, p)
	}
	before.Settings.LocationPreference = after.Settings.LocationPreference
	if !reflect.DeepEqual(after.Settings, before.Settings) {
		t.Errorf("other settings changed: %+v", after.Settings)
	}
	sdk.WantGCP(t, failOver(after.Settings.SettingsVersion), 0, "")
	if back := g.Orders(t).GceZone; back != before.GceZone {
		t.Errorf("after another failover it is in %s, want %s", back, before.GceZone)
	}
}

func TestSQLMySQL(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	in := sdk.Orders()
	in.DatabaseVersion = "MYSQL_8_0"
	g.Create(t, in)
	users, err := g.SQL.Users.List("acme", "orders").Do()
	if err != nil || len(users.Items) != 1 || users.Items[0].Name != "root" || users.Items[0].Host != "%" {
		t.Fatalf("users are %v, %v", users, err)
	}
	_, err = g.SQL.Users.Update("acme", "orders", &sqladmin.User{Password: "x"}).Name("root").Host("%").Do()
	sdk.WantGCP(t, err, 0, "")
	_, err = g.SQL.Users.Update("acme", "orders", &sqladmin.User{Password: "x"}).Name("root").Host("10.0.0.1").Do()
	sdk.WantGCP(t, err, 404, "")
	_, err = g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{DatabaseVersion: "MYSQL_8_4"}).Do()
	sdk.WantGCP(t, err, 0, "")
}

func TestSQLFailLate(t *testing.T) {
	tests := []struct {
		operation string
		call      func(g *sdk.GCP) (*sqladmin.Operation, error)
		state     string
	}{
		{"instances.patch", func(g *sdk.GCP) (*sqladmin.Operation, error) {
			return g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{Tier: "db-g1-small"}}).Do()
		}, "RUNNABLE"},
		{"instances.delete", func(g *sdk.GCP) (*sqladmin.Operation, error) {
			return g.SQL.Instances.Delete("acme", "orders").EnableFinalBackup(true).Do()
		}, "RUNNABLE"},
		{"databases.insert", func(g *sdk.GCP) (*sqladmin.Operation, error) {
			return g.SQL.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do()
		}, "RUNNABLE"},
		{"users.insert", func(g *sdk.GCP) (*sqladmin.Operation, error) {
			return g.SQL.Users.Insert("acme", "orders", &sqladmin.User{Name: "app"}).Do()
		}, "RUNNABLE"},
		{"instances.insert", func(g *sdk.GCP) (*sqladmin.Operation, error) {
			in := sdk.Orders()
			in.Name = "second"
			return g.SQL.Instances.Insert("acme", in).Do()
		}, "FAILED"},
	}
	for _, test := range tests {
		t.Run(test.operation, func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Create: time.Minute, Modify: time.Minute, Delete: time.Minute, Snapshot: time.Minute}})
			g.Create(t, sdk.Orders())
			g.Orders(t)
			g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: test.operation}, Kind: localcloud.FailLate, Times: 1, Code: "STOCKOUT", Message: "none left"})
			op, err := test.call(g)
			if err != nil || op.Status != "PENDING" || op.Error != nil {
				t.Fatalf("operation is %+v, %v", op, err)
			}
			g.Clock.Advance(2 * time.Minute)
			if op, err = g.SQL.Operations.Get("acme", op.Name).Do(); err != nil || op.Status != "DONE" || op.Error == nil || len(op.Error.Errors) != 1 {
				t.Fatalf("operation is %+v, %v", op, err)
			}
			if e := op.Error.Errors[0]; e.Code != "STOCKOUT" || e.Message != "none left" {
				t.Errorf("it failed with %+v", e)
			}
			in, err := g.SQL.Instances.Get("acme", op.TargetId).Do()
			if err != nil || in.State != test.state || in.Settings.Tier != "db-f1-micro" {
				t.Fatalf("instance is %+v, %v", in, err)
			}
			if in.State == "FAILED" {
				_, err := g.SQL.Instances.Delete("acme", "second").EnableFinalBackup(true).Do()
				sdk.WantGCP(t, err, 400, "invalid")
				_, err = g.SQL.Instances.Patch("acme", "second", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{Tier: "db-g1-small"}}).Do()
				sdk.WantGCP(t, err, 409, "invalidState")
				_, err = g.SQL.Instances.Delete("acme", "second").Do()
				sdk.WantGCP(t, err, 0, "")
				return
			}
			databases, err := g.SQL.Databases.List("acme", "orders").Do()
			if err != nil || len(databases.Items) != 1 {
				t.Errorf("databases are %v, %v", databases, err)
			}
			backups, err := g.SQL.Backups.ListBackups("projects/acme").Do()
			if err != nil || slices.ContainsFunc(backups.Backups, func(b *sqladmin.Backup) bool { return b.State != "FAILED" }) {
				t.Errorf("backups are %v, %v", backups, err)
			}
			retried, err := test.call(g)
			if err != nil {
				t.Fatal(err)
			}
			g.Clock.Advance(2 * time.Minute)
			if op, err = g.SQL.Operations.Get("acme", retried.Name).Do(); err != nil || op.Status != "DONE" || op.Error != nil {
				t.Errorf("the second attempt: %+v, %v", op, err)
			}
		})
	}
}

func TestSQLFinalBackup(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Snapshot: 10 * time.Minute, Delete: time.Minute}})
	g.Create(t, sdk.Orders())
	g.Orders(t)
	_, err := g.SQL.Instances.Delete("acme", "orders").EnableFinalBackup(true).FinalBackupTtlDays(1000).Do()
	sdk.WantGCP(t, err, 400, "invalid")
	if _, err := g.SQL.Instances.Delete("acme", "orders").EnableFinalBackup(true).FinalBackupDescription("orders-final-1").FinalBackupTtlDays(40).Do(); err != nil {
		t.Fatal(err)
	}
	list := func(filter string) []*sqladmin.Backup {
		t.Helper()
		out, err := g.SQL.Backups.ListBackups("projects/acme").Filter(filter).Do()
		if err != nil {
			t.Fatal(err)
		}
		return out.Backups
	}
	all := list("instance:orders AND type:FINAL")
	if len(all) != 1 || all[0].State != "RUNNING" || all[0].Description != "orders-final-1" {
		t.Fatalf("backups are %+v", all)
	}
	if n := len(list("instance:other")); n != 0 {
		t.Errorf("the filter lets %d pass", n)
	}
	g.Clock.Advance(10 * time.Minute)
	if in := g.Orders(t); in.State != "PENDING_DELETE" {
		t.Errorf("state is %s", in.State)
	}
	g.Clock.Advance(time.Minute)
	_, err = g.SQL.Instances.Get("acme", "orders").Do()
	sdk.WantGCP(t, err, 404, "")
	b, err := g.SQL.Backups.GetBackup(all[0].Name).Do()
	if err != nil || b.State != "SUCCESSFUL" || b.InstanceDeletionTime == "" || b.ExpiryTime != "2026-06-13T03:02:01.000Z" || b.InstanceSettings.Settings.Tier != "db-f1-micro" {
		t.Fatalf("backup is %+v, %v", b, err)
	}
	g.Clock.Advance(40 * 24 * time.Hour)
	_, err = g.SQL.Backups.GetBackup(all[0].Name).Do()
	sdk.WantGCP(t, err, 404, "")
}

func TestSQLBackupRuns(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Snapshot: time.Minute}})
	g.Create(t, sdk.Orders())
	if _, err := g.SQL.BackupRuns.Insert("acme", "orders", &sqladmin.BackupRun{Description: "by hand"}).Do(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"RUNNING", "SUCCESSFUL"} {
		runs, err := g.SQL.BackupRuns.List("acme", "orders").Do()
		if err != nil || len(runs.Items) != 1 || runs.Items[0].Status != want {
			t.Fatalf("runs are %v, %v, want %s", runs, err, want)
		}
		g.Clock.Advance(time.Minute)
	}
}

// Backups go with their instance, unless it retains them: then the project has them.
func TestSQLRetainedBackups(t *testing.T) {
	for retain, want := range map[bool]int{false: 0, true: 1} {
		g := sdk.StartGCP(t, localcloud.Options{})
		in := sdk.Orders()
		in.Settings.RetainBackupsOnDelete = retain
		g.Create(t, in)
		if _, err := g.SQL.BackupRuns.Insert("acme", "orders", &sqladmin.BackupRun{Description: "by hand"}).Do(); err != nil {
			t.Fatal(err)
		}
		if in := g.Orders(t); in.Settings.RetainBackupsOnDelete != retain {
			t.Errorf("the instance shows %t, want %t", in.Settings.RetainBackupsOnDelete, retain)
		}
		if _, err := g.SQL.Instances.Delete("acme", "orders").Do(); err != nil {
			t.Fatal(err)
		}
		g.Clock.Advance(400 * 24 * time.Hour)
		out, err := g.SQL.Backups.ListBackups("projects/acme").Filter("instance:orders").Do()
		if err != nil || len(out.Backups) != want {
			t.Fatalf("retained %t: backups are %+v, %v", retain, out, err)
		}
		for _, b := range out.Backups {
			if b.State != "SUCCESSFUL" || b.Type != "ON_DEMAND" || b.Description != "by hand" || b.InstanceDeletionTime == "" {
				t.Errorf("the backup is %+v", b)
			}
		}
	}
}

func TestSQLDeletionIsGuarded(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{NameReserved: 7 * 24 * time.Hour}})
	in := sdk.Orders()
	in.Settings.DeletionProtectionEnabled = true
	g.Create(t, in)
	_, err := g.SQL.Instances.Delete("acme", "orders").Do()
	sdk.WantGCP(t, err, 400, "invalid")
	patch := &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ForceSendFields: []string{"DeletionProtectionEnabled"}}}
	_, err = g.SQL.Instances.Patch("acme", "orders", patch).Do()
	sdk.WantGCP(t, err, 0, "")
	_, err = g.SQL.Instances.Delete("acme", "orders").Do()
	sdk.WantGCP(t, err, 0, "")
	_, err = g.SQL.Instances.Insert("acme", sdk.Orders()).Do()
	sdk.WantGCP(t, err, 409, "instanceAlreadyExists")
	g.Clock.Advance(7 * 24 * time.Hour)
	_, err = g.SQL.Instances.Insert("acme", sdk.Orders()).Do()
	sdk.WantGCP(t, err, 0, "")
}

func TestSQLListAndQuota(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{InstanceQuota: 3})
	for i := range 4 {
		in := sdk.Orders()
		in.Name = fmt.Sprintf("db-%d", i)
		_, err := g.SQL.Instances.Insert("acme", in).Do()
		if i < 3 {
			sdk.WantGCP(t, err, 0, "")
		} else {
			sdk.WantGCP(t, err, 403, "errorMaxInstancePerLabel")
		}
	}
	first, err := g.SQL.Instances.List("acme").MaxResults(2).Do()
	if err != nil || len(first.Items) != 2 || first.NextPageToken == "" {
		t.Fatalf("first page is %v, %v", first, err)
	}
	second, err := g.SQL.Instances.List("acme").MaxResults(2).PageToken(first.NextPageToken).Do()
	if err != nil || len(second.Items) != 1 || second.NextPageToken != "" {
		t.Fatalf("second page is %v, %v", second, err)
	}
	for filter, want := range map[string]int{
		"settings.userLabels.team:shop": 3, "settings.userLabels.team:other": 0, "name:db-1": 1,
		"state:RUNNABLE AND name:db-2": 1, "state:RUNNABLE region:us-east1": 0,
	} {
		out, err := g.SQL.Instances.List("acme").Filter(filter).Do()
		if err != nil || len(out.Items) != want {
			t.Errorf("filter %q: %d, %v, want %d", filter, len(out.Items), err, want)
		}
	}
}

func TestSQLFaults(t *testing.T) {
	for kind, want := range map[localcloud.FaultKind]struct {
		status int
		reason string
	}{
		localcloud.Throttled: {429, "rateLimitExceeded"}, localcloud.ServerError: {500, "backendError"},
		localcloud.Denied: {403, "notAuthorized"}, localcloud.Conflict: {409, "operationInProgress"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{})
			g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "sqladmin", Resource: "orders"}, Kind: kind, Times: 1})
			_, err := g.SQL.Instances.Insert("acme", sdk.Orders()).Do()
			sdk.WantGCP(t, err, want.status, want.reason)
			_, err = g.SQL.Instances.Get("acme", "orders").Do()
			sdk.WantGCP(t, err, 404, "instanceDoesNotExist")
			if calls := g.Ledger.Calls(localcloud.Filter{Operation: "instances.insert"}); len(calls) != 1 || calls[0].Committed || calls[0].Code != want.reason {
				t.Errorf("ledger has %+v", calls)
			}
		})
	}
}

func TestSQLStaleReads(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Create(t, sdk.Orders())
	stale := func() func() {
		return g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Service: "sqladmin", Write: localcloud.Reads}, Kind: localcloud.Stale})
	}
	lift := stale()
	_, err := g.SQL.Instances.Get("acme", "orders").Do()
	sdk.WantGCP(t, err, 404, "instanceDoesNotExist")
	list, err := g.SQL.Instances.List("acme").Do()
	if err != nil || len(list.Items) != 0 {
		t.Errorf("list is %v, %v", list.Items, err)
	}
	lift()
	patch := &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{Tier: "db-g1-small"}}
	op, err := g.SQL.Instances.Patch("acme", "orders", patch).Do()
	sdk.WantGCP(t, err, 0, "")
	lift = stale()
	if in := g.Orders(t); in.Settings.Tier != "db-f1-micro" || in.State != "RUNNABLE" {
		t.Errorf("tier is %s, state %s", in.Settings.Tier, in.State)
	}
	_, err = g.SQL.Operations.Get("acme", op.Name).Do()
	sdk.WantGCP(t, err, 404, "operationDoesNotExist")
	lift()
	_, err = g.SQL.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do()
	sdk.WantGCP(t, err, 0, "")
	lift = stale()
	_, err = g.SQL.Databases.Get("acme", "orders", "shop").Do()
	sdk.WantGCP(t, err, 404, "")
	_, err = g.SQL.Databases.Get("acme", "orders", "postgres").Do()
	sdk.WantGCP(t, err, 0, "")
	lift()
	if in := g.Orders(t); in.Settings.Tier != "db-g1-small" {
		t.Errorf("tier is %s", in.Settings.Tier)
	}
	if n := g.Ledger.Count(localcloud.Filter{Operation: "operations.get", Account: "acme", Resource: "orders"}); n != 1 {
		t.Errorf("the ledger counts %d looks at an operation of orders", n)
	}
}

func TestSQLRates(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{RateLimits: true})
	for range 180 {
		_, err := g.SQL.Instances.List("acme").Do()
		sdk.WantGCP(t, err, 0, "")
	}
	_, err := g.SQL.Instances.List("acme").Do()
	sdk.WantGCP(t, err, 429, "rateLimitExceeded")
	g.Clock.Advance(time.Second)
	_, err = g.SQL.Instances.List("acme").Do()
	sdk.WantGCP(t, err, 0, "")
}

// TestSQLServer goes the whole way to a real server: what the API says is what a client needs.
func TestSQLServer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		engine, version, admin string
		port                   int
		query                  func(t *testing.T, at check.Server, user, password, database, sql string) (string, error)
		plain                  func(t *testing.T, at check.Server, user, password string) bool
	}{
		{"postgres", "POSTGRES_16", "postgres", 5432, func(t *testing.T, at check.Server, user, password, database, sql string) (string, error) {
			return check.DialPostgres(t, at, "", user, password, database, sql)
		}, check.PlainPostgres},
		{"mysql", "MYSQL_8_0", "root", 3306, func(t *testing.T, at check.Server, user, password, database, sql string) (string, error) {
			return check.DialMySQL(t, at, "", user, password, database, sql)
		}, check.PlainMariaDB},
	} {
		t.Run(test.engine, func(t *testing.T) {
			t.Parallel()
			check.Available(t, engine.Available(test.engine))
			cloud, err := localcloud.Start(localcloud.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := cloud.Close(); err != nil {
					t.Error(err)
				}
			}()
			_, sql, _ := (&sdk.GCP{Cloud: cloud}).Clients(t, "acme")
			done := sdk.DoneIn(t, cloud, sql)
			in := sdk.Orders()
			in.DatabaseVersion = test.version
			done(sql.Instances.Insert("acme", in).Do())
			got, err := sql.Instances.Get("acme", "orders").Do()
			if err != nil || got.State != "RUNNABLE" || got.ServerCaCert == nil {
				t.Fatalf("instance is %+v, %v", got, err)
			}
			server := check.Server{Host: got.IpAddresses[0].IpAddress, Port: test.port, CA: got.ServerCaCert.Cert}
			login := func(user, password, database string, want bool) {
				t.Helper()
				said, err := test.query(t, server, user, password, database, "SELECT 41+1")
				if (err == nil && said == "42") != want {
					t.Errorf("%s with %q: %q, %v, want success %v", user, password, said, err, want)
				}
			}
			login(test.admin, "s3cret", "", true)
			login(test.admin, "wrong", "", false)
			done(sql.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do())
			done(sql.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "first"}).Do())
			login("app", "first", "shop", true)
			done(sql.Users.Update("acme", "orders", &sqladmin.User{Password: "second"}).Name("app").Do())
			login("app", "first", "shop", false)
			login("app", "second", "shop", true)
			stop := func(policy string) *sqladmin.DatabaseInstance {
				return &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{ActivationPolicy: policy}}
			}
			done(sql.Instances.Patch("acme", "orders", stop("NEVER")).Do())
			login("app", "second", "shop", false)
			done(sql.Instances.Patch("acme", "orders", stop("ALWAYS")).Do())
			login("app", "second", "shop", true)
			mode := func(mode string) *sqladmin.DatabaseInstance {
				return &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{SslMode: mode}}}
			}
			plain := func(want bool) {
				t.Helper()
				check.Await(t, fmt.Sprintf("a connection without TLS: success %v", want), func() (bool, string) {
					return test.plain(t, server, "app", "second") == want, "the other way round"
				})
				login("app", "second", "shop", true)
			}
			plain(true)
			done(sql.Instances.Patch("acme", "orders", mode("ENCRYPTED_ONLY")).Do())
			plain(false)
			done(sql.Instances.Patch("acme", "orders", stop("NEVER")).Do())
			done(sql.Instances.Patch("acme", "orders", stop("ALWAYS")).Do())
			plain(false)
			done(sql.Instances.Patch("acme", "orders", mode("ALLOW_UNENCRYPTED_AND_ENCRYPTED")).Do())
			plain(true)
			done(sql.Users.Delete("acme", "orders").Name("app").Do())
			login("app", "second", "shop", false)
			done(sql.Instances.Delete("acme", "orders").Do())
			login(test.admin, "s3cret", "", false)
		})
	}
}
