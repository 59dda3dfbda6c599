package mysql

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

func texts(t *testing.T) func(sql.Plan, error) string {
	return func(plan sql.Plan, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range plan.Statements {
			all = append(all, s.Texts...)
		}
		return strings.Join(all, "\n")
	}
}

func newSnapshot(mariaDB bool) *snapshot {
	return &snapshot{
		mariaDB: mariaDB, admin: "admin", registry: true, accounts: map[string]*accountRow{}, databases: map[string]*database{"orders": {}}, grants: map[string][]grant{},
		members: map[string][]membership{}, roles: map[string]bool{"auditors": true}, marks: map[markKey]string{}, definers: map[string][]string{},
	}
}

// What MySQL is sent has been read from its manual, and no server here has taken it.
// https://dev.mysql.com/doc/refman/8.4/en/create-user.html
func TestStatementsOfMySQL(t *testing.T) {
	t.Parallel()
	user := inPlace("app", sql.Access{Database: "orders", Level: sql.ReadOnly})
	user.MemberOf = []string{"auditors"}
	user.Logins[0].Verifier = func() (string, error) { return sha2Verifier("secret", []byte("ABCDEFGHIJKLMNOPQRST")), nil }
	s := newSnapshot(false)
	plan, err := s.User(user)
	all := texts(t)(plan, err)
	for _, want := range []string{
		"CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED WITH caching_sha2_password AS 0x244124303035244142434445464748494a4b4c4d4e4f5051525354", "GRANT SELECT, SHOW VIEW ON `orders`.* TO 'app'@'%'",
		"GRANT 'auditors'@'%' TO 'app'@'%'", "ALTER USER 'app'@'%' DEFAULT ROLE ALL",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	i := slices.IndexFunc(plan.Statements, func(s sql.Statement) bool { return strings.HasPrefix(s.Name, "mark") })
	j := slices.IndexFunc(plan.Statements, func(s sql.Statement) bool { return strings.HasPrefix(s.Name, "make account") })
	if i < 0 || j < i {
		t.Errorf("the mark is written at %d, and the account at %d", i, j)
	}
	if strings.Contains(all, "secret") || len(plan.Statements[j].Secrets) != 2 {
		t.Error("the password is in a statement, or the verifier is no secret")
	}
}

// A login by IAM has the plugin of RDS, and no password.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/UsingWithRDS.IAMDBAuth.DBAccounts.html
func TestIAM(t *testing.T) {
	t.Parallel()
	user := sql.User{Name: "app", Mark: "mark", Logins: []sql.Login{{Name: "app"}}, IAMRole: "AWSAuthenticationPlugin"}
	s := newSnapshot(true)
	if all := texts(t)(s.User(user)); !strings.Contains(all, "CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED WITH AWSAuthenticationPlugin AS 'RDS' REQUIRE SSL") {
		t.Errorf("sent:\n%s", all)
	}
	s.marks[markKey{kindAccount, "app"}] = "mark"
	s.accounts["app"] = &accountRow{plugin: "mysql_native_password"}
	if all := texts(t)(s.User(user)); !strings.Contains(all, "ALTER USER 'app'@'%' IDENTIFIED WITH AWSAuthenticationPlugin") {
		t.Errorf("a login by password becomes one by IAM:\n%s", all)
	}
	user.IAMRole = "x AS 'y'; DROP"
	if _, err := s.User(user); driver.CodeOf(err) != driver.Invalid {
		t.Errorf("a plugin is %v", err)
	}
}

// On RDS a procedure ends sessions.
func TestEndSessions(t *testing.T) {
	t.Parallel()
	s := newSnapshot(false)
	if got := s.EndSessions("it's")[0]; got.Texts[0] != "KILL CONNECTION %d" || !strings.Contains(got.Each, "USER IN ('it''s')") {
		t.Errorf("%q for each of %q", got.Texts, got.Each)
	}
	s.kills = "CALL mysql.rds_kill(%d)"
	if got := s.EndSessions("app")[0].Texts[0]; got != s.kills {
		t.Errorf("got %q", got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"orders": "orders", "a_b": `a\_b`, "100%": `100\%`, `a\b`: `a\\b`} {
		if got := pattern(name); got != want {
			t.Errorf("%q is the pattern %q, want %q", name, got, want)
		}
	}
	s := newSnapshot(false)
	for _, name := range []string{"", "root", "ROOT", "mysql.sys", "rdsadmin", "cloudsqladmin", "a'@'b", "a\nb", strings.Repeat("x", 33), "😀", "admin", " a"} {
		if _, err := s.User(inPlace(name)); driver.CodeOf(err) != driver.Invalid && driver.CodeOf(err) != driver.Conflict {
			t.Errorf("user %q: %v", name, err)
		}
	}
	for _, d := range []sql.Database{made("mysql"), made("mooring"), made("SYS"), made(""), made(strings.Repeat("x", 65)), {Name: "a", Mark: "m", Schemas: []string{"s"}}, {Name: "a", Mark: "m", Extensions: []sql.Extension{{Name: "e"}}}} {
		if _, err := s.Database(d); driver.CodeOf(err) != driver.Invalid {
			t.Errorf("database %q: %v", d.Name, err)
		}
	}
}

// Bad access and memberships are refused before anything is sent.
func TestBadUsers(t *testing.T) {
	t.Parallel()
	s := newSnapshot(true)
	s.accounts["taken"] = &accountRow{}
	for what, u := range map[string]sql.User{
		"a missing database": inPlace("app", sql.Access{Database: "nothing", Level: sql.ReadOnly}),
		"schemas":            inPlace("app", sql.Access{Database: "orders", Level: sql.ReadOnly, Schemas: []string{"x"}}),
		"no level":           inPlace("app", sql.Access{Database: "orders"}),
		"twice":              inPlace("app", sql.Access{Database: "orders", Level: sql.ReadOnly}, sql.Access{Database: "orders", Level: sql.Owner}),
		"another's account":  inPlace("taken"),
		"a missing role":     {Name: "app", Mark: "m", MemberOf: []string{"nobody"}, Logins: []sql.Login{{Name: "app", Verifier: verified("x")}}},
	} {
		if plan, err := s.User(u); err == nil || driver.CodeOf(err) == driver.Internal {
			t.Errorf("%s: %v, %v", what, err, plan.Statements)
		}
	}
	if plan, err := s.DropUser(inPlace("taken")); err != nil || len(plan.Statements) > 0 {
		t.Errorf("another's account is dropped: %v, %v", plan.Statements, err)
	}
}
