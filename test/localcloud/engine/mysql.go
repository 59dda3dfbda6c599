package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// mariaDB is MariaDB, which stands for MySQL, too. The fields are its programs. SQL goes through its
// own client: the Go clients have licences that this project does not take.
type mariaDB struct{ server, install, client string }

const mariaDBPackages = "apt-get install mariadb-server-core mariadb-client-core, or name the folder of its programs in MOORING_MARIADB_BIN"

func findMariaDB() (dbms, error) {
	dirs := append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/bin", "/usr/libexec")
	if dir := os.Getenv("MOORING_MARIADB_BIN"); dir != "" {
		dirs = []string{dir, filepath.Join(dir, "../bin"), filepath.Join(dir, "../sbin"), filepath.Join(dir, "../scripts")}
	}
	find := func(name string) (string, error) {
		for _, dir := range dirs {
			if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
				return path, nil
			}
		}
		return "", fmt.Errorf("no program %s: %s", name, mariaDBPackages)
	}
	var m mariaDB
	var errs [4]error
	m.server, errs[0] = find("mariadbd")
	m.install, errs[1] = find("mariadb-install-db")
	m.client, errs[2] = find("mariadb")
	_, errs[3] = find("my_print_defaults") // mariadb-install-db calls it
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return m, nil
}

// mariaDBGrants are the rights of the administrators of RDS and Cloud SQL.
const mariaDBGrants = "SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, RELOAD, PROCESS, REFERENCES, INDEX, ALTER, SHOW DATABASES, " +
	"CREATE TEMPORARY TABLES, LOCK TABLES, EXECUTE, REPLICATION SLAVE, REPLICATION CLIENT, CREATE VIEW, SHOW VIEW, " +
	"CREATE ROUTINE, ALTER ROUTINE, CREATE USER, EVENT, TRIGGER"

// mariaDBSmall makes a server small and quick: the data outlive a crash of the server, not of the machine.
var mariaDBSmall = []string{
	"--debug-no-sync", "--innodb-flush-log-at-trx-commit=2", "--innodb-doublewrite=0", "--innodb-use-native-aio=0",
	"--innodb-log-file-size=4M", "--innodb-buffer-pool-size=8M", "--aria-pagecache-buffer-size=1M", "--key-buffer-size=1M",
	"--performance-schema=off", "--skip-name-resolve",
}

func (m mariaDB) initialise(ctx context.Context, n *nursery, h *home, data string) error {
	// Our superuser comes by way of the socket only; root is for the cloud to give out.
	ours := filepath.Join(filepath.Dir(data), "superuser.sql")
	if err := h.write(ours, strings.Join([]string{
		"FLUSH PRIVILEGES;",
		"CREATE USER '" + superuser + "'@'localhost';",
		"GRANT ALL ON *.* TO '" + superuser + "'@'localhost' WITH GRANT OPTION;",
		"DROP USER IF EXISTS 'root'@'localhost';",
	}, "\n")+"\n"); err != nil {
		return err
	}
	args := append([]string{"--no-defaults", "--datadir=" + data, "--extra-file=" + ours, "--skip-test-db",
		"--auth-root-authentication-method=socket", "--auth-root-socket-user=root"}, mariaDBSmall...)
	if err := n.run(ctx, h.command(filepath.Dir(data), syscall.SIGKILL, m.install, args...)); err != nil {
		return fmt.Errorf("mariadb-install-db: %w", err)
	}
	return nil
}

func (m mariaDB) socket(s *server) string { return filepath.Join(s.folder, "mysql.sock") }

func (mariaDB) configure(*server) error { return nil }

func (m mariaDB) requireTLS(ctx context.Context, s *server) error {
	return m.exec(ctx, s, "SET GLOBAL require_secure_transport = "+onOff(s.tlsOnly))
}

func (m mariaDB) reloadCertificate(ctx context.Context, s *server) error {
	return m.exec(ctx, s, "FLUSH SSL")
}

func onOff(on bool) string {
	if on {
		return "ON"
	}
	return "OFF"
}

