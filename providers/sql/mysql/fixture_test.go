package mysql

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	dbsql "database/sql"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/mooring-dev/mooring/providers/sql"
	"github.com/mooring-dev/mooring/providers/sql/sqltest"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

const (
	administrator = "admin"
	password      = `it's a "secret" \ with $ and ; -- 100%`
)

// A fixture is a real MariaDB, whose administrator has the privileges that clouds give.
type fixture struct {
	*testing.T
	target sql.Target
	server sql.Server
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel() // each test has a server of its own
	check.Available(t, engine.Available("mariadb"))
	dir, err := engine.Scratch("mooring-test-")
	if err != nil {
		t.Fatal(err)
	}
	engines := engine.New(dir, false)
	t.Cleanup(func() {
		if err := engines.Close(); err != nil {
			t.Error(err)
		}
		_ = os.RemoveAll(dir)
	})
	started, err := engines.Start(engine.Spec{ID: "sql", Engine: "mariadb", Username: administrator, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(started.CA))
	f := &fixture{T: t, target: sql.Target{
		Host: started.Host, Port: started.Port, TLS: &tls.Config{RootCAs: roots}, Username: administrator, Password: password,
		Dialer: &sql.Direct{Allowed: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
	}}
	f.server = f.open()
	return f
}

func (f *fixture) open() sql.Server {
	f.Helper()
	server, err := Open(f.target)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = server.Close(context.Background()) })
	return server
}

func (f *fixture) reconcile(wanted sql.Wanted) []sql.Statement {
	f.Helper()
	return sqltest.Reconcile(f.T, f.server, wanted)
}

func (f *fixture) converged(wanted sql.Wanted) {
	f.Helper()
	sqltest.Converged(f.T, f.server, wanted)
}

// connect logs in as somebody.
func (f *fixture) connect(user, password, database string) (*dbsql.DB, error) {
	tls, err := f.target.Verified()
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.User, config.Passwd, config.DBName, config.TLS = user, password, database, tls
	config.Net, config.Addr = "tcp", net.JoinHostPort(f.target.Host, strconv.Itoa(f.target.Port))
	config.InterpolateParams = true
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	db := dbsql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	if err := db.PingContext(f.Context()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// as runs statements as somebody.
func (f *fixture) as(user, password, database string, statements ...string) error {
	db, err := f.connect(user, password, database)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	for _, statement := range statements {
		if _, err := db.ExecContext(f.Context(), statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (f *fixture) admin(statements ...string) {
	f.Helper()
	if err := f.as(administrator, password, "", statements...); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Error(err)
	}
}

func (f *fixture) refused(err error) {
	f.Helper()
	var answer *mysql.MySQLError
	if !errors.As(err, &answer) || causeOf(answer.Number).Code.String() != "Denied" {
		f.Errorf("it was not refused for lack of a right: %v", err)
	}
}

func verified(password string) func() (string, error) {
	return func() (string, error) { return NativeVerifier(password) }
}

func inPlace(name string, access ...sql.Access) sql.User {
	return sql.User{Name: name, Mark: "mark of " + name, Logins: []sql.Login{{Name: name, Verifier: verified("pw-" + name)}}, Access: access}
}

func alternate(name string, access ...sql.Access) sql.User {
	u := sql.User{Name: name, Mark: "mark of " + name, Access: access}
	a, b := AlternateLogins(name)
	for _, login := range []string{a, b} {
		u.Logins = append(u.Logins, sql.Login{Name: login, Verifier: verified("pw-" + login)})
	}
	return u
}

func made(name string) sql.Database {
	return sql.Database{Name: name, Mark: "mark of db " + name, Made: true}
}
