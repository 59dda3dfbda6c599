package e2e

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// An edit of a class releases nothing that waits for approval. What a user may do without the verb approve releases it neither, and the approval does.
func TestClassReleasesNothing(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		class := w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) {
			s.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		})
		d := w.tenLines("orders")
		w.create(d)
		name := w.ready(d).Status.ExternalName
		size := system.Sizes[c.Name]
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Size = "large" })
		w.waits(c, d, size[0], size[1], v1alpha1.CauseSpec)
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.Updates.Disruptive = v1alpha1.DisruptiveAlways })
		holds := func(after string) (hash string) {
			w.Helper()
			w.observedAgain(c, name, 3)
			s := w.state(d, "held after "+after, func(s system.Snapshot) bool {
				return s.Status.ObservedGeneration == d.Generation && strings.Contains(s.Told(), "releases nothing that waits")
			})
			w.equal("size after "+after, s.Value(sizeField[c.Name]), `"`+size[0]+`"`)
			return s.Status.Plan.Hash
		}
		hash := holds("the edit of the class")
		for _, door := range []struct {
			name       string
			open, shut func(*v1alpha1.Database)
		}{
			{"a pause",
				func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} },
				func(d *v1alpha1.Database) { d.Annotations = nil }},
			{"an edit of another field",
				func(d *v1alpha1.Database) { d.Spec.Tags = map[string]v1alpha1.TagValue{"a": "b"} },
				func(d *v1alpha1.Database) { d.Spec.Tags = nil }},
			{"an observation",
				func(d *v1alpha1.Database) { d.Spec.Management, d.Spec.ExternalName = v1alpha1.ManagementObserve, name },
				func(d *v1alpha1.Database) { d.Spec.Management = v1alpha1.ManagementFull }},
		} {
			edit(w, d, door.open)
			w.state(d, door.name+" is seen", func(s system.Snapshot) bool {
				synced := s.Condition(v1alpha1.ConditionSynced)
				return s.Status.ObservedGeneration == d.Generation && (d.Annotations == nil || synced != nil && synced.Reason == string(v1alpha1.ReasonPaused))
			})
			edit(w, d, door.shut)
			hash = holds(door.name)
		}
		w.approve(d, hash)
		w.mirrors(d, sizeField[c.Name], `"`+size[1]+`"`)
	})
}
