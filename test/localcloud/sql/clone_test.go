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

func cloneTo(name, at string) *sqladmin.InstancesCloneRequest {
	return &sqladmin.InstancesCloneRequest{CloneContext: &sqladmin.CloneContext{DestinationInstanceName: name, PointInTime: at}}
}

// sqlServers is a cloud of real servers with a clock that is set by hand.
type sqlServers struct {
	*testing.T
	cloud *localcloud.Cloud
	clock *check.Clock
	sql   *sqladmin.Service
}

func startSQLServers(t *testing.T) *sqlServers {
	t.Helper()
	s := &sqlServers{T: t, clock: &check.Clock{At: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}}
	s.cloud = check.Need(localcloud.Start(localcloud.Options{Now: s.clock.Now}))(t)
	t.Cleanup(func() {
		if err := s.cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	_, s.sql, _ = (&sdk.GCP{Cloud: s.cloud}).Clients(t, "acme")
	return s
}

func (s *sqlServers) done(op *sqladmin.Operation, err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
	sdk.AwaitWork(s.T, s.cloud, op.Name)
	if op, err = s.sql.Operations.Get("acme", op.Name).Do(); err != nil || op.Status != "DONE" || op.Error != nil {
		s.Fatalf("operation is %+v, %v", op, err)
	}
}

// run runs a statement as a user whose password is secret, in a database.
func (s *sqlServers) run(instance, user, database, sql string) string {
	s.Helper()
	in := check.Need(s.sql.Instances.Get("acme", instance).Do())(s.T)
	e := check.Server{Host: in.IpAddresses[0].IpAddress, Port: 5432, CA: in.ServerCaCert.Cert}
	dial := check.DialPostgres
	if in.DatabaseVersion == "MYSQL_8_0" {
		dial, e.Port = check.DialMySQL, 3306
	}
	return check.Need(dial(s.T, e, "", user, "s3cret", database, sql))(s.T)
}

// later turns the clock, and has the cloud look at it.
func (s *sqlServers) later(d time.Duration) {
	s.Helper()
	s.clock.Advance(d)
	check.Need(s.sql.Instances.Get("acme", "orders").Do())(s.T)
}

func (s *sqlServers) wantRows(instance, rows string) {
	s.Helper()
	if got := s.run(instance, "postgres", "postgres", "SELECT count(*) FROM t"); got != rows {
		s.Errorf("%s has %s rows, want %s", instance, got, rows)
	}
}

// TestSQLClonePointInTime clones an instance as it was at a time by the cloud's clock, with the users and databases of that time.
func TestSQLClonePointInTime(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	s := startSQLServers(t)
	s.done(s.sql.Instances.Insert("acme", sdk.Recoverable()).Do())
	s.run("orders", "postgres", "postgres", "CREATE TABLE t (n int)")
	s.run("orders", "postgres", "postgres", "INSERT INTO t VALUES (1)")
	s.later(10 * time.Minute)
	s.run("orders", "postgres", "postgres", "INSERT INTO t VALUES (2)")
	s.done(s.sql.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "s3cret"}).Do())
	s.done(s.sql.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do())
	s.later(10 * time.Minute)
	s.run("orders", "postgres", "postgres", "INSERT INTO t VALUES (3)")
	for at, want := range map[string]struct {
		name, rows string
		app        bool
	}{"2026-05-04T12:05:00Z": {"at-five", "1", false}, "2026-05-04T12:15:00.5Z": {"at-fifteen", "2", true}, "2026-05-04T12:20:00Z": {"now", "3", true}} {
		s.done(s.sql.Instances.Clone("acme", "orders", cloneTo(want.name, at)).Do())
		s.wantRows(want.name, want.rows)
		users, databases := check.Need(s.sql.Users.List("acme", want.name).Do())(t).Items, check.Need(s.sql.Databases.List("acme", want.name).Do())(t).Items
		app := slices.ContainsFunc(users, func(u *sqladmin.User) bool { return u.Name == "app" && u.Instance == want.name })
		shop := slices.ContainsFunc(databases, func(d *sqladmin.Database) bool { return d.Name == "shop" && d.Instance == want.name })
		if app != want.app || shop != want.app {
			t.Errorf("%s has the user: %t, the database: %t, want %t", want.name, app, shop, want.app)
		}
		if want.app {
			s.run(want.name, "app", "shop", "SELECT 1")
		}
	}
	// A clone keeps a log itself.
	s.later(10 * time.Minute)
	s.run("at-five", "postgres", "postgres", "INSERT INTO t VALUES (4)")
	s.later(10 * time.Minute)
	s.run("at-five", "postgres", "postgres", "INSERT INTO t VALUES (5)")
	s.done(s.sql.Instances.Clone("acme", "at-five", cloneTo("again", "2026-05-04T12:35:00Z")).Do())
	s.wantRows("again", "2")
	for _, name := range []string{"orders", "at-five", "at-fifteen", "now", "again"} {
		s.done(s.sql.Instances.Delete("acme", name).Do())
	}
	if got := check.Copies(t, s.cloud.Options.Dir); got != 0 {
		t.Errorf("there are %d copies, want none", got)
	}
}

