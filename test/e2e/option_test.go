package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// An option group is exchanged by one call, one that there is not leaves the server as it was, and an upgrade takes a group of the new version along.
func TestOptionGroup(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	p := system.MinimalDatabase(c)
	p.Engine, p.Version, p.AWS.OptionGroupName = new(v1alpha1.EngineMariaDB), new("11.4"), new("default:mariadb-11-4")
	d := throughOpenClass(w, c, w.database(c, "orders", p))
	w.create(d)
	name := w.ready(d).Status.ExternalName
	w.mirrors(d, "aws.optionGroupName", `"default:mariadb-11-4"`)
	for _, step := range []struct{ version, group string }{{"11.4", "audit-maria"}, {"11.8", "audit-maria-next"}} {
		mark := len(c.Writes(name))
		since := edit(w, d, func(d *v1alpha1.Database) { d.Spec.Version, d.Spec.AWS.OptionGroupName = &step.version, &step.group })
		w.mirrors(d, "aws.optionGroupName", `"`+step.group+`"`)
		w.expectWrites(c, name, mark, "ModifyDBInstance")
		w.expectEditTransitions(d, since)
	}
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.AWS.OptionGroupName = new("nowhere") })
	w.stalled(d, v1alpha1.ReasonInvalid, "aws.optionGroupName", "set spec.aws.optionGroupName to an option group of this account and region")
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.AWS.OptionGroupName = nil })
	w.ready(d)
	w.equal("the option group that stayed", *d.Status.Observed.AWS.OptionGroupName, "audit-maria-next")
}
