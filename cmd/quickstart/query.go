package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// queryPatience is how long a connection and its queries may take.
const queryPatience = 20 * time.Second

// A querier connects to databases as an application does.
type querier struct {
	*transcript
	client client.Client
	folder *folder
}

// queryEvery connects to every PostgreSQL database.
func (q *querier) queryEvery(ctx context.Context) error {
	var databases v1alpha1.DatabaseList
	if err := q.client.List(ctx, &databases); err != nil {
		return fmt.Errorf("list Databases: %w", err)
	}
	var all []*v1alpha1.Database
	for i := range databases.Items {
		all = append(all, &databases.Items[i])
	}
	return q.queryAll(ctx, all...)
}

// queryAll connects to those of databases that are PostgreSQL by nothing but their connection Secrets.
func (q *querier) queryAll(ctx context.Context, databases ...*v1alpha1.Database) error {
	if err := localcloud.EngineAvailable("postgres"); err != nil {
		q.step("SKIPPED, NOT SHOWN: %v", err)
		if os.Getenv("CI") != "" {
			return fmt.Errorf("query a database: %w; under CI it is not skipped", err)
		}
		return nil
	}
	asked := 0
	for _, d := range databases {
		if d.Spec.Engine == nil || *d.Spec.Engine != v1alpha1.EnginePostgres || d.Status.Binding == nil {
			continue
		}
		if err := q.query(ctx, d.Namespace, d.Status.Binding.Name); err != nil {
			return fmt.Errorf("query Database %s/%s through Secret %s: %w", d.Namespace, d.Name, d.Status.Binding.Name, err)
		}
		asked++
	}
	if asked == 0 {
		return errors.New("query a database: no PostgreSQL Database has a connection Secret")
	}
	return nil
}

// query connects as an application would that has the Secret mounted, and knows nothing else.
func (q *querier) query(ctx context.Context, namespace, name string) error {
	ctx, cancel := context.WithTimeout(ctx, queryPatience)
	defer cancel()
	secret := &corev1.Secret{}
	if err := q.client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret); err != nil {
		return err
	}
	uri, tls, err := q.address(secret)
	if err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, uri)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "CREATE TEMPORARY TABLE greeting AS SELECT 'hello' AS word"); err != nil {
		return err
	}
	var version, user, database string
	if err := conn.QueryRow(ctx, "SELECT version(), current_user, current_database() FROM greeting").Scan(&version, &user, &database); err != nil {
		return err
	}
	product, _, _ := strings.Cut(version, " (")
	product, _, _ = strings.Cut(product, " on ")
	q.step("Secret %-9s  %s, user %s, database %s, %s", name, product, user, database, tls)
	return nil
}

// address returns the Secret's uri. If the Secret holds an authority (Cloud SQL has one for each instance; RDS's are
// published apart), the server's certificate is checked against it. The name in the certificate is not:
// Cloud SQL's bears the instance's name and not its address.
func (q *querier) address(secret *corev1.Secret) (uri, tls string, err error) {
	address, err := url.Parse(string(secret.Data["uri"]))
	if err != nil {
		return "", "", errors.New("key uri can't be parsed") // the error itself would show the password
	}
	if len(secret.Data["certificates"]) == 0 {
		return address.String(), "by TLS", nil
	}
	authority := q.folder.file(secret.Name + ".pem")
	if err := os.WriteFile(authority, secret.Data["certificates"], 0o600); err != nil {
		return "", "", err
	}
	query := address.Query()
	query.Set("sslmode", "verify-ca")
	query.Set("sslrootcert", authority)
	address.RawQuery = query.Encode()
	return address.String(), "by TLS, the certificate checked with the Secret's", nil
}
