package e2e

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// The status says until when the cloud supports what a database runs on: what the cloud reports of it, and nothing else. A new certificate shows.
func TestSupport(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		if c.Name != "aws" && c.Name != "gcp" {
			return // a cloud need not report any
		}
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		w.ready(d)
		w.AwaitObject(d, "its support", func() bool { return d.Status.Support != nil && d.Status.Support.CertificateExpires != nil })
		is := *d.Status.Support
		if reported := c.Name != "gcp"; (is.EngineVersion != "") != reported || (is.EngineEndOfStandardSupport != nil) != reported || (is.EngineEndOfExtendedSupport != nil) != reported {
			w.Errorf("of the version the status says %+v", is)
		}
		if c.Name != "aws" {
			return
		}
		system.Edit(w.Fixture, d, func(d *v1alpha1.Database) { d.Spec.AWS.CACertificateIdentifier = new("rds-ca-ecc384-g1") })
		w.AwaitObject(d, "a later end of another certificate", func() bool {
			return d.Status.Support != nil && d.Status.Support.CertificateExpires.After(is.CertificateExpires.Time)
		})
		w.ready(d)
	})
}

// Who may not ask AWS for the dates of versions misses them, and nothing else: the database is Ready, and nothing is Stalled.
func TestSupportThatMayNotBeRead(t *testing.T) {
	w := newSerialFixture(t)
	c := w.cloud("aws")
	lift := w.Cloud.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "DescribeDBMajorEngineVersions"}, Kind: localcloud.Denied})
	t.Cleanup(lift)
	p := system.MinimalDatabase(c)
	p.Location = new("eu-north-1") // where no other test is, which would share the session that is refused
	d := w.database(c, "orders", p)
	w.create(d)
	name := w.ready(d).Status.ExternalName
	w.observedAgain(c, name, 2)
	w.Refresh(d)
	if is := d.Status.Support; is == nil || is.CertificateExpires == nil || is.EngineVersion != "" || is.EngineEndOfStandardSupport != nil {
		w.Errorf("the status says %+v", is)
	}
	asked := slices.DeleteFunc(w.Cloud.Ledger.Calls(localcloud.Filter{Operation: "DescribeDBMajorEngineVersions"}), func(c localcloud.Call) bool { return c.Region != "eu-north-1" })
	if len(asked) != 1 {
		w.Errorf("RDS was asked %d times within moments", len(asked))
	}
}
