package tenancy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/cluster"
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
	of := "Database " + d.Namespace + "/" + d.Name + ": "
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
		if !strings.HasPrefix(said, of+tt.first) || !strings.Contains(said, ever) {
			t.Errorf("%s: warned of %q, want %q first", tt.name, said, tt.first)
		}
		if approval := strings.Contains(tt.patch, "OnApproval"); approval != strings.Contains(said, "after approval") {
			t.Errorf("%s: warned of %q", tt.name, said)
		}
	}
	if said := try(`{"spec":{"whenVanished":"Stop"}}`); said != "" {
		t.Errorf("an edit that changes nothing in the cloud: warned of %q", said)
	}
	if said := try(`{"spec":{"whenVanished":"Recreate"}}`); !strings.HasPrefix(said, of+"whenVanished Stop -> Recreate: ") {
		t.Errorf("an edit by which data can be lost without a word: warned of %q", said)
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
	if said := annotate(v1alpha1.AnnotationApprove, status.Plan.Hash); !strings.HasPrefix(said, of+restarts) {
		t.Errorf("the approval: warned of %q, want %q first", said, restarts)
	}
	if said := annotate(v1alpha1.AnnotationApprove, "another"); strings.Contains(said, "at once") {
		t.Errorf("an approval of nothing: warned of %q", said)
	}
	if said := annotate(v1alpha1.AnnotationPaused, "true"); !strings.HasPrefix(said, of+"Mooring applies none of these changes while the annotation mooring.dev/paused is set") {
		t.Errorf("a pause: warned of %q", said)
	}
	t.Run("in production", func(t *testing.T) { inProduction(t, h) })
}

// The same lines of a developer lead into a private network, a key of the company, two zones, TLS, insights and a window where the class says so,
// whichever cloud it is in.
func inProduction(t *testing.T, h *fixture) {
	for namespace, cloud := range map[string]string{bank: "aws", thief: "gcp"} {
		class := &v1alpha1.DatabaseClass{}
		h.read("samples/classes/"+cloud+"-production.yaml", class)
		class.Name += "-" + cloud // beside the one of the other cloud, which a platform would not have
		h.Create(class)
		d := &v1alpha1.Database{}
		h.read("samples/orders.yaml", d)
		d.Namespace, d.Spec.ClassName = namespace, class.Name
		h.Create(d)
		h.AwaitReady(d)
		want, got := class.Spec.Enforced, d.Status.Observed
		if got == nil || got.Network == nil || got.Encryption == nil || got.Maintenance == nil || got.Maintenance.Window == nil {
			t.Fatalf("%s: observed %+v", cloud, got)
		}
		if diff := cmp.Diff([]any{want.Availability, want.Network.PublicAccess, want.TLS, want.Insights, want.DeletionProtection, class.Spec.Defaults.Maintenance.Window},
			[]any{got.Availability, got.Network.PublicAccess, got.TLS, got.Insights, got.DeletionProtection, got.Maintenance.Window}); diff != "" {
			t.Errorf("%s: -class +cloud:\n%s", cloud, diff)
		}
		if applied := fmt.Sprint(d.Status.Applied); !strings.Contains(applied, strings.TrimPrefix(*want.Encryption.Key, "alias/")) || !strings.Contains(applied, "shop") {
			t.Errorf("%s: neither key nor network were applied: %s", cloud, applied)
		}
	}
}

// read reads the only object of a file of config.
func (h *fixture) read(file string, into any) {
	h.Helper()
	dir, err := cluster.Repository()
	h.Must(err)
	content, err := os.ReadFile(filepath.Join(dir, "config", file))
	h.Must(err)
	h.Must(yaml.UnmarshalStrict(content, into))
}
