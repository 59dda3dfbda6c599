package controllers

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/test/family"
)

// madeUser returns a user that is in the cloud.
func madeUser() *family.User {
	u := &family.User{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "app", Finalizers: []string{v1alpha1.FinalizerResource}}}
	u.Spec.DatabaseRef.Name, u.Status.ExternalName = "orders", "shop-app"
	return u
}

// A change of an object within another one concerns that one if it is being deleted, and nobody else.
func TestOnlyAParentThatIsDeletedIsWoken(t *testing.T) {
	deleted := metav1.NewTime(time.Unix(1, 0))
	for _, test := range []struct {
		name   string
		parent *v1alpha1.Database
		want   bool
	}{
		{name: "there is no parent"},
		{name: "the parent stays", parent: &v1alpha1.Database{}},
		{name: "the parent is being deleted", want: true,
			parent: &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &deleted, Finalizers: []string{v1alpha1.FinalizerResource}}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			scheme, err := NewScheme()
			if err != nil {
				t.Fatal(err)
			}
			b := fake.NewClientBuilder().WithScheme(scheme)
			if test.parent != nil {
				test.parent.Namespace, test.parent.Name = "shop", "orders"
				b = b.WithObjects(test.parent)
			}
			got := leavingParent(b.Build(), kind.Database(), family.Kind())(t.Context(), madeUser())
			if woken := len(got) == 1 && got[0].NamespacedName == (client.ObjectKey{Namespace: "shop", Name: "orders"}); woken != test.want || len(got) > 1 {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A parent that is being deleted hears of what may end its wait.
func TestChildLeaves(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*family.User)
		want   bool
	}{
		{"an edit", func(u *family.User) { u.Spec.Role = new("writer") }, false},
		{"a condition", func(u *family.User) { u.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady}} }, false},
		{"a deletion", func(u *family.User) { u.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }, true},
		{"a finalizer that goes", func(u *family.User) { u.Finalizers = nil }, true},
		{"a creation that is refused", func(u *family.User) { u.Status.CreationRefused = true }, true},
		{"a binding that is cleared", func(u *family.User) { u.Status.ExternalName = "" }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			before, after := madeUser(), madeUser()
			test.change(after)
			if got := childLeaves.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after}); got != test.want {
				t.Errorf("passes: %t", got)
			}
			if childLeaves.Update(event.UpdateEvent{ObjectOld: after, ObjectNew: after}) || childLeaves.Update(event.UpdateEvent{ObjectOld: after, ObjectNew: before}) {
				t.Error("what holds nothing up, or begins to, passes")
			}
		})
	}
	if !childLeaves.Delete(event.DeleteEvent{Object: madeUser()}) {
		t.Error("one that is gone and was last seen unharmed does not pass")
	}
}

// What a parent is up to concerns those who wait for it, and say so. Whether it can be used concerns all.
func TestWhatChildrenHearOfTheirParent(t *testing.T) {
	condition := func(of string, status metav1.ConditionStatus, reason v1alpha1.Reason) func(*v1alpha1.Database) {
		return func(d *v1alpha1.Database) {
			d.Status.Conditions = slices.DeleteFunc(slices.Clone(d.Status.Conditions), func(c metav1.Condition) bool { return c.Type == of })
			d.Status.Conditions = append(d.Status.Conditions, metav1.Condition{Type: of, Status: status, Reason: string(reason)})
		}
	}
	for _, test := range []struct {
		name         string
		change       func(*v1alpha1.Database)
		all, waiting bool
	}{
		{"nothing", func(*v1alpha1.Database) {}, false, false},
		{"the reason of Ready", condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonUpdating), false, true},
		{"the status of Ready", condition(v1alpha1.ConditionReady, metav1.ConditionFalse, v1alpha1.ReasonReady), false, false},
		{"it can't be used any more", condition(v1alpha1.ConditionAvailable, metav1.ConditionFalse, v1alpha1.ReasonUpdating), true, false},
		{"another class", func(d *v1alpha1.Database) { d.Status.ClassName = "large" }, true, false},
		{"another account", func(d *v1alpha1.Database) { d.Status.AccountID = "222" }, true, false},
		{"another object in the cloud", func(d *v1alpha1.Database) { d.Status.ExternalID = "db-2" }, true, false},
		{"a deletion", func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }, true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			before := &v1alpha1.Database{}
			condition(v1alpha1.ConditionReady, metav1.ConditionTrue, v1alpha1.ReasonReady)(before)
			condition(v1alpha1.ConditionAvailable, metav1.ConditionTrue, v1alpha1.ReasonReady)(before)
			after := before.DeepCopy()
			test.change(after)
			e := event.UpdateEvent{ObjectOld: before, ObjectNew: after}
			if all, waiting := parentChanged.Update(e), parentMoves.Update(e); all != test.all || waiting != test.waiting {
				t.Errorf("all hear of it: %t, those who wait: %t", all, waiting)
			}
		})
	}
	for reason, want := range map[v1alpha1.Reason]bool{v1alpha1.ReasonParentNotReady: true, v1alpha1.ReasonReady: false, v1alpha1.ReasonDenied: false} {
		u := madeUser()
		u.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Reason: string(reason)}}
		if waitsForParent(u) != want {
			t.Errorf("%s waits: %t", reason, !want)
		}
	}
	if !waitsForParent(madeUser()) {
		t.Error("one that says nothing yet may be about to say what it waits for")
	}
}

// What follows another object hears of it what those within an object hear, and that its password changed. One that is being deleted hears of what ends its wait for those that
// follow it.
func TestWhatReplicasAndPrimariesHear(t *testing.T) {
	update := func(of predicate.Predicate, change func(*v1alpha1.Database)) bool {
		before := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", Finalizers: []string{v1alpha1.FinalizerResource}}}
		before.Status.ExternalName, before.Status.Replica = "shop-orders", &v1alpha1.ReplicaStatus{Primary: "shop"}
		before.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
		after := before.DeepCopy()
		change(after)
		return of.Update(event.UpdateEvent{ObjectOld: before, ObjectNew: after})
	}
	password := func(d *v1alpha1.Database) { d.Status.Applied = map[string][]string{"credentials.password": {"2"}} }
	gone := func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }
	promoted := func(d *v1alpha1.Database) { d.Status.Replica = nil }
	edited := func(d *v1alpha1.Database) { d.Spec.Size = "large" }
	leaves := replicaLeaves(kind.Database())
	for _, tt := range []struct {
		name       string
		change     func(*v1alpha1.Database)
		replicas   bool // hear of it
		primaryToo bool // hears of it, if this is its replica
	}{
		{name: "another password", change: password, replicas: true},
		{name: "a deletion", change: gone, replicas: true, primaryToo: true},
		{name: "a promotion", change: promoted, primaryToo: true},
		{name: "an edit", change: edited},
	} {
		if update(primaryChanged, tt.change) != tt.replicas || update(leaves, tt.change) != tt.primaryToo {
			t.Errorf("%s: its replicas hear of it: %t, its primary: %t", tt.name, update(primaryChanged, tt.change), update(leaves, tt.change))
		}
	}
	if !leaves.Delete(event.DeleteEvent{Object: &v1alpha1.Database{}}) {
		t.Error("a replica that is gone does not end the wait of its primary")
	}
}
