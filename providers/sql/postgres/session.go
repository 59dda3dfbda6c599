package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

// maintenance is the logical database that every server has.
const maintenance = "postgres"

// A session has at most two connections: one for the server, and one for the logical database that it works on.
type session struct {
	target  sql.Target
	limits  sql.Limits
	budget  *sql.Budget
	conns   map[string]*pgx.Conn
	queries int
}

// Open returns a session of an administrator. It connects when it is first used.
func Open(target sql.Target) (sql.Server, error) {
	if _, err := target.Verified(); err != nil {
		return nil, err
	}
	if target.Database == "" {
		target.Database = maintenance
	}
	limits := target.Limits.OrDefault()
	return &session{target: target, limits: limits, budget: sql.NewBudget(limits.Bytes), conns: map[string]*pgx.Conn{}}, nil
}

// Queries implements sql.Server.
func (s *session) Queries() int { return s.queries }

// Close implements sql.Server.
func (s *session) Close(ctx context.Context) error {
	var errs []error
	for name, conn := range s.conns {
		errs = append(errs, conn.Close(ctx))
		delete(s.conns, name)
	}
	return errors.Join(errs...)
}

// conn returns the connection to a logical database; empty is the session's own. One to another database is closed
// first.
func (s *session) conn(ctx context.Context, database string) (*pgx.Conn, error) {
	if database == "" {
		database = s.target.Database
	}
	if conn := s.conns[database]; conn != nil && !conn.IsClosed() {
		return conn, nil
	}
	s.disconnect(ctx)
	conn, err := s.connect(ctx, s.target.Username, s.target.Password, database)
	if err != nil {
		return nil, err
	}
	s.conns[database] = conn
	return conn, nil
}

// disconnect closes the connections to all databases but the session's own.
func (s *session) disconnect(ctx context.Context) {
	for name, conn := range s.conns {
		if name != s.target.Database || conn.IsClosed() {
			_ = conn.Close(ctx) // it may be broken, and nothing is in it
			delete(s.conns, name)
		}
	}
}

// connect logs in. Nothing comes from the environment of the process.
func (s *session) connect(ctx context.Context, username, password, database string) (*pgx.Conn, error) {
	tls, err := s.target.Verified()
	if err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig("host=localhost user=none dbname=none sslmode=disable passfile=/dev/null servicefile=/dev/null")
	if err != nil {
		return nil, &driver.Error{Code: driver.Internal, Message: "the configuration of a connection is refused"}
	}
	config.Host, config.Port, config.TLSConfig = s.target.Host, uint16(s.target.Port), tls
	config.User, config.Password, config.Database = username, password, database
	config.Fallbacks, config.ValidateConnect, config.OnNotice = nil, nil, nil
	config.ConnectTimeout = s.limits.Connect
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.RuntimeParams = map[string]string{
		"application_name": "mooring", "search_path": "pg_catalog, pg_temp", "standard_conforming_strings": "on", "client_encoding": "UTF8",
		"jit":                                 "off", // compiling a query of catalogs takes longer than the query
		"statement_timeout":                   strconv.FormatInt(s.limits.Statement.Milliseconds(), 10),
		"lock_timeout":                        strconv.FormatInt(s.limits.Lock.Milliseconds(), 10),
		"idle_in_transaction_session_timeout": strconv.FormatInt(s.limits.Statement.Milliseconds(), 10),
	}
	// The dialer resolves the name, once: it decides by the address that it dials.
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := s.target.Dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return sql.Bounded(conn, s.budget), nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.limits.Connect)
	defer cancel()
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, s.failure("connect to database "+strconv.Quote(database), err, password)
	}
	return conn, nil
}

// Check implements sql.Server.
func (s *session) Check(ctx context.Context, login, password, database string) error {
	s.budget.Renew()
	if database == "" {
		database = s.target.Database
	}
	conn, err := s.connect(ctx, login, password, database)
	if err != nil {
		return err
	}
	_ = conn.Close(ctx) // the login is shown
	return nil
}

// Apply implements sql.Server.
func (s *session) Apply(ctx context.Context, statements []sql.Statement) error {
	s.budget.Renew()
	for _, statement := range statements {
		if err := s.apply(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) apply(ctx context.Context, statement sql.Statement) error {
	conn, err := s.conn(ctx, statement.Database)
	if err != nil {
		return err
	}
	if statement.Disconnects {
		s.disconnect(ctx)
	}
	if statement.Unless != "" {
		var done bool
		s.queries++
		if err := conn.QueryRow(ctx, statement.Unless).Scan(&done); err != nil || done {
			return s.failure(statement.Name, err, statement.Secrets...)
		}
	}
	text := strings.Join(statement.Texts, ";\n")
	if len(statement.Texts) > 1 {
		text = "BEGIN;\n" + text + ";\nCOMMIT"
	}
	s.queries++
	_, err = conn.PgConn().Exec(ctx, text).ReadAll()
	if err == nil {
		return nil
	}
	if len(statement.Texts) > 1 && !conn.IsClosed() {
		_, _ = conn.PgConn().Exec(ctx, "ROLLBACK").ReadAll() // a connection that fails here is not used again
	}
	err = s.failure(statement.Name, err, statement.Secrets...)
	if slices.Contains(statement.Refused, string(sql.StateOf(err))) {
		return nil
	}
	return err
}

// failure makes the error of a step. What the server says is shown without secrets, and its error is not wrapped: it
// would show them.
func (s *session) failure(op string, err error, secrets ...string) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*driver.Error](err); ok {
		return own
	}
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return sql.ServerError(op, sql.State(answer.Code), answer.Message, causeOf(answer.Code), append(secrets, s.target.Password)...)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", op, context.Canceled)
	}
	return sql.Unreached(s.target, op, err)
}
