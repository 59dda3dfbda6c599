package gather

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A snapshot serves before an upgrade that Mooring took of this very server, for this version and not too long ago.
func TestFindBackup(t *testing.T) {
	now := time.Unix(1_000_000, 0)
	was := func(condition string, ago time.Duration) func(*v1alpha1.DatabaseSnapshot) {
		return func(s *v1alpha1.DatabaseSnapshot) {
			s.Status.Conditions = append(s.Status.Conditions, metav1.Condition{Type: condition, Status: metav1.ConditionTrue, Reason: "QuotaExceeded", Message: "the region has 100"})
			if condition == v1alpha1.ConditionReady {
				s.Status.FirstReadyTime = &metav1.Time{Time: now.Add(-ago)}
			}
		}
	}
	named := plan.Backup{Named: "DatabaseSnapshot x"}
	ready := plan.Backup{Named: "DatabaseSnapshot x", Ready: true}
	for name, tt := range map[string]struct {
		change func(*v1alpha1.DatabaseSnapshot)
		want   plan.Backup
	}{
		"nobody looked at it yet":   {func(s *v1alpha1.DatabaseSnapshot) { s.Status = v1alpha1.DatabaseSnapshotStatus{} }, named},
		"it is being taken":         {func(*v1alpha1.DatabaseSnapshot) {}, named},
		"it is not taken":           {was(v1alpha1.ConditionStalled, 0), plan.Backup{Named: "DatabaseSnapshot x", Problem: "QuotaExceeded: the region has 100"}},
		"it was taken":              {was(v1alpha1.ConditionReady, plan.BackupServes-time.Second), ready},
		"it was taken too long ago": {was(v1alpha1.ConditionReady, plan.BackupServes), plan.Backup{}},
		"it was there before": {func(s *v1alpha1.DatabaseSnapshot) {
			was(v1alpha1.ConditionReady, 0)(s)
			s.Status.Origin = v1alpha1.OriginAdopted
		}, plan.Backup{}},
		"it is another server's":      {func(s *v1alpha1.DatabaseSnapshot) { s.Status.Database.ExternalID = "db-0" }, plan.Backup{}},
		"it is of another Database":   {func(s *v1alpha1.DatabaseSnapshot) { s.Spec.Source.DatabaseRef.Name = "photos" }, plan.Backup{}},
		"it is for another version":   {func(s *v1alpha1.DatabaseSnapshot) { s.Labels[v1alpha1.LabelBeforeVersion] = "18" }, plan.Backup{}},
		"somebody took it themselves": {func(s *v1alpha1.DatabaseSnapshot) { s.Labels = nil }, plan.Backup{}},
		"it is in another namespace":  {func(s *v1alpha1.DatabaseSnapshot) { s.Namespace = "bank" }, plan.Backup{}},
		"it is being deleted": {func(s *v1alpha1.DatabaseSnapshot) {
			s.DeletionTimestamp, s.Finalizers = &metav1.Time{Time: now}, []string{v1alpha1.FinalizerResource}
		}, plan.Backup{}},
	} {
		t.Run(name, func(t *testing.T) {
			d := parent()
			s := kind.Database().Backup(d, "17", now).(*v1alpha1.DatabaseSnapshot)
			s.Name, s.Status.ExternalName = "x", "snap"
			s.Status.Database = v1alpha1.ParentStatus{ExternalName: "shop-orders", ExternalID: "db-1"}
			tt.change(s)
			k := kind.Database()
			cache := fake.NewClientBuilder().WithScheme(relatives(t).Scheme()).WithObjects(s).WithIndex(&v1alpha1.DatabaseSnapshot{}, kind.ParentIndex, func(o client.Object) []string {
				return []string{kind.DatabaseSnapshot().ParentName(o.(v1alpha1.ResourceObject))}
			}).Build()
			g := (&Gatherer{Kind: k, Family: kind.FamilyOf(k, kind.All()), Cache: cache}).begin(reconciliation.Begin(d, now, reconciliation.News{}, reconciliation.Memory{}))
			g.Request.ID = "db-1"
			g.Observation.Changes = []driver.Change{{Field: "version", To: "17", BackupFirst: true}}
			if err := (upgrading{g}).findBackup(t.Context()); err != nil || g.View.Backup != tt.want {
				t.Errorf("got %+v, %v, want %+v", g.View.Backup, err, tt.want)
			}
			g.View.Backup, g.Observation.Changes[0].BackupFirst = plan.Backup{}, false
			if err := (upgrading{g}).findBackup(t.Context()); err != nil || g.View.Backup != (plan.Backup{}) {
				t.Errorf("where none is needed: %+v, %v", g.View.Backup, err)
			}
			g.gatherer.Family.Snapshots, g.Observation.Changes[0].BackupFirst = nil, true
			if err := (upgrading{g}).findBackup(t.Context()); err != nil || !g.View.Backup.Ready {
				t.Errorf("where none can be taken, an upgrade waits for it: %+v, %v", g.View.Backup, err)
			}
		})
	}
}
