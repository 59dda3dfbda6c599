package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
	"github.com/mooring-dev/mooring/providers/sql/sqltest"
)

// From a declaration to a login that reads and can't write.
func TestLevels(t *testing.T) {
	f := newFixture(t)
	d := made("orders")
	d.Schemas = []string{"app"}
	wanted := sql.Wanted{
		Databases: []sql.Database{d},
		Users: []sql.User{
			alternate("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("report", sql.Access{Database: "orders", Level: sql.ReadOnly}),
			inPlace("writer", sql.Access{Database: "orders", Level: sql.ReadWrite}), inPlace("part", sql.Access{Database: "orders", Level: sql.ReadOnly, Schemas: []string{"app"}}),
		},
	}
	f.reconcile(wanted)
	f.converged(wanted)
	f.must(f.as("app_a", "pw-app_a", "orders", "CREATE TABLE public.t (n serial)", "INSERT INTO public.t VALUES (1)", "CREATE TABLE app.t (n int)"))
	f.must(f.as("app_b", "pw-app_b", "orders", "ALTER TABLE public.t ADD m int", "CREATE SCHEMA later", "CREATE TABLE later.t (n serial)"))
	f.must(f.as("report", "pw-report", "orders", "SELECT * FROM public.t", "SELECT * FROM later.t"))
	f.refused(f.as("report", "pw-report", "orders", "INSERT INTO public.t VALUES (2)"))
	f.refused(f.as("report", "pw-report", "orders", "CREATE TABLE public.mine (n int)"))
	f.must(f.as("writer", "pw-writer", "orders", "INSERT INTO later.t DEFAULT VALUES", "DELETE FROM public.t"))
	f.refused(f.as("writer", "pw-writer", "orders", "DROP TABLE public.t"))
	f.must(f.as("part", "pw-part", "orders", "SELECT * FROM app.t"))
	f.refused(f.as("part", "pw-part", "orders", "SELECT * FROM public.t"))
	f.refused(f.as("report", "wrong", "orders"))
	f.refused(f.as("report", "pw-report", "postgres", "CREATE TABLE public.mine (n int)"))
	f.converged(wanted)
	var owners string
	f.must(f.scan("orders", "SELECT string_agg(DISTINCT tableowner, ' ') FROM pg_tables WHERE schemaname IN ('public', 'app', 'later')", &owners))
	if owners != "orders_owner" {
		t.Errorf("tables belong to %s", owners)
	}
	f.must(f.server.Check(t.Context(), "report", "pw-report", "orders"))
	if err := f.server.Check(t.Context(), "report", "wrong", "orders"); driver.CodeOf(err) != driver.Denied || sql.StateOf(err) != "28P01" {
		t.Errorf("a wrong password is %v", err)
	}
	if _, err := f.read(wanted).DropDatabase(d, false); driver.CodeOf(err) != driver.NotEmpty {
		t.Errorf("a database with tables is dropped: %v", err)
	}
	f.rotate(wanted)
	sqltest.Drop(t, f.server, wanted)
}

// rotate sets a password, and ends the sessions of a login.
func (f *fixture) rotate(wanted sql.Wanted) {
	f.Helper()
	u := wanted.Users[0]
	u.Logins = slices.Clone(u.Logins)
	u.Logins[1] = sql.Login{Name: "app_b", Verifier: verified("other"), Reset: true}
	conn, err := f.connect("app_b", "pw-app_b", "orders")
	if err != nil {
		f.Fatal(err)
	}
	plan, err := f.read(wanted).User(u)
	sqltest.Sent(f.T, f.server, "rotate", plan, err)
	f.must(f.as("app_a", "pw-app_a", "orders"))
	f.must(f.as("app_b", "other", "orders"))
	f.refused(f.as("app_b", "pw-app_b", "orders"))
	f.must(conn.Ping(f.Context())) // sessions go on
	f.must(f.server.Apply(f.Context(), f.read(wanted).EndSessions("app_a", "app_b")))
	if err := conn.Ping(f.Context()); err == nil {
		f.Error("the session of the login goes on")
	}
}

// The number of queries does not grow with users.
func TestQueriesDoNotGrowWithUsers(t *testing.T) {
	f := newFixture(t)
	verifier, err := Verifier("same")
	if err != nil {
		t.Fatal(err)
	}
	counts := map[int]int{}
	for _, n := range []int{2, 200} {
		wanted := sql.Wanted{Databases: []sql.Database{made("one"), made("two")}}
		for i := range n {
			u := alternate(fmt.Sprintf("user%d", i), sql.Access{Database: "one", Level: sql.ReadWrite}, sql.Access{Database: "two", Level: sql.ReadOnly, Schemas: []string{"public"}})
			for j := range u.Logins {
				u.Logins[j].Verifier = func() (string, error) { return verifier, nil }
			}
			wanted.Users = append(wanted.Users, u)
		}
		f.reconcile(wanted)
		before := f.server.Queries()
		f.converged(wanted)
		counts[n] = f.server.Queries() - before
	}
	if counts[2] != counts[200] || counts[2] > 20 {
		t.Errorf("queries of a check by users: %v", counts)
	}
	t.Logf("queries by users: %v", counts)
}

// What exists is another's unless it may be adopted, and the administrator never is.
func TestAdoption(t *testing.T) {
	f := newFixture(t)
	f.admin("postgres", "CREATE ROLE app LOGIN PASSWORD 'theirs'", "CREATE DATABASE orders")
	wanted := sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{inPlace("app")}}
	shot := f.read(wanted)
	if _, err := shot.Database(wanted.Databases[0]); driver.CodeOf(err) != driver.Conflict {
		t.Errorf("a database of others: %v", err)
	}
	if _, err := shot.User(wanted.Users[0]); driver.CodeOf(err) != driver.Conflict {
		t.Errorf("a role of others: %v", err)
	}
	for _, name := range []string{administrator, "cloudsuperuser", "pg_monitor", "pg_new"} {
		u := inPlace(name)
		u.Adopt = true
		if _, err := shot.User(u); driver.CodeOf(err) != driver.Conflict && driver.CodeOf(err) != driver.Invalid {
			t.Errorf("%s is taken over: %v", name, err)
		}
	}
	plan, err := shot.DropUser(wanted.Users[0])
	if err != nil || len(plan.Statements) > 0 {
		t.Errorf("a role of others is dropped: %v, %v", err, plan.Statements)
	}
	wanted.Users[0].Adopt, wanted.Databases[0].Adopt = true, true
	f.reconcile(wanted)
	f.converged(wanted)
	f.must(f.as("app", "pw-app", "postgres"))
	sqltest.Drop(t, f.server, wanted)
}

