package sql_test

import (
	"slices"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// restoreOf is a request to restore a backup.
func restoreOf(backup string, settings *sqladmin.DatabaseInstance) *sqladmin.InstancesRestoreBackupRequest {
	return &sqladmin.InstancesRestoreBackupRequest{Backup: backup, RestoreInstanceSettings: settings}
}

// TestSQLRestoreData restores an on-demand backup that its instance retained, and the final one: each has what was written before it, with the users and passwords.
func TestSQLRestoreData(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		engine, version, admin string
		port                   int
		query                  func(t *testing.T, at check.Server, user, password, database, sql string) (string, error)
	}{
		{"postgres", "POSTGRES_16", "postgres", 5432, func(t *testing.T, at check.Server, user, password, database, sql string) (string, error) {
			return check.DialPostgres(t, at, "", user, password, database, sql)
		}},
		{"mysql", "MYSQL_8_0", "root", 3306, func(t *testing.T, at check.Server, user, password, database, sql string) (string, error) {
			return check.DialMySQL(t, at, "", user, password, database, sql)
		}},
	} {
		t.Run(test.engine, func(t *testing.T) {
			t.Parallel()
			check.Available(t, engine.Available(test.engine))
			cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
			defer func() {
				if err := cloud.Close(); err != nil {
					t.Error(err)
				}
			}()
			_, sql, _ := (&sdk.GCP{Cloud: cloud}).Clients(t, "acme")
			done := sdk.DoneIn(t, cloud, sql)
			run := func(instance, user, password, query string) (string, error) {
				t.Helper()
				got := check.Need(sql.Instances.Get("acme", instance).Do())(t)
				return test.query(t, check.Server{Host: got.IpAddresses[0].IpAddress, Port: test.port, CA: got.ServerCaCert.Cert}, user, password, "shop", query)
			}
			in := sdk.Orders()
			in.DatabaseVersion, in.Settings.RetainBackupsOnDelete = test.version, true
			done(sql.Instances.Insert("acme", in).Do())
			done(sql.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do())
			done(sql.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "first"}).Do())
			check.Need(run("orders", "app", "first", "CREATE TABLE t (n int)"))(t)
			check.Need(run("orders", "app", "first", "INSERT INTO t VALUES (1)"))(t)
			done(sql.Backups.CreateBackup("projects/acme", &sqladmin.Backup{Instance: "orders"}).Do())
			check.Need(run("orders", "app", "first", "INSERT INTO t VALUES (2)"))(t)
			done(sql.Users.Update("acme", "orders", &sqladmin.User{Password: "second"}).Name("app").Do())
			done(sql.Instances.Delete("acme", "orders").EnableFinalBackup(true).Do())
			backups := check.Need(sql.Backups.ListBackups("projects/acme").Do())(t).Backups
			if len(backups) != 2 {
				t.Fatalf("backups are %+v", backups)
			}
			for _, b := range backups {
				name, password, rows := "restored-final", "second", "2"
				if b.Type == "ON_DEMAND" {
					name, password, rows = "restored", "first", "1"
				}
				done(sql.Instances.RestoreBackup("acme", name, restoreOf(b.Name, nil)).Do())
				if got, err := run(name, "app", password, "SELECT count(*) FROM t"); got != rows || err != nil {
					t.Errorf("%s has %q rows, want %s: %v", name, got, rows, err)
				}
				check.Need(run(name, test.admin, "s3cret", "SELECT 1"))(t)
				users := check.Need(sql.Users.List("acme", name).Do())(t).Items
				databases := check.Need(sql.Databases.List("acme", name).Do())(t).Items
				if !slices.ContainsFunc(users, func(u *sqladmin.User) bool { return u.Name == "app" && u.Instance == name }) ||
					!slices.ContainsFunc(databases, func(d *sqladmin.Database) bool { return d.Name == "shop" && d.Instance == name }) {
					t.Errorf("users are %+v, databases %+v", users, databases)
				}
				check.Need(sql.Backups.DeleteBackup(b.Name).Do())(t)
			}
			if got := check.Copies(t, cloud.Options.Dir); got != 0 {
				t.Errorf("there are %d copies, want none", got)
			}
		})
	}
}

