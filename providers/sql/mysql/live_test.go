package mysql

import (
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
