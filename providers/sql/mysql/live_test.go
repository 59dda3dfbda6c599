package mysql

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
	"github.com/mooring-dev/mooring/providers/sql/sqltest"
)

// From a declaration to logins with each level.
func TestLevels(t *testing.T) {
	f := newFixture(t)
	wanted := sql.Wanted{Databases: []sql.Database{made("orders"), made("order_s")}, Users: []sql.User{
		alternate("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("writer", sql.Access{Database: "orders", Level: sql.ReadWrite}),
		inPlace("report", sql.Access{Database: "order_s", Level: sql.Owner}, sql.Access{Database: "orders", Level: sql.ReadOnly}),
	}}
	f.reconcile(wanted)
	f.converged(wanted)
	f.must(f.as("app_a", "pw-app_a", "orders", "CREATE TABLE t (n int)", "INSERT INTO t VALUES (1)", "CREATE VIEW v AS SELECT * FROM t"))
	f.must(f.as("app_b", "pw-app_b", "orders", "ALTER TABLE t ADD m int"))
	f.must(f.as("writer", "pw-writer", "orders", "DELETE FROM t"))
	f.refused(f.as("writer", "pw-writer", "orders", "DROP TABLE t"))
	f.must(f.as("report", "pw-report", "orders", "SELECT * FROM t", "SELECT * FROM v"))
	f.refused(f.as("report", "pw-report", "orders", "INSERT INTO t VALUES (2, 2)"))
	f.refused(f.as("report", "wrong", "orders"))
	f.must(f.server.Check(t.Context(), "report", "pw-report", "orders"))
	if err := f.server.Check(t.Context(), "report", "wrong", "orders"); driver.CodeOf(err) != driver.Denied {
		t.Errorf("a wrong password is %v", err)
	}
	// order_s as a pattern would be ordersXs too.
	f.admin("CREATE DATABASE orderXs", "CREATE TABLE orderXs.t (n int)")
	f.refused(f.as("report", "pw-report", "", "SELECT * FROM orderXs.t"))
	f.converged(wanted)
	if _, err := sqltest.Read(t, f.server, wanted).DropDatabase(wanted.Databases[0], false); driver.CodeOf(err) != driver.NotEmpty {
		t.Errorf("a database with tables is dropped: %v", err)
	}
	plan, err := sqltest.Read(t, f.server, wanted).DropUser(wanted.Users[0])
	if err != nil || len(plan.Blocked) != 1 {
		t.Fatalf("the definer of a view is dropped: %v, %q", err, plan.Blocked)
	}
	f.must(f.server.Apply(t.Context(), plan.Statements))
	f.refused(f.as("app_a", "pw-app_a", "orders"))
	f.admin("DROP VIEW orders.v")
	sqltest.Drop(t, f.server, wanted)
}

func TestCrashes(t *testing.T) {
	f := newFixture(t)
	wanted := sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{
		alternate("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("report", sql.Access{Database: "orders", Level: sql.ReadOnly}),
	}}
	sqltest.Crashes(t, f.open, wanted, func(server sql.Server) { sqltest.Drop(t, server, wanted) }, func() {
		f.must(f.as("app_a", "pw-app_a", "orders", "CREATE TABLE t (n int)"))
		f.must(f.as("report", "pw-report", "orders", "SELECT * FROM t"))
		f.must(f.as("app_b", "pw-app_b", "orders", "DROP TABLE t"))
	})
}

// The number of queries does not grow with users, and the session is pinned.
func TestQueriesDoNotGrowWithUsers(t *testing.T) {
	f := newFixture(t)
	counts := map[int]int{}
	for _, n := range []int{2, 200} {
		wanted := sql.Wanted{Databases: []sql.Database{made("one"), made("two")}}
		for i := range n {
			wanted.Users = append(wanted.Users, alternate(fmt.Sprintf("user%d", i), sql.Access{Database: "one", Level: sql.ReadWrite}, sql.Access{Database: "two", Level: sql.ReadOnly}))
		}
		f.reconcile(wanted)
		before := f.server.Queries()
		f.converged(wanted)
		counts[n] = f.server.Queries() - before
	}
	if counts[2] != counts[200] || counts[2] > 15 {
		t.Errorf("queries of a check by users: %v", counts)
	}
	conn, err := f.server.(*session).conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"sql_mode": "NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES", "lock_wait_timeout": "5", "max_statement_time": "30", "character_set_client": "utf8mb4"} {
		var got string
		if err := conn.QueryRowContext(t.Context(), "SELECT @@"+name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
}

// A server that asks for a file gets none, and its words are shown without secrets.
func TestSession(t *testing.T) {
	f := newFixture(t)
	f.admin("CREATE DATABASE d", "CREATE TABLE d.t (n text)")
	err := f.server.Apply(t.Context(), []sql.Statement{{Name: "load", Texts: []string{"LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE d.t"}}})
	if err == nil {
		t.Error("a file of the controller's went to the server")
	}
	if err = f.server.Apply(t.Context(), []sql.Statement{{Name: "two", Texts: []string{"SELECT 1; SELECT 2"}}}); sql.StateOf(err) != "1064" {
		t.Errorf("two statements in one text are %v", err)
	}
	err = f.server.Apply(t.Context(), []sql.Statement{{Name: "fail", Texts: []string{"SELEKT 'the-secret-text'"}, Secrets: []string{"the-secret-text"}}})
	if err == nil || strings.Contains(err.Error(), "the-secret-text") || sql.StateOf(err) != "1064" {
		t.Errorf("the error is %v", err)
	}
	far := f.target
	far.Port = 1
	server, err := Open(far)
	if err != nil {
		t.Fatal(err)
	}
	var unreachable *sql.Unreachable
	if _, err := server.Read(t.Context(), sql.Wanted{}); !errors.As(err, &unreachable) {
		t.Errorf("a server that does not listen is %v", err)
	}
}

// A drop of all that stops after any statement is finished by the next process.
func TestDropOfAllIsFinishedAfterACrash(t *testing.T) {
	f := newFixture(t)
	sqltest.DropCrashes(t, f.open, sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{
		alternate("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("report", sql.Access{Database: "orders", Level: sql.ReadOnly}),
	}})
}

// Names of databases, tables and columns are data too.
func TestHostileObjects(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"a%s", "%d _", "x`; DROP TABLE y; --", "it's $1", `back\slash`, "select", strings.Repeat("ü", 30)} {
		wanted := sql.Wanted{Databases: []sql.Database{made(name)}, Users: []sql.User{inPlace("report", sql.Access{Database: name, Level: sql.ReadOnly})}}
		f.reconcile(wanted)
		q := quote(name)
		f.admin("CREATE TABLE "+q+"."+q+" ("+q+" int, n int)", "GRANT UPDATE ("+q+"), INSERT ("+q+") ON "+q+"."+q+" TO report@'%'",
			"GRANT DELETE ON "+q+"."+q+" TO report@'%' WITH GRANT OPTION", "CREATE PROCEDURE "+q+"."+q+" () SELECT 1", "GRANT EXECUTE ON PROCEDURE "+q+"."+q+" TO report@'%'")
		f.must(f.as("report", "pw-report", "", "UPDATE "+q+"."+q+" SET "+q+" = 1"))
		f.reconcile(wanted)
		f.converged(wanted)
		f.refused(f.as("report", "pw-report", "", "UPDATE "+q+"."+q+" SET "+q+" = 1"))
		f.refused(f.as("report", "pw-report", "", "CALL "+q+"."+q+" ()"))
		f.must(f.as("report", "pw-report", "", "SELECT * FROM "+q+"."+q))
		sqltest.Drop(t, f.server, wanted)
	}
}
