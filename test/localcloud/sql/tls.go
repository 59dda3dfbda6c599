package sql

import (
	"fmt"
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// sqlTLSModes are the modes of TLS, the one that accepts most clients first. That the last one demands a client's certificate too is not
// served here.
var sqlTLSModes = []string{"ALLOW_UNENCRYPTED_AND_ENCRYPTED", "ENCRYPTED_ONLY", "TRUSTED_CLIENT_CERTIFICATE_REQUIRED"}

// tlsOnly reports whether an instance refuses connections without TLS.
func tlsOnly(resource google.Object) bool {
	mode, _ := google.Member(google.Cloned(resource), "settings", "ipConfiguration")["sslMode"].(string)
	return mode != "" && mode != sqlTLSModes[0]
}

// settleTLS lets the mode and the older requireSsl follow each other where only one of them is said. All recordings say both; that they
// mean the same is in https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#IpConfiguration.
func settleTLS(c *change) {
	ip := c.addressing
	trusted := sqlTLSModes[len(sqlTLSModes)-1]
	switch {
	case ip["sslMode"] == nil && ip["requireSsl"] == true:
		ip["sslMode"] = trusted
	case ip["requireSsl"] == nil && ip["sslMode"] == trusted:
		ip["requireSsl"] = true
	}
}

// validTLS refuses a mode that contradicts requireSsl, which a patch of one of them alone can lead to. The words are those of
// https://github.com/GoogleCloudPlatform/k8s-config-connector/pull/2653.
func validTLS(in, _ *sqladmin.DatabaseInstance) error {
	ip := in.Settings.IpConfiguration
	if trusted := ip.SslMode == sqlTLSModes[len(sqlTLSModes)-1]; trusted != ip.RequireSsl {
		return sqlInvalid(fmt.Sprintf("sslMode value %s and requireSsl value %t are conflicting. When requireSsl=true, sslMode must be TRUSTED_CLIENT_CERTIFICATE_REQUIRED. It's recommended that you only set sslMode.", ip.SslMode, ip.RequireSsl))
	}
	return nil
}

// tlsRestarts reports whether a change of the mode restarts the server. Cloud SQL restarts a MySQL server that is to accept fewer clients,
// and lets PostgreSQL apply the mode to new connections. https://cloud.google.com/sql/docs/mysql/configure-ssl-instance
func tlsRestarts(old, now *sqladmin.DatabaseInstance) bool {
	strictness := func(in *sqladmin.DatabaseInstance) int {
		return slices.Index(sqlTLSModes, in.Settings.IpConfiguration.SslMode)
	}
	return sqlFamily(now.DatabaseVersion) == "MYSQL" && strictness(now) > strictness(old)
}
