package preview

import (
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/providers/driver"
)

// referring makes a field of a preview's kind one that names another cloud object. All of its objects lead through the ClusterProviderConfig aws.
func referring(t *testing.T, p *Preview, field string, sort driver.Reference) {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	config := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "aws"}, Spec: v1alpha1.ClusterProviderConfigSpec{
		Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}},
	}}
	p.Classes = &class.Resolver{
		Kind: p.Kind, Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(config).Build(),
		References: func(string) class.References { return class.References{field: {Sort: sort}} },
	}
}

var shared = &v1alpha1.ProviderConfigReference{Kind: identity.KindClusterProviderConfig, Name: "aws"}

// stalledFor gives an object the condition that the loop gives it for what is refused.
func stalledFor(t *testing.T, p *Preview, object v1alpha1.ResourceObject) {
	t.Helper()
	m, err := p.merge(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	refusal := m.policy.Refused
	for _, kept := range m.policy.Kept {
		refusal = kept
	}
	if refusal.Reason != v1alpha1.ReasonProviderConfigNotAllowed {
		t.Fatalf("refused: %+v", m.policy)
	}
	object.GetResourceStatus().Conditions = []metav1.Condition{stalled(refusal.Reason, refusal.Message)}
}

const useless = "none of these changes"

// An object that stalls because it names what nobody gave to it is changed once it no longer does.
func TestEditThatMendsARefusedReference(t *testing.T) {
	p := newPreview()
	referring(t, p, "aws.caCertificateIdentifier", driver.ReferenceRole)
	old := usual()
	old.Spec.ProviderConfigRef, old.Spec.AWS.CACertificateIdentifier = shared, new("theirs")
	stalledFor(t, p, old)
	lines, err := linesOf(p.Edit(t.Context(), old, editOf(old, moreBackups, func(d *v1alpha1.Database) { d.Spec.AWS.CACertificateIdentifier = nil })))
	if text := strings.Join(lines, " "); err != nil || !strings.HasPrefix(text, "Online, at once: backup.retentionDays") || strings.Contains(text, useless) {
		t.Errorf("taken out, and another change: %q, %v", lines, err)
	}
	old.Status.Conditions[0].Message = "the namespace may not use ClusterProviderConfig aws"
	lines, err = linesOf(p.Edit(t.Context(), old, editOf(old, moreBackups, func(d *v1alpha1.Database) { d.Spec.AWS.CACertificateIdentifier = nil })))
	if text := strings.Join(lines, " "); err != nil || !strings.Contains(text, useless) {
		t.Errorf("stalled for another thing: %q, %v", lines, err)
	}
}

// A bucket that keeps a key that it may not set anew is changed in all else. It stalls while the spec asks for another key, and until then only.
func TestEditOfAKeptReference(t *testing.T) {
	p := newLifecycle(t, kind.Bucket())
	referring(t, p, "encryption.key", driver.ReferenceKey)
	has := &v1alpha1.Bucket{ObjectMeta: created()}
	has.Spec.ProviderConfigRef, has.Status.ResourceStatus = shared, working("")
	has.Status.Binding, has.Spec.Location, has.Spec.Encryption = nil, new("a"), &v1alpha1.Encryption{Key: new("ours")}
	has.Status.Observed, has.Status.Applied = has.Spec.BucketParameters.DeepCopy(), map[string][]string{"location": {"a"}, "encryption.key": {"ours"}}
	asks := has.DeepCopy()
	asks.Spec.Encryption.Key = new("theirs")
	stalledFor(t, p, asks)
	mended := asks.DeepCopy()
	mended.Spec.Encryption.Key = new("ours")
	for name, tt := range map[string]struct {
		old, to *v1alpha1.Bucket
		useless bool
	}{
		"as it was before":          {has, has, false},
		"back to what it has":       {asks, mended, false},
		"still another than it has": {asks, asks, true},
		"another than it has, anew": {has, asks, true},
	} {
		to := tt.to.DeepCopy()
		to.Status = *tt.old.Status.DeepCopy()
		to.Generation, to.Spec.Versioning = 2, new(v1alpha1.VersioningEnabled)
		lines, err := linesOf(p.Edit(t.Context(), tt.old, to))
		if err != nil || !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, "versioning") }) {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
		if got := strings.Contains(strings.Join(lines, " "), useless); got != tt.useless {
			t.Errorf("%s: %q, want useless %v", name, lines, tt.useless)
		}
	}
}
