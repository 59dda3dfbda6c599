package gcp_test

import (
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	tlsOnly           = "ENCRYPTED_ONLY"
	tlsOrNone         = "ALLOW_UNENCRYPTED_AND_ENCRYPTED"
	tlsAndCertificate = "TRUSTED_CLIENT_CERTIFICATE_REQUIRED"
)

func TestNewInstancesRefuseConnectionsWithoutTLS(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL} {
		req := newDatabase("tls-"+string(engine), engine)
		c.made(t, &req)
		if ip := c.instance(t, req.Name).Settings.IpConfiguration; ip.SslMode != tlsOnly || !ip.Ipv4Enabled {
			t.Errorf("%s: %+v", engine, ip)
		}
	}
}

// What somebody else made, or 0.1.0, or what somebody chose later, is left as it is: it is neither a difference nor part of a write.
func TestExistingInstancesKeepTheirModeOfTLS(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for _, mode := range []string{tlsOrNone, tlsOnly, tlsAndCertificate} {
		req := newDatabase("existing", v1alpha1.EnginePostgres)
		x := drivertest.Databases(c.open(t))
		op, err := c.sql.Instances.Insert(project, &sqladmin.DatabaseInstance{
			Name: req.Name, Region: location, DatabaseVersion: "POSTGRES_17", RootPassword: "theirs",
			Settings: &sqladmin.Settings{Tier: *req.Spec.GCP.Tier, Edition: "ENTERPRISE", UserLabels: map[string]string{"team": "shop"},
				IpConfiguration: &sqladmin.IpConfiguration{Ipv4Enabled: true, SslMode: mode}},
		}).Do()
		if err != nil {
			t.Fatal(err)
		}
		c.end(t, op)
		if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
			t.Errorf("%s: differs: %v", mode, changes)
		}
		req.Spec.GCP.Tier, req.Spec.Tags["team"] = new("db-custom-2-7680"), "pay"
		if _, err := x.Do(t.Context(), req, driver.Command{Verb: driver.WriteMark}); err != nil {
			t.Fatal(err)
		}
		c.settle(t)
		if _, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil {
			t.Fatal(err)
		}
		c.settle(t)
		if ip := c.instance(t, req.Name).Settings.IpConfiguration; ip.SslMode != mode || !ip.Ipv4Enabled {
			t.Errorf("%s became %+v", mode, ip)
		}
		if op, err = c.sql.Instances.Delete(project, req.Name).Do(); err != nil {
			t.Fatal(err)
		}
		c.end(t, op)
	}
}

// Every mode can be asked for at creation, and changed to every other one: Cloud SQL refuses a mode that contradicts the older requireSsl.
func TestModesOfTLS(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for _, from := range []string{tlsOrNone, tlsOnly, tlsAndCertificate} {
		for _, to := range []string{tlsOrNone, tlsOnly, tlsAndCertificate} {
			req := newDatabase(strings.ToLower(from[:3]+"-"+to[:3]), v1alpha1.EnginePostgres)
			req.Spec.GCP.SSLMode = &from
			x := c.made(t, &req)
			if ip := c.instance(t, req.Name).Settings.IpConfiguration; ip.SslMode != from || !ip.Ipv4Enabled {
				t.Errorf("created with %s: %+v", from, ip)
			}
			if from == to {
				continue
			}
			req.Spec.GCP.SSLMode = &to
			result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
			if err != nil || len(result.Failed) > 0 {
				t.Errorf("%s to %s: %v, failed %v", from, to, err, result.Failed)
			}
			c.settle(t)
			if ip := c.instance(t, req.Name).Settings.IpConfiguration; ip.SslMode != to || ip.RequireSsl != (to == tlsAndCertificate) || !ip.Ipv4Enabled {
				t.Errorf("%s to %s: %+v", from, to, ip)
			}
			if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
				t.Errorf("%s to %s: still differs: %v", from, to, changes)
			}
		}
	}
}
