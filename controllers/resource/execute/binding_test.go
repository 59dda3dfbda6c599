package execute

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/family"
)

// Once another cloud object takes the place of one that vanished, the status keeps what is of the Kubernetes object and of the
// place, and nothing of the cloud object that is gone.
func TestNothingOfTheFormerCloudObjectStays(t *testing.T) {
	d := newWork(t)
	then := metav1.NewTime(time.Unix(1, 0))
	full := v1alpha1.ResourceStatus{
		ObservedGeneration: 3, AppliedGeneration: 3,
		Conditions:   []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}},
		ExternalName: "photos", ExternalID: "old", Origin: v1alpha1.OriginAdopted, MarkMissing: true, CreationRefused: true,
		Provider: "gcp", Location: "us", AccountID: "project", ClassName: "standard",
		ProviderConfigRef: &v1alpha1.BoundProviderConfig{Kind: "ClusterProviderConfig", Name: "gcp"}, Effective: &v1alpha1.Effective{},
		FirstReadyTime: &then, Operation: "insert-1", Plan: &v1alpha1.PlanStatus{Hash: "waits", Serial: 4},
		PendingChanges: []v1alpha1.PendingChange{{Field: "tags"}}, Applied: map[string][]string{"databaseName": {"app"}},
		Fixed: map[string]string{"databaseName": "app"}, Binding: &v1alpha1.Binding{Name: "login"},
		FormerSecrets: []v1alpha1.FormerSecret{{Name: "before"}},
	}
	complete(t, full)
	*d.status = full
	d.Request = driver.Request{
		Name: "photos", Location: "us", ID: "old", Operation: "insert-1", Applied: driver.Applied{"databaseName": {"app"}},
	}
	applied := driver.Applied{"tags": {"team"}}
	if !d.startOver(v1alpha1.OriginCreated, applied) {
		t.Error("nothing is said to have changed")
	}
	want := full
	want.AppliedGeneration, want.ExternalID, want.Origin, want.MarkMissing, want.CreationRefused = 0, "", v1alpha1.OriginCreated, false, false
	want.FirstReadyTime, want.Operation, want.PendingChanges, want.Fixed = nil, "", nil, nil
	want.Plan, want.Applied = &v1alpha1.PlanStatus{Serial: 5}, applied
	if diff := cmp.Diff(want, *d.status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	request := driver.Request{Name: "photos", Location: "us", Applied: applied}
	if diff := cmp.Diff(request, d.Request, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if d.startOver(v1alpha1.OriginCreated, applied) {
		t.Error("it changes again")
	}
}

// Where objects have no id, one that was usable and lost its mark keeps what is known of it; one that never was is a stranger's.
func TestLostMarkIsNoNewObject(t *testing.T) {
	d := newWork(t)
	d.status.Origin, d.status.Applied = v1alpha1.OriginCreated, map[string][]string{"versioning": {"Enabled"}}
	d.noteOrigin(plan.Unmarked, true)
	if d.status.FirstReadyTime == nil || len(d.status.Applied) == 0 || d.status.Origin != v1alpha1.OriginCreated {
		t.Errorf("its past is forgotten: %+v", d.status)
	}
	d.status.FirstReadyTime = nil
	d.Memory.Cloud.Sent, d.Memory.Cloud.SentAt = []driver.Change{{Field: driver.FieldMark}}, d.Now
	d.noteOrigin(plan.Unmarked, true)
	if len(d.status.Applied) > 0 || d.status.Origin != v1alpha1.OriginAdopted {
		t.Errorf("a stranger's counts as made here: %+v", d.status)
	}
	if !d.Memory.Cloud.WasSent(driver.Change{Field: driver.FieldMark}) {
		t.Error("it is forgotten that the mark was written, so it would be written without end")
	}
}

// What is taken over is recorded within the parent that it is in now. Else it would be taken over again without end.
func TestTakingOverRecordsTheParent(t *testing.T) {
	replaced := driver.ParentRef{Name: "shop-orders", ID: "db-2"}
	for _, test := range []struct {
		name   string
		status func(*family.UserStatus)
		id     string
		within driver.ParentRef
		owned  driver.Ownership
		again  bool // it is another cloud object than before
	}{
		{name: "it was never usable", status: func(s *family.UserStatus) { s.FirstReadyTime = nil }, within: replaced, again: true},
		{name: "it was usable within another parent of that name", status: func(*family.UserStatus) {}, within: replaced, again: true},
		{name: "it was usable within the same parent", status: func(*family.UserStatus) {}, within: driver.ParentRef{Name: "shop-orders", ID: "db-1"}, owned: driver.OwnedByRegistry},
		{name: "it was usable within the same parent, and nothing can lose a mark", status: func(*family.UserStatus) {}, within: driver.ParentRef{Name: "shop-orders", ID: "db-1"},
			owned: driver.OwnedByParent, again: true},
		{name: "it has the ID that is known", status: func(s *family.UserStatus) { s.ExternalID = "user-1" }, id: "user-1", within: replaced},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := &family.User{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "app", UID: "uid-1", Finalizers: []string{v1alpha1.FinalizerResource}}}
			u.Status.ExternalName, u.Status.Origin, u.Status.FirstReadyTime = "theirs", v1alpha1.OriginCreated, &metav1.Time{Time: time.Unix(1, 0)}
			u.Status.Parent = v1alpha1.ParentStatus{ExternalName: "shop-orders", ExternalID: "db-1"}
			test.status(&u.Status)
			w := workOn(family.Kind(), u, fake.NewClientBuilder().Build())
			w.Described.Ownership, w.Request.Parent, w.Observation = test.owned, test.within, driver.Observation{State: driver.Ready, ID: test.id}
			w.View = plan.StoredView(u, &u.Status.ResourceStatus)
			if _, err := w.takeOver(t.Context(), []driver.Change{{Field: driver.FieldMark}}, true); err != nil {
				t.Fatal(err)
			}
			want := v1alpha1.ParentStatus{ExternalName: test.within.Name, ExternalID: test.within.ID, Recorded: true}
			if got := w.Object.(*family.User).Status; got.Parent != want || (got.FirstReadyTime == nil) != test.again {
				t.Errorf("got %+v, and usable before: %v", got.Parent, got.FirstReadyTime)
			}
		})
	}
}

