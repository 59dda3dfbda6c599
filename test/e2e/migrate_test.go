package e2e

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/system"
)

// What another tool made is taken over as docs/migrate says: looked at first, then taken with its password, at the cost of
// the mark and of the same password once more; and there is a way back.
func TestTakeOverAndBack(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		external := w.Namespace + "-theirs"
		k.Make(c, w.T, external, map[string]string{"theirs": "1"})
		o := w.declare(c, k, "ours")
		system.SpecOf(o).ExternalName, system.SpecOf(o).Management = external, v1alpha1.ManagementObserve
		w.create(o)
		w.equal("what is seen", w.ready(o).Value(k.Field), k.Mirror)

		want := []string{k.Mark}
		mark := len(c.Writes(external))
		w.give("somebody-elses")
		edit(w, o, func(o client.Object) {
			system.SpecOf(o).Management, system.SpecOf(o).Adoption = "", v1alpha1.AdoptionIfExists
			system.SpecOf(o).Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
			system.Connect(o, "ours")
			k.SetDeletionPolicy(o, v1alpha1.DeletionRetain)
			if k.SetPassword != nil {
				k.SetPassword(o, "admin")
			}
		})
		s := w.ready(o)
		if k.SetPassword != nil {
			want = append(want, k.Password)
			w.equal("the password", string(w.Secret("ours")["password"]), "somebody-elses")
		}
		w.expectWrites(c, external, mark, want...)
		if len(s.Status.PendingChanges) > 0 {
			w.Errorf("%v are left", s.Status.PendingChanges)
		}

		mark = len(c.Writes(external))
		w.delete(o)
		w.awaitDeleted(o)
		want = []string{k.Mark}
		if k.Unmark != "" {
			want = append(want, k.Unmark)
		}
		w.equal("writes of the way back", c.Writes(external)[mark:], want)
		if tags := k.Tags(c, w.T, external); !driver.MarkFrom(tags).Released || tags["theirs"] != "1" {
			w.Errorf("it is left with the tags %v", tags)
		}
		if w.Secret("ours") == nil {
			w.Error("the connection Secret went")
		}
	})
}
