package execute

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The snapshot before an upgrade is asked for once, by an object that people see, and nothing is called in the cloud meanwhile.
func TestAwaitBackup(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: strings.Repeat("orders-", 6) + "orders", Finalizers: []string{v1alpha1.FinalizerResource}}}
	a := plan.Action{Verb: plan.AwaitBackup, Reason: v1alpha1.ReasonSnapshotNotReady, Message: "waiting", Changes: []driver.Change{{Field: "version", To: "8.4", BackupFirst: true}}}
	other := func(s *v1alpha1.DatabaseSnapshot) { s.Labels = nil }
	for name, tt := range map[string]struct {
		exists func(*v1alpha1.DatabaseSnapshot)
		known  bool
		told   int
		says   string
	}{
		"there is none":                        {told: 1},
		"there is one":                         {known: true},
		"there is one that no cache shows yet": {exists: func(*v1alpha1.DatabaseSnapshot) {}},
		"another one has its name":             {exists: other, says: "has another purpose: rename or delete that one"},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
			want := kind.Database().Backup(d, "8.4", now).(*v1alpha1.DatabaseSnapshot)
			if want.Name != strings.Repeat("orders-", 6)+"o-before-8-4-20261129" || len(want.Name) > 63 || want.Spec.DeletionPolicy != "" {
				t.Fatalf("it is called %s (%d), %+v", want.Name, len(want.Name), want.Spec)
			}
			c := fake.NewClientBuilder().WithScheme(scheme).Build()
			if tt.exists != nil {
				s := want.DeepCopy()
				tt.exists(s)
				c = fake.NewClientBuilder().WithScheme(scheme).WithObjects(s).Build()
			}
			w := workOn(kind.Database(), d.DeepCopy(), c)
			w.Now, w.View.Edited = now, true
			if tt.known {
				w.View.Backup.Named = "DatabaseSnapshot x"
			}
			out, err := w.act(t.Context(), a)
			if tt.says != "" {
				if err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil || out.State != condition.Updating || out.Next != outcome.AtSync || len(w.done.Notes) != tt.told {
				t.Errorf("got %+v, %v, told %+v", out, err, w.done.Notes)
			}
			made := &v1alpha1.DatabaseSnapshot{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(want), made); (err != nil) != tt.known {
				t.Errorf("its object: %v", err)
			}
		})
	}
}
