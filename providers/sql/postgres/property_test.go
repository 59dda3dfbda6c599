package postgres

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/mooring-dev/mooring/providers/sql"
	"github.com/mooring-dev/mooring/providers/sql/sqltest"
)

// Names of databases and users, hostile ones among them.
var (
	poolDatabases = []string{"orders", `we"ird'); DROP ROLE app; --`, strings.Repeat("long-name-", 6) + "abc"}
	poolUsers     = []string{"app", "select", `it's "quoted"; \`, strings.Repeat("ü", 31) + "x", "CamelCase $1 %s"}
)

// A sequence is one random series of edits, of foreign statements and of reconciliations on a server that it shares
// with others.
type sequence struct {
	*fixture
	random *rand.Rand
	// conns are sessions of the administrator and of bob, who is a foreign role, by name and database.
	conns   map[string]*pgx.Conn
	wanted  sql.Wanted
	counter int
	log     []string
}

func TestProperty(t *testing.T) {
	f := newFixture(t)
	f.admin("postgres", "CREATE ROLE bob LOGIN PASSWORD 'pw-bob'", "CREATE ROLE auditors NOLOGIN")
	q := &sequence{fixture: f, conns: map[string]*pgx.Conn{}}
	defer q.disconnect()
	for n := range sqltest.Sequences() {
		seed := sqltest.Seed() + uint64(n)
		q.random, q.log = rand.New(rand.NewPCG(seed, 0)), nil
		q.run()
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(q.log, "\n"))
		}
	}
}

func (q *sequence) disconnect() {
	for name, conn := range q.conns {
		_ = conn.Close(context.Background())
		delete(q.conns, name)
	}
}

func (q *sequence) run() {
	if len(q.wanted.Databases) == 0 {
		q.addDatabase()
	}
	for range 2 + q.random.IntN(4) {
		for range 1 + q.random.IntN(5) {
			q.step()
		}
		before := q.foreign()
		q.reconcile(q.wanted)
		q.converged(q.wanted)
		if diff := cmp.Diff(before, q.foreign()); diff != "" {
			q.Errorf("what others have has changed (-before +after):\n%s", diff)
		}
		q.future()
		q.declared()
		if q.Failed() {
			return
		}
	}
	if q.random.IntN(8) == 0 {
		q.dropDatabase()
	}
}

// future makes a table of the owner role, which has the right privileges at once, and sees that one of bob has none: nobody reconciles in between.
func (q *sequence) future() {
	d := pick(q, q.wanted.Databases)
	q.asOwner(d.Name, "CREATE TABLE "+pick(q, []string{"public", "app", `"odd ""schema"""`})+"."+q.created()+" (n serial, m int)")
	table := "app." + q.created()
	q.send("bob", d.Name, "CREATE TABLE "+table+" (n int)")
	for _, u := range q.wanted.Users {
		for _, l := range u.Logins {
			var has bool
			if err := q.session(administrator, d.Name).QueryRow(q.Context(), "SELECT has_table_privilege($1, $2, 'SELECT, INSERT, DELETE')", l.Name, table).Scan(&has); err != nil {
				q.Fatal(err)
			}
			if has && len(u.MemberOf) == 0 {
				q.Errorf("%s has privileges on a new table of bob in %s", l.Name, d.Name)
			}
		}
	}
	q.send("bob", d.Name, "DROP TABLE "+table)
}

// step is one edit or one foreign statement.
func (q *sequence) step() {
	steps := []func(){
		q.editUser, q.editUser, q.editUser, q.dropUser, q.ownerCreates, q.ownerCreates, q.resetRoleCreates, q.bobCreates, q.bobGrants, q.bobDefaults,
		q.grantExtra, q.grantExtra, q.revokeOurs, q.revokeOurs, q.alterRole, q.addMembership, q.dropLogin, q.grantColumn, q.grantOption, q.foreignGrant, q.addDatabase,
	}
	steps[q.random.IntN(len(steps))]()
}

func pick[T any](q *sequence, from []T) T { return from[q.random.IntN(len(from))] }

// session returns a session of somebody.
func (q *sequence) session(user, database string) *pgx.Conn {
	key := user + "/" + database
	if conn := q.conns[key]; conn != nil && !conn.IsClosed() && conn.Ping(q.Context()) == nil {
		return conn
	}
	secret := "pw-" + user
	if user == administrator {
		secret = password
	}
	conn, err := q.connect(user, secret, database)
	if err != nil {
		q.Fatalf("%s connects to %s: %v\n%s", user, database, err, strings.Join(q.log, "\n"))
	}
	q.conns[key] = conn
	return conn
}

// try runs a foreign statement: it may be refused, if what it is about is not there.
func (q *sequence) send(user, database, statement string) {
	_, err := q.session(user, database).Exec(q.Context(), statement)
	q.log = append(q.log, fmt.Sprintf("%s in %s: %s: %v", user, database, statement, err))
}

func (q *sequence) note(format string, arguments ...any) {
	q.log = append(q.log, fmt.Sprintf(format, arguments...))
}

func (q *sequence) addDatabase() {
	for _, name := range poolDatabases {
		if slices.ContainsFunc(q.wanted.Databases, func(d sql.Database) bool { return d.Name == name }) {
			continue
		}
		d := made(name)
		d.Schemas = []string{"app", `odd "schema"`}
		q.wanted.Databases = append(q.wanted.Databases, d)
		q.note("declare database %s", name)
		q.reconcile(q.wanted)
		owner := quote(GroupsOf(name).Owner)
		q.send(administrator, name, "SET ROLE "+owner+"; GRANT CONNECT, TEMPORARY ON DATABASE "+quote(name)+" TO bob; GRANT USAGE, CREATE ON SCHEMA public, app TO bob; RESET ROLE")
		return
	}
}

func (q *sequence) dropDatabase() {
	d := pick(q, q.wanted.Databases)
	for key, conn := range q.conns {
		if strings.HasSuffix(key, "/"+d.Name) {
			_ = conn.Close(q.Context())
			delete(q.conns, key)
		}
	}
	q.note("drop database %s", d.Name)
	plan, err := q.read(q.wanted).DropDatabase(d, true)
	sqltest.Sent(q.T, q.server, "drop database "+d.Name, plan, err)
	q.wanted.Databases = slices.DeleteFunc(q.wanted.Databases, func(other sql.Database) bool { return other.Name == d.Name })
	for i, u := range q.wanted.Users {
		q.wanted.Users[i].Access = slices.DeleteFunc(slices.Clone(u.Access), func(a sql.Access) bool { return a.Database == d.Name })
	}
}

func (q *sequence) editUser() {
	name := pick(q, poolUsers)
	var access []sql.Access
	for _, d := range q.wanted.Databases {
		a := sql.Access{Database: d.Name, Level: sql.Level(q.random.IntN(4))}
		if a.Level != 0 && a.Level != sql.Owner && q.random.IntN(3) == 0 {
			a.Schemas = []string{pick(q, []string{"public", "app", `odd "schema"`})}
		}
		if a.Level != 0 {
			access = append(access, a)
		}
	}
	u := inPlace(name, access...)
	if q.random.IntN(2) == 0 {
		u = alternate(name, access...)
	}
	if q.random.IntN(4) == 0 {
		u.MemberOf = []string{"auditors"}
	}
	if q.random.IntN(2) == 0 {
		limit := q.random.IntN(5) + 10
		u.ConnectionLimit = &limit
	}
	for i, l := range u.Logins {
		u.Logins[i].Verifier = verified("pw-" + l.Name)
	}
	q.wanted.Users = slices.DeleteFunc(q.wanted.Users, func(other sql.User) bool { return other.Name == name })
	q.wanted.Users = append(q.wanted.Users, u)
	q.note("declare user %s with %d logins, %v, %v", name, len(u.Logins), u.Access, u.MemberOf)
}

func (q *sequence) dropUser() {
	if len(q.wanted.Users) == 0 {
		return
	}
	u := pick(q, q.wanted.Users)
	q.note("drop user %s", u.Name)
	plan, err := q.read(q.wanted).DropUser(u)
	sqltest.Sent(q.T, q.server, "drop user "+u.Name, plan, err)
	for _, name := range rolesOf(u) {
		var exists bool
		if err := q.session(administrator, "postgres").QueryRow(q.Context(), "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", name).Scan(&exists); err != nil || exists {
			q.Errorf("role %s is still there: %v", name, err)
		}
	}
	q.wanted.Users = slices.DeleteFunc(q.wanted.Users, func(other sql.User) bool { return other.Name == u.Name })
}

// A user of the model, with one of its logins and a database that it has access to.
func (q *sequence) someone(level sql.Level) (u sql.User, login, database string) {
	for _, u := range q.wanted.Users {
		for _, a := range u.Access {
			if a.Level == level && q.random.IntN(2) == 0 {
				return u, pick(q, u.Logins).Name, a.Database
			}
		}
	}
	return u, "", ""
}

func (q *sequence) created() string {
	q.counter++
	return fmt.Sprintf("t%d", q.counter)
}

// ownerCreates has an owner's login create objects, as a migration does.
func (q *sequence) ownerCreates() {
	_, login, database := q.someone(sql.Owner)
	if login == "" {
		return
	}
	schema, table := pick(q, []string{"public", "app", `"odd ""schema"""`, "later"}), q.created()
	err := q.as(login, "pw-"+login, database, "CREATE SCHEMA IF NOT EXISTS "+schema, "CREATE TABLE "+schema+"."+table+" (n serial, m int)", "CREATE VIEW "+schema+".v"+table+" AS SELECT 1 AS one",
		"CREATE FUNCTION "+schema+".f"+table+"() RETURNS int LANGUAGE sql AS 'SELECT 1'")
	q.note("owner %s creates %s.%s in %s: %v", login, schema, table, database, err)
}

// resetRoleCreates has an owner's login create objects of its own.
func (q *sequence) resetRoleCreates() {
	_, login, database := q.someone(sql.Owner)
	if login == "" {
		return
	}
	table := q.created()
	err := q.as(login, "pw-"+login, database, "RESET ROLE", "SET ROLE NONE", "CREATE TABLE app."+table+" (n serial)", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO bob")
	q.note("owner %s creates %s in %s as itself: %v", login, table, database, err)
}

func (q *sequence) bobCreates() {
	database, table := pick(q, q.wanted.Databases).Name, q.created()
	q.send("bob", database, "CREATE TABLE "+pick(q, []string{"public", "app"})+"."+table+" (n serial, m int)")
}

// target is a role that foreigners grant something to: a role of a user, or a group role.
func (q *sequence) target(database string) string {
	names := []string{GroupsOf(database).ReadOnly, GroupsOf(database).ReadWrite}
	for _, u := range q.wanted.Users {
		names = append(names, rolesOf(u)...)
	}
	return quote(pick(q, names))
}

func (q *sequence) table(database, owner string) string {
	tables := q.strings(database, "SELECT quote_ident(schemaname) || '.' || quote_ident(tablename) FROM pg_tables WHERE schemaname !~ '^pg_' AND schemaname <> 'information_schema' AND ($1 = '' OR tableowner = $1) ORDER BY 1", owner)
	if len(tables) == 0 {
		return "public.none"
	}
	return pick(q, tables)
}

func (q *sequence) strings(database, query string, arguments ...any) (all []string) {
	rows, err := q.session(administrator, database).Query(q.Context(), query, arguments...)
	if err == nil {
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	if err != nil {
		q.Fatal(err, query)
	}
	return all
}

func (q *sequence) bobGrants() {
	database := pick(q, q.wanted.Databases).Name
	q.send("bob", database, "GRANT "+pick(q, []string{"SELECT", "INSERT, DELETE", "ALL"})+" ON "+q.table(database, "bob")+" TO "+q.target(database))
}

func (q *sequence) bobDefaults() {
	database := pick(q, q.wanted.Databases).Name
	q.send("bob", database, "ALTER DEFAULT PRIVILEGES "+pick(q, []string{"", "IN SCHEMA app "})+"GRANT "+pick(q, []string{"SELECT", "ALL"})+" ON TABLES TO "+pick(q, []string{"auditors", q.target(database)}))
}

func (q *sequence) asOwner(database, statement string) {
	q.send(administrator, database, "SET ROLE "+quote(GroupsOf(database).Owner)+"; "+statement+"; RESET ROLE")
	q.send(administrator, database, "RESET ROLE")
}

func (q *sequence) grantExtra() {
	database := pick(q, q.wanted.Databases).Name
	q.asOwner(database, "GRANT "+pick(q, []string{
		"INSERT ON " + q.table(database, GroupsOf(database).Owner), "ALL ON ALL TABLES IN SCHEMA app", "ALL ON ALL SEQUENCES IN SCHEMA public", "CREATE ON SCHEMA app", "CREATE ON DATABASE " + quote(database),
		"EXECUTE ON ALL FUNCTIONS IN SCHEMA public",
	})+" TO "+q.target(database))
}

func (q *sequence) grantColumn() {
	database := pick(q, q.wanted.Databases).Name
	q.asOwner(database, "GRANT SELECT (n), UPDATE (n, m) ON "+q.table(database, GroupsOf(database).Owner)+" TO "+q.target(database))
}

func (q *sequence) grantOption() {
	database := pick(q, q.wanted.Databases).Name
	q.asOwner(database, "GRANT SELECT ON "+q.table(database, GroupsOf(database).Owner)+" TO "+q.target(database)+" WITH GRANT OPTION")
}

// foreignGrant gives other roles something, which must stay.
func (q *sequence) foreignGrant() {
	database := pick(q, q.wanted.Databases).Name
	q.asOwner(database, "GRANT "+pick(q, []string{"SELECT", "ALL"})+" ON "+q.table(database, GroupsOf(database).Owner)+" TO "+pick(q, []string{"bob", "auditors"}))
	q.asOwner(database, "GRANT USAGE ON SCHEMA app TO auditors; GRANT CONNECT ON DATABASE "+quote(database)+" TO auditors")
}

func (q *sequence) revokeOurs() {
	database := pick(q, q.wanted.Databases).Name
	q.asOwner(database, pick(q, []string{
		"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM ", "REVOKE ALL ON DATABASE " + quote(database) + " FROM ", "REVOKE USAGE ON SCHEMA app FROM ",
		"ALTER DEFAULT PRIVILEGES REVOKE SELECT ON TABLES FROM ",
	})+q.target(database))
}

func (q *sequence) alterRole() {
	role := q.target(pick(q, q.wanted.Databases).Name)
	q.send(administrator, "postgres", "ALTER ROLE "+role+" "+pick(q, []string{"CREATEDB", "CREATEROLE", "NOINHERIT", "NOLOGIN", "LOGIN", "VALID UNTIL '2020-01-01'", "CONNECTION LIMIT 7"}))
}

func (q *sequence) addMembership() {
	database := pick(q, q.wanted.Databases).Name
	q.send(administrator, "postgres", "GRANT "+pick(q, []string{"bob", "auditors", "pg_read_all_data", quote(GroupsOf(database).Owner)})+" TO "+q.target(database))
}

// dropLogin drops a login with all that it has, as somebody does who cleans up by hand.
func (q *sequence) dropLogin() {
	u, _, _ := q.someone(sql.Level(1 + q.random.IntN(3)))
	if u.Name == "" {
		return
	}
	role := quote(pick(q, rolesOf(u)))
	for _, d := range q.wanted.Databases {
		owner := quote(GroupsOf(d.Name).Owner)
		q.send(administrator, d.Name, "GRANT "+role+" TO postgres; REASSIGN OWNED BY "+role+" TO "+owner+"; SET ROLE "+owner+"; DROP OWNED BY "+role+"; RESET ROLE")
		q.send(administrator, d.Name, "RESET ROLE")
	}
	q.send(administrator, "postgres", "DROP ROLE "+role)
	q.send(administrator, "postgres", "REVOKE "+role+" FROM postgres")
}

// foreign returns all that foreign roles have.
func (q *sequence) foreign() map[string][]string {
	all := map[string][]string{"roles": q.strings("postgres", `SELECT r::text FROM (SELECT rolname, rolcanlogin, rolcreatedb, rolcreaterole, rolinherit, rolconnlimit FROM pg_roles WHERE rolname IN ('bob', 'auditors')) r
		UNION ALL SELECT pg_get_userbyid(member) || ' in ' || pg_get_userbyid(roleid) FROM pg_auth_members WHERE pg_get_userbyid(member) IN ('bob', 'auditors', 'postgres')
		  AND pg_get_userbyid(roleid) NOT IN (SELECT datdba::regrole::text FROM pg_database) AND shobj_description(roleid, 'pg_authid') IS NULL ORDER BY 1`)}
	for _, d := range q.wanted.Databases {
		all[d.Name] = q.strings(d.Name, `WITH o AS (
			SELECT c.oid::regclass::text || CASE WHEN relowner = 'bob'::regrole THEN ' of bob' ELSE '' END AS object, COALESCE(relacl, acldefault(CASE relkind WHEN 'S' THEN 's'::"char" ELSE 'r'::"char" END, relowner)) AS acl FROM pg_class c WHERE relowner = 'bob'::regrole OR relacl::text ~ '(bob|auditors)='
			UNION ALL SELECT 'schema ' || nspname, nspacl FROM pg_namespace
			UNION ALL SELECT 'database ' || datname, datacl FROM pg_database WHERE datname = current_database()
			UNION ALL SELECT 'defaults of bob ' || defaclnamespace::text || defaclobjtype::text, defaclacl FROM pg_default_acl WHERE defaclrole = 'bob'::regrole)
		SELECT object || ': ' || x.grantee::regrole || ' ' || x.privilege_type FROM o, aclexplode(acl) x WHERE x.grantee IN ('bob'::regrole, 'auditors'::regrole)
		  AND NOT (object LIKE 'defaults%' AND x.grantee = 'bob'::regrole) ORDER BY 1`)
	}
	return all
}

// declared fails unless each login has exactly the declared privileges, beyond those of roles that it is declared to be
// a member of.
func (q *sequence) declared() {
	for _, d := range q.wanted.Databases {
		for _, u := range q.wanted.Users {
			want := map[string]bool{}
			for _, line := range q.strings(d.Name, `SELECT 'auditors' || ' ' || p.kind || ' ' || p.object || ' ' || p.privilege FROM (`+effective("'auditors'")+`) p WHERE p.has`) {
				if slices.Contains(u.MemberOf, "auditors") {
					want[strings.TrimPrefix(line, "auditors ")] = true
				}
			}
			q.expect(want, d, u)
			for _, l := range u.Logins {
				got := q.strings(d.Name, `SELECT p.kind || ' ' || p.object || ' ' || p.privilege FROM (`+effective(literal(l.Name))+`) p WHERE p.has`)
				slices.Sort(got)
				if diff := cmp.Diff(strings.Join(slices.Sorted(maps.Keys(want)), "\n"), strings.Join(got, "\n")); diff != "" {
					q.Errorf("privileges of %s in %s with %v (-want +got):\n%s", l.Name, d.Name, u.Access, diff)
				}
			}
		}
	}
	if len(q.wanted.Users) > 0 {
		q.logsIn(pick(q, q.wanted.Databases), pick(q, q.wanted.Users))
	}
}

// effective is a query for all privileges that a role has beyond PUBLIC's, by whatever way.
func effective(role string) string {
	return `SELECT 'table' AS kind, c.oid::regclass::text AS object, x AS privilege, has_table_privilege(` + role + `, c.oid, x) AS has
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) x
		WHERE relkind IN ('r', 'v') AND ` + theirs + `
	UNION ALL SELECT 'column', c.oid::regclass::text, x, has_any_column_privilege(` + role + `, c.oid, x) AND NOT has_table_privilege(` + role + `, c.oid, x)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) x WHERE relkind IN ('r', 'v') AND ` + theirs + `
	UNION ALL SELECT 'sequence', c.oid::regclass::text, x, has_sequence_privilege(` + role + `, c.oid, x)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, unnest(ARRAY['SELECT', 'USAGE', 'UPDATE']) x WHERE relkind = 'S' AND ` + theirs + `
	UNION ALL SELECT 'schema', n.nspname, x, has_schema_privilege(` + role + `, n.oid, x) FROM pg_namespace n, unnest(ARRAY['USAGE', 'CREATE']) x WHERE ` + theirs + ` AND (nspname <> 'public' OR x <> 'USAGE')
	UNION ALL SELECT 'database', '', x, has_database_privilege(` + role + `, current_database(), x) FROM unnest(ARRAY['CONNECT', 'TEMPORARY', 'CREATE']) x`
}

// expect adds what a level gives.
func (q *sequence) expect(want map[string]bool, d sql.Database, u sql.User) {
	var level sql.Level
	var schemas []string
	for _, a := range u.Access {
		if a.Database == d.Name {
			level, schemas = a.Level, a.Schemas
		}
	}
	if level == 0 {
		return
	}
	privileges := map[string][]string{"table": {"SELECT"}, "sequence": {"SELECT"}, "schema": {"USAGE"}, "database": {"CONNECT"}}
	switch level {
	case sql.ReadOnly:
	case sql.ReadWrite:
		privileges = map[string][]string{"table": {"SELECT", "INSERT", "UPDATE", "DELETE"}, "sequence": {"SELECT", "USAGE", "UPDATE"}, "schema": {"USAGE"}, "database": {"CONNECT", "TEMPORARY"}}
	case sql.Owner:
		privileges = map[string][]string{
			"table": {"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"}, "sequence": {"SELECT", "USAGE", "UPDATE"},
			"schema": {"USAGE", "CREATE"}, "database": {"CONNECT", "TEMPORARY", "CREATE"},
		}
	}
	for _, object := range q.strings(d.Name, `SELECT DISTINCT kind || chr(9) || object || chr(9) || COALESCE((SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE kind <> 'schema' AND kind <> 'database' AND c.oid = to_regclass(object)), object)
		FROM (`+effective("'auditors'")+`) p WHERE kind <> 'column'`) {
		part := strings.Split(object, "\t")
		if schemas != nil && part[0] != "database" && !slices.Contains(schemas, part[2]) {
			continue
		}
		for _, p := range privileges[part[0]] {
			if part[0] == "schema" && part[1] == "public" && p == "USAGE" {
				continue
			}
			want[part[0]+" "+part[1]+" "+p] = true
			delete(want, "column "+part[1]+" "+p)
		}
	}
}

// logsIn tries what was read.
func (q *sequence) logsIn(d sql.Database, u sql.User) {
	l := pick(q, u.Logins)
	table := q.table(d.Name, "")
	var reads, connects bool
	if err := q.session(administrator, d.Name).QueryRow(q.Context(), "SELECT COALESCE(has_table_privilege($1, to_regclass($2), 'SELECT') AND has_schema_privilege($1, (SELECT relnamespace FROM pg_class WHERE oid = to_regclass($2)), 'USAGE'), false), has_database_privilege($1, current_database(), 'CONNECT')", l.Name, table).
		Scan(&reads, &connects); err != nil {
		q.Fatal(err)
	}
	err := q.as(l.Name, "pw-"+l.Name, d.Name)
	if connects != (err == nil) {
		q.Errorf("%s connects to %s: %v, want %v", l.Name, d.Name, err, connects)
	}
	if connects && table != "public.none" {
		if err := q.as(l.Name, "pw-"+l.Name, d.Name, "SELECT * FROM "+table); reads != (err == nil) {
			q.Errorf("%s reads %s in %s: %v, want %v", l.Name, table, d.Name, err, reads)
		}
	}
}