// A database that Mooring has not made keeps its owner, and PUBLIC its privileges, which are reported.
func TestDatabaseOfOthers(t *testing.T) {
	f := newFixture(t)
	f.admin("postgres", "CREATE ROLE bob LOGIN PASSWORD 'pw-bob'", "GRANT bob TO postgres", "CREATE DATABASE theirs OWNER bob", "REVOKE bob FROM postgres")
	f.must(f.as("bob", "pw-bob", "theirs", "CREATE TABLE t (n int)"))
	d := made("theirs")
	d.Made = false
	wanted := sql.Wanted{Databases: []sql.Database{d}, Users: []sql.User{
		inPlace("report", sql.Access{Database: "theirs", Level: sql.ReadOnly}), inPlace("app", sql.Access{Database: "theirs", Level: sql.Owner}),
	}}
	f.reconcile(wanted)
	f.converged(wanted)
	plan, err := f.read(wanted).Database(d)
	if err != nil || len(plan.Notes) != 2 {
		t.Errorf("notes: %q, %v", plan.Notes, err)
	}
	f.must(f.as("report", "pw-report", "theirs", "SELECT * FROM t"))
	f.refused(f.as("report", "pw-report", "theirs", "INSERT INTO t VALUES (1)"))
	f.must(f.as("app", "pw-app", "theirs", "INSERT INTO t VALUES (1)", "CREATE TABLE mine (n int)"))
	f.must(f.as("report", "pw-report", "theirs", "SELECT * FROM mine"))
	var owner, members string
	f.must(f.scan("theirs", "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'theirs'", &owner))
	f.must(f.scan("theirs", "SELECT COALESCE(string_agg(pg_get_userbyid(member)::text, ' '), '') FROM pg_auth_members WHERE roleid = 'bob'::regrole", &members))
	if owner != "bob" || members != "" {
		t.Errorf("the database belongs to %q, and bob has the members %q", owner, members)
	}
	sqltest.Drop(t, f.server, wanted)
	f.must(f.as("bob", "pw-bob", "theirs", "SELECT * FROM t, mine"))
}

