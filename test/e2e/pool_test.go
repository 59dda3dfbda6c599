package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A server moves to Enterprise Plus, gets connection pools by a call of their own, and loses them before it moves back.
func TestConnectionPool(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	p := system.MinimalDatabase(c)
	p.GCP.Tier = new("db-custom-2-7680")
	d := w.database(c, "orders", p)
	w.create(d)
	name := w.ready(d).Status.ExternalName
	mark := len(c.Writes(name))
	edit(w, d, func(d *v1alpha1.Database) {
		d.Spec.GCP.Tier = new("db-perf-optimized-N-2")
		d.Spec.GCP.ConnectionPool = &v1alpha1.ConnectionPool{Enabled: new(true), Flags: map[string]v1alpha1.ParameterValue{"max_pool_size": "50"}}
	})
	w.ready(d)
	w.mirrors(d, "gcp.connectionPool.enabled", "true")
	w.mirrors(d, "gcp.connectionPool.flags", `{"max_pool_size":"50"}`)
	w.expectWrites(c, name, mark, "instances.patch", "instances.patch")

	mark = len(c.Writes(name))
	edit(w, d, func(d *v1alpha1.Database) {
		d.Spec.GCP.ConnectionPool.Flags = map[string]v1alpha1.ParameterValue{"min_pool_size": "5"}
	})
	w.ready(d)
	w.mirrors(d, "gcp.connectionPool.flags", `{"min_pool_size":"5"}`)
	w.expectWrites(c, name, mark, "instances.patch")

	mark = len(c.Writes(name))
	edit(w, d, func(d *v1alpha1.Database) { // the spec says nothing of the pools any more: the move takes them away
		d.Spec.GCP.Tier, d.Spec.GCP.ConnectionPool = new("db-custom-2-7680"), nil
	})
	w.ready(d)
	w.mirrors(d, "gcp.connectionPool.enabled", "false")
	w.mirrors(d, "gcp.tier", `"db-custom-2-7680"`)
	w.expectWrites(c, name, mark, "instances.patch", "instances.patch")
}