// TestSQLBackupCopies: the copies of backups go with them, and with an instance that retains none.
func TestSQLBackupCopies(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	cloud := check.Need(localcloud.Start(localcloud.Options{}))(t)
	defer func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, sql, _ := (&sdk.GCP{Cloud: cloud}).Clients(t, "acme")
	done := func(op *sqladmin.Operation, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		sdk.AwaitWork(t, cloud, op.Name)
	}
	want := func(n int) {
		t.Helper()
		if got := check.Copies(t, cloud.Options.Dir); got != n {
			t.Errorf("there are %d copies, want %d", got, n)
		}
	}
	done(sql.Instances.Insert("acme", sdk.Orders()).Do())
	for range 2 {
		done(sql.BackupRuns.Insert("acme", "orders", &sqladmin.BackupRun{}).Do())
	}
	want(2)
	runs := check.Need(sql.BackupRuns.List("acme", "orders").Do())(t).Items
	done(sql.BackupRuns.Delete("acme", "orders", runs[0].Id).Do())
	want(1)
	done(sql.Instances.Delete("acme", "orders").Do())
	want(0)
}

// TestSQLRestoreSettings: a restored instance has the settings of the backup but for those of the request.
func TestSQLRestoreSettings(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Create: 5 * time.Minute, Snapshot: time.Minute, Modify: time.Second}})
	in := sdk.Orders()
	in.Settings.DatabaseFlags = []*sqladmin.DatabaseFlags{{Name: "max_connections", Value: "50"}}
	in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, StartTime: "05:00"}
	g.Create(t, in)
	check.Need(g.SQL.BackupRuns.Insert("acme", "orders", &sqladmin.BackupRun{}).Do())(t)
	backup := check.Need(g.SQL.Backups.ListBackups("projects/acme").Do())(t).Backups[0]
	_, err := g.SQL.Instances.RestoreBackup("acme", "again", restoreOf(backup.Name, nil)).Do()
	sdk.WantGCP(t, err, 400, "invalid") // it is not complete
	g.Clock.Advance(time.Minute)
	check.Need(g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{UserLabels: map[string]string{"late": "yes"}}}).Do())(t)
	g.Clock.Advance(time.Second)

	op := check.Need(g.SQL.Instances.RestoreBackup("acme", "again", restoreOf(backup.Name, &sqladmin.DatabaseInstance{
		Region: "europe-west2",
		Settings: &sqladmin.Settings{
			Tier: "db-g1-small", DataDiskSizeGb: 20, UserLabels: map[string]string{"owner": "me"},
			BackupConfiguration: &sqladmin.BackupConfiguration{Enabled: false, ForceSendFields: []string{"Enabled"}},
		},
	})).Do())(t)
	if op.OperationType != "RESTORE_VOLUME" || op.TargetId != "again" {
		t.Errorf("operation is %+v", op)
	}
	if got := check.Need(g.SQL.Instances.Get("acme", "again").Do())(t); got.State != "PENDING_CREATE" {
		t.Errorf("state is %s", got.State)
	}
	g.Clock.Advance(5 * time.Minute)
	got := check.Need(g.SQL.Instances.Get("acme", "again").Do())(t)
	s, was := got.Settings, g.Orders(t)
	if got.State != "RUNNABLE" || got.DatabaseVersion != "POSTGRES_16" || s.Edition != "ENTERPRISE" || len(s.DatabaseFlags) != 1 || s.UserLabels["team"] != "shop" ||
		s.UserLabels["late"] != "" || s.BackupConfiguration.StartTime != "05:00" {
		t.Errorf("not as the backup: %+v, %+v", got, s)
	}
	if got.Region != "europe-west2" || got.GceZone != "europe-west2-a" || s.Tier != "db-g1-small" || s.DataDiskSizeGb != 20 || s.UserLabels["owner"] != "me" || s.BackupConfiguration.Enabled {
		t.Errorf("not as asked for: %+v, %+v", got, s)
	}
	if got.ConnectionName != "acme:europe-west2:again" || got.CreateTime == was.CreateTime || got.IpAddresses[0].IpAddress == was.IpAddresses[0].IpAddress || s.SettingsVersion != 1 {
		t.Errorf("not its own: %+v", got)
	}
}

