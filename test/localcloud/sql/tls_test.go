package sql_test

import (
	"fmt"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestSQLModeOfTLS changes the mode and the older requireSsl, which must never contradict each other.
func TestSQLModeOfTLS(t *testing.T) {
	const (
		all       = "ALLOW_UNENCRYPTED_AND_ENCRYPTED"
		encrypted = "ENCRYPTED_ONLY"
		trusted   = "TRUSTED_CLIENT_CERTIFICATE_REQUIRED"
	)
	older := func(mode string, require bool) *sqladmin.IpConfiguration {
		return &sqladmin.IpConfiguration{Ipv4Enabled: true, SslMode: mode, RequireSsl: require, ForceSendFields: []string{"RequireSsl"}}
	}
	mode := func(mode string) *sqladmin.IpConfiguration {
		return &sqladmin.IpConfiguration{Ipv4Enabled: true, SslMode: mode}
	}
	for _, test := range []struct {
		name, version string
		created       *sqladmin.IpConfiguration
		patched       *sqladmin.IpConfiguration // nil: not at all
		want          string                    // empty: refused
		during        string
	}{
		{"nothing said", "POSTGRES_16", nil, nil, all + " false", ""},
		{"the mode alone", "POSTGRES_16", mode(encrypted), nil, encrypted + " false", ""},
		{"the mode that asks for certificates alone", "POSTGRES_16", mode(trusted), nil, trusted + " true", ""},
		{"the older flag alone", "POSTGRES_16", older("", true), nil, trusted + " true", ""},
		{"both, which agree", "POSTGRES_16", older(trusted, true), nil, trusted + " true", ""},
		{"both, which contradict each other", "POSTGRES_16", older(encrypted, true), nil, "", ""},
		{"stricter on PostgreSQL", "POSTGRES_16", mode(all), mode(encrypted), encrypted + " false", "RUNNABLE"},
		{"stricter on MySQL", "MYSQL_8_0", mode(all), mode(encrypted), encrypted + " false", "MAINTENANCE"},
		{"looser on MySQL", "MYSQL_8_0", mode(encrypted), mode(all), all + " false", "RUNNABLE"},
		{"certificates, by the mode alone", "POSTGRES_16", mode(encrypted), mode(trusted), "", ""},
		{"certificates, by both", "POSTGRES_16", mode(encrypted), older(trusted, true), trusted + " true", "RUNNABLE"},
		{"no certificates, by the mode alone", "POSTGRES_16", mode(trusted), mode(encrypted), "", ""},
		{"no certificates, by both", "POSTGRES_16", mode(trusted), older(encrypted, false), encrypted + " false", "RUNNABLE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Modify: time.Minute}})
			in := sdk.Orders()
			in.DatabaseVersion, in.Settings.IpConfiguration = test.version, test.created
			var patched *sqladmin.Settings
			if test.patched != nil {
				patched = &sqladmin.Settings{IpConfiguration: test.patched}
			}
			if makeAndPatch(t, g, in, patched, test.during, test.want == "") {
				return
			}
			ip := g.Orders(t).Settings.IpConfiguration
			if got := fmt.Sprint(ip.SslMode, " ", ip.RequireSsl); got != test.want {
				t.Errorf("the instance has %s, want %s", got, test.want)
			}
		})
	}
}