// Names of schemas, tables and columns are data too.
func TestHostileObjects(t *testing.T) {
	f := newFixture(t)
	wanted := sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{
		inPlace("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("report", sql.Access{Database: "orders", Level: sql.ReadOnly}),
	}}
	f.reconcile(wanted)
	for _, name := range []string{"a%s", "%d %[1]s", `x"; DROP TABLE y; --`, "it's $1", `back\slash`, "select", strings.Repeat("ü", 30)} {
		q := quote(name)
		f.must(f.as("app", "pw-app", "orders", "CREATE SCHEMA "+q, "CREATE TABLE "+q+"."+q+" ("+q+" int, n serial)",
			"CREATE FUNCTION "+q+"."+q+"("+q+" int) RETURNS int LANGUAGE sql AS 'SELECT 1'", "GRANT UPDATE ("+q+"), INSERT ("+q+") ON "+q+"."+q+" TO report",
			"GRANT DELETE ON "+q+"."+q+" TO report WITH GRANT OPTION", "GRANT EXECUTE ON FUNCTION "+q+"."+q+" TO report", "GRANT CREATE ON SCHEMA "+q+" TO report",
			"REVOKE ALL ON "+q+"."+q+" FROM orders_readonly", "CREATE TYPE "+q+"."+quote(name+"t")+" AS ENUM ()", "GRANT USAGE ON TYPE "+q+"."+quote(name+"t")+" TO report"))
		f.must(f.as("report", "pw-report", "orders", "UPDATE "+q+"."+q+" SET "+q+" = 1"))
		f.reconcile(wanted)
		f.converged(wanted)
		f.refused(f.as("report", "pw-report", "orders", "UPDATE "+q+"."+q+" SET "+q+" = 1"))
		f.refused(f.as("report", "pw-report", "orders", "DELETE FROM "+q+"."+q))
		f.must(f.as("report", "pw-report", "orders", "SELECT * FROM "+q+"."+q))
	}
	sqltest.Drop(t, f.server, wanted)
}

// What blocks a drop is named, and the user is without login meanwhile.
func TestBlockedDrop(t *testing.T) {
	f := newFixture(t)
	wanted := sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{inPlace("app", sql.Access{Database: "orders", Level: sql.Owner})}}
	f.reconcile(wanted)
	f.admin("postgres", "GRANT app TO postgres", "CREATE DATABASE odd OWNER app", "REVOKE app FROM postgres")
	plan, err := f.read(wanted).DropUser(wanted.Users[0])
	if err != nil || len(plan.Blocked) != 1 || !strings.Contains(plan.Blocked[0], "database odd") {
		t.Fatalf("blocked: %q, %v", plan.Blocked, err)
	}
	f.must(f.server.Apply(t.Context(), plan.Statements))
	f.refused(f.as("app", "pw-app", "orders"))
	f.admin("postgres", "GRANT app TO postgres", "ALTER DATABASE odd OWNER TO postgres", "REVOKE app FROM postgres")
	sqltest.Drop(t, f.server, wanted)
}

// A session that began as the owner role ends with the level.
func TestLoweredLevel(t *testing.T) {
	f := newFixture(t)
	wanted := sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{inPlace("app", sql.Access{Database: "orders", Level: sql.Owner}), inPlace("other", sql.Access{Database: "orders", Level: sql.Owner})}}
	f.reconcile(wanted)
	app, err := f.connect("app", "pw-app", "orders")
	if err != nil {
		t.Fatal(err)
	}
	other, err := f.connect("other", "pw-other", "orders")
	if err != nil {
		t.Fatal(err)
	}
	wanted.Users[0].Access[0].Level = sql.ReadOnly
	f.reconcile(wanted)
	f.converged(wanted)
	if _, err := app.Exec(t.Context(), "CREATE TABLE public.t (n int)"); err == nil {
		t.Error("a session of a user with a lowered level makes tables")
	}
	if _, err := other.Exec(t.Context(), "CREATE TABLE public.t (n int)"); err != nil {
		t.Error(err)
	}
	f.refused(f.as("app", "pw-app", "orders", "CREATE TABLE public.u (n int)"))
}