func (m mariaDB) command(s *server) *exec.Cmd {
	args := append([]string{"--no-defaults"}, m.arguments(s.parameters)...) // of an argument that is there twice the last one counts
	args = append(args,
		"--datadir="+s.data(),
		"--tmpdir="+s.folder,
		"--socket="+m.socket(s),
		"--pid-file="+filepath.Join(s.folder, "pid"),
		"--bind-address="+s.address.host,
		"--port="+strconv.Itoa(s.address.port),
		"--ssl-cert="+s.cert(), "--ssl-key="+s.key(),
		"--innodb-fast-shutdown=2", "--innodb-buffer-pool-dump-at-shutdown=off", "--innodb-buffer-pool-load-at-startup=off")
	if s.tlsOnly {
		args = append(args, "--require-secure-transport=ON")
	}
	args = append(args, append(m.logging(s), mariaDBSmall...)...)
	return s.home.command(s.folder, dbmses[s.engine].quick, m.server, args...)
}

// ready waits for the server's greeting: the socket is there before anybody accepts.
func (m mariaDB) ready(ctx context.Context, s *server) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", m.socket(s))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	end := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer end()
	var greeting [5]byte
	_, err = io.ReadFull(conn, greeting[:])
	return err
}

func (mariaDB) logs() bool                                 { return false }
func (mariaDB) reconfigure(context.Context, *server) error { return nil }
func (mariaDB) mark(context.Context, *server) error        { return ErrNoLog }
func (mariaDB) switchLog(context.Context, *server) error   { return ErrNoLog }

// copyData ends the server in good order, copies its files and starts it again. Unlike here, the clouds break no connection for a snapshot.
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_CreateSnapshot.html
// https://cloud.google.com/sql/docs/mysql/backup-recovery/backups
func (m mariaDB) copyData(ctx context.Context, s *server, to string) error {
	if err := s.suspend(); err != nil {
		return err
	}
	return errors.Join(s.home.copy(ctx, s.data(), to), s.resume(ctx))
}

// connect prepares the client, as a superuser.
func (m mariaDB) connect(s *server, more ...string) *exec.Cmd {
	return s.home.command(s.folder, syscall.SIGKILL, m.client,
		append([]string{"--no-defaults", "--socket=" + m.socket(s), "--user=" + superuser, "--batch", "--binary-mode"}, more...)...)
}

// exec hands statements to the client by its standard input: arguments are for everybody to read.
func (m mariaDB) exec(ctx context.Context, s *server, statements ...string) error {
	client := m.connect(s)
	ours := "SET SESSION sql_log_off = ON, SESSION slow_query_log = OFF" // a statement of ours may hold a password
	if s.follows != nil {                                                // whose log has the writes of the source, and no other
		ours += ", SESSION sql_log_bin = OFF"
	}
	statements = append([]string{ours}, statements...)
	client.Stdin = strings.NewReader(strings.Join(statements, ";\n") + ";\n")
	return s.nursery.run(ctx, client)
}

func (mariaDB) furnish(context.Context, *server) error { return nil }

func (m mariaDB) setPassword(ctx context.Context, s *server, user, password string) error {
	if strings.ContainsRune(user+password, 0) {
		return errors.New("a name and a password can't hold a zero byte")
	}
	// Without a password it is a hash that nothing has.
	secret := "VIA mysql_native_password USING 'invalid'"
	if password != "" {
		secret = "BY " + quoteMariaDB(password)
	}
	account := quoteMariaDB(user) + "@'%'"
	return m.exec(ctx, s,
		"CREATE USER IF NOT EXISTS "+account+" IDENTIFIED "+secret,
		"ALTER USER "+account+" IDENTIFIED "+secret,
		"GRANT "+mariaDBGrants+" ON *.* TO "+account+" WITH GRANT OPTION")
}

func (m mariaDB) dropUser(ctx context.Context, s *server, user string) error {
	return m.exec(ctx, s, "DROP USER IF EXISTS "+quoteMariaDB(user)+"@'%'")
}

func (m mariaDB) createDatabase(ctx context.Context, s *server, name string) error {
	return m.exec(ctx, s, "CREATE DATABASE IF NOT EXISTS "+quoteMariaDBName(name))
}

func (m mariaDB) dropDatabase(ctx context.Context, s *server, name string) error {
	return m.exec(ctx, s, "DROP DATABASE IF EXISTS "+quoteMariaDBName(name))
}

func quoteMariaDB(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}

func quoteMariaDBName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
