package system

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"
)

// gcpDatabases are the instances of Cloud SQL, as people use them beside Mooring.
type gcpDatabases struct {
	project string
	sql     *sqladmin.Service
}

func newGCPDatabases(c *Cloud) Console {
	ctx, client := gcpClient(c)
	service, err := sqladmin.NewService(ctx, client, option.WithEndpoint(c.GCPEndpoint()+"/"))
	if err != nil {
		panic(err)
	}
	return &gcpDatabases{c.Account, service}
}

// Names implements Console.
func (g *gcpDatabases) Names(t testing.TB) (names []string) {
	t.Helper()
	instances, err := g.sql.Instances.List(g.project).Do()
	ok(t, err)
	for _, i := range instances.Items {
		names = append(names, i.Name)
	}
	return names
}

// Make implements Console.
func (g *gcpDatabases) Make(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	op, err := g.sql.Instances.Insert(g.project, &sqladmin.DatabaseInstance{
		Name: name, Region: GCPRegion, DatabaseVersion: "POSTGRES_16", RootPassword: "somebody-elses",
		Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE", UserLabels: tags},
	}).Do()
	ok(t, err)
	g.end(t, op)
}

// end waits for the end of an operation.
func (g *gcpDatabases) end(t testing.TB, op *sqladmin.Operation) {
	t.Helper()
	until(t, op.OperationType+" ends", func() bool {
		now, err := g.sql.Operations.Get(g.project, op.Name).Do()
		ok(t, err)
		if now.Error != nil {
			t.Fatalf("%s: %+v", op.OperationType, now.Error.Errors)
		}
		return now.Status == "DONE"
	})
}

// DropDatabase drops a database in a server of Cloud SQL, which is gone with what was in it.
func (c *Cloud) DropDatabase(t testing.TB, server, name string) {
	t.Helper()
	g := consoleOf[*gcpDatabases](c, "Database")
	g.operate(t, name+" is dropped", g.sql.Databases.Delete(g.project, server, name).Do)
}

// Tags implements Console.
func (g *gcpDatabases) Tags(t testing.TB, name string) map[string]string {
	t.Helper()
	in, err := g.sql.Instances.Get(g.project, name).Do()
	if missing(err) {
		return nil
	}
	ok(t, err)
	if in.Settings.UserLabels == nil {
		return map[string]string{}
	}
	return in.Settings.UserLabels
}

// patch changes an instance.
func (g *gcpDatabases) patch(t testing.TB, name string, patch *sqladmin.DatabaseInstance) {
	t.Helper()
	g.operate(t, name+" takes a patch", g.sql.Instances.Patch(g.project, name, patch).Do)
}

// operate makes a call and waits for its end. Cloud SQL refuses while another operation is under way.
func (g *gcpDatabases) operate(t testing.TB, what string, call func(...googleapi.CallOption) (*sqladmin.Operation, error)) {
	t.Helper()
	var op *sqladmin.Operation
	until(t, what, func() bool {
		var err error
		op, err = call()
		if e, is := errors.AsType[*googleapi.Error](err); is && e.Code == http.StatusConflict {
			return false
		}
		ok(t, err)
		return true
	})
	g.end(t, op)
}

func (g *gcpDatabases) set(t testing.TB, name string, settings *sqladmin.Settings) {
	t.Helper()
	g.patch(t, name, &sqladmin.DatabaseInstance{Settings: settings})
}

// Tag implements Console.
func (g *gcpDatabases) Tag(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	settings := &sqladmin.Settings{UserLabels: g.Tags(t, name)}
	for k, v := range tags {
		if v == "" {
			delete(settings.UserLabels, k)
			settings.NullFields = append(settings.NullFields, "UserLabels."+k)
		} else {
			settings.UserLabels[k] = v
		}
	}
	g.set(t, name, settings)
}

// SetRetention implements DatabaseConsole.
func (g *gcpDatabases) SetRetention(t testing.TB, name string, days int) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{
		Enabled: true, BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetentionUnit: "COUNT", RetainedBackups: int64(days)},
		TransactionLogRetentionDays: min(7, int64(days)),
	}})
}

