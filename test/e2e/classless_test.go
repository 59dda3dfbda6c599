package e2e

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A kind may have no class. Its objects name their provider config; one that does not is told so, and lives its life once it does.
func TestAKindWithoutAClass(t *testing.T) {
	t.Parallel()
	s := newIdleEnvironment(t, localcloud.Options{ListenersOnly: true, InstanceQuota: -1}, 1)
	all := kind.All()
	for _, k := range all {
		if k.Name == "Bucket" {
			k.Class = nil
		}
	}
	s.StartManager(t, controllers.Options{SyncPeriod: 24 * time.Hour, Kinds: all}, nil)
	w := s.fixture(t)
	c := system.NewCloud(s.Cloud, "aws")

	usual := w.bucket(c, "usual", v1alpha1.BucketParameters{})
	w.create(usual)
	w.ready(usual)

	b := w.bucket(c, "lost", v1alpha1.BucketParameters{})
	b.Spec.ProviderConfigRef = nil
	w.create(b)
	stalled := w.state(b, "stalled without a provider config", func(s system.Snapshot) bool {
		c := s.Condition(v1alpha1.ConditionStalled)
		return c != nil && c.Status == metav1.ConditionTrue && c.Reason == string(v1alpha1.ReasonInvalid)
	})
	if m := stalled.Condition(v1alpha1.ConditionStalled).Message; !strings.Contains(m, "the kind Bucket has no classes, so spec.providerConfigRef is required") {
		t.Errorf("message %q", m)
	}
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.ProviderConfigRef = c.Ref() })
	name := w.ready(b).Status.ExternalName
	w.delete(b)
	w.awaitDeleted(b)
	for _, operation := range []string{"CreateBucket", "DeleteBucket"} {
		if n := c.Ledger.Count(localcloud.Filter{Operation: operation, Resource: name}); n != 1 {
			t.Errorf("%d times %s, want 1", n, operation)
		}
	}
}
