package gcp_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const sharedAuthority = "GOOGLE_MANAGED_CAS_CA"

// lists counts the calls that list authorities.
func (c *cloud) lists() int {
	return c.Ledger.Count(localcloud.Filter{Operation: "instances.listServerCas"}) + c.Ledger.Count(localcloud.Filter{Operation: "instances.ListServerCertificates"})
}

// The name in the certificate goes with the address that clients get. A server with an authority of its own has none.
func TestServerNames(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, tt := range map[string]struct {
		mode, private *string
		suffix        string
	}{
		"unset":   {nil, nil, ""},
		"own":     {new("GOOGLE_MANAGED_INTERNAL_CA"), nil, ""},
		"public":  {new(sharedAuthority), nil, "." + location + ".sql.goog"},
		"private": {new(sharedAuthority), new(vpc), "." + location + ".sql-psa.goog"},
	} {
		req := newDatabase("named-"+name, v1alpha1.EnginePostgres)
		req.Spec.GCP.ServerCAMode, req.Spec.GCP.PrivateNetwork = tt.mode, tt.private
		x := c.made(t, &req)
		c.sent.calls.Store(0)
		at := c.look(t, x, &req).Endpoint
		if calls := c.sent.calls.Load(); calls != 1 {
			t.Errorf("%s: a look took %d calls", name, calls)
		}
		if !strings.HasSuffix(at.ServerName, tt.suffix) || (at.ServerName == "") != (tt.suffix == "") {
			t.Errorf("%s: the name is %q, want one that ends in %q", name, at.ServerName, tt.suffix)
		}
		if present := c.instance(t, req.Name).ServerCaCert.Cert; at.Certificates != present {
			t.Errorf("%s: certificates %q, the instance has %q", name, at.Certificates, present)
		}
	}
}

// In the last year of an authority clients get the next one before it signs anything. That takes a call a day, and none before.
func TestAuthoritiesBeforeARotation(t *testing.T) {
	for _, mode := range []string{"GOOGLE_MANAGED_INTERNAL_CA", sharedAuthority} {
		t.Run(mode, func(t *testing.T) {
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("rotated", v1alpha1.EnginePostgres)
			req.Spec.GCP.ServerCAMode = &mode
			x := c.made(t, &req)
			add, rotate := c.sql.Instances.AddServerCa(project, req.Name).Do, c.sql.Instances.RotateServerCa(project, req.Name, &sqladmin.InstancesRotateServerCaRequest{}).Do
			if mode == sharedAuthority {
				add = c.sql.Instances.AddServerCertificate(project, req.Name).Do
				rotate = c.sql.Instances.RotateServerCertificate(project, req.Name, &sqladmin.InstancesRotateServerCertificateRequest{}).Do
			}
			first := c.instance(t, req.Name).ServerCaCert
			look := func(want ...string) {
				t.Helper()
				got := c.look(t, x, &req).Endpoint.Certificates
				if n := strings.Count(got, "BEGIN"); n != strings.Count(strings.Join(want, ""), "BEGIN") || !strings.HasPrefix(got, want[0]) {
					t.Errorf("%d certificates, want those of %d authorities, the present one first", n, len(want))
				}
				for _, one := range want {
					if !strings.Contains(got, one) {
						t.Errorf("an authority is missing")
					}
				}
			}
			op, err := add()
			if err != nil {
				t.Fatal(err)
			}
			c.end(t, op)
			if look(first.Cert); c.lists() != 0 {
				t.Errorf("%d calls for an authority that lasts", c.lists())
			}
			end, err := time.Parse(time.RFC3339, first.ExpirationTime)
			if err != nil {
				t.Fatal(err)
			}
			c.clock.advance(end.Sub(c.clock.Now()) - 300*24*time.Hour)
			var next string
			if mode == sharedAuthority {
				listed, err := c.sql.Instances.ListServerCertificates(project, req.Name).Do()
				if err != nil {
					t.Fatal(err)
				}
				next = listed.CaCerts[1].Cert
			} else {
				listed, err := c.sql.Instances.ListServerCas(project, req.Name).Do()
				if err != nil {
					t.Fatal(err)
				}
				next = listed.Certs[1].Cert
			}
			c.forget()
			look(first.Cert, next)
			if look(first.Cert, next); c.lists() != 1 {
				t.Errorf("%d calls in a day", c.lists())
			}
			req.AskedAt = c.clock.Now()
			if look(first.Cert, next); c.lists() != 2 {
				t.Errorf("%d calls in a day in which a person asked", c.lists())
			}
			req.AskedAt = time.Time{}
			c.clock.advance(25 * time.Hour)
			lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.*"}, Kind: localcloud.ServerError, Skip: 1})
			look(first.Cert, next) // what was read before holds
			lift()
			op, err = rotate()
			if err != nil {
				t.Fatal(err)
			}
			c.end(t, op)
			look(c.instance(t, req.Name).ServerCaCert.Cert, first.Cert) // the cloud's clock is ahead of that of certificates: this one ends soon, too
		})
	}
}

// An identity that may not list authorities still has its servers observed, by what the instance says. A cloud that does not answer is asked again, so that no
// Secret loses the next authority meanwhile.
func TestAuthoritiesThatCantBeListed(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	req := newDatabase("unlisted", v1alpha1.EnginePostgres)
	x := c.made(t, &req)
	present := c.instance(t, req.Name).ServerCaCert
	end, err := time.Parse(time.RFC3339, present.ExpirationTime)
	if err != nil {
		t.Fatal(err)
	}
	c.clock.advance(end.Sub(c.clock.Now()) - 24*time.Hour)
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.listServerCas"}, Kind: localcloud.ServerError})
	if _, err := x.Observe(t.Context(), req); driver.CodeOf(err) != driver.Unavailable {
		t.Errorf("with a cloud that does not answer: %v", err)
	}
	lift()
	defer c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.listServerCas"}, Kind: localcloud.Denied})()
	c.forget()
	for range 2 {
		if at := c.look(t, x, &req).Endpoint; at.Certificates != present.Cert {
			t.Errorf("certificates %q", at.Certificates)
		}
	}
	if c.lists() != 1 {
		t.Errorf("%d calls that are denied", c.lists())
	}
}
