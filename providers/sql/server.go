package sql

import (
	"context"
	"crypto/tls"
	"net"
	"time"
)

// A Server is a session of an administrator on one database server. It is not safe for concurrent use.
type Server interface {
	// Read reads what concerns what is declared, by a number of queries that does not grow with users or grants.
	Read(ctx context.Context, wanted Wanted) (Snapshot, error)
	// Apply sends statements in their order, and ends at the first error.
	Apply(ctx context.Context, statements []Statement) error
	// Check logs in, and returns an error with code Denied if the server refuses the password.
	Check(ctx context.Context, login, password, database string) error
	// Queries returns how many queries and statements the session has sent.
	Queries() int
	// Close ends all connections.
	Close(ctx context.Context) error
}

// A Snapshot is what a server had at one moment. Its functions call nothing.
type Snapshot interface {
	// Database plans one logical database.
	Database(wanted Database) (Plan, error)
	// User plans one user. The logical databases that it has access to are planned, and applied, before.
	User(wanted User) (Plan, error)
	// DropDatabase plans the end of a logical database and of its group roles. It refuses one that has tables, unless
	// forced.
	DropDatabase(wanted Database, force bool) (Plan, error)
	// DropUser plans the end of a user: first no new logins, then no sessions, then no rights, and the roles last.
	DropUser(wanted User) (Plan, error)
	// EndSessions plans the end of all sessions of logins, as an emergency rotation needs it.
	EndSessions(logins ...string) []Statement
}

// A Dialer connects to a server. The caller hands it in: directly, through a connector of a cloud, or through a proxy.
type Dialer interface {
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
}

// A Target says where a server is, and who logs in.
type Target struct {
	Host string
	Port int
	// TLS verifies the server. Its name is that of Host unless the caller sets ServerName.
	TLS    *tls.Config
	Dialer Dialer
	// Username and Password are the administrator's.
	Username, Password string
	// Database is the one that server-wide statements run in; empty for the engine's default.
	Database string
	// From names in errors where the connection comes from, such as "the controller's Pod"; empty for "Mooring".
	From string
	// Limits bound a session; zero values mean the defaults.
	Limits Limits
}

// Limits bound what a server can cost: its owner may be a tenant.
type Limits struct {
	Connect   time.Duration // of a connection with its login; 10 s
	Statement time.Duration // of a statement; 30 s
	Lock      time.Duration // of the wait for a lock; 5 s
	Rows      int           // of one answer; 200,000
	Bytes     int64         // of all answers to one call of a Server; 64 MiB
}

// OrDefault returns the limits with the defaults in place of zero values.
func (l Limits) OrDefault() Limits {
	for _, d := range []struct {
		of   *time.Duration
		want time.Duration
	}{{&l.Connect, 10 * time.Second}, {&l.Statement, 30 * time.Second}, {&l.Lock, 5 * time.Second}} {
		if *d.of == 0 {
			*d.of = d.want
		}
	}
	if l.Rows == 0 {
		l.Rows = 200_000
	}
	if l.Bytes == 0 {
		l.Bytes = 64 << 20
	}
	return l
}

// Verified returns the TLS configuration of the target, for its name. It refuses one that verifies nothing.
func (t Target) Verified() (*tls.Config, error) {
	if t.TLS == nil || t.TLS.InsecureSkipVerify && t.TLS.VerifyConnection == nil {
		return nil, Invalid("a connection to a database server needs a TLS configuration that verifies the server")
	}
	config := t.TLS.Clone()
	if config.ServerName == "" {
		config.ServerName = t.Host
	}
	config.MinVersion = max(config.MinVersion, tls.VersionTLS12)
	return config, nil
}

// Origin returns where connections come from, in words.
func (t Target) Origin() string {
	if t.From == "" {
		return "Mooring"
	}
	return t.From
}
