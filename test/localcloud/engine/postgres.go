package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5"
)

const (
	// superuser is ours: rdsadmin in RDS, cloudsqladmin in Cloud SQL.
	superuser = "localcloudadmin"
	// administrators is the role whose members are what the clouds hand out in place of a
	// superuser (rds_superuser, cloudsqlsuperuser). It owns the databases, so that every member
	// can create in them and a user can be dropped without them.
	administrators = "cloudsuperuser"
)

// postgres is PostgreSQL; bin is the folder of its programs.
type postgres struct{ bin string }

// postgresPrograms are the programs that must be there: the last one copies a running server.
var postgresPrograms = []string{"postgres", "initdb", "pg_controldata", "pg_basebackup"}

var errNoPostgres = errors.New("no PostgreSQL server on PATH or in /usr/lib/postgresql: apt-get install postgresql, or name the folder of postgres, initdb, pg_controldata and pg_basebackup in MOORING_POSTGRES_BIN")

func findPostgres() (dbms, error) {
	if dir := os.Getenv("MOORING_POSTGRES_BIN"); dir != "" {
		if !hasPrograms(dir, postgresPrograms...) {
			return nil, fmt.Errorf("MOORING_POSTGRES_BIN %q does not hold %s", dir, strings.Join(postgresPrograms, ", "))
		}
		return postgres{bin: dir}, nil
	}
	var dirs []string
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(path))
		}
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.SortFunc(debian, func(a, b string) int { return cmp.Compare(majorOf(b), majorOf(a)) })
	for _, dir := range append(dirs, debian...) {
		if hasPrograms(dir, postgresPrograms...) {
			return postgres{bin: dir}, nil
		}
	}
	return nil, errNoPostgres
}

// majorOf reads the version in /usr/lib/postgresql/16/bin.
func majorOf(dir string) int {
	major, _ := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
	return major
}

