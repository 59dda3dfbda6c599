package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// open returns a client of a database as an application has it that knows nothing but the connection Secret. With TLS it verifies the server as far
// as the Secret lets it. The client connects with its first statement.
func (w *fixture) open(secret map[string][]byte, encrypted bool) *sql.DB {
	w.Helper()
	var verify *tls.Config
	if encrypted {
		verify = verification(secret)
	}
	if string(secret["type"]) != "mysql" {
		config, err := pgx.ParseConfig(string(secret["uri"]))
		w.Must(err)
		config.TLSConfig, config.Fallbacks = verify, nil
		return stdlib.OpenDB(*config)
	}
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", net.JoinHostPort(string(secret["host"]), string(secret["port"]))
	config.User, config.Passwd, config.DBName = string(secret["username"]), string(secret["password"]), string(secret["database"])
	config.TLS = verify
	connector, err := mysql.NewConnector(config)
	w.Must(err)
	return sql.OpenDB(connector)
}

// verification is how a client knows its server by the Secret alone, as docs/guides/developer.md says: by the name that the Secret has for it; by the host;
// or, if the authority signs for this server alone, by the authority. Without certificates it takes any server.
func verification(secret map[string][]byte) *tls.Config {
	roots := x509.NewCertPool()
	known := roots.AppendCertsFromPEM(secret["certificates"])
	name, own := string(secret["tls-server-name"]), false
	if name == "" {
		name, own = string(secret["host"]), string(secret["provider"]) == "gcp"
	}
	if known && !own {
		return &tls.Config{RootCAs: roots, ServerName: name}
	}
	return &tls.Config{InsecureSkipVerify: true, VerifyConnection: func(state tls.ConnectionState) error {
		if !known {
			return nil
		}
		_, err := state.PeerCertificates[0].Verify(x509.VerifyOptions{Roots: roots})
		return err
	}}
}

// query connects as an application does that has nothing but the Secret, and asks who it is and where.
func (w *fixture) query(secret map[string][]byte) (user, database string, err error) {
	w.Helper()
	return w.queryBy(secret, true)
}

// queryBy connects with or without TLS.
func (w *fixture) queryBy(secret map[string][]byte, encrypted bool) (user, database string, err error) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 5*time.Minute)
	defer cancel()
	client := w.open(secret, encrypted)
	defer func() { _ = client.Close() }()
	who := "SELECT current_user, current_database()"
	if string(secret["type"]) == "mysql" {
		who = "SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1), COALESCE(DATABASE(), '')"
	}
	err = client.QueryRowContext(ctx, who).Scan(&user, &database)
	return user, database, err
}
