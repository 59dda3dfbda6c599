package sql_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// query is run, of a statement that may fail.
func (s *sqlServers) query(instance, sql string) (string, error) {
	s.Helper()
	in := check.Need(s.sql.Instances.Get("acme", instance).Do())(s.T)
	e := check.Server{Host: in.IpAddresses[0].IpAddress, Port: 5432, CA: in.ServerCaCert.Cert}
	return check.DialPostgres(s.T, e, "", "postgres", "s3cret", "postgres", sql)
}

func (s *sqlServers) follows(instance, rows string) {
	s.Helper()
	check.AwaitValue(s.T, "rows of "+instance, rows, func() (string, error) { return s.query(instance, "SELECT count(*) FROM t") })
}

func (s *sqlServers) refusesWrites(instance string) {
	s.Helper()
	_, err := s.query(instance, "INSERT INTO t VALUES (0)")
	check.ReadOnly(s.T, "a write on "+instance, err)
}

// TestSQLReplicaData: what is written to the primary, users and databases among it, arrives on a replica and on a replica of that, which refuse writes until they are promoted.
func TestSQLReplicaData(t *testing.T) {
	t.Parallel()
	check.Available(t, engine.Available("postgres"))
	s := startSQLServers(t)
	in := sdk.Recoverable()
	in.RootPassword = "s3cret"
	s.done(s.sql.Instances.Insert("acme", in).Do())
	insert := func(instance, values string) {
		t.Helper()
		check.Need(s.query(instance, "INSERT INTO t VALUES "+values))(t)
	}
	check.Need(s.query("orders", "CREATE TABLE t (n int)"))(t)
	s.done(s.sql.Instances.Insert("acme", sdk.ReplicaOf("orders", "copy")).Do())
	s.done(s.sql.Instances.Insert("acme", sdk.ReplicaOf("copy", "third")).Do())
	insert("orders", "(1)")
	for _, name := range []string{"copy", "third"} {
		s.follows(name, "1")
		s.refusesWrites(name)
	}
	s.done(s.sql.Users.Insert("acme", "orders", &sqladmin.User{Name: "app", Password: "s3cret"}).Do())
	s.done(s.sql.Databases.Insert("acme", "orders", &sqladmin.Database{Name: "shop"}).Do())
	for _, name := range []string{"copy", "third"} {
		users, databases := check.Need(s.sql.Users.List("acme", name).Do())(t).Items, check.Need(s.sql.Databases.List("acme", name).Do())(t).Items
		if !slices.ContainsFunc(users, func(u *sqladmin.User) bool { return u.Name == "app" && u.Instance == name }) ||
			!slices.ContainsFunc(databases, func(d *sqladmin.Database) bool { return d.Name == "shop" && d.Instance == name }) {
			t.Errorf("%s has the users %v and databases %v", name, users, databases)
		}
		check.AwaitValue(t, "the database on "+name, "1", func() (string, error) {
			return s.query(name, "SELECT count(*) FROM pg_database, pg_roles WHERE datname = 'shop' AND rolname = 'app'")
		})
	}
	s.done(s.sql.Instances.Restart("acme", "orders").Do())
	s.done(s.sql.Instances.Restart("acme", "copy").Do())
	insert("orders", "(2)")
	s.follows("copy", "2")
	s.follows("third", "2")

	s.done(s.sql.Instances.PromoteReplica("acme", "copy").Do())
	insert("copy", "(3), (4)")
	insert("orders", "(3)")
	s.follows("third", "4")
	s.follows("copy", "4")
	s.follows("orders", "3")
	s.refusesWrites("third")
	s.done(s.sql.Users.Insert("acme", "copy", &sqladmin.User{Name: "own", Password: "s3cret"}).Do())
	users := check.Need(s.sql.Users.List("acme", "third").Do())(t).Items
	if has := func(name string) bool {
		return slices.ContainsFunc(users, func(u *sqladmin.User) bool { return u.Name == name })
	}; !has("own") || !has("app") {
		t.Errorf("the replica of the promoted one has the users %v", users)
	}
	s.done(s.sql.Instances.Delete("acme", "orders").Do())
	s.done(s.sql.Instances.Delete("acme", "third").Do())
	s.done(s.sql.Instances.Delete("acme", "copy").Do())
}

