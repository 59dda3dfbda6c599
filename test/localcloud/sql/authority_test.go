package sql_test

import (
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/engine"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// sqlClouds are instances of a cloud with real servers.
type sqlClouds struct {
	*testing.T
	cloud *localcloud.Cloud
	sql   *sqladmin.Service
}

func startSQL(t *testing.T) *sqlClouds {
	cloud, err := localcloud.Start(localcloud.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	_, sql, _ := (&sdk.GCP{Cloud: cloud}).Clients(t, "acme")
	return &sqlClouds{t, cloud, sql}
}

// done waits for an operation.
func (c *sqlClouds) done(op *sqladmin.Operation, err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
	sdk.AwaitWork(c.T, c.cloud, op.Name)
	if op, err = c.sql.Operations.Get("acme", op.Name).Do(); err != nil || op.Status != "DONE" || op.Error != nil {
		c.Fatalf("operation is %+v, %v", op, err)
	}
}

// server returns where an instance is, its authorities, and the name in its certificate.
func (c *sqlClouds) server(instance string, port int) (at check.Server, name string) {
	c.Helper()
	got, err := c.sql.Instances.Get("acme", instance).Do()
	if err != nil || got.ServerCaCert == nil {
		c.Fatalf("%s is %+v, %v", instance, got, err)
	}
	for _, n := range got.DnsNames {
		if n.ConnectionType == "PUBLIC" && n.DnsScope == "INSTANCE" {
			name = n.Name[:len(n.Name)-1]
		}
	}
	return check.Server{Host: got.IpAddresses[0].IpAddress, Port: port, CA: got.ServerCaCert.Cert}, name
}

// A real server shows the certificate that its instance speaks of: one of an authority of its own, or one with a name by an authority that others share. After
// a rotation it shows the next one at once, and clients that knew only the former authority are out.
func TestCertificatesOfSQLServers(t *testing.T) {
	t.Parallel()
	for _, of := range []struct {
		engine, version, admin string
		port                   int
		dial                   func(t *testing.T, at check.Server, name, user, password, database, sql string) (string, error)
	}{
		{"postgres", "POSTGRES_16", "postgres", 5432, check.DialPostgres},
		{"mysql", "MYSQL_8_0", "root", 3306, check.DialMySQL},
	} {
		for _, mode := range []string{"GOOGLE_MANAGED_INTERNAL_CA", "GOOGLE_MANAGED_CAS_CA"} {
			t.Run(of.engine+" "+mode, func(t *testing.T) {
				t.Parallel()
				check.Available(t, engine.Available(of.engine))
				c, shared := startSQL(t), mode == "GOOGLE_MANAGED_CAS_CA"
				for _, instance := range []string{"orders", "other"} {
					in := sdk.Orders()
					in.Name, in.DatabaseVersion = instance, of.version
					in.Settings.IpConfiguration = &sqladmin.IpConfiguration{ServerCaMode: mode}
					c.done(c.sql.Instances.Insert("acme", in).Do())
				}
				login := func(at check.Server, ca, name string, want bool) {
					t.Helper()
					at.CA = ca
					if said, err := of.dial(t, at, name, of.admin, "s3cret", "", "SELECT 41+1"); (err == nil && said == "42") != want {
						t.Errorf("verified by the name %q: %q, %v, want success %v", name, said, err, want)
					}
				}
				at, name := c.server("orders", of.port)
				other, otherName := c.server("other", of.port)
				if (name != "") != shared || (at.CA == other.CA) != shared {
					t.Fatalf("the names are %q and %q, the authority is the same: %v", name, otherName, at.CA == other.CA)
				}
				login(at, at.CA, name, true)
				login(at, at.CA, "wrong.sql.goog", false)
				login(at, other.CA, otherName, false) // another server is not this one
				if shared {
					c.done(c.sql.Instances.AddServerCertificate("acme", "orders").Do())
					c.done(c.sql.Instances.RotateServerCertificate("acme", "orders", &sqladmin.InstancesRotateServerCertificateRequest{}).Do())
					login(at, at.CA, name, true) // the root stays
					return
				}
				c.done(c.sql.Instances.AddServerCa("acme", "orders").Do())
				listed, err := c.sql.Instances.ListServerCas("acme", "orders").Do()
				if err != nil || len(listed.Certs) != 2 || listed.Certs[0].Cert != at.CA {
					t.Fatalf("the authorities are %+v, %v", listed, err)
				}
				login(at, at.CA+listed.Certs[1].Cert, "", true)
				c.done(c.sql.Instances.RotateServerCa("acme", "orders", &sqladmin.InstancesRotateServerCaRequest{}).Do())
				login(at, listed.Certs[1].Cert, "", true)
				login(at, at.CA, "", false)
				if after, _ := c.server("orders", of.port); after.CA != listed.Certs[1].Cert {
					t.Error("the instance does not name the authority that was next")
				}
			})
		}
	}
}
