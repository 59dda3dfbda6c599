package postgres

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/sql"
)

// texts returns all texts of a plan.
func texts(t *testing.T) func(sql.Plan, error) []string {
	return func(plan sql.Plan, err error) (all []string) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range plan.Statements {
			all = append(all, s.Texts...)
		}
		return all
	}
}

// contains fails unless texts are there, in this order.
func contains(t *testing.T, all []string, want ...string) {
	t.Helper()
	at := 0
	for _, w := range want {
		i := slices.IndexFunc(all[at:], func(text string) bool { return strings.Contains(text, w) })
		if i < 0 {
			t.Errorf("no %q after the %d. of\n%s", w, at, strings.Join(all, "\n"))
			return
		}
		at += i + 1
	}
}

// newSnapshot is a server of a version with an administrator, a database and its group roles.
func newSnapshot(version int, wanted sql.Wanted) *snapshot {
	s := &snapshot{
		wanted: wanted, version: version, admin: "postgres", signals: true, databases: map[string]*database{}, settings: map[setting]string{}, inside: map[string]*inside{},
		roles: map[string]*role{"postgres": {name: "postgres", login: true, inherit: true, createDB: true, createRole: true, memberOf: map[string]membership{}}},
	}
	for _, d := range wanted.Databases {
		groups := GroupsOf(d.Name)
		for _, name := range groups.all() {
			s.roles[name] = &role{name: name, mark: d.Mark, inherit: true, memberOf: map[string]membership{}}
			s.roles["postgres"].memberOf[name] = membership{admin: true, inherit: name == groups.Owner, set: name == groups.Owner}
		}
		s.databases[d.Name] = &database{owner: groups.Owner, connectable: true}
		s.inside[d.Name] = &inside{schemas: []schema{{name: "public", owner: databaseOwner}}}
	}
	return s
}

// From 16 on a membership has options, and a role that makes another may only administer it. No server here shows that:
// these are the rules of
// https://www.postgresql.org/docs/16/role-membership.html and https://www.postgresql.org/docs/16/sql-grant.html
func TestMembershipOptions(t *testing.T) {
	t.Parallel()
	orders := made("orders")
	wanted := sql.Wanted{Databases: []sql.Database{orders}}
	fresh := newSnapshot(160003, sql.Wanted{})
	contains(t, texts(t)(fresh.Database(orders)), `CREATE ROLE "orders_owner"`, `GRANT "orders_owner" TO "postgres" WITH INHERIT TRUE, SET TRUE`, `CREATE DATABASE "orders" OWNER "orders_owner"`)
	s := newSnapshot(160003, wanted)
	user := inPlace("app", sql.Access{Database: "orders", Level: sql.Owner})
	contains(t, texts(t)(s.User(user)), `CREATE ROLE "app" LOGIN`, `GRANT "orders_owner" TO "app" WITH INHERIT TRUE, SET TRUE`)
	// A role that the administrator made by hand is a member of nothing, and may be adopted.
	s.roles["app"] = &role{name: "app", login: true, inherit: true, memberOf: map[string]membership{
		"orders_owner": {inherit: true, grantors: []string{"postgres"}}, "orders_readonly": {admin: true, inherit: true, set: true, grantors: []string{"bob", "postgres"}},
	}}
	s.roles["postgres"].memberOf["app"] = membership{admin: true}
	user.Adopt = true
	all := texts(t)(s.User(user))
	contains(t, all, `COMMENT ON ROLE "app"`, `GRANT "orders_owner" TO "app" WITH INHERIT TRUE, SET TRUE`, `REVOKE "orders_readonly" FROM "app" GRANTED BY "bob" CASCADE`, `GRANTED BY "postgres" CASCADE`)
	// It becomes a member to hand on what the role owns, and leaves again.
	s.wanted.Users = []sql.User{user}
	s.inside["orders"].owned = []owned{{role: "app", class: "pg_class", count: 1}}
	contains(t, texts(t)(s.User(user)), `GRANT "app" TO "postgres" WITH INHERIT TRUE, SET TRUE`, `REASSIGN OWNED BY "app" TO "orders_owner"`, `REVOKE "app" FROM "postgres"`)
	// Without ADMIN OPTION it can't, and says so.
	delete(s.roles["postgres"].memberOf, "app")
	plan, err := s.User(user)
	if err != nil || len(plan.Notes) == 0 {
		t.Errorf("notes: %q, %v", plan.Notes, err)
	}
}