// freely protects whatever it is asked to.
type freely struct{}

func (freely) Protect(context.Context, identity.Key, string) error { return nil }

// late is a cache that shows nothing of what was written.
type late struct{ client.Client }

func (late) List(context.Context, client.ObjectList, ...client.ListOption) error { return nil }

// Two objects that both saw a cloud object that nobody has are not both bound to it, also if the cache does not show the first one's binding yet.
func TestOneOfTwoIsBound(t *testing.T) {
	t.Run("the cache shows it", func(t *testing.T) { oneOfTwoIsBound(t, func(c client.Client) client.Client { return c }) })
	t.Run("the cache is late", func(t *testing.T) { oneOfTwoIsBound(t, func(c client.Client) client.Client { return late{c} }) })
}

func oneOfTwoIsBound(t *testing.T, cache func(client.Client) client.Client) {
	t.Helper()
	scheme := runtime.NewScheme()
	family.AddToScheme(scheme)
	a := &family.User{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "a", UID: "uid-a"}}
	b := &family.User{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "b", UID: "uid-b"}}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(a, b).WithStatusSubresource(a).
		WithIndex(a, kind.CloudIndex, func(o client.Object) []string { return family.Kind().CloudKeys(o.(*family.User)) }).Build()
	room := &Room{}
	for _, u := range []*family.User{a, b} {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			t.Fatal(err)
		}
		w := workOn(family.Kind(), u, c)
		w.executor.Client = cache(c)
		w.executor.Protector, w.executor.Room, w.Described.Ownership, w.Provider, w.Account = freely{}, room, driver.OwnedByParent, "aws", "111"
		w.Request = driver.Request{Name: "theirs", Location: "here", Parent: driver.ParentRef{Name: "shop-orders"}, Mark: driver.Mark{UID: string(u.UID)}}
		w.Observation = driver.Observation{State: driver.Ready}
		_, err := w.ensureRecorded(t.Context(), plan.Action{Verb: plan.Adopt})
		refusal, refused := errors.AsType[*identity.ValidationError](err)
		if refused != (u == b) || refused && refusal.Reason != v1alpha1.ReasonNotOwned || err != nil && !refused {
			t.Errorf("%s: got %v", u.Name, err)
		}
		if !room.TryLock() {
			t.Fatalf("%s keeps others waiting", u.Name)
		}
		room.Unlock()
	}
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(b), b); err != nil || len(b.Finalizers) > 0 || b.Status.ExternalName != "" {
		t.Errorf("the second has finalizers %q and is bound to %q: %v", b.Finalizers, b.Status.ExternalName, err)
	}
}

// complete demands that every field has a value, so that a new one is decided about here.
func complete(t *testing.T, all any) {
	t.Helper()
	v := reflect.ValueOf(all)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s.%s has no value", v.Type().Name(), v.Type().Field(i).Name)
		}
	}
}
