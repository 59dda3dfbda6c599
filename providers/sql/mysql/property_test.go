package mysql

import (
	dbsql "database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/sql"
	"github.com/mooring-dev/mooring/providers/sql/sqltest"
)

// Names of databases and users, hostile ones among them.
var (
	poolDatabases = []string{"orders", "a_b%c", "we`ird'); DROP DATABASE orders; --", strings.Repeat("n", 64), `back\slash_`}
	poolUsers     = []string{"app", "select", `it's "quoted"; \`, strings.Repeat("ü", 15) + "x", "CamelCase $1 %s", "under_score%"}
)

// A sequence is one random series of edits, of foreign statements and of reconciliations.
type sequence struct {
	*fixture
	random  *rand.Rand
	db      *dbsql.DB
	wanted  sql.Wanted
	counter int
	log     []string
}

func TestProperty(t *testing.T) {
	f := newFixture(t)
	f.admin("CREATE USER bob@'%' IDENTIFIED BY 'pw-bob'", "CREATE ROLE auditors", "CREATE DATABASE theirs", "CREATE TABLE theirs.t (n int)", "GRANT SELECT ON theirs.* TO auditors", "GRANT SELECT, INSERT, DELETE ON theirs.* TO bob@'%'")
	db, err := f.connect(administrator, password, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	q := &sequence{fixture: f, db: db}
	for n := range sqltest.Sequences() {
		seed := sqltest.Seed() + uint64(n)
		q.random, q.log = rand.New(rand.NewPCG(seed, 1)), nil
		q.run()
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, strings.Join(q.log, "\n"))
		}
	}
}

func pick[T any](q *sequence, from []T) T { return from[q.random.IntN(len(from))] }

func (q *sequence) run() {
	for len(q.wanted.Databases) < 2 {
		q.addDatabase()
	}
	for range 2 + q.random.IntN(4) {
		for range 1 + q.random.IntN(5) {
			steps := []func(){
				q.editUser, q.editUser, q.editUser, q.dropUser, q.addDatabase, q.createTable, q.grantExtra, q.grantExtra, q.grantExtra, q.grantTable, q.grantRoutine, q.grantGlobal,
				q.revokeOurs, q.revokeOurs, q.alterAccount, q.addMembership, q.dropLogin, q.foreignGrant, q.dropDatabase,
			}
			steps[q.random.IntN(len(steps))]()
		}
		before := q.foreign()
		q.reconcile(q.wanted)
		q.converged(q.wanted)
		if diff := cmp.Diff(before, q.foreign()); diff != "" {
			q.Errorf("what others have has changed (-before +after):\n%s", diff)
		}
		q.declared()
		if q.Failed() {
			return
		}
	}
}

// send runs a foreign statement: it may be refused, if what it is about is not there.
func (q *sequence) send(statement string) {
	_, err := q.db.ExecContext(q.Context(), statement)
	q.log = append(q.log, fmt.Sprintf("%s: %v", statement, err))
}

func (q *sequence) note(format string, arguments ...any) {
	q.log = append(q.log, fmt.Sprintf(format, arguments...))
}

func (q *sequence) addDatabase() {
	for _, name := range poolDatabases[q.random.IntN(len(poolDatabases)):] {
		if slices.ContainsFunc(q.wanted.Databases, func(d sql.Database) bool { return d.Name == name }) {
			continue
		}
		q.wanted.Databases = append(q.wanted.Databases, made(name))
		q.note("declare database %s", name)
		q.reconcile(q.wanted)
		q.send("CREATE TABLE IF NOT EXISTS " + quote(name) + ".t0 (n int, m int)")
		q.send("CREATE PROCEDURE " + quote(name) + ".p0 () SELECT 1")
		return
	}
}

func (q *sequence) dropDatabase() {
	if len(q.wanted.Databases) < 3 {
		return
	}
	d := pick(q, q.wanted.Databases)
	q.note("drop database %s", d.Name)
	plan, err := sqltest.Read(q.T, q.server, q.wanted).DropDatabase(d, true)
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
		if level := sql.Level(q.random.IntN(4)); level != 0 {
			access = append(access, sql.Access{Database: d.Name, Level: level})
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
	plan, err := sqltest.Read(q.T, q.server, q.wanted).DropUser(u)
	sqltest.Sent(q.T, q.server, "drop user "+u.Name, plan, err)
	for _, name := range accountsOf(u) {
		if rows := q.rows("SELECT User FROM mysql.global_priv WHERE User = ? AND Host = '%'", name); len(rows) > 0 {
			q.Errorf("account %s is still there", name)
		}
	}
	q.wanted.Users = slices.DeleteFunc(q.wanted.Users, func(other sql.User) bool { return other.Name == u.Name })
}

// target is an account that foreigners change; of none that is declared, one that is not there.
func (q *sequence) target() string {
	if len(q.wanted.Users) == 0 {
		return account("nobody")
	}
	return account(pick(q, pick(q, q.wanted.Users).Logins).Name)
}

func (q *sequence) database() string { return pick(q, q.wanted.Databases).Name }

func (q *sequence) createTable() {
	q.counter++
	q.send(fmt.Sprintf("CREATE TABLE %s.t%d (n int)", quote(q.database()), q.counter))
}

func (q *sequence) grantExtra() {
	at := pick(q, []string{quote(q.database()), quote(pattern(q.database())), quote("%"), quote("ord%"), "theirs"})
	q.send("GRANT " + pick(q, []string{"INSERT", "CREATE, ALTER, TRIGGER", "SELECT, DROP"}) + " ON " + at + ".* TO " + q.target() + pick(q, []string{"", " WITH GRANT OPTION"}))
}

func (q *sequence) grantTable() {
	q.send("GRANT " + pick(q, []string{"INSERT", "DELETE, DROP", "SELECT (n)", "UPDATE (n, m), SELECT (n)"}) + " ON " + quote(q.database()) + ".t0 TO " + q.target() + pick(q, []string{"", " WITH GRANT OPTION"}))
}

func (q *sequence) grantRoutine() {
	q.send("GRANT " + pick(q, []string{"EXECUTE", "ALTER ROUTINE"}) + " ON PROCEDURE " + quote(q.database()) + ".p0 TO " + q.target())
}

func (q *sequence) grantGlobal() {
	q.send("GRANT " + pick(q, []string{"PROCESS", "SELECT", "CREATE USER, RELOAD"}) + " ON *.* TO " + q.target() + pick(q, []string{"", " WITH GRANT OPTION"}))
}

func (q *sequence) revokeOurs() {
	q.send("REVOKE " + pick(q, []string{"SELECT", "ALL PRIVILEGES", "INSERT, DELETE"}) + " ON " + quote(pattern(q.database())) + ".* FROM " + q.target())
}

func (q *sequence) alterAccount() {
	q.send("ALTER USER " + q.target() + pick(q, []string{" ACCOUNT LOCK", " WITH MAX_USER_CONNECTIONS 3"}))
}

func (q *sequence) addMembership() {
	q.send("GRANT auditors TO " + q.target() + pick(q, []string{"", " WITH ADMIN OPTION"}))
}

func (q *sequence) dropLogin() { q.send("DROP USER " + q.target()) }

// foreignGrant gives another account something, which must stay.
func (q *sequence) foreignGrant() {
	q.send("GRANT SELECT ON " + quote(pattern(q.database())) + ".* TO bob@'%'")
	q.send("GRANT UPDATE (n) ON " + quote(q.database()) + ".t0 TO bob@'%'")
}

// rows returns each row as one text.
func (q *sequence) rows(query string, arguments ...any) (all []string) {
	rows, err := q.db.QueryContext(q.Context(), query, arguments...)
	if err != nil {
		q.Fatal(query, err)
	}
	defer func() { _ = rows.Close() }()
	columns, _ := rows.Columns()
	for rows.Next() {
		values, to := make([]dbsql.NullString, len(columns)), make([]any, len(columns))
		for i := range values {
			to[i] = &values[i]
		}
		if err := rows.Scan(to...); err != nil {
			q.Fatal(err)
		}
		var text []string
		for i, v := range values {
			text = append(text, columns[i]+"="+v.String)
		}
		all = append(all, strings.Join(text, " "))
	}
	slices.Sort(all)
	return all
}

// foreign returns all that others have.
func (q *sequence) foreign() []string {
	return slices.Concat(q.rows("SHOW GRANTS FOR bob@'%'"), q.rows("SHOW GRANTS FOR auditors"), q.rows("SELECT User, Host, Priv FROM mysql.global_priv WHERE User IN ('bob', 'auditors', 'admin')"),
		q.rows("SELECT * FROM mysql.roles_mapping WHERE User IN ('bob', 'admin')"), q.rows("SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA NOT IN ('mooring')"))
}

// declared fails unless each login has exactly the declared privileges. It reads the tables behind information_schema, and tries.
func (q *sequence) declared() {
	for _, u := range q.wanted.Users {
		for _, l := range u.Logins {
			var want, got []string
			for _, a := range u.Access {
				for _, p := range privileges(a.Level) {
					want = append(want, pattern(a.Database)+" "+p)
				}
			}
			for _, row := range q.rows("SELECT * FROM mysql.db WHERE Host = '%' AND User = ?", l.Name) {
				at, rest, _ := strings.Cut(strings.TrimPrefix(row, "Host=% Db="), " User="+l.Name+" ")
				for field := range strings.FieldsSeq(rest) {
					if name, is := strings.CutSuffix(field, "_priv=Y"); is {
						name = strings.ToUpper(strings.ReplaceAll(name, "_", " "))
						got = append(got, at+" "+strings.NewReplacer("CREATE TMP TABLE", "CREATE TEMPORARY TABLES").Replace(name))
					}
				}
			}
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(got, "\n")); diff != "" {
				q.Errorf("privileges of %s with %v (-want +got):\n%s", l.Name, u.Access, diff)
			}
			for _, row := range q.rows("SELECT JSON_VALUE(Priv, '$.access') FROM mysql.global_priv WHERE Host = '%' AND User = ?", l.Name) {
				if !strings.HasSuffix(row, "=0") {
					q.Errorf("%s has privileges on the whole server: %s", l.Name, row)
				}
			}
			if roles := q.rows("SELECT Role FROM mysql.roles_mapping WHERE Host = '%' AND User = ?", l.Name); len(roles) != len(u.MemberOf) {
				q.Errorf("%s has the roles %q, want %q", l.Name, roles, u.MemberOf)
			}
		}
	}
	if len(q.wanted.Users) > 0 {
		q.tries(pick(q, q.wanted.Users), q.database())
	}
}

// tries does what each level allows, and what it does not.
func (q *sequence) tries(u sql.User, database string) {
	var level sql.Level
	for _, a := range u.Access {
		if a.Database == database {
			level = a.Level
		}
	}
	l, at := pick(q, u.Logins).Name, quote(database)
	for _, try := range []struct {
		from      sql.Level
		statement string
	}{{sql.ReadOnly, "SELECT * FROM " + at + ".t0"}, {sql.ReadWrite, "INSERT INTO " + at + ".t0 VALUES (1, 2)"}, {sql.ReadWrite, "CALL " + at + ".p0 ()"}, {sql.Owner, "CREATE OR REPLACE TABLE " + at + ".made (n int)"}, {sql.Owner, "DROP TABLE " + at + ".made"}} {
		if err := q.as(l, "pw-"+l, "", try.statement); (err == nil) != (level >= try.from) {
			q.Errorf("%s with level %s: %s: %v", l, level, try.statement, err)
			q.Logf("SHOW %q PROCS %q", q.rows("SHOW GRANTS FOR "+account(l)), q.rows("SELECT * FROM mysql.procs_priv WHERE User = ?", l))
		}
	}
	if err := q.as(l, "pw-"+l, "", "SELECT * FROM theirs.t"); (err == nil) != slices.Contains(u.MemberOf, "auditors") {
		q.Errorf("%s reads by the role, of which it is a member as %v says: %v", l, u.MemberOf, err)
	}
}
