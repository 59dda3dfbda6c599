package gcp_test

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// standsForMode is what the description says of tls beside gcp.sslMode: classes go by that.
func standsForMode(t *testing.T) *driver.Alternative {
	t.Helper()
	description := gcp.New(gcp.Options{}).Describe()
	databases, _ := description.Resource("Database")
	for _, field := range databases.Fields {
		if field.Field == "tls" && field.StandsFor != nil && field.StandsFor.Field == "gcp.sslMode" {
			return field.StandsFor
		}
	}
	t.Fatal("tls stands for nothing")
	return nil
}

// A class may set one of the two fields and an object the other. Where they mean the same the mode is sent, and where not nothing is.
func TestTLSBesideAMode(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for _, test := range []struct {
		name string
		tls  v1alpha1.TLS
		mode string
		ok   bool
	}{
		{"both-required", v1alpha1.TLSRequired, "ENCRYPTED_ONLY", true},
		{"with-certificates", v1alpha1.TLSRequired, tlsAndCertificate, true},
		{"both-optional", v1alpha1.TLSOptional, "ALLOW_UNENCRYPTED_AND_ENCRYPTED", true},
		{"required-or-not", v1alpha1.TLSRequired, "ALLOW_UNENCRYPTED_AND_ENCRYPTED", false},
		{"optional-or-not", v1alpha1.TLSOptional, "ENCRYPTED_ONLY", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			if says := standsForMode(t); says.AgreesWith(string(test.tls), test.mode) != test.ok {
				t.Errorf("the description says that they agree: %v", !test.ok)
			}
			req := newDatabase(test.name, v1alpha1.EnginePostgres)
			plain := req.Spec.DeepCopy()
			req.Spec.TLS, req.Spec.GCP.SSLMode = &test.tls, &test.mode
			refused := func(err error) {
				t.Helper()
				if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), "spec.tls") || !strings.Contains(err.Error(), "spec.gcp.sslMode") {
					t.Errorf("got %v, want both fields named", err)
				}
			}
			if test.ok {
				x := c.made(t, &req)
				if got := c.instance(t, req.Name).Settings.IpConfiguration.SslMode; got != test.mode || len(c.look(t, x, &req).Changes) > 0 {
					t.Errorf("the mode is %s, want %s and no difference", got, test.mode)
				}
				return
			}
			_, err := drivertest.Databases(c.open(t)).Create(t.Context(), req)
			refused(err)
			both := req.Spec
			req.Spec = *plain
			x := c.made(t, &req)
			req.Spec = both
			result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
			if err != nil || len(result.Failed) == 0 {
				t.Fatalf("%v, Failed %v", err, result.Failed)
			}
			refused(result.Failed[0].Err)
			if n := c.Ledger.Count(localcloud.Filter{Operation: "instances.patch", Resource: req.Name}); n > 0 {
				t.Errorf("%d patches", n)
			}
		})
	}
}