// A login by IAM has no password, and what makes it one goes before all else when it is dropped: the administrator, who
// joins the role to hand on what it owns, would have to log in by IAM too.
func TestIAM(t *testing.T) {
	t.Parallel()
	user := sql.User{Name: "app", Mark: "mark", Logins: []sql.Login{{Name: "app"}}, IAMRole: "rds_iam", Access: []sql.Access{{Database: "orders", Level: sql.ReadWrite}}}
	s := newSnapshot(150000, sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{user}})
	s.roles["rds_iam"] = &role{name: "rds_iam"}
	all := texts(t)(s.User(user))
	contains(t, all, `CREATE ROLE "app" LOGIN`, `GRANT "orders_readwrite" TO "app"`, `GRANT "rds_iam" TO "app"`)
	if strings.Contains(strings.Join(all, "\n"), "PASSWORD") {
		t.Errorf("a login by IAM has a password: %q", all)
	}
	s.roles["app"] = &role{name: "app", mark: "mark", login: true, inherit: true, memberOf: map[string]membership{"rds_iam": {}, "orders_readwrite": {}}}
	s.depends = []dependency{{role: "app", database: "orders", class: "pg_class", owns: true, count: 1}}
	contains(t, texts(t)(s.DropUser(user)), `ALTER ROLE "app" NOLOGIN`, "pg_terminate_backend", `REVOKE "rds_iam" FROM "app"`, `GRANT "app" TO "postgres"`, "REASSIGN OWNED", "DROP OWNED", `REVOKE "app" FROM "postgres"`, `DROP ROLE IF EXISTS "app"`)
}

// Logins that a cloud makes are given privileges, and neither made, marked, altered nor dropped. What the cloud has
// granted to them stays.
func TestExternalLogins(t *testing.T) {
	t.Parallel()
	user := sql.User{Name: "sa@project.iam", External: true, Logins: []sql.Login{{Name: "sa@project.iam"}}, Access: []sql.Access{{Database: "orders", Level: sql.Owner}}}
	s := newSnapshot(150000, sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{user}})
	if _, err := s.User(user); err == nil {
		t.Error("privileges for a login that is not there")
	}
	s.roles[user.Name] = &role{name: user.Name, login: true, inherit: true, connections: -1, memberOf: map[string]membership{"cloudsqliamserviceaccount": {}, "orders_readonly": {}}}
	all := texts(t)(s.User(user))
	contains(t, all, `GRANT "orders_owner" TO "sa@project.iam"`, `REVOKE "orders_readonly" FROM "sa@project.iam"`, `ALTER ROLE "sa@project.iam" IN DATABASE "orders" SET role TO 'orders_owner'`)
	for _, text := range all {
		if strings.Contains(text, "cloudsqliam") || strings.Contains(text, "COMMENT") || strings.Contains(text, "CREATE ROLE") {
			t.Errorf("sent: %s", text)
		}
	}
}

// Hostile names are data: each stays within its quotes.
func TestQuotes(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{`a`: `"a"`, `a"b`: `"a""b"`, `"; DROP ROLE x; --`: `"""; DROP ROLE x; --"`, `a\`: `"a\"`} {
		if got := quote(name); got != want {
			t.Errorf("%s is quoted as %s, want %s", name, got, want)
		}
	}
	if got, want := literal(`it's \ "x"`), `'it''s \ "x"'`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := without([]string{"SELECT", "select; DROP TABLE x", `INSERT" ON y`}, nil); len(got) != 1 {
		t.Errorf("texts of a server are privileges: %q", got)
	}
}

// Statements are shown by their names: verifiers are in their texts.
func TestStatementsShowNoVerifier(t *testing.T) {
	t.Parallel()
	plan, err := newSnapshot(150000, sql.Wanted{}).User(inPlace("app"))
	if err != nil || len(plan.Statements) == 0 {
		t.Fatal(err)
	}
	for _, s := range plan.Statements {
		if strings.Contains(s.String()+s.GoString(), "SCRAM") {
			t.Errorf("shown: %v", s)
		}
	}
	if first := plan.Statements[0]; len(first.Secrets) != 1 || !strings.Contains(first.Texts[0], first.Secrets[0]) || strings.Contains(first.Texts[0], "pw-app") {
		t.Error("the verifier is not known as a secret, or the password is in the statement")
	}
}
