package gcp

import (
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
