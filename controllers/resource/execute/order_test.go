package execute

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A ledger is a cluster and a cloud that note what is written to them, in order. fails is the write that fails.
type ledger struct {
	driver.Session
	writes []string
	fails  string
}

func (l *ledger) note(write string) error {
	l.writes = append(l.writes, write)
	if write == l.fails {
		return errors.New("no answer")
	}
	return nil
}

func (l *ledger) Protect(context.Context, identity.Key, string) error { return nil }

func (l *ledger) Create(context.Context, string, driver.Request, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, l.note("creation")
}

func (l *ledger) Update(context.Context, string, driver.Request, driver.Edit, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, l.note("update")
}

func (l *ledger) Do(context.Context, string, driver.Request, driver.Command, driver.Secrets) (driver.Result, error) {
	return driver.Result{}, l.note("update")
}

// clientOf returns a client whose writes are noted. stored is what the status says that was applied.
func (l *ledger) clientOf(t *testing.T, d *v1alpha1.Database) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(d).WithStatusSubresource(d).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if _, secret := o.(*corev1.Secret); secret {
				t.Errorf("Secret %s is read, after it was gathered", key.Name)
			}
			return c.Get(ctx, key, o, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return cmp.Or(l.note("finalizer"), c.Create(ctx, o, opts...))
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			return cmp.Or(l.note("finalizer"), c.Patch(ctx, o, p, opts...))
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			what := "status"
			if status := o.(*v1alpha1.Database).Status; status.ExternalName != "" && plan.AcceptedPassword(&status.ResourceStatus) == 0 {
				what = "status without an accepted password"
			}
			return cmp.Or(l.note(what), c.SubResource(name).Patch(ctx, o, p, opts...))
		},
	}).Build()
}

// What features store is stored at its moment: never before the finalizer, in the right order with the status that forgets the
// former server, and before the cloud is called. If any write fails, nothing after it is done.
func TestOrderOfWrites(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	refused := &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound}
	const forgotten = "status without an accepted password"
	for _, test := range []struct {
		name   string
		verb   plan.Verb
		new    bool           // nothing is stored of the object
		store  feature.Moment // when a feature stores something
		refuse error
		want   []string
	}{
		{name: "a first creation", verb: plan.Create, new: true, store: feature.BeforeCreation, want: []string{"finalizer", forgotten, "password Secret", "creation"}},
		{name: "a creation after a loss", verb: plan.Create, store: feature.BeforeCreation, want: []string{forgotten, "password Secret", "creation"}},
		{name: "a creation with what is stored", verb: plan.Create, want: []string{forgotten, "creation"}},
		{name: "a creation with a password that is refused", verb: plan.Create, new: true, refuse: refused, want: []string{"finalizer", forgotten}},
		{name: "a first takeover", verb: plan.Adopt, new: true, store: feature.BeforeTakeover,
			want: []string{"finalizer", forgotten, "password Secret", forgotten, "update"}},
		{name: "a takeover after a loss", verb: plan.Adopt, store: feature.BeforeTakeover, want: []string{"password Secret", forgotten, "update"}},
		{name: "a takeover with a password that is refused", verb: plan.Adopt, refuse: refused},
		{name: "an update", verb: plan.Update, store: feature.AtOnce, want: []string{"password Secret", "status", "update"}},
	} {
		for fails := range len(test.want) + 1 {
			t.Run(test.name+", and a write fails: "+slices.Concat(test.want, []string{"none"})[fails], func(t *testing.T) {
				d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-now", Generation: 1}}
				if !test.new {
					d.Finalizers, d.Status.ExternalName, d.Status.ExternalID = []string{v1alpha1.FinalizerResource}, "orders", "id-before"
					d.Status.Applied = map[string][]string{plan.FieldPassword: {"3"}}
					d.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
				}
				l := &ledger{}
				c := l.clientOf(t, d)
				if err := c.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
					t.Fatal(err)
				}
				w := workOn(kind.Database(), d, c)
				w.executor.Protector, w.Session, w.Described.Name.MaxLength = l, l, 63
				w.Request = driver.Request{Name: "orders", ID: d.Status.ExternalID, Mark: mark}
				w.Observation = driver.Observation{State: driver.Absent}
				if test.verb != plan.Create {
					w.Observation = driver.Observation{State: driver.Ready, ID: "id-now", Mark: mark}
				}
				w.View = plan.ViewOf(d, &d.Status.ResourceStatus, nil)
				w.View.Mark, w.View.Edited = mark, true
				w.executor.Features = feature.Set{{Prepare: func(_ context.Context, _ feature.Work, at feature.Moment) error {
					switch {
					case at != feature.AtOnce && test.refuse != nil:
						return test.refuse
					case at == test.store:
						return l.note("password Secret")
					}
					return nil
				}}}
				want := test.want
				if fails < len(test.want) {
					l.fails, want = test.want[fails], test.want[:slices.Index(test.want, test.want[fails])+1]
				}
				_, err := w.executor.Execute(t.Context(), w.State, plan.Action{Verb: test.verb, Reason: v1alpha1.ReasonUpdating, Changes: []driver.Change{{Field: "tags"}}}, noTeller)
				if !slices.Equal(l.writes, want) {
					t.Errorf("wrote %q, want %q (%v)", l.writes, want, err)
				}
				if (err != nil) != (l.fails != "" || test.refuse != nil) {
					t.Errorf("it ended with %v", err)
				}
			})
		}
	}
}

// What the status is to say outlasts the patch that adds the finalizer, whose answer has the status that is stored.
func TestFinalizerLeavesTheStatusAlone(t *testing.T) {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-now", Generation: 1}}
	d.Status.ExternalName = "orders"
	l := &ledger{}
	c := l.clientOf(t, d)
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(d), d); err != nil {
		t.Fatal(err)
	}
	w := workOn(kind.Database(), d, c)
	w.executor.Protector = l
	w.status.ExternalID = "observed"
	if _, err := w.ensureRecorded(t.Context(), plan.Action{Verb: plan.Adopt}); err != nil {
		t.Fatal(err)
	}
	if w.status.ExternalID != "observed" || w.Object.GetResourceStatus().ExternalID != "observed" || !hasFinalizer(w.Object) {
		t.Errorf("the status says %q, and the finalizers are %q", w.Object.GetResourceStatus().ExternalID, w.Object.GetFinalizers())
	}
	if w.Stored.GetResourceStatus().ExternalID != "" || w.Stored.GetResourceVersion() != w.Object.GetResourceVersion() || d.GetResourceVersion() == w.Object.GetResourceVersion() {
		t.Errorf("stored is %+v", w.Stored)
	}
	if err := w.patchStatus(t.Context()); err != nil {
		t.Errorf("the status can't be written after it: %v", err)
	}
}
