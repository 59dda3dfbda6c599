package sql

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"
)

// What an instance says of those who may connect, however old it is.
func TestAccessAsShown(t *testing.T) {
	for _, test := range []struct {
		name             string
		settings         sqladmin.Settings
		mode, connectors string // the mode is empty if it is not known
	}{
		{"nothing", sqladmin.Settings{}, "", "NOT_REQUIRED"},
		{"neither mode nor flag", sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{}}, "ALLOW_UNENCRYPTED_AND_ENCRYPTED", "NOT_REQUIRED"},
		{"the older flag", sqladmin.Settings{IpConfiguration: &sqladmin.IpConfiguration{RequireSsl: true}}, "TRUSTED_CLIENT_CERTIFICATE_REQUIRED", "NOT_REQUIRED"},
		{"not specified", sqladmin.Settings{ConnectorEnforcement: "CONNECTOR_ENFORCEMENT_UNSPECIFIED",
			IpConfiguration: &sqladmin.IpConfiguration{SslMode: "SSL_MODE_UNSPECIFIED", RequireSsl: true}}, "TRUSTED_CLIENT_CERTIFICATE_REQUIRED", "NOT_REQUIRED"},
		{"the mode, which has priority", sqladmin.Settings{ConnectorEnforcement: "REQUIRED",
			IpConfiguration: &sqladmin.IpConfiguration{SslMode: "ENCRYPTED_ONLY", RequireSsl: true}}, "ENCRYPTED_ONLY", "REQUIRED"},
	} {
		have := &instance{DatabaseInstance: &sqladmin.DatabaseInstance{Settings: &test.settings}}
		mode := ""
		if m := haveSSLMode(have); m != nil {
			mode = *m
		}
		if connectors := *haveConnectorEnforcement(have); mode != test.mode || connectors != test.connectors {
			t.Errorf("%s: mode %q, connectors %q; want %q, %q", test.name, mode, connectors, test.mode, test.connectors)
		}
	}
}