// TestSQLRecoverySwitched: recovery that is switched on later begins then, and what was kept goes when it is switched off.
func TestSQLRecoverySwitched(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	s := startSQLServers(t)
	s.done(s.sql.Instances.Insert("acme", sdk.Orders()).Do())
	_, err := s.sql.Instances.Clone("acme", "orders", cloneTo("none", "2026-05-04T12:00:00Z")).Do()
	sdk.WantGCP(t, err, 400, "invalid")
	_, err = s.sql.Projects.Instances.GetLatestRecoveryTime("acme", "orders").Do()
	sdk.WantGCP(t, err, 400, "invalid")
	s.run("orders", "postgres", "postgres", "CREATE TABLE t (n int)")
	s.later(10 * time.Minute)
	s.done(s.sql.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: sdk.Recoverable().Settings}).Do())
	s.run("orders", "postgres", "postgres", "INSERT INTO t VALUES (1)")
	s.later(10 * time.Minute)
	s.run("orders", "postgres", "postgres", "INSERT INTO t VALUES (2)")
	window := check.Need(s.sql.Projects.Instances.GetLatestRecoveryTime("acme", "orders").Do())(t)
	if window.EarliestRecoveryTime != "2026-05-04T12:10:00.000Z" || window.LatestRecoveryTime != "2026-05-04T12:20:00.000Z" {
		t.Errorf("recovery is from %s until %s", window.EarliestRecoveryTime, window.LatestRecoveryTime)
	}
	s.done(s.sql.Instances.Clone("acme", "orders", cloneTo("at-fifteen", "2026-05-04T12:15:00Z")).Do())
	s.wantRows("at-fifteen", "1")
	for name, at := range map[string]string{"too early": "2026-05-04T12:09:59Z", "too late": "2026-05-04T12:20:01Z", "no time": "yesterday"} {
		if _, err := s.sql.Instances.Clone("acme", "orders", cloneTo("none", at)).Do(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	kept := check.Copies(t, s.cloud.Options.Dir)
	s.done(s.sql.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{
		Enabled: true, ForceSendFields: []string{"PointInTimeRecoveryEnabled"},
	}}}).Do())
	if got := check.Copies(t, s.cloud.Options.Dir); got != kept-1 {
		t.Errorf("there are %d copies, want %d", got, kept-1)
	}
}

// TestSQLCloneOfMySQL has the data as they are; a time is refused, since the server behind it keeps no log.
func TestSQLCloneOfMySQL(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("mysql"))
	s := startSQLServers(t)
	in := sdk.Orders()
	in.DatabaseVersion = "MYSQL_8_0"
	in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, BinaryLogEnabled: true}
	s.done(s.sql.Instances.Insert("acme", in).Do())
	s.done(s.sql.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do())
	s.run("orders", "root", "shop", "CREATE TABLE t (n int)")
	s.run("orders", "root", "shop", "INSERT INTO t VALUES (1)")
	s.done(s.sql.Instances.Clone("acme", "orders", cloneTo("again", "")).Do())
	s.run("orders", "root", "shop", "INSERT INTO t VALUES (2)")
	if got := s.run("again", "root", "shop", "SELECT count(*) FROM t"); got != "1" {
		t.Errorf("the clone has %s rows, want 1", got)
	}
	if got := check.Copies(t, s.cloud.Options.Dir); got != 0 {
		t.Errorf("there are %d copies, want none", got)
	}
	_, err := s.sql.Instances.Clone("acme", "orders", cloneTo("none", "2026-05-04T12:00:00Z")).Do()
	sdk.WantGCP(t, err, 501, "notImplemented")
}