// A logical database that the administrator can't connect to holds up nobody who has no access to it.
func TestUnreadableDatabase(t *testing.T) {
	f := newFixture(t)
	f.admin("postgres", "CREATE ROLE bob LOGIN PASSWORD 'pw-bob'", "GRANT bob TO postgres", "CREATE DATABASE theirs OWNER bob", "REVOKE bob FROM postgres")
	theirs := made("theirs")
	theirs.Made = false
	all := sql.Wanted{
		Databases: []sql.Database{made("orders"), theirs},
		Users:     []sql.User{inPlace("app", sql.Access{Database: "orders", Level: sql.ReadOnly}), inPlace("report", sql.Access{Database: "theirs", Level: sql.ReadOnly})},
	}
	f.reconcile(all)
	f.must(f.as("bob", "pw-bob", "theirs", "REVOKE CONNECT ON DATABASE theirs FROM PUBLIC, theirs_owner"))
	f.server = f.open()
	shot := f.read(all)
	sqltest.Quiet(t)(shot.User(all.Users[0]))
	if _, err := shot.User(all.Users[1]); driver.CodeOf(err) != driver.Denied {
		t.Errorf("a database that can't be read: %v", err)
	}
	if _, err := shot.Database(theirs); driver.CodeOf(err) != driver.Denied {
		t.Errorf("a database that can't be read: %v", err)
	}
}

func TestExtensionsAndLocales(t *testing.T) {
	f := newFixture(t)
	d := made("orders")
	d.Extensions = []sql.Extension{{Name: "pgcrypto"}, {Name: "hstore", Version: "1.7"}}
	d.Charset, d.Locale = "UTF8", "C"
	wanted := sql.Wanted{Databases: []sql.Database{d}}
	f.reconcile(wanted)
	f.converged(wanted)
	for _, e := range []sql.Extension{{Name: "nothing"}, {Name: "hstore", Version: "99"}} {
		d.Extensions = []sql.Extension{e}
		if _, err := f.read(sql.Wanted{Databases: []sql.Database{d}}).Database(d); driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "it has ") {
			t.Errorf("%v: %v", e, err)
		}
	}
	d = made("other")
	d.Locale = "xx_NOWHERE"
	wanted.Databases = []sql.Database{d}
	if _, err := sqltest.Try(t, f.server, wanted, func(s []sql.Statement) error { return f.server.Apply(t.Context(), s) }); driver.CodeOf(err) != driver.Invalid && driver.CodeOf(err) != driver.NotFound {
		t.Errorf("a locale that is not there: %v", err)
	}
}

// A password of any characters that clients agree on logs in; others are refused before they are sent.
func TestPasswords(t *testing.T) {
	f := newFixture(t)
	for i, secret := range []string{"plain", password, "Grüße aus Köln", "пароль", "日本語", strings.Repeat("x", 200), " spaces "} {
		u := inPlace(fmt.Sprintf("u%d", i))
		u.Logins[0].Verifier = verified(secret)
		f.reconcile(sql.Wanted{Users: []sql.User{u}})
		f.must(f.server.Check(t.Context(), u.Name, secret, ""))
	}
}

