package check

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	dbsql "database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
)

// A Server says where a database server listens, and who signed its certificate.
type Server struct {
	Host string
	Port int
	CA   string // PEM of the authority
}

// QueryPostgres connects as an application would, by URI, verifies the server's certificate and
// name, and returns the first column of the first row, as text.
func QueryPostgres(t *testing.T, at Server, user, password, database, sql string) (string, error) {
	if database == "" {
		database = "postgres"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	uri := url.URL{
		Scheme: "postgres", User: url.UserPassword(user, password), Path: "/" + database,
		Host:     net.JoinHostPort(at.Host, strconv.Itoa(at.Port)),
		RawQuery: url.Values{"sslmode": {"verify-full"}, "sslrootcert": {caFile(t, at)}}.Encode(),
	}
	conn, err := pgx.Connect(ctx, uri.String())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	return firstValue(ctx, conn, sql)
}

// firstValue returns the first column of the first row, as text; nothing if there is none.
func firstValue(ctx context.Context, conn *pgx.Conn, sql string) (string, error) {
	rows, err := conn.Query(ctx, sql, pgx.QueryExecModeSimpleProtocol)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var value string
	if rows.Next() {
		value = string(rows.RawValues()[0])
	}
	rows.Close()
	return value, rows.Err()
}

// trusting returns what a client verifies a server of Cloud SQL by: the name in its certificate, or only the authority if there is none.
func trusting(at Server, name string) *tls.Config {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(at.CA))
	if name != "" {
		return &tls.Config{RootCAs: roots, ServerName: name}
	}
	return &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(state tls.ConnectionState) error {
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots})
		return err
	}}
}

// DialPostgres queries a server of Cloud SQL, whose certificate may have a name.
func DialPostgres(_ *testing.T, at Server, name, user, password, database, sql string) (value string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	config, err := pgx.ParseConfig("sslmode=require")
	if err != nil {
		return "", err
	}
	config.Host, config.Port, config.User, config.Password = at.Host, uint16(at.Port), user, password
	config.Database, config.TLSConfig, config.Fallbacks = cmp.Or(database, "postgres"), trusting(at, name), nil
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	return firstValue(ctx, conn, sql)
}

// DialMySQL does the same in MySQL.
func DialMySQL(_ *testing.T, at Server, name, user, password, database, sql string) (value string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	config := mysql.NewConfig()
	config.Net, config.Addr, config.User, config.Passwd, config.DBName = "tcp", net.JoinHostPort(at.Host, strconv.Itoa(at.Port)), user, password, database
	config.TLS = trusting(at, name)
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return "", err
	}
	db := dbsql.OpenDB(connector)
	defer func() { _ = db.Close() }()
	if err = db.QueryRowContext(ctx, sql).Scan(&value); errors.Is(err, dbsql.ErrNoRows) {
		err = nil // as of what is no query
	}
	return value, err
}

// QueryMariaDB does the same with MariaDB's own client.
func QueryMariaDB(t *testing.T, at Server, user, password, database, sql string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	client := exec.CommandContext(ctx, "mariadb", "--no-defaults", "--protocol=tcp", "--host="+at.Host, "--port="+strconv.Itoa(at.Port),
		"--ssl-ca="+caFile(t, at), "--ssl-verify-server-cert", "--user="+user, "--batch", "--skip-column-names", "--execute="+sql)
	if database != "" {
		client.Args = append(client.Args, "--database="+database)
	}
	client.Env = append(os.Environ(), "MYSQL_PWD="+password)
	out, err := client.CombinedOutput()
	said := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, said)
	}
	return said, nil
}

// PlainPostgres reports whether a login without TLS succeeds.
func PlainPostgres(_ *testing.T, at Server, user, password string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	uri := url.URL{Scheme: "postgres", User: url.UserPassword(user, password), Path: "/postgres",
		Host: net.JoinHostPort(at.Host, strconv.Itoa(at.Port)), RawQuery: "sslmode=disable"}
	conn, err := pgx.Connect(ctx, uri.String())
	if err == nil {
		_ = conn.Close(ctx)
	}
	return err == nil
}

// PlainMariaDB does the same with MariaDB's own client.
func PlainMariaDB(t *testing.T, at Server, user, password string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	client := exec.CommandContext(ctx, "mariadb", "--no-defaults", "--protocol=tcp", "--host="+at.Host, "--port="+strconv.Itoa(at.Port),
		"--skip-ssl", "--user="+user, "--execute=SELECT 1")
	client.Env = append(os.Environ(), "MYSQL_PWD="+password)
	return client.Run() == nil
}

func caFile(t *testing.T, at Server) string {
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte(at.CA), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// ShowParameter is a query for the value of a parameter that a server has.
var ShowParameter = map[string]func(name string) string{
	"postgres": func(name string) string { return "SELECT current_setting('" + name + "')" },
	"mariadb":  func(name string) string { return "SELECT @@GLOBAL." + name },
	"mysql":    func(name string) string { return "SELECT @@GLOBAL." + name },
}

// Copies counts the folders of copies that a cloud keeps of its servers' data. dir is the folder of the cloud.
func Copies(t *testing.T, dir string) int {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "engines-*", "*-copy-*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(found)
}