// TestSQLClone: a clone is born with the settings and labels of its source, as the recording shows.
func TestSQLClone(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Create: 5 * time.Minute, NameReserved: time.Hour}})
	in := sdk.Recoverable()
	in.Settings.IpConfiguration = &sqladmin.IpConfiguration{PrivateNetwork: "projects/acme/global/networks/shop", SslMode: "ENCRYPTED_ONLY"}
	g.Create(t, in)
	op := check.Need(g.SQL.Instances.Clone("acme", "orders", &sqladmin.InstancesCloneRequest{CloneContext: &sqladmin.CloneContext{
		Kind: "sql#cloneContext", DestinationInstanceName: "again", PreferredZone: "europe-west1-c",
	}}).Do())(t)
	if op.OperationType != "CLONE" || op.TargetId != "again" || op.Status != "PENDING" {
		t.Errorf("operation is %+v", op)
	}
	if got := check.Need(g.SQL.Instances.Get("acme", "again").Do())(t); got.State != "PENDING_CREATE" || g.Orders(t).State != "RUNNABLE" {
		t.Errorf("the clone is %s", got.State)
	}
	g.Clock.Advance(5 * time.Minute)
	got, source := check.Need(g.SQL.Instances.Get("acme", "again").Do())(t), g.Orders(t)
	if got.State != "RUNNABLE" || got.GceZone != "europe-west1-c" || got.ConnectionName == source.ConnectionName {
		t.Errorf("the clone is %+v", got)
	}
	a, b := got.Settings, source.Settings
	if a.UserLabels["team"] != "shop" || a.IpConfiguration.PrivateNetwork != b.IpConfiguration.PrivateNetwork || a.IpConfiguration.SslMode != "ENCRYPTED_ONLY" ||
		!a.BackupConfiguration.PointInTimeRecoveryEnabled || a.BackupConfiguration.TransactionLogRetentionDays != 2 || a.Tier != b.Tier || a.Edition != b.Edition {
		t.Errorf("the settings are %+v, those of the source %+v", a, b)
	}
	for name, test := range map[string]struct {
		source, body string
		status       int
		reason       string
	}{
		"no source":    {"none", `{"cloneContext": {"destinationInstanceName": "other"}}`, 404, "instanceDoesNotExist"},
		"no context":   {"orders", `{}`, 400, "invalid"},
		"no name":      {"orders", `{"cloneContext": {}}`, 400, "invalid"},
		"bad name":     {"orders", `{"cloneContext": {"destinationInstanceName": "Other"}}`, 400, "invalid"},
		"name taken":   {"orders", `{"cloneContext": {"destinationInstanceName": "again"}}`, 409, "instanceAlreadyExists"},
		"unknown":      {"orders", `{"cloneContext": {"destination": "other"}}`, 400, "badRequest"},
		"another zone": {"orders", `{"cloneContext": {"destinationInstanceName": "other", "preferredZone": "us-central1-a"}}`, 400, "invalid"},
		"not served":   {"orders", `{"cloneContext": {"destinationInstanceName": "other", "destinationProject": "other"}}`, 400, "invalid"},
		"too early":    {"orders", `{"cloneContext": {"destinationInstanceName": "other", "pointInTime": "2020-01-01T00:00:00Z"}}`, 400, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			sdk.WantGCP(t, g.Send(t, "POST", "/v1/projects/acme/instances/"+test.source+"/clone", test.body, nil), test.status, test.reason)
		})
	}
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.clone"}, Kind: localcloud.FailLate})
	check.Need(g.SQL.Instances.Clone("acme", "orders", cloneTo("bad", "")).Do())(t)
	g.Clock.Advance(5 * time.Minute)
	if got := check.Need(g.SQL.Instances.Get("acme", "bad").Do())(t); got.State != "FAILED" {
		t.Errorf("state is %s", got.State)
	}
}
