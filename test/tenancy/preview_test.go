package tenancy

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A dry run of an edit says what it would do in the cloud, the dangerous first, and stores nothing.
func TestEditsArePreviewed(t *testing.T) {
	t.Parallel()
	h := newFixture(t, true)
	c, heard := h.recordWarnings()
	h.Apply("samples/00-namespace.yaml")
	h.Apply("samples/classes/aws.yaml")
	d := order("small")
	h.Create(d)
	h.AwaitReady(d)
	const ever = "Compared with what Mooring last observed"
	try := func(patch string) string {
		err := c.Patch(t.Context(), d.DeepCopy(), client.RawPatch("application/merge-patch+json", []byte(patch)), client.DryRunAll)
		h.Must(err)
		return taken(heard)
	}
	h.Eventually("the webhook answers", func() bool { return strings.Contains(try(`{"spec":{"storage":{"sizeGiB":51}}}`), ever) })
	before := &v1alpha1.Database{}
	h.Must(c.Get(t.Context(), client.ObjectKeyFromObject(d), before))
	for _, tt := range []struct{ name, patch, first string }{
		{"a larger disk", `{"spec":{"storage":{"sizeGiB":51}}}`, "Online, at once: storage.sizeGiB 50 -> 51"},
		{"another size", `{"spec":{"size":"medium"}}`, "Restarts: aws.instanceClass "},
		{"another size, after approval", `{"spec":{"size":"medium","updates":{"disruptive":"OnApproval"}}}`, "Restarts: aws.instanceClass "},
		{"a newer major version", `{"spec":{"version":"17"}}`, "Irreversible: version "},
		{"an older version", `{"spec":{"version":"15"}}`, "Impossible: version "},
	} {
		said := try(tt.patch)
		if !strings.HasPrefix(said, tt.first) || !strings.Contains(said, ever) {
			t.Errorf("%s: warned of %q, want %q first", tt.name, said, tt.first)
		}
		if approval := strings.Contains(tt.patch, "OnApproval"); approval != strings.Contains(said, "after approval") {
			t.Errorf("%s: warned of %q", tt.name, said)
		}
	}
	if said := try(`{"spec":{"whenVanished":"Recreate"}}`); said != "" {
		t.Errorf("an edit that changes nothing in the cloud: warned of %q", said)
	}
	after := &v1alpha1.Database{}
	h.Must(c.Get(t.Context(), client.ObjectKeyFromObject(d), after))
	if after.Generation != before.Generation {
		t.Errorf("a dry run was stored: generation %d, was %d", after.Generation, before.Generation)
	}

	edit := client.RawPatch("application/merge-patch+json", []byte(`{"spec":{"size":"medium","updates":{"disruptive":"OnApproval"}}}`))
	h.Must(c.Patch(t.Context(), d, edit))
	status := h.AwaitCondition(d, v1alpha1.ConditionStalled, metav1.ConditionTrue, v1alpha1.ReasonApprovalRequired)
	taken(heard)
	const restarts = "Restarts: aws.instanceClass db.t4g.micro -> db.t4g.medium, at once"
	annotate := func(name, value string) string {
		return try(fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, name, value))
	}
	if said := annotate(v1alpha1.AnnotationApprove, status.Plan.Hash); !strings.HasPrefix(said, restarts) {
		t.Errorf("the approval: warned of %q, want %q first", said, restarts)
	}
	if said := annotate(v1alpha1.AnnotationApprove, "another"); strings.Contains(said, "at once") {
		t.Errorf("an approval of nothing: warned of %q", said)
	}
	if said := annotate(v1alpha1.AnnotationPaused, "true"); !strings.HasPrefix(said, "Mooring applies none of these changes while the annotation mooring.dev/paused is set") {
		t.Errorf("a pause: warned of %q", said)
	}
}
