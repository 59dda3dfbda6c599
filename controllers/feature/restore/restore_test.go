package restore

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// A sample is a database in one reconciliation, and what the feature reads of others.
type sample struct {
	reconciliation.State
	cache, fresh client.Reader
}

func newSample(d *v1alpha1.Database) *sample {
	w := &sample{State: reconciliation.State{
		Object: d, Want: d, Connection: &identity.Connection{}, WasReady: d.Status.FirstReadyTime != nil, Facts: outcome.Facts{Kind: kind.Database(), Policy: plan.PolicyOf(kind.Database(), d)},
	}}
	w.Described.Name.MaxLength = 63
	return w
}

// source has the feature find of what the database is made, if the plan is to create it.
func (w *sample) source(t *testing.T) *reconciliation.Stop {
	t.Helper()
	stop, err := Of(w.Kind, kind.FamilyOf(w.Kind, kind.All()), w.cache, w.fresh).Source(t.Context(), &w.State)
	if err != nil {
		return &reconciliation.Stop{Err: err}
	}
	return stop
}

// relatives returns a cache that has objects.
func relatives(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

// parent returns a database that can be used.
func parent() *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", Finalizers: []string{v1alpha1.FinalizerResource}}}
	d.Status.ExternalName, d.Status.ExternalID, d.Status.Provider, d.Status.AccountID, d.Status.Location = "shop-orders", "db-1", "aws", "111", "here"
	d.Status.ClassName, d.Status.ProviderConfigRef = "small", &v1alpha1.BoundProviderConfig{Kind: identity.KindClusterProviderConfig, Name: "platform"}
	d.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionTrue}, {Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: "Ready"},
	}
	return d
}

// What vanished of a kind that can't be restored is not created empty in its place where its spec asks for a restore.
func TestKindThatCantBeRestored(t *testing.T) {
	b := &v1alpha1.Bucket{}
	in := reconciliation.State{Object: b, Want: b, Facts: outcome.Facts{Kind: kind.Bucket()}}
	stop, err := Of(kind.Bucket(), kind.Family{}, nil, nil)[0].Source(t.Context(), &in, plan.Action{Verb: plan.Create, InPlace: true})
	if err != nil || stop == nil || stop.Action == nil || stop.Action.Reason != v1alpha1.ReasonVanished {
		t.Errorf("got %+v, %v", stop, err)
	}
	if stop, err := Of(kind.Bucket(), kind.Family{}, nil, nil)[0].Source(t.Context(), &in, plan.Action{Verb: plan.Create}); stop != nil || err != nil {
		t.Errorf("a new one ends with %+v, %v", stop, err)
	}
}

// What an object may see by an account of the namespace's own is not for the rights of the platform to restore.
func TestOwnRights(t *testing.T) {
	own, shared := v1alpha1.BoundProviderConfig{Kind: "ProviderConfig", Name: "team"}, v1alpha1.BoundProviderConfig{Kind: "ClusterProviderConfig", Name: "aws"}
	for _, tt := range []struct {
		by   *v1alpha1.BoundProviderConfig
		with v1alpha1.BoundProviderConfig
		want bool
	}{{&own, own, true}, {&shared, own, true}, {&shared, shared, true}, {&own, shared, false}, {nil, shared, false}} {
		in := reconciliation.State{Object: &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}}
		in.Config = identity.KeyOfBound(tt.with, "shop")
		other := &v1alpha1.DatabaseSnapshot{}
		other.Status.ProviderConfigRef = tt.by
		if got := (&restoring{g: &in}).isOfOwnRights(other); got != tt.want {
			t.Errorf("by %v, with %v: %t", tt.by, tt.with, got)
		}
	}
}
