package replica_test

import (
	"context"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/replica"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/preview"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// previewOf returns a preview for which every database is in one cloud of this process, and the cache has some objects.
func previewOf(t *testing.T, objects ...client.Object) *preview.Preview {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	byPrimary := func(o client.Object) []string {
		return []string{kind.PrimaryName(kind.Database(), o.(v1alpha1.ResourceObject))}
	}
	cache := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithIndex(&v1alpha1.Database{}, kind.PrimaryIndex, byPrimary).Build()
	return &preview.Preview{
		Kind: kind.Database(), Drivers: map[string]driver.Driver{"mem": mem.New(mem.Options{}).Driver()}, Features: replica.Of(kind.Database(), cache, time.Minute),
		Provider: func(context.Context, identity.Key) (string, error) { return "mem", nil },
		Observed: func(client.ObjectKey) (time.Time, bool) { return time.Time{}, false }, Now: func() time.Time { return time.Unix(100, 0) },
	}
}

// Who edits or deletes a read replica, or its primary, is told what that does to what follows.
func TestPreviewOfReplicas(t *testing.T) {
	follower := func() *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "12345678-0000-0000-0000-000000000000", Generation: 1, Finalizers: []string{v1alpha1.FinalizerResource}}}
		d.Spec.ProviderConfigRef, d.Spec.Engine = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}, new(v1alpha1.EnginePostgres)
		d.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: "main"}}
		d.Status.ResourceStatus = v1alpha1.ResourceStatus{
			ExternalName: "shop-orders", ExternalID: "db-1", Provider: "mem", AppliedGeneration: 1, Origin: v1alpha1.OriginCreated, FirstReadyTime: &metav1.Time{Time: time.Unix(1, 0)},
			Conditions: []metav1.Condition{{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionTrue, Reason: string(v1alpha1.ReasonReady)}},
		}
		d.Status.Observed = &v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres)}
		d.Status.Replica = &v1alpha1.ReplicaStatus{Primary: "shop-main"}
		return d
	}
	for _, tt := range []struct {
		name      string
		stored    func(*v1alpha1.Database)
		edit      func(*v1alpha1.Database) // a deletion if nil
		followers []string
		says      []string // in its lines
		never     string
	}{
		{name: "a promotion", edit: func(d *v1alpha1.Database) { d.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary },
			says: []string{"replica.role Replica -> Primary, after approval", "no longer repeats those of shop-main"}, never: "once it is promoted"},
		{name: "a promotion that is taken back", stored: func(d *v1alpha1.Database) { d.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary },
			edit: func(d *v1alpha1.Database) { d.Spec.Replica.Role = v1alpha1.ReplicaRoleReplica }, never: "replica.role"},
		{name: "another setting", edit: func(d *v1alpha1.Database) {
			d.Spec.Tags = map[string]v1alpha1.TagValue{"team": "shop"}
		}, says: []string{"tags", "changes once it is promoted"}},
		{name: "a promoted one becomes a replica", stored: func(d *v1alpha1.Database) {
			d.Status.Replica, d.Spec.Replica.Role = nil, v1alpha1.ReplicaRolePrimary
		}, edit: func(d *v1alpha1.Database) {
			d.Spec.Replica.Role, d.Spec.Tags = v1alpha1.ReplicaRoleReplica, map[string]v1alpha1.TagValue{"team": "shop"}
		}, says: []string{"it is no read replica any more"}},
		{name: "a deletion", says: []string{"without a final snapshot: it is a read replica of shop-main, which has its data"}, never: "lost for good"},
		{name: "a deletion of its primary", stored: func(d *v1alpha1.Database) { d.Spec.Replica, d.Status.Replica = nil, nil }, followers: []string{"reads"},
			says: []string{"the deletion waits, because read replicas follow it: Database reads; delete it first, or promote it"}},
		{name: "a deletion of a primary whose replicas have no object", stored: func(d *v1alpha1.Database) {
			d.Spec.Replica, d.Status.Replica, d.Status.Replicas = nil, nil, []string{"shop-a", "shop-b"}
		}, says: []string{"read replicas follow it: shop-a, shop-b; delete them first"}},
		{name: "a primary that stays", stored: func(d *v1alpha1.Database) {
			d.Spec.Replica, d.Status.Replica, d.Status.Replicas, d.Spec.DeletionPolicy = nil, nil, []string{"shop-a"}, v1alpha1.DeletionRetain
		}, says: []string{"stays, marked as released"}, never: "the deletion waits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var followers []client.Object
			for _, name := range tt.followers {
				f := follower()
				f.Name, f.UID, f.Spec.Replica.PrimaryRef.Name = name, "", "orders"
				followers = append(followers, f)
			}
			p, d := previewOf(t, followers...), follower()
			if tt.stored != nil {
				tt.stored(d)
			}
			report, err := p.Deletion(t.Context(), d)
			if tt.edit != nil {
				after := d.DeepCopy()
				tt.edit(after)
				report, err = p.Edit(t.Context(), d, after)
			}
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(report.Lines(), "\n")
			for _, text := range tt.says {
				if !strings.Contains(got, text) {
					t.Errorf("it does not say %q:\n%s", text, got)
				}
			}
			if tt.never != "" && strings.Contains(got, tt.never) {
				t.Errorf("it says %q:\n%s", tt.never, got)
			}
		})
	}
}
