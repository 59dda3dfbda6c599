package sql

import (
	"context"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// supportOf says when the authority ends that signed the certificate of an instance, which the instance itself says: clients that trust it alone can't connect
// from then on. Until when Cloud SQL supports a database version is on a page only, and in no answer of the Admin API: neither the instance nor its
// upgradableDatabaseVersions nor flags.list says it.
// https://cloud.google.com/sql/docs/db-versions
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#SslCert
func supportOf(_ context.Context, have *instance) *driver.Support {
	s := &driver.Support{}
	if have.ServerCaCert == nil {
		return s
	}
	if end, err := time.Parse(time.RFC3339, have.ServerCaCert.ExpirationTime); err == nil {
		s.CertificateExpires = end.UTC()
	}
	return s
}