// A session is pinned, and its errors say where it comes from and what is wrong, without what a server says in it.
func TestSession(t *testing.T) {
	f := newFixture(t)
	s := f.server.(*session)
	conn, err := s.conn(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"application_name": "mooring", "search_path": "pg_catalog, pg_temp", "statement_timeout": "30s", "lock_timeout": "5s", "idle_in_transaction_session_timeout": "30s", "standard_conforming_strings": "on",
	} {
		var got string
		if err := conn.QueryRow(t.Context(), "SELECT current_setting($1)", name).Scan(&got); err != nil || got != want {
			t.Errorf("%s is %q, want %q: %v", name, got, want, err)
		}
	}
	err = f.server.Apply(t.Context(), []sql.Statement{{Name: "fail", Texts: []string{"SELECT 'the-secret-text'::int"}, Secrets: []string{"the-secret-text"}}})
	if err == nil || strings.Contains(err.Error(), "the-secret-text") || !strings.Contains(err.Error(), "22P02") {
		t.Errorf("the error is %v", err)
	}
	far := f.target
	far.Port = 1
	f.unreachable(far, "refused")
	far = f.target
	far.Dialer = &sql.Direct{}
	f.unreachable(far, "loopback")
	far = f.target
	far.TLS = far.TLS.Clone()
	far.TLS.ServerName = "db.example.com"
	f.unreachable(far, "certificate")
	far = f.target
	far.TLS = far.TLS.Clone()
	far.TLS.InsecureSkipVerify = true
	if _, err := Open(far); driver.CodeOf(err) != driver.Invalid {
		t.Errorf("a session that verifies nothing is opened: %v", err)
	}
	small := f.target
	small.Limits.Bytes = 3000
	server, err := Open(small)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.Read(t.Context(), sql.Wanted{}); driver.CodeOf(err) != driver.Unavailable {
		t.Errorf("an answer without end is %v", err)
	}
}

func (f *fixture) unreachable(target sql.Target, why string) {
	f.Helper()
	server, err := Open(target)
	if err != nil {
		f.Fatal(err)
	}
	_, err = server.Read(f.Context(), sql.Wanted{})
	var unreachable *sql.Unreachable
	if !errors.As(err, &unreachable) || driver.CodeOf(err) != driver.Unavailable || !strings.Contains(err.Error(), why) {
		f.Errorf("want unreachable for %s: %v", why, err)
	}
}

// What is declared wrongly is refused before anything is sent.
func TestBadDeclarations(t *testing.T) {
	f := newFixture(t)
	f.admin("postgres", "CREATE ROLE app_team", "CREATE ROLE strong CREATEROLE")
	wanted := sql.Wanted{Databases: []sql.Database{made("orders")}, Users: []sql.User{inPlace("app")}}
	f.reconcile(wanted)
	f.admin("postgres", "GRANT app TO app_team")
	shot := f.read(wanted)
	for what, u := range map[string]sql.User{
		"a missing database":      inPlace("app", sql.Access{Database: "nothing", Level: sql.ReadOnly}),
		"a database twice":        inPlace("app", sql.Access{Database: "orders", Level: sql.ReadOnly}, sql.Access{Database: "orders", Level: sql.Owner}),
		"an owner of schemas":     inPlace("app", sql.Access{Database: "orders", Level: sql.Owner, Schemas: []string{"public"}}),
		"no level":                inPlace("app", sql.Access{Database: "orders"}),
		"a name too long":         inPlace(strings.Repeat("x", 64)),
		"a control character":     inPlace("a\nb"),
		"a zero byte":             inPlace("a\x00b"),
		"a name that is no text":  inPlace("a\xff"),
		"a cycle":                 {Name: "app", Mark: "mark of app", MemberOf: []string{"app_team"}, Logins: []sql.Login{{Name: "app"}}},
		"a missing role":          {Name: "app", Mark: "mark of app", MemberOf: []string{"nobody"}, Logins: []sql.Login{{Name: "app"}}},
		"a role that makes roles": {Name: "app", Mark: "mark of app", MemberOf: []string{"strong"}, Logins: []sql.Login{{Name: "app"}}},
		"a role of PostgreSQL":    {Name: "app", Mark: "mark of app", MemberOf: []string{"pg_execute_server_program"}, Logins: []sql.Login{{Name: "app"}}},
		"a role of the cloud":     {Name: "app", Mark: "mark of app", MemberOf: []string{"rds_superuser"}, Logins: []sql.Login{{Name: "app"}}},
		"a group role":            {Name: "app", Mark: "mark of app", MemberOf: []string{"orders_owner"}, Logins: []sql.Login{{Name: "app"}}},
	} {
		if plan, err := shot.User(u); driver.CodeOf(err) != driver.Invalid && driver.CodeOf(err) != driver.NotFound {
			t.Errorf("%s: %v, %v", what, err, plan.Statements)
		}
	}
	for _, name := range []string{"template1", "", "a\tb", strings.Repeat("x", 64)} {
		if _, err := shot.Database(made(name)); driver.CodeOf(err) != driver.Invalid {
			t.Errorf("database %q: %v", name, err)
		}
	}
}
