package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A server moves to Enterprise Plus, gets connection pools and other flags, and moves back, each by one call. What an edit of all at once does is in the tests of the driver.
func TestConnectionPool(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	p := system.MinimalDatabase(c)
	p.GCP.Tier = new("db-custom-2-7680")
	d := w.database(c, "orders", p)
	w.create(d)
	name := w.ready(d).Status.ExternalName
	steps := []struct {
		edit  func(g *v1alpha1.DatabaseGCP)
		field string
		want  string
	}{
		{func(g *v1alpha1.DatabaseGCP) { g.Tier = new("db-perf-optimized-N-2") }, "gcp.tier", `"db-perf-optimized-N-2"`},
		{func(g *v1alpha1.DatabaseGCP) {
			g.ConnectionPool = &v1alpha1.ConnectionPool{Enabled: new(true), Flags: map[string]v1alpha1.ParameterValue{"max_pool_size": "50"}}
		}, "gcp.connectionPool.flags", `{"max_pool_size":"50"}`},
		{func(g *v1alpha1.DatabaseGCP) {
			g.ConnectionPool.Flags = map[string]v1alpha1.ParameterValue{"min_pool_size": "5"}
		}, "gcp.connectionPool.flags", `{"min_pool_size":"5"}`},
		{func(g *v1alpha1.DatabaseGCP) { g.ConnectionPool = &v1alpha1.ConnectionPool{Enabled: new(false)} }, "gcp.connectionPool.enabled", "false"},
		{func(g *v1alpha1.DatabaseGCP) { g.Tier = new("db-custom-2-7680") }, "gcp.tier", `"db-custom-2-7680"`},
	}
	for _, step := range steps {
		mark := len(c.Writes(name))
		edit(w, d, func(d *v1alpha1.Database) { step.edit(d.Spec.GCP) })
		w.ready(d)
		w.mirrors(d, step.field, step.want)
		w.expectWrites(c, name, mark, "instances.patch")
	}
}
