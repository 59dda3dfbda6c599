package postgres

import (
	"testing"

	"github.com/mooring-dev/mooring/providers/sql"
	"github.com/mooring-dev/mooring/providers/sql/sqltest"
)

// A creation that stops after any statement, each of which is sent twice, is finished by the next process.
func TestCreationIsFinishedAfterACrash(t *testing.T) {
	f := newFixture(t)
	d := made("orders")
	d.Schemas = []string{"app"}
	wanted := sql.Wanted{Databases: []sql.Database{d}, Users: []sql.User{
		alternate("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("report", sql.Access{Database: "orders", Level: sql.ReadOnly, Schemas: []string{"app"}}),
	}}
	sqltest.Crashes(t, f.open, wanted, func(server sql.Server) { sqltest.Drop(t, server, wanted) }, func() {
		f.must(f.as("app_a", "pw-app_a", "orders", "CREATE TABLE app.t (n int)"))
		f.must(f.as("report", "pw-report", "orders", "SELECT * FROM app.t"))
		f.must(f.as("app_b", "pw-app_b", "orders", "DROP TABLE app.t"))
	})
}

// A drop that stops after any statement is finished by the next process, and leaves what others have.
func TestDropIsFinishedAfterACrash(t *testing.T) {
	f := newFixture(t)
	f.admin("postgres", "CREATE ROLE bob LOGIN PASSWORD 'pw-bob'")
	user := alternate("app", sql.Access{Database: "orders", Level: sql.Owner})
	orders := made("orders")
	wanted := sql.Wanted{Databases: []sql.Database{orders, made("other")}, Users: []sql.User{user}}
	for n := 0; ; n++ {
		f.reconcile(wanted)
		f.admin("orders", "SET ROLE orders_owner", "GRANT CONNECT ON DATABASE orders TO bob")
		f.must(f.as("app_a", "pw-app_a", "orders", "CREATE TABLE IF NOT EXISTS ours (n int)", "GRANT SELECT ON ours TO bob", "SET ROLE NONE", "CREATE TABLE IF NOT EXISTS mine (n int)",
			"ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO bob"))
		f.admin("other", `SET ROLE other_owner`, `GRANT CREATE ON SCHEMA public TO app_b`, `CREATE TABLE IF NOT EXISTS t (n int)`, `GRANT SELECT (n) ON t TO app WITH GRANT OPTION`)
		f.must(f.as(administrator, password, "postgres", "CREATE ROLE temporary_member IN ROLE app", "DROP ROLE temporary_member"))
		plan, err := f.read(wanted).DropUser(user)
		if err != nil || len(plan.Blocked) > 0 {
			t.Fatal(err, plan.Blocked)
		}
		for i, s := range plan.Statements {
			if i == n {
				break
			}
			for range 2 {
				if err := f.server.Apply(t.Context(), []sql.Statement{s}); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
		}
		if n >= len(user.Logins) {
			f.refused(f.as("app_b", "pw-app_b", "orders")) // the logins go first
		}
		plan2, err := f.read(wanted).DropUser(user)
		sqltest.Sent(t, f.server, "drop user", plan2, err)
		var left int
		f.must(f.scan("orders", "SELECT count(*) FROM pg_roles WHERE rolname LIKE 'app%'", &left))
		var owner string
		f.must(f.scan("orders", "SELECT tableowner FROM pg_tables WHERE tablename = 'mine'", &owner))
		f.must(f.as("bob", "pw-bob", "orders", "SELECT * FROM ours"))
		if left > 0 || owner != "orders_owner" {
			t.Errorf("%d roles are left, and the table belongs to %q", left, owner)
		}
		if t.Failed() {
			t.Fatalf("after a crash behind %d statements", n)
		}
		if n >= len(plan.Statements) {
			t.Logf("stopped after each of %d statements", len(plan.Statements))
			return
		}
	}
}

// A drop of all that stops after any statement is finished by the next process.
func TestDropOfAllIsFinishedAfterACrash(t *testing.T) {
	f := newFixture(t)
	sqltest.DropCrashes(t, f.open, sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{
		alternate("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("report", sql.Access{Database: "orders", Level: sql.ReadOnly}),
	}})
}