func hasPrograms(dir string, names ...string) bool {
	for _, name := range names {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// postgresAccess is pg_hba.conf: the socket for us, TCP with or without TLS (host), or with TLS only (hostssl), for everybody else.
const postgresAccess = `
local all ` + superuser + ` trust
local replication ` + superuser + ` trust
local all all reject
host all ` + superuser + ` all reject
%s all all 127.0.0.0/8 scram-sha-256
`

// initialise makes WAL segments of 1 MiB: a copy then has 13 MiB less to write.
func (p postgres) initialise(ctx context.Context, n *nursery, h *home, data string) error {
	initdb := h.command(filepath.Dir(data), syscall.SIGKILL, filepath.Join(p.bin, "initdb"),
		"--pgdata="+data, "--username="+superuser, "--auth=trust", "--locale=C", "--encoding=UTF8",
		"--wal-segsize=1", "--no-sync", "--no-instructions")
	if err := n.run(ctx, initdb); err != nil {
		return fmt.Errorf("initdb: %w", err)
	}
	return nil
}

// postgresRecovery has a server come to its data by a log. It takes no connections before it has.
// https://www.postgresql.org/docs/current/continuous-archiving.html
const postgresRecovery = `
restore_command = 'cp "%s/%%f" "%%p"'
hot_standby = off
recovery_target_action = 'promote'
`

// configure writes what can change while the server runs into files: the command line would overrule them. A segment of the log is kept as another name of
// the file, which the server writes no more (wal_recycle).
func (p postgres) configure(s *server) error {
	connections := "host"
	if s.tlsOnly {
		connections = "hostssl"
	}
	settings, err := p.parameterLines(s)
	if err != nil {
		return err
	}
	if s.keeps == nil {
		settings += "archive_command = 'true'\n"
	} else {
		settings += "archive_command = 'ln -f \"%p\" \"" + s.keeps.log() + "/%f\"'\n"
	}
	settings += "full_page_writes = " + onOff(s.leads) + "\n"
	if s.leads {
		settings += postgresLeading
	}
	if s.readOnly { // by default: a session can say otherwise
		settings += "default_transaction_read_only = on\n"
	}
	signal := p.configureStandby(s, &settings)
	if s.comes != nil {
		settings += fmt.Sprintf(postgresRecovery, s.comes.log)
		if !s.comes.until.IsZero() {
			settings += "recovery_target_time = '" + s.comes.until.UTC().Format("2006-01-02 15:04:05.999999") + "+00'\n"
		}
		signal = errors.Join(signal, s.home.write(filepath.Join(s.data(), "recovery.signal"), ""))
	}
	return errors.Join(signal, s.home.write(filepath.Join(s.data(), "postgresql.auto.conf"), settings),
		s.home.write(filepath.Join(s.data(), "pg_hba.conf"), fmt.Sprintf(postgresAccess, connections)))
}

func (p postgres) requireTLS(ctx context.Context, s *server) error {
	return errors.Join(p.configure(s), p.reconfigure(ctx, s))
}

func (p postgres) reloadCertificate(ctx context.Context, s *server) error {
	return p.reconfigure(ctx, s)
}

func (p postgres) reconfigure(ctx context.Context, s *server) error {
	return p.exec(ctx, s, "SELECT pg_reload_conf()")
}

func (postgres) logs() bool { return true }

// mark commits something: recovery up to a time ends at the first commit after it, and fails if there is none.
func (p postgres) mark(ctx context.Context, s *server) error {
	return p.exec(ctx, s, "SELECT txid_current()")
}

// switchLog begins a new segment and waits until the one before it is kept.
func (p postgres) switchLog(ctx context.Context, s *server) error {
	var segment string
	if err := p.sql(ctx, s, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_walfile_name(pg_switch_wal())").Scan(&segment)
	}); err != nil {
		return err
	}
	return s.process.await(ctx, s.log(), func(context.Context) error {
		_, err := os.Stat(filepath.Join(s.keeps.log(), segment))
		return err
	})
}

func (p postgres) command(s *server) *exec.Cmd {
	settings := []string{
		"cluster_name=" + s.id, // shown by ps
		"listen_addresses=" + s.address.host,
		"port=" + strconv.Itoa(s.address.port),
		"unix_socket_directories=" + s.folder,
		"password_encryption=scram-sha-256",
		"ssl=on", "ssl_cert_file=" + s.cert(), "ssl_key_file=" + s.key(),
		// A statement in the log could hold a password, and the log's end is shown in errors.
		"log_min_error_statement=panic",
		// Small and quick: the data outlive a crash of the server, not of the machine.
		"fsync=off", "wal_level=replica",
		"wal_retrieve_retry_interval=500ms",
		"archive_mode=on", "wal_recycle=off", "wal_init_zero=off",
		"huge_pages=off",
		"dynamic_shared_memory_type=mmap", // files in the data folder, which go with it
		// Ends the statements of clients that are gone, who may have been in our process.
		"client_connection_check_interval=1s",
	}
	args := []string{"-D", s.data()}
	for _, setting := range settings {
		args = append(args, "-c", setting)
	}
	return s.home.command(s.folder, dbmses[s.engine].quick, filepath.Join(p.bin, "postgres"), args...)
}

// copyData is a base backup, which breaks no connection. It is complete, with the log that was written meanwhile: the copy can be started as it is.
func (p postgres) copyData(ctx context.Context, s *server, to string) error {
	backup := s.home.command(s.folder, syscall.SIGKILL, filepath.Join(p.bin, "pg_basebackup"),
		"--host="+s.folder, "--port="+strconv.Itoa(s.address.port), "--username="+superuser, "--no-password",
		"--pgdata="+to, "--checkpoint=fast", "--wal-method=stream", "--no-sync", "--no-manifest")
	if err := s.nursery.run(ctx, backup); err != nil {
		return fmt.Errorf("pg_basebackup: %w", err)
	}
	return nil
}

// postgresOurs are the parameters of our own sessions, whatever those of the server are: no statement of ours is ended, and none is in the log, since it may hold a password.
var postgresOurs = map[string]string{
	"default_transaction_read_only": "off", "statement_timeout": "0", "lock_timeout": "0", "idle_in_transaction_session_timeout": "0",
	"log_statement": "none", "log_min_duration_statement": "-1",
}

// sql calls f with a superuser's connection.
func (p postgres) sql(ctx context.Context, s *server, f func(*pgx.Conn) error) error {
	config, err := pgx.ParseConfig("host=/ sslmode=disable dbname=postgres user=" + superuser)
	if err != nil {
		return err
	}
	config.Host, config.Port = s.folder, uint16(s.address.port)
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	maps.Copy(config.RuntimeParams, postgresOurs)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	return errors.Join(f(conn), conn.Close(ctx))
}

// exec runs one statement after the other.
func (p postgres) exec(ctx context.Context, s *server, statements ...string) error {
	return p.sql(ctx, s, func(conn *pgx.Conn) error {
		for _, statement := range statements {
			if _, err := conn.Exec(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}

var errNotReady = errors.New("the server does not take connections yet")

// ready looks first at what the server says of itself in its lock file, as pg_ctl does: a connection that it refuses costs it a process, and a recovery takes seconds.
func (p postgres) ready(ctx context.Context, s *server) error {
	status, err := postgresStatus(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		return err
	}
	if status != "ready" && status != "standby" {
		return fmt.Errorf("%w: it is %q", errNotReady, status)
	}
	return p.sql(ctx, s, func(*pgx.Conn) error { return nil })
}

// postgresStatus reads the status that a server wrote into the last line of its lock file; empty for none yet.
// https://www.postgresql.org/docs/current/storage-file-layout.html
func postgresStatus(lock string) (string, error) {
	content, err := os.ReadFile(lock)
	if err != nil {
		return "", err
	}
	lines := strings.Split(string(content), "\n")
	if len(lines) < 8 {
		return "", nil
	}
	return strings.TrimSpace(lines[7]), nil
}

func (p postgres) furnish(ctx context.Context, s *server) error {
	return p.exec(ctx, s,
		"CREATE ROLE "+administrators+" NOLOGIN",
		"GRANT pg_monitor, pg_signal_backend TO "+administrators,
		"ALTER DATABASE postgres OWNER TO "+administrators)
}

func (p postgres) setPassword(ctx context.Context, s *server, user, password string) error {
	if user == superuser || user == administrators {
		return fmt.Errorf("user %q: %w", user, errEngineReserved)
	}
	role, secret := pgx.Identifier{user}.Sanitize(), "NULL"
	if password != "" {
		secret = quoteLiteral(password)
	}
	return p.sql(ctx, s, func(conn *pgx.Conn) error {
		var exists bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", user).Scan(&exists); err != nil {
			return err
		}
		if exists {
			_, err := conn.Exec(ctx, "ALTER ROLE "+role+" PASSWORD "+secret)
			return err
		}
		_, err := conn.Exec(ctx, "CREATE ROLE "+role+" LOGIN CREATEDB CREATEROLE IN ROLE "+administrators+" PASSWORD "+secret)
		return err
	})
}

func (p postgres) dropUser(ctx context.Context, s *server, user string) error {
	if user == superuser || user == administrators {
		return fmt.Errorf("user %q: %w", user, errEngineReserved)
	}
	return p.exec(ctx, s, "DROP ROLE IF EXISTS "+pgx.Identifier{user}.Sanitize())
}

func (p postgres) createDatabase(ctx context.Context, s *server, name string) error {
	return p.sql(ctx, s, func(conn *pgx.Conn) error {
		var exists bool
		if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists); err != nil || exists {
			return err
		}
		_, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()+" OWNER "+administrators)
		return err
	})
}

func (p postgres) dropDatabase(ctx context.Context, s *server, name string) error {
	return p.exec(ctx, s, "DROP DATABASE IF EXISTS "+pgx.Identifier{name}.Sanitize())
}

// quoteLiteral relies on standard_conforming_strings, on by default: a backslash is itself.
func quoteLiteral(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
