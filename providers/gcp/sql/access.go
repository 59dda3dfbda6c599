package sql

import (
	"slices"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Who may connect to an instance: everybody whom its network lets in, or those who come through the Cloud SQL Auth Proxy or a connector.
const (
	connectorsOrDirect = "NOT_REQUIRED"
	connectorsOnly     = "REQUIRED"
)

// haveConnectorEnforcement takes an instance that says nothing, or that it does not know, for one that requires no connector: Cloud SQL
// makes it so where a creation says nothing.
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#ConnectorEnforcement
func haveConnectorEnforcement(i *instance) *string {
	enforcement := connectorsOrDirect
	if i.settings().ConnectorEnforcement == connectorsOnly {
		enforcement = connectorsOnly
	}
	return &enforcement
}

// connectorEffect says what another enforcement does: once connectors are required, Cloud SQL refuses direct connections.
// https://cloud.google.com/sql/docs/postgres/language-connectors#enforce
func connectorEffect(_ *string, to string, _ *instance) (driver.Effect, string) {
	if to == connectorsOnly {
		return driver.Interrupts, "clients that connect without a connector are refused from then on"
	}
	return driver.Online, ""
}

// The modes of TLS. https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances#SslMode
const (
	encryptedOrNot     = "ALLOW_UNENCRYPTED_AND_ENCRYPTED"
	encryptedOnly      = "ENCRYPTED_ONLY"
	trustedClientsOnly = "TRUSTED_CLIENT_CERTIFICATE_REQUIRED"
)

// sslModes are the modes, the one that accepts most clients first.
var sslModes = []string{encryptedOrNot, encryptedOnly, trustedClientsOnly}

// haveSSLMode returns the mode of an instance. One that has only the older requireSsl has the mode that this stands for.
func haveSSLMode(i *instance) *string {
	ip := i.settings().IpConfiguration
	switch {
	case ip == nil:
		return nil
	case slices.Contains(sslModes, ip.SslMode):
		return &ip.SslMode
	case ip.RequireSsl:
		return new(trustedClientsOnly)
	}
	return new(encryptedOrNot)
}

// setSSLMode puts a mode into a call. The older requireSsl goes with it, false or true: Cloud SQL refuses a mode that contradicts what an
// instance has there.
func setSSLMode(p *instanceParams, into *sqladmin.DatabaseInstance) {
	ip := ipConfigurationOf(into)
	ip.SslMode, ip.RequireSsl = *p.SslMode, *p.SslMode == trustedClientsOnly
	ip.ForceSendFields = append(ip.ForceSendFields, "RequireSsl")
}

// sslModeEffect says what another mode does. A stricter one restarts MySQL; on PostgreSQL it applies to new connections.
// https://cloud.google.com/sql/docs/mysql/configure-ssl-instance https://cloud.google.com/sql/docs/postgres/configure-ssl-instance
func sslModeEffect(from *string, to string, have *instance) (driver.Effect, string) {
	before := encryptedOrNot
	if from != nil {
		before = *from
	}
	switch {
	case slices.Index(sslModes, to) <= slices.Index(sslModes, before):
		return driver.Online, ""
	case have.engine() == v1alpha1.EngineMySQL:
		return driver.Restarts, "Cloud SQL restarts a MySQL server to make its TLS mode stricter"
	}
	return driver.Interrupts, "clients that the mode " + to + " excludes are refused at their next connection"
}
