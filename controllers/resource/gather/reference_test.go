package gather

import (
	"errors"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A tenant has a shared account use no key that nobody gave to the tenant. The loop decides it by itself, also if no webhook answered, and
// before anything is called: there is no connection here.
func TestReferencesWithoutAClass(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	config := &v1alpha1.ClusterProviderConfig{ObjectMeta: metav1.ObjectMeta{Name: "aws"}, Spec: v1alpha1.ClusterProviderConfigSpec{
		Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: "eu-central-1"}},
	}}
	classes := &class.Resolver{Kind: kind.Bucket(), Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(config).Build(),
		References: func(string) class.References { return class.References{"encryption.key": {Sort: driver.ReferenceKey}} }}
	const refusal = v1alpha1.ReasonProviderConfigNotAllowed
	for _, tt := range []struct {
		name, config  string
		key           *string
		bound         bool
		management    v1alpha1.Management
		refused, kept v1alpha1.Reason
	}{
		{name: "new, with a key", config: identity.KindClusterProviderConfig, key: new("alias/shop"), refused: refusal},
		{name: "new, without a key", config: identity.KindClusterProviderConfig},
		{name: "there, with a key", config: identity.KindClusterProviderConfig, key: new("alias/shop"), bound: true, kept: refusal},
		{name: "only observed, with a key", config: identity.KindClusterProviderConfig, key: new("alias/shop"), management: v1alpha1.ManagementObserve, kept: refusal},
		{name: "to be managed, with a key", config: identity.KindClusterProviderConfig, key: new("alias/shop"), management: v1alpha1.ManagementFull, refused: refusal},
		{name: "of the team's own account", config: identity.KindProviderConfig, key: new("alias/shop")},
	} {
		b, _ := storedBucket(t, false)
		b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: tt.config, Name: "aws"}
		b.Spec.Encryption, b.Spec.Management = &v1alpha1.Encryption{Key: tt.key}, tt.management
		b.Status.ExternalName = map[bool]string{true: "photos"}[tt.bound]
		g := (&Gatherer{Kind: kind.Bucket(), Classes: classes}).begin(reconciliation.Begin(b, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
		if err := g.findAccount(t.Context()); err != nil {
			t.Fatal(err)
		}
		var refused v1alpha1.Reason
		if stop := hasClass(g.State); stop != nil {
			if e, is := errors.AsType[*identity.ValidationError](stop.Err); is {
				refused = e.Reason
			}
		}
		if refused != tt.refused || g.Policy.Refused.Reason != tt.refused || g.Policy.Kept["encryption.key"].Reason != tt.kept {
			t.Errorf("%s: refused because of %q, policy %+v", tt.name, refused, g.Policy)
		}
	}
}