// TestSQLReplicaOfMySQL follows its primary, and refuses writes until it is promoted.
func TestSQLReplicaOfMySQL(t *testing.T) {
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
	s.done(s.sql.Instances.Insert("acme", sdk.ReplicaOf("acme:orders", "copy")).Do())
	s.run("orders", "root", "shop", "INSERT INTO t VALUES (2)")
	check.AwaitValue(t, "rows of the replica", "2", func() (string, error) { return s.run("copy", "root", "shop", "SELECT count(*) FROM t"), nil })
	if got := s.run("copy", "root", "shop", "SELECT @@read_only"); got != "1" {
		t.Errorf("read_only is %s, want 1", got)
	}
	s.done(s.sql.Instances.PromoteReplica("acme", "copy").Do())
	s.run("copy", "root", "shop", "INSERT INTO t VALUES (3)")
	s.run("orders", "root", "shop", "INSERT INTO t VALUES (3), (4)")
	if got := s.run("copy", "root", "shop", "SELECT count(*) FROM t"); got != "3" {
		t.Errorf("the promoted replica has %s rows, want 3", got)
	}
}

// TestSQLReplica leads a replica through its life, as the API shows it.
func TestSQLReplica(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Create: 10 * time.Minute, Modify: time.Minute, Delete: 5 * time.Minute}})
	get := func(name string) *sqladmin.DatabaseInstance {
		return check.Need(g.SQL.Instances.Get("acme", name).Do())(t)
	}
	in := sdk.Recoverable()
	in.Settings.DataDiskSizeGb, in.Settings.DataDiskType = 50, "PD_HDD"
	g.Create(t, in)
	op := check.Need(g.SQL.Instances.Insert("acme", sdk.ReplicaOf("orders", "copy", func(in *sqladmin.DatabaseInstance) {
		in.ReplicaConfiguration = &sqladmin.ReplicaConfiguration{Kind: "sql#replicaConfiguration", ForceSendFields: []string{"FailoverTarget"}}
		in.Settings.AvailabilityType = "REGIONAL"
	})).Do())(t)
	if got := get("copy"); got.State != "PENDING_CREATE" || got.InstanceType != "READ_REPLICA_INSTANCE" {
		t.Errorf("while it is made: %+v", got)
	}
	// The primary is busy meanwhile, and has the operation.
	_, err := g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{UserLabels: map[string]string{"a": "b"}}}).Do()
	sdk.WantGCP(t, err, 409, "operationInProgress")
	_, err = g.SQL.Instances.Insert("acme", sdk.ReplicaOf("orders", "other")).Do()
	sdk.WantGCP(t, err, 409, "operationInProgress")
	for _, name := range []string{"orders", "copy"} {
		if found := check.Need(g.SQL.Operations.List("acme").Instance(name).Do())(t).Items; found[0].Name != op.Name {
			t.Errorf("the last operation of %s is %+v", name, found[0])
		}
	}
	g.Clock.Advance(10 * time.Minute)
	got := get("copy")
	if got.State != "RUNNABLE" || got.DatabaseVersion != "POSTGRES_16" || got.Region != "europe-west1" || got.Settings.DataDiskSizeGb != 50 || got.Settings.DataDiskType != "PD_HDD" ||
		got.Settings.Edition != "ENTERPRISE" || got.Settings.BackupConfiguration.Enabled || got.Settings.BackupConfiguration.PointInTimeRecoveryEnabled || got.SecondaryGceZone == "" ||
		len(got.Settings.UserLabels) != 0 || got.MasterInstanceName != "acme:orders" || got.ReplicaConfiguration == nil || got.ServerCaCert.Sha1Fingerprint == g.Orders(t).ServerCaCert.Sha1Fingerprint {
		t.Errorf("the replica is %+v, its settings %+v", got, got.Settings)
	}
	if names := g.Orders(t).ReplicaNames; !slices.Equal(names, []string{"copy"}) {
		t.Errorf("the primary has the replicas %v", names)
	}
	check.Need(g.SQL.Instances.Patch("acme", "copy", &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{UserLabels: map[string]string{"a": "b"}}}).Do())(t)
	g.Clock.Advance(time.Minute)
	check.Need(g.SQL.Instances.Insert("acme", sdk.ReplicaOf("copy", "far", func(in *sqladmin.DatabaseInstance) { in.Region = "us-central1" })).Do())(t)
	g.Clock.Advance(10 * time.Minute)
	if got := get("far"); got.Region != "us-central1" || got.MasterInstanceName != "acme:copy" || !slices.Equal(get("copy").ReplicaNames, []string{"far"}) {
		t.Errorf("the replica of the replica is %+v", got)
	}

	op = check.Need(g.SQL.Instances.PromoteReplica("acme", "copy").Do())(t)
	if op.OperationType != "PROMOTE_REPLICA" || op.TargetId != "copy" || get("copy").State != "MAINTENANCE" {
		t.Errorf("the promotion is %+v", op)
	}
	g.Clock.Advance(time.Minute)
	if got := get("copy"); got.State != "RUNNABLE" || got.InstanceType != "CLOUD_SQL_INSTANCE" || got.MasterInstanceName != "" || got.ReplicaConfiguration != nil ||
		got.Settings.BackupConfiguration.Enabled || !slices.Equal(got.ReplicaNames, []string{"far"}) || g.Orders(t).ReplicaNames != nil {
		t.Errorf("once it is promoted: %+v", got)
	}
	_, err = g.SQL.Instances.Delete("acme", "copy").Do()
	sdk.WantGCP(t, err, 400, "errorReplicationMasterInvalidOperation")
	for _, name := range []string{"orders", "far", "copy"} {
		check.Need(g.SQL.Instances.Delete("acme", name).Do())(t)
		g.Clock.Advance(5 * time.Minute)
	}

	// A replica that could not be made is there, and in the way, until somebody deletes it; one that could not be promoted stays one.
	g.Create(t, sdk.Recoverable())
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.insert"}, Kind: localcloud.FailLate, Times: 1})
	check.Need(g.SQL.Instances.Insert("acme", sdk.ReplicaOf("orders", "copy")).Do())(t)
	g.Clock.Advance(10 * time.Minute)
	if got := get("copy"); got.State != "FAILED" {
		t.Errorf("state is %s", got.State)
	}
	check.Need(g.SQL.Instances.Delete("acme", "copy").Do())(t)
	g.Clock.Advance(5 * time.Minute)
	check.Need(g.SQL.Instances.Insert("acme", sdk.ReplicaOf("orders", "copy")).Do())(t)
	g.Clock.Advance(10 * time.Minute)
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.promoteReplica"}, Kind: localcloud.FailLate, Times: 1})
	check.Need(g.SQL.Instances.PromoteReplica("acme", "copy").Do())(t)
	g.Clock.Advance(time.Minute)
	if got := get("copy"); got.State != "RUNNABLE" || got.MasterInstanceName != "acme:orders" {
		t.Errorf("after a promotion that failed: %+v", got)
	}
}