// SetPublicAccess implements DatabaseConsole.
func (g *gcpDatabases) SetPublicAccess(t testing.TB, name string, on bool) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{Ipv4Enabled: on, ForceSendFields: []string{"Ipv4Enabled"}}})
}

// SetBackupStart implements DatabaseConsole.
func (g *gcpDatabases) SetBackupStart(t testing.TB, name, start string) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{StartTime: start}})
}

// SetMaintenance implements DatabaseConsole.
func (g *gcpDatabases) SetMaintenance(t testing.TB, name string, hour, _ int) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{MaintenanceWindow: &sqladmin.MaintenanceWindow{Hour: int64(hour)}})
}

// SetProtection implements DatabaseConsole.
func (g *gcpDatabases) SetProtection(t testing.TB, name string, on bool) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{DeletionProtectionEnabled: on, ForceSendFields: []string{"DeletionProtectionEnabled"}})
}

// SetSize implements DatabaseConsole.
func (g *gcpDatabases) SetSize(t testing.TB, name, size string) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{Tier: size})
}

// SetPower implements DatabaseConsole.
func (g *gcpDatabases) SetPower(t testing.TB, name string, on bool) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{ActivationPolicy: map[bool]string{true: "ALWAYS", false: "NEVER"}[on]})
}

// SetStorage implements DatabaseConsole.
func (g *gcpDatabases) SetStorage(t testing.TB, name string, gib int) {
	t.Helper()
	g.set(t, name, &sqladmin.Settings{DataDiskSizeGb: int64(gib)})
}

// SetVersion implements DatabaseConsole.
func (g *gcpDatabases) SetVersion(t testing.TB, name, version string) {
	t.Helper()
	g.patch(t, name, &sqladmin.DatabaseInstance{DatabaseVersion: "POSTGRES_" + version})
}

// FailOver implements DatabaseConsole.
func (g *gcpDatabases) FailOver(t testing.TB, name string) {
	t.Helper()
	before, err := g.sql.Instances.Get(g.project, name).Do()
	ok(t, err)
	g.operate(t, name+" fails over", g.sql.Instances.Failover(g.project, name, &sqladmin.InstancesFailoverRequest{
		FailoverContext: &sqladmin.FailoverContext{SettingsVersion: before.Settings.SettingsVersion},
	}).Do)
	after, err := g.sql.Instances.Get(g.project, name).Do()
	ok(t, err)
	if after.GceZone == before.GceZone {
		t.Fatalf("%s is still in %s", name, before.GceZone)
	}
}

// Promote implements DatabaseConsole.
func (g *gcpDatabases) Promote(t testing.TB, name string) {
	t.Helper()
	g.operate(t, name+" is promoted", g.sql.Instances.PromoteReplica(g.project, name).Do)
}

// Delete implements Console.
func (g *gcpDatabases) Delete(t testing.TB, name string) {
	t.Helper()
	op, err := g.sql.Instances.Delete(g.project, name).Do()
	ok(t, err)
	g.end(t, op)
}

// Lose implements DatabaseConsole: Cloud SQL takes a final backup.
func (g *gcpDatabases) Lose(t testing.TB, name string) {
	t.Helper()
	op, err := g.sql.Instances.Delete(g.project, name).EnableFinalBackup(true).FinalBackupDescription("somebody's").Do()
	ok(t, err)
	g.end(t, op)
}

// Snapshots implements DatabaseConsole.
func (g *gcpDatabases) Snapshots(t testing.TB, database string) []string {
	t.Helper()
	out, err := g.sql.Backups.ListBackups("projects/" + g.project).Do()
	ok(t, err)
	var names []string
	for _, b := range out.Backups {
		if b.Instance == database && b.State == "SUCCESSFUL" {
			name, _, _ := strings.Cut(b.Description, " ") // the mark follows
			names = append(names, name)
		}
	}
	return names
}

// MakeMySQL implements DatabaseConsole.
func (g *gcpDatabases) MakeMySQL(t testing.TB, name string) {
	t.Helper()
	op, err := g.sql.Instances.Insert(g.project, &sqladmin.DatabaseInstance{
		Name: name, Region: GCPRegion, DatabaseVersion: "MYSQL_8_0", RootPassword: "somebody-elses",
		Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE"},
	}).Do()
	ok(t, err)
	g.end(t, op)
}
