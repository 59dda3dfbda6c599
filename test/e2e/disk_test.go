package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A server of the machine series N4 has a Hyperdisk, whose size and speed change in one call and while the server works.
func TestHyperdisk(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	p := system.MinimalDatabase(c)
	p.GCP.Tier, p.GCP.IOPS = new("db-custom-N4-2-8192"), new(int32(4000))
	d := w.database(c, "orders", p)
	w.create(d)
	name := w.ready(d).Status.ExternalName
	w.mirrors(d, "gcp.dataDiskType", `"HYPERDISK_BALANCED"`)
	w.mirrors(d, "gcp.iops", "4000")
	mark := len(c.Writes(name))
	edit(w, d, func(d *v1alpha1.Database) {
		d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(40))}
		d.Spec.GCP.IOPS, d.Spec.GCP.ThroughputMiBps = new(int32(12000)), new(int32(240)) // which the smaller disk could not do
	})
	w.ready(d)
	w.mirrors(d, "gcp.iops", "12000")
	w.mirrors(d, "gcp.throughputMiBps", "240")
	w.expectWrites(c, name, mark, "instances.patch")
}