// TestSQLReplicaRefusals are of calls about primaries and replicas that are there.
func TestSQLReplicaRefusals(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	named := func(in *sqladmin.DatabaseInstance, name string, edits ...func(*sqladmin.Settings)) {
		in.Name = name
		for _, edit := range edits {
			edit(in.Settings)
		}
		g.Create(t, in)
	}
	mysql := func() *sqladmin.DatabaseInstance {
		in := sdk.Orders()
		in.DatabaseVersion, in.Settings.BackupConfiguration = "MYSQL_8_0", &sqladmin.BackupConfiguration{Enabled: true, BinaryLogEnabled: true}
		return in
	}
	named(sdk.Recoverable(), "orders", func(s *sqladmin.Settings) { s.DataDiskSizeGb = 20 })
	named(sdk.Orders(), "no-backups")
	named(sdk.Orders(), "no-log", func(s *sqladmin.Settings) { s.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true} })
	named(sdk.Recoverable(), "stopped", func(s *sqladmin.Settings) { s.ActivationPolicy = "NEVER" })
	named(sdk.Recoverable(), "connectors", func(s *sqladmin.Settings) { s.ConnectorEnforcement = "REQUIRED" })
	named(mysql(), "mysql")
	named(sdk.Recoverable(), "alone")
	adds := func(primary, name string) {
		t.Helper()
		g.Create(t, sdk.ReplicaOf(primary, name))
		check.Need(g.SQL.Instances.Get("acme", name).Do())(t)
	}
	adds("orders", "copy")
	adds("copy", "second")
	adds("second", "third")
	adds("mysql", "mysql-copy")
	type instance = sqladmin.DatabaseInstance
	edited := func(edit func(*instance)) *instance { return sdk.ReplicaOf("orders", "other", edit) }
	for name, test := range map[string]struct {
		in     *instance
		status int
		reason string
	}{
		"no primary":              {sdk.ReplicaOf("", "other"), 400, "invalid"},
		"no such primary":         {sdk.ReplicaOf("none", "other"), 403, "notAuthorized"},
		"of another project":      {sdk.ReplicaOf("other:orders", "other"), 403, "notAuthorized"},
		"name taken":              {sdk.ReplicaOf("orders", "copy"), 409, "instanceAlreadyExists"},
		"bad name":                {sdk.ReplicaOf("orders", "Other"), 400, "invalid"},
		"primary without backups": {sdk.ReplicaOf("no-backups", "other"), 400, "invalid"},
		"primary without a log":   {sdk.ReplicaOf("no-log", "other"), 400, "invalid"},
		"primary that is stopped": {sdk.ReplicaOf("stopped", "other"), 400, "invalid"},
		"primary of connectors":   {sdk.ReplicaOf("connectors", "other"), 400, "invalid"},
		"too deep":                {sdk.ReplicaOf("third", "other"), 400, "invalid"},
		"replica without logs":    {sdk.ReplicaOf("mysql-copy", "other"), 400, "invalid"},
		"no settings":             {edited(func(in *instance) { in.Settings = nil }), 400, "invalid"},
		"no tier":                 {edited(func(in *instance) { in.Settings.Tier = "" }), 400, "invalid"},
		"another type":            {edited(func(in *instance) { in.InstanceType = "CLOUD_SQL_INSTANCE" }), 400, "invalid"},
		"failover target": {edited(func(in *instance) {
			in.ReplicaConfiguration = &sqladmin.ReplicaConfiguration{FailoverTarget: true}
		}), 400, "invalidRequest"},
		"of an external server": {edited(func(in *instance) {
			in.ReplicaConfiguration = &sqladmin.ReplicaConfiguration{MysqlReplicaConfiguration: &sqladmin.MySqlReplicaConfiguration{Username: "u"}}
		}), 400, "invalid"},
		"password":        {edited(func(in *instance) { in.RootPassword = "s3cret" }), 400, "invalid"},
		"another version": {edited(func(in *instance) { in.DatabaseVersion = "POSTGRES_17" }), 400, "invalid"},
		"another edition": {edited(func(in *instance) { in.Settings.Edition, in.Settings.Tier = "ENTERPRISE_PLUS", "db-perf-optimized-N-2" }), 400, "invalid"},
		"smaller disk":    {edited(func(in *instance) { in.Settings.DataDiskSizeGb = 10 }), 400, "invalid"},
		"a key": {edited(func(in *instance) {
			in.DiskEncryptionConfiguration = &sqladmin.DiskEncryptionConfiguration{KmsKeyName: "projects/acme/locations/europe-west1/keyRings/r/cryptoKeys/k"}
		}), 400, "invalid"},
		"backups": {edited(func(in *instance) { in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true} }), 400, "invalid"},
		"recovery": {edited(func(in *instance) {
			in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{PointInTimeRecoveryEnabled: true}
		}), 400, "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := g.SQL.Instances.Insert("acme", test.in).Do()
			sdk.WantGCP(t, err, test.status, test.reason)
		})
	}

	const ofReplica, ofPrimary = "errorReadReplicaInvalidOperation", "errorReplicationMasterInvalidOperation"
	for name, test := range map[string]struct{ method, path, body, reason string }{
		"user of a replica":             {"POST", "copy/users", `{"name": "app", "password": "s3cret"}`, ofReplica},
		"user of a replica of MySQL":    {"POST", "mysql-copy/users", `{"name": "app", "password": "s3cret"}`, ofReplica},
		"password on a replica":         {"PUT", "copy/users?name=postgres", `{"password": "s3cret"}`, ofReplica},
		"deletion of a replica's user":  {"DELETE", "copy/users?name=postgres", "", ofReplica},
		"database on a replica":         {"POST", "copy/databases", `{"name": "shop"}`, ofReplica},
		"deletion of a database":        {"DELETE", "copy/databases/postgres", "", ofReplica},
		"backup of a replica":           {"POST", "copy/backupRuns", `{}`, ofReplica},
		"final backup of a replica":     {"DELETE", "third?enableFinalBackup=true", "", ofReplica},
		"clone of a replica":            {"POST", "copy/clone", `{"cloneContext": {"destinationInstanceName": "other"}}`, ofReplica},
		"failover of a replica":         {"POST", "copy/failover", `{"failoverContext": {"settingsVersion": "1"}}`, ofReplica},
		"recovery time of a replica":    {"GET", "copy/getLatestRecoveryTime", "", "invalid"},
		"stop of a replica":             {"PATCH", "third", `{"settings": {"activationPolicy": "NEVER"}}`, ofReplica},
		"upgrade of a replica":          {"PATCH", "third", `{"databaseVersion": "POSTGRES_17"}`, ofReplica},
		"backups of a replica":          {"PATCH", "third", `{"settings": {"backupConfiguration": {"enabled": true}}}`, "invalid"},
		"another primary":               {"PATCH", "third", `{"masterInstanceName": "acme:orders"}`, "invalid"},
		"no primary any more":           {"PATCH", "third", `{"masterInstanceName": null}`, "invalid"},
		"another type":                  {"PATCH", "third", `{"instanceType": "CLOUD_SQL_INSTANCE"}`, "invalid"},
		"deletion of a primary":         {"DELETE", "orders", "", ofPrimary},
		"deletion of one in the middle": {"DELETE", "copy", "", ofPrimary},
		"stop of a primary":             {"PATCH", "orders", `{"settings": {"activationPolicy": "NEVER"}}`, ofPrimary},
		"upgrade of a primary":          {"PATCH", "orders", `{"databaseVersion": "POSTGRES_17"}`, ofPrimary},
		"no recovery of a primary":      {"PATCH", "orders", `{"settings": {"backupConfiguration": {"pointInTimeRecoveryEnabled": false}}}`, ofPrimary},
		"no log of a primary":           {"PATCH", "mysql", `{"settings": {"backupConfiguration": {"binaryLogEnabled": false}}}`, ofPrimary},
		"connectors alone":              {"PATCH", "orders", `{"settings": {"connectorEnforcement": "REQUIRED"}}`, ofPrimary},
		"promotion of no replica":       {"POST", "alone/promoteReplica", "", "invalid"},
		"switchover":                    {"POST", "third/promoteReplica?failover=true", "", "invalid"},
	} {
		t.Run(name, func(t *testing.T) {
			sdk.WantGCP(t, g.Send(t, test.method, "/v1/projects/acme/instances/"+test.path, test.body, nil), 400, test.reason)
		})
	}
	// With binary logs, which it may have without backups, a replica of MySQL has replicas.
	if err := g.Send(t, "PATCH", "/v1/projects/acme/instances/mysql-copy", `{"settings": {"backupConfiguration": {"binaryLogEnabled": true}}}`, nil); err != nil {
		t.Fatal(err)
	}
	adds("mysql-copy", "mysql-second")
	for i := len(g.Orders(t).ReplicaNames); i < 10; i++ {
		adds("orders", fmt.Sprintf("many-%d", i))
	}
	_, err := g.SQL.Instances.Insert("acme", sdk.ReplicaOf("orders", "many")).Do()
	sdk.WantGCP(t, err, 400, "invalid")
}
