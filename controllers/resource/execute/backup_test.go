package execute

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// The snapshot before an upgrade is asked for once, by an object that people see, and nothing is called in the cloud meanwhile.
func TestAwaitBackup(t *testing.T) {
	scheme := schemeOf(t)
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: strings.Repeat("orders-", 6) + "orders", Finalizers: []string{v1alpha1.FinalizerResource}}}
	a := plan.Action{Verb: plan.AwaitBackup, Reason: v1alpha1.ReasonSnapshotNotReady, Message: "waiting", Changes: []driver.Change{{Field: "version", To: "8.4", BackupFirst: true}}}
	other := func(s *v1alpha1.DatabaseSnapshot) { s.Labels = nil }
	for name, tt := range map[string]struct {
		exists func(*v1alpha1.DatabaseSnapshot)
		known  bool
		drift  bool
		full   bool
		told   int
		state  condition.State
		says   string
	}{
		"there is none":                        {told: 1, state: condition.Updating, says: "waiting for DatabaseSnapshot orders-"},
		"there is none, by the class":          {told: 1, drift: true, state: condition.DriftWaits, says: "waiting for DatabaseSnapshot orders-"},
		"there is one":                         {known: true, state: condition.Updating, says: "waiting"},
		"there is one that no cache shows yet": {exists: func(*v1alpha1.DatabaseSnapshot) {}, state: condition.Updating, says: "waiting for DatabaseSnapshot orders-"},
		"another one has its name":             {exists: other, state: condition.Stalled, says: "has another purpose; delete it"},
		"a quota refuses it":                   {full: true, state: condition.Stalled, says: "but it is refused: "},
		"a quota refuses it, by the class":     {full: true, drift: true, state: condition.DriftWaits, says: "but it is refused: "},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Date(2026, 11, 29, 23, 0, 0, 0, time.UTC)
			want := kind.Database().Backup(d, "8.4", now).(*v1alpha1.DatabaseSnapshot)
			if !regexp.MustCompile("^(orders-){5}-?before-8-4-20261129-[0-9a-f]{8}$").MatchString(want.Name) || len(want.Name) > 63 || want.Spec.DeletionPolicy != "" {
				t.Fatalf("it is called %s (%d), %+v", want.Name, len(want.Name), want.Spec)
			}
			there := []client.Object{d.DeepCopy()}
			if tt.exists != nil {
				s := want.DeepCopy()
				tt.exists(s)
				there = append(there, s)
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(there...).Build()
			if tt.full {
				c = interceptor.NewClient(c, interceptor.Funcs{Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
					return apierrors.NewForbidden(schema.GroupResource{Resource: "databasesnapshots"}, want.Name, errors.New("exceeded quota"))
				}})
			}
			w := workOn(kind.Database(), storedIn(t, c, d), c)
			w.Now = now
			a := a
			if a.EditAwaitsBackup = !tt.drift; !tt.known {
				a.BackupFor = "8.4"
			}
			out, err := w.act(t.Context(), a)
			if err != nil || out.State != tt.state || out.Next != outcome.AtSync || len(w.Notes) != tt.told || !strings.Contains(out.Message, tt.says) {
				t.Errorf("got %+v, %v, told %+v", out, err, w.Notes)
			}
			if tt.full || tt.exists != nil {
				return
			}
			made := &v1alpha1.DatabaseSnapshot{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(want), made); (err != nil) != tt.known {
				t.Errorf("its object: %v", err)
			}
		})
	}
}

func schemeOf(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// A class that changes the version has its turn first: neither the upgrade nor what is sent with it asks for a snapshot before that. What a person approved waits for no turn.
func TestBackupWaitsForItsTurn(t *testing.T) {
	for _, approved := range []bool{false, true} {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"}}
		c := fake.NewClientBuilder().WithScheme(schemeOf(t)).WithObjects(d).Build()
		w := workOn(kind.Database(), storedIn(t, c, d), c)
		w.executor.Rollouts = &class.Rollouts{Idle: time.Hour, Now: time.Now}
		for i := range class.RolloutWidth(0) {
			w.executor.Rollouts.Enter("standard", 0, class.RolloutWidth(0), types.UID(fmt.Sprint(i)), func() {})
		}
		standard := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "standard"}}
		w.Class = &class.Resolution{Name: "standard", Class: &class.Class{Object: standard, Spec: &standard.Spec.ClassSpec, Status: &standard.Status}}
		w.View = plan.View{WasReady: true, ClassChanged: class.Fields{"version"}, Edited: true}
		a := plan.Action{Verb: plan.AwaitBackup, Approved: approved, BackupFor: "17", Changes: []driver.Change{{Field: "version", To: "17", BackupFirst: true}, {Field: "parameters", BackupFirst: true}}}
		out, err := w.act(t.Context(), a)
		made := &v1alpha1.DatabaseSnapshotList{}
		if err := c.List(t.Context(), made); err != nil {
			t.Fatal(err)
		}
		if err != nil || (len(made.Items) > 0) != approved || !approved && !strings.Contains(out.Message, "waiting for a slot") {
			t.Errorf("approved: %t: got %+v, %v, and %d snapshots", approved, out, err, len(made.Items))
		}
	}
}

// A snapshot is asked for beside an update, also if that fails, and never on the word of a cache: the spec may ask for another version by now.
func TestBackupIsAskedForBesideAnUpdate(t *testing.T) {
	for _, stale := range []bool{false, true} {
		d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", Finalizers: []string{v1alpha1.FinalizerResource}}}
		d.Status.ExternalName = "shop-orders"
		c := interceptor.NewClient(fake.NewClientBuilder().WithScheme(schemeOf(t)).WithObjects(d).Build(), interceptor.Funcs{
			SubResourcePatch: func(context.Context, client.Client, string, client.Object, client.Patch, ...client.SubResourcePatchOption) error {
				return errors.New("no answer")
			},
		})
		seen := storedIn(t, c, d)
		if seen.Status.Operation = "op-1"; stale {
			edited := storedIn(t, c, d)
			edited.Spec.Version = new("16")
			if err := c.Update(t.Context(), edited); err != nil {
				t.Fatal(err)
			}
		}
		w := workOn(kind.Database(), seen, c)
		if _, err := w.act(t.Context(), plan.Action{Verb: plan.Update, BackupFor: "17", Changes: []driver.Change{{Field: "tags"}}}); err == nil {
			t.Fatal("the update does not fail")
		}
		made := &v1alpha1.DatabaseSnapshotList{}
		if err := c.List(t.Context(), made); err != nil || (len(made.Items) == 1) == stale {
			t.Errorf("stale: %t: got %d snapshots, %v", stale, len(made.Items), err)
		}
	}
}

// storedIn returns an object as it is stored.
func storedIn(t *testing.T, c client.Client, d *v1alpha1.Database) *v1alpha1.Database {
	t.Helper()
	stored := &v1alpha1.Database{}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(d), stored); err != nil {
		t.Fatal(err)
	}
	return stored
}
