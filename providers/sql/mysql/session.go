package mysql

import (
	"context"
	dbsql "database/sql"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/sql"
)

// A session has one connection.
type session struct {
	target  sql.Target
	limits  sql.Limits
	budget  *sql.Budget
	db      *dbsql.DB
	open    *dbsql.Conn
	mariaDB bool
	queries int
}

// Open returns a session of an administrator. It connects when it is first used.
func Open(target sql.Target) (sql.Server, error) {
	if _, err := target.Verified(); err != nil {
		return nil, err
	}
	limits := target.Limits.OrDefault()
	return &session{target: target, limits: limits, budget: sql.NewBudget(limits.Bytes)}, nil
}

// Queries implements sql.Server.
func (s *session) Queries() int { return s.queries }

// Close implements sql.Server.
func (s *session) Close(context.Context) error {
	if s.db == nil {
		return nil
	}
	err := errors.Join(s.open.Close(), s.db.Close())
	s.db, s.open = nil, nil
	return err
}

// conn returns the connection, and makes it first if there is none.
func (s *session) conn(ctx context.Context) (*dbsql.Conn, error) {
	if s.open != nil {
		if err := s.open.PingContext(ctx); err == nil {
			return s.open, nil
		}
		_ = s.Close(ctx) // it is broken
	}
	db, conn, err := s.connect(ctx, s.target.Username, s.target.Password, s.target.Database)
	if err != nil {
		return nil, err
	}
	s.db, s.open = db, conn
	return conn, nil
}

// connect logs in, and pins what decides how the server reads statements.
func (s *session) connect(ctx context.Context, username, password, database string) (*dbsql.DB, *dbsql.Conn, error) {
	tls, err := s.target.Verified()
	if err != nil {
		return nil, nil, err
	}
	config := mysql.NewConfig()
	config.User, config.Passwd, config.DBName = username, password, database
	config.Net, config.Addr = "tcp", net.JoinHostPort(s.target.Host, strconv.Itoa(s.target.Port))
	config.TLS, config.AllowNativePasswords, config.AllowFallbackToPlaintext = tls, true, false
	config.AllowAllFiles, config.AllowCleartextPasswords, config.AllowOldPasswords, config.MultiStatements = false, false, false, false
	config.InterpolateParams, config.Collation = true, "utf8mb4_general_ci"
	config.Timeout, config.ReadTimeout, config.WriteTimeout = s.limits.Connect, s.limits.Statement, s.limits.Statement
	config.ConnectionAttributes = "program_name:mooring"
	config.Logger = log.New(io.Discard, "", 0)
	config.Params = map[string]string{
		"sql_mode":                 "'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'",
		"lock_wait_timeout":        seconds(s.limits.Lock.Seconds()),
		"innodb_lock_wait_timeout": seconds(s.limits.Lock.Seconds()),
		"wait_timeout":             seconds(2 * s.limits.Statement.Seconds()),
	}
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := s.target.Dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		return sql.Bounded(conn, s.budget), nil
	}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, nil, &driver.Error{Code: driver.Internal, Message: "the configuration of a connection is refused"}
	}
	db := dbsql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	limited, cancel := context.WithTimeout(ctx, s.limits.Connect)
	defer cancel()
	conn, err := db.Conn(limited)
	if err == nil {
		err = s.limit(limited, conn)
	}
	if err != nil {
		_ = db.Close() // nothing is in it
		return nil, nil, s.failure("connect", err, password)
	}
	return db, conn, nil
}

func seconds(n float64) string { return strconv.Itoa(max(1, int(n))) }

// limit sets the time that a statement may take, which each engine calls otherwise.
func (s *session) limit(ctx context.Context, conn *dbsql.Conn) error {
	var version string
	if err := conn.QueryRowContext(ctx, "SELECT VERSION()").Scan(&version); err != nil {
		return err
	}
	s.mariaDB = strings.Contains(strings.ToLower(version), "mariadb")
	set := "SET SESSION max_execution_time = " + strconv.FormatInt(s.limits.Statement.Milliseconds(), 10)
	if s.mariaDB {
		set = "SET SESSION max_statement_time = " + seconds(s.limits.Statement.Seconds())
	}
	_, err := conn.ExecContext(ctx, set)
	return err
}

// Check implements sql.Server.
func (s *session) Check(ctx context.Context, login, password, database string) error {
	s.budget.Renew()
	db, conn, err := s.connect(ctx, login, password, database)
	if err != nil {
		return err
	}
	_ = errors.Join(conn.Close(), db.Close()) // the login is shown
	return nil
}

// Apply implements sql.Server.
func (s *session) Apply(ctx context.Context, statements []sql.Statement) error {
	s.budget.Renew()
	conn, err := s.conn(ctx)
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if err := s.apply(ctx, conn, statement); err != nil {
			return err
		}
	}
	return nil
}

// apply sends the texts of a statement one by one: statements on accounts commit by themselves.
func (s *session) apply(ctx context.Context, conn *dbsql.Conn, statement sql.Statement) error {
	ctx, cancel := context.WithTimeout(ctx, s.limits.Statement)
	defer cancel()
	if statement.Unless != "" {
		var done bool
		s.queries++
		if err := conn.QueryRowContext(ctx, statement.Unless).Scan(&done); err != nil || done {
			return s.failure(statement.Name, err, statement.Secrets...)
		}
	}
	texts := statement.Texts
	if statement.Each != "" {
		ids, err := s.each(ctx, conn, statement)
		if err != nil {
			return err
		}
		texts = nil
		for _, id := range ids {
			for _, text := range statement.Texts {
				texts = append(texts, fmt.Sprintf(text, id))
			}
		}
	}
	for _, text := range texts {
		s.queries++
		_, err := conn.ExecContext(ctx, text)
		err = s.failure(statement.Name, err, statement.Secrets...)
		if err != nil && !slices.Contains(statement.Refused, string(sql.StateOf(err))) {
			return err
		}
	}
	return nil
}

func (s *session) each(ctx context.Context, conn *dbsql.Conn, statement sql.Statement) (ids []int64, err error) {
	r := &reader{session: s, conn: conn}
	r.rows(ctx, statement.Name, statement.Each, func(scan func(...any) error) error {
		var id int64
		err := scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, r.err
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
	if answer, ok := errors.AsType[*mysql.MySQLError](err); ok {
		return sql.ServerError(op, sql.State(strconv.Itoa(int(answer.Number))), answer.Message, causeOf(answer.Number), append(secrets, s.target.Password)...)
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s: %w", op, context.Canceled)
	}
	return sql.Unreached(s.target, op, err)
}
