package preview

import (
	"context"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
)

// Who edits or deletes a read replica, or its primary, is told what that does to what follows.
func TestPreviewOfReplicas(t *testing.T) {
	follower := func() *v1alpha1.Database {
		d := &v1alpha1.Database{ObjectMeta: created()}
		d.Spec.ProviderConfigRef, d.Spec.Engine = itsConfig, new(v1alpha1.EnginePostgres)
		d.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: "main"}}
		d.Status.ResourceStatus = working("orders-db")
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
		{name: "a deletion of its primary", stored: func(d *v1alpha1.Database) { d.Spec.Replica, d.Status.Replica = nil, nil }, followers: []string{"Database reads"},
			says: []string{"the deletion waits, because read replicas follow it: Database reads; delete it first, or promote it"}},
		{name: "a deletion of a primary whose replicas have no object", stored: func(d *v1alpha1.Database) {
			d.Spec.Replica, d.Status.Replica, d.Status.Replicas = nil, nil, []string{"shop-a", "shop-b"}
		}, says: []string{"read replicas follow it: shop-a, shop-b; delete them first"}},
		{name: "a primary that stays", stored: func(d *v1alpha1.Database) {
			d.Spec.Replica, d.Status.Replica, d.Status.Replicas, d.Spec.DeletionPolicy = nil, nil, []string{"shop-a"}, v1alpha1.DeletionRetain
		}, says: []string{"stays, marked as released"}, never: "the deletion waits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, d := newLifecycle(t, kind.Database()), follower()
			p.Followers = func(context.Context, v1alpha1.ResourceObject) ([]string, error) { return tt.followers, nil }
			if tt.stored != nil {
				tt.stored(d)
			}
			lines, err := linesOf(p.Deletion(t.Context(), d))
			if tt.edit != nil {
				after := d.DeepCopy()
				tt.edit(after)
				lines, err = linesOf(p.Edit(t.Context(), d, after))
			}
			if err != nil {
				t.Fatal(err)
			}
			got := strings.Join(lines, "\n")
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
