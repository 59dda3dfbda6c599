package postgres

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/mooring-dev/mooring/providers/sql"
	"github.com/mooring-dev/mooring/providers/sql/sqltest"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
)

const (
	administrator = "postgres"
	password      = `it's a "secret" \ with $ and ; -- 100%`
)

// A fixture is a real server, whose administrator is no superuser.
type fixture struct {
	*testing.T
	target sql.Target
	server sql.Server
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	t.Parallel() // each test has a server of its own
	check.Available(t, engine.Available("postgres"))
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
	started, err := engines.Start(engine.Spec{ID: "sql", Engine: "postgres", Username: administrator, Password: password, Parameters: map[string]string{"max_connections": "200"}})
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

func (f *fixture) read(wanted sql.Wanted) sql.Snapshot { return sqltest.Read(f.T, f.server, wanted) }

func (f *fixture) reconcile(wanted sql.Wanted) []sql.Statement {
	f.Helper()
	return sqltest.Reconcile(f.T, f.server, wanted)
}

func (f *fixture) converged(wanted sql.Wanted) {
	f.Helper()
	sqltest.Converged(f.T, f.server, wanted)
}

// connect logs in as somebody. The session ends with the test.
func (f *fixture) connect(user, password, database string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig("host=127.0.0.1 sslmode=disable user=x dbname=x")
	if err != nil {
		return nil, err
	}
	tls, err := f.target.Verified()
	if err != nil {
		return nil, err
	}
	config.Port, config.User, config.Password, config.Database, config.TLSConfig = uint16(f.target.Port), user, password, database, tls
	config.DialFunc = (&net.Dialer{}).DialContext
	config.RuntimeParams["jit"] = "off"
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	return pgx.ConnectConfig(f.Context(), config)
}

// as runs statements as somebody in a session of their own.
func (f *fixture) as(user, password, database string, statements ...string) error {
	conn, err := f.connect(user, password, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	for _, statement := range statements {
		if _, err := conn.Exec(f.Context(), statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// scan reads one value as the administrator.
func (f *fixture) scan(database, query string, to any) error {
	conn, err := f.connect(administrator, password, database)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.Background()) }()
	return conn.QueryRow(f.Context(), query).Scan(to)
}

// admin runs statements as the administrator.
func (f *fixture) admin(database string, statements ...string) {
	f.Helper()
	if err := f.as(administrator, password, database, statements...); err != nil {
		f.Fatal(err)
	}
}

// must and refused expect what somebody may and may not do.
func (f *fixture) must(err error) {
	f.Helper()
	if err != nil {
		f.Error(err)
	}
}

func (f *fixture) refused(err error) {
	f.Helper()
	if err == nil {
		f.Error("it was not refused")
	} else if text := err.Error(); !strings.Contains(text, "42501") && !strings.Contains(text, "28P01") && !strings.Contains(text, "28000") {
		f.Errorf("it was refused for another reason: %v", err)
	}
}

// verified returns a function that makes the verifier of a password.
func verified(password string) func() (string, error) {
	return func() (string, error) { return Verifier(password) }
}

// inPlace is a user with one login.
func inPlace(name string, access ...sql.Access) sql.User {
	return sql.User{Name: name, Mark: "mark of " + name, Logins: []sql.Login{{Name: name, Verifier: verified("pw-" + name)}}, Access: access}
}

// alternate is a user with two.
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
