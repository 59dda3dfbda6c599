package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// TestEditions moves a database of Cloud SQL between editions with the retention that the samples declare. Enterprise Plus keeps
// 14 days of logs unless told otherwise and refuses fewer backups than that; Enterprise takes at most 7 days.
func TestEditions(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	const plus, enterprise = "db-perf-optimized-N-2", "db-custom-2-7680"
	p := v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))}}
	system.SetSize(c, &p, plus)
	d := w.database(c, "orders", p)
	w.create(d)
	name := w.ready(d).Status.ExternalName
	w.equal("writes", c.Writes(name), []string{"instances.insert"})
	for _, move := range []struct {
		name, tier string
		retention  int32
	}{{"down", enterprise, 7}, {"up", plus, 7}, {"more", plus, 30}, {"down with more", enterprise, 30}, {"fewer", enterprise, 3}} {
		w.run(move.name, func(w *fixture) {
			mark := len(c.Writes(name))
			since := edit(w, d, func(d *v1alpha1.Database) {
				d.Spec.GCP.Tier, d.Spec.Backup.RetentionDays = &move.tier, &move.retention
			})
			w.ready(d)
			w.expectWrites(c, name, mark, "instances.patch")
			w.expectEditTransitions(d, since)
		})
	}
}