// TestSQLRestoreRefusals are of a backup that is complete.
func TestSQLRestoreRefusals(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{NameReserved: 7 * 24 * time.Hour}})
	for _, name := range []string{"orders", "deleted"} {
		in := sdk.Orders()
		in.Name = name
		g.Create(t, in)
	}
	check.Need(g.SQL.Instances.Delete("acme", "deleted").Do())(t)
	check.Need(g.SQL.BackupRuns.Insert("acme", "orders", &sqladmin.BackupRun{}).Do())(t)
	backup := check.Need(g.SQL.Backups.ListBackups("projects/acme").Do())(t).Backups[0].Name
	for name, test := range map[string]struct {
		instance, body string
		status         int
		reason         string
	}{
		"exists":          {"orders", `{"backup": "` + backup + `"}`, 400, "invalid"},
		"reserved":        {"deleted", `{"backup": "` + backup + `"}`, 409, "instanceAlreadyExists"},
		"no backup":       {"again", `{}`, 400, "invalid"},
		"missing":         {"again", `{"backup": "projects/acme/backups/1"}`, 404, "backupDoesNotExist"},
		"another project": {"again", `{"backup": "projects/other/backups/1"}`, 403, "notAuthorized"},
		"by a run":        {"again", `{"restoreBackupContext": {"backupRunId": "1", "instanceId": "orders"}}`, 400, "invalid"},
		"unknown":         {"again", `{"backup": "` + backup + `", "name": "again"}`, 400, "badRequest"},
		"misplaced":       {"again", `{"backup": "` + backup + `", "restoreInstanceSettings": {"tier": "db-g1-small"}}`, 400, "badRequest"},
		"version":         {"again", `{"backup": "` + backup + `", "restoreInstanceSettings": {"databaseVersion": "POSTGRES_17"}}`, 400, "invalid"},
		"smaller disk":    {"again", `{"backup": "` + backup + `", "restoreInstanceSettings": {"settings": {"dataDiskSizeGb": "9"}}}`, 400, "invalid"},
		"root password":   {"again", `{"backup": "` + backup + `", "restoreInstanceSettings": {"rootPassword": "x"}}`, 400, "invalid"},
		"other name":      {"again", `{"backup": "` + backup + `", "restoreInstanceSettings": {"name": "other"}}`, 400, "invalid"},
		"bad tier":        {"again", `{"backup": "` + backup + `", "restoreInstanceSettings": {"settings": {"tier": "none"}}}`, 400, "invalid"},
		"bad name":        {"Again", `{"backup": "` + backup + `"}`, 400, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			sdk.WantGCP(t, g.Send(t, "POST", "/v1/projects/acme/instances/"+test.instance+"/restoreBackup", test.body, nil), test.status, test.reason)
		})
	}
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.restoreBackup", Resource: "again"}, Kind: localcloud.FailLate})
	op := check.Need(g.SQL.Instances.RestoreBackup("acme", "again", restoreOf(backup, nil)).Do())(t)
	if op = check.Need(g.SQL.Operations.Get("acme", op.Name).Do())(t); op.Error == nil {
		t.Errorf("operation is %+v, want it failed", op)
	}
	if got := check.Need(g.SQL.Instances.Get("acme", "again").Do())(t); got.State != "FAILED" {
		t.Errorf("state is %s", got.State)
	}
}
