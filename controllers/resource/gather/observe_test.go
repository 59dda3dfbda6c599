package gather

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/feature/login"
	"github.com/mooring-dev/mooring/controllers/feature/replica"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

// noWrites is a client that fails the test on any write.
func noWrites(t *testing.T, c client.WithWatch) client.Client {
	fail := func(verb string, o client.Object) error {
		t.Errorf("%s of %T %s: observing must not write", verb, o, o.GetName())
		return errors.New("this client does not write")
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
			return fail("create", o)
		},
		Update: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.UpdateOption) error {
			return fail("update", o)
		},
		Patch: func(_ context.Context, _ client.WithWatch, o client.Object, _ client.Patch, _ ...client.PatchOption) error {
			return fail("patch", o)
		},
		Delete: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.DeleteOption) error {
			return fail("delete", o)
		},
		DeleteAllOf: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.DeleteAllOfOption) error {
			return fail("delete all", o)
		},
		SubResourceCreate: func(_ context.Context, _ client.Client, sub string, o, _ client.Object, _ ...client.SubResourceCreateOption) error {
			return fail("create of "+sub, o)
		},
		SubResourceUpdate: func(_ context.Context, _ client.Client, sub string, o client.Object, _ ...client.SubResourceUpdateOption) error {
			return fail("update of "+sub, o)
		},
		SubResourcePatch: func(_ context.Context, _ client.Client, sub string, o client.Object, _ client.Patch, _ ...client.SubResourcePatchOption) error {
			return fail("patch of "+sub, o)
		},
	})
}

// oneObservation is a cloud that has an account, and shows one thing. Everything else of it is nil: a call that writes would panic.
type oneObservation struct {
	driver.Driver
	driver.Session
	observation driver.Observation
	panics      bool
}

func (o *oneObservation) Open(context.Context, driver.Opening) (driver.Session, error) { return o, nil }

func (o *oneObservation) Identity(context.Context) (driver.AccountID, error) {
	return "111111111111", nil
}

func (o *oneObservation) Observe(context.Context, string, driver.Request, driver.Secrets) (driver.Observation, error) {
	if o.panics {
		panic("a defect of the driver")
	}
	return o.observation, nil
}

// clusterOf returns what reads a cluster with a team's provider config and some objects, and fails the test on any write.
func clusterOf(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	cfg := &v1alpha1.ProviderConfig{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "team"}}
	cfg.Spec.AWS = &v1alpha1.AWSAccount{Region: "eu-central-1"}
	cfg.Spec.Credentials.WebIdentity = &v1alpha1.WebIdentity{ServiceAccountName: "cloud"}
	objects = append(objects, cfg,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", UID: "uid-of-shop"}},
		&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cloud", Annotations: map[string]string{v1alpha1.AnnotationIssueTokens: "true"}}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "admin"}, Data: bytesOf(map[string]string{"password": "wanted"})})
	read := interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		if _, definition := o.(*metav1.PartialObjectMetadata); definition {
			return nil
		}
		return c.Get(ctx, key, o, opts...)
	}}
	k := kind.Database()
	byPrimary := func(o client.Object) []string { return []string{kind.PrimaryName(k, o.(v1alpha1.ResourceObject))} }
	return noWrites(t, fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithIndex(k.New(), kind.PrimaryIndex, byPrimary).WithInterceptorFuncs(read).Build())
}

// gathererIn returns who gathers about databases in a cluster, and the cloud, whose observation can be changed.
func gathererIn(c client.Client) (*Gatherer, *oneObservation) {
	k := kind.Database()
	cloud := &oneObservation{Driver: mem.New(mem.Options{}).Driver()}
	g := &Gatherer{
		Reader: c, Cache: c, Kind: k, ClusterID: "id", Sync: time.Minute, Connector: connectorTo(c, cloud),
		Requeue: func(client.ObjectKey, account.Priority) {},
	}
	return g, cloud
}

// connectorTo returns what leads to a cloud.
func connectorTo(c client.Client, cloud driver.Driver) Connector {
	return identity.New(identity.Options{
		Client: c, Reader: c, Drivers: map[string]driver.Driver{"aws": cloud}, Limiters: account.New(1, time.Now, nil), Now: time.Now, Namespace: "mooring-system",
	})
}

// Gathering writes nothing, neither to the cloud nor to Kubernetes, whatever is observed and whatever is stored of the password; what
// has to be stored is stored before the plan is executed.
func TestGatherWritesNothing(t *testing.T) {
	secrets := []map[string]string{
		nil, {"current": "one", "serial": "1"}, {"next": "one", "serial": "1"}, {"current": "one", "next": "two", "serial": "2"},
		{"next": "one", "serial": "2", "foreign": "true"}, {"serial": "1", "foreign": "true"}, {"next": "mine", "serial": "1", "named": "true"},
	}
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	stores, observed := 0, 0
	for i, stored := range secrets {
		_, secret := withPassword(stored)
		var objects []client.Object
		if stored != nil {
			objects = append(objects, secret)
		}
		c := clusterOf(t, objects...)
		gatherer, cloud := gathererIn(c)
		connections := &binding.Reader{API: c, Kind: gatherer.Kind}
		passwords := login.New(c, &password.Store{Reader: c, Writer: c, Namespace: "mooring-system"}, connections, replica.PrimaryOf)
		gatherer.Features = slices.Concat(binding.Of(gatherer.Kind, connections, c, passwords), passwords.Features())
		for _, state := range []driver.State{driver.Unknown, driver.Absent, driver.Pending, driver.Ready, driver.Failed, driver.Deleting} {
			for flags := range 1 << 7 {
				is := func(bit int) bool { return flags&(1<<bit) != 0 }
				t.Run(fmt.Sprintf("%d %v %b", i, state, flags), func(t *testing.T) {
					d, _ := withPassword(stored)
					d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
					d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
					if is(0) {
						d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "admin"}}
					}
					seen := driver.Observation{State: state, Login: &driver.LoginState{PasswordRefused: is(1)}, Mark: mark, Available: is(2)}
					if is(3) {
						seen.Changes = []driver.Change{{Field: driver.FieldUsername, Effect: driver.Online}}
					}
					if is(4) {
						seen.OperationError = &driver.Error{Code: driver.Internal, Op: "ModifyDBInstance", Message: "it failed late"}
					}
					if is(5) {
						d.Status.Applied = map[string][]string{plan.FieldPassword: {"2"}}
					}
					if d.Status.ExternalName = "orders"; is(6) {
						d.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
					}
					before := d.DeepCopy()
					cloud.observation = seen
					known, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
					defer known.Release()
					if (stop != nil) != is(4) {
						t.Fatalf("it ended with %+v", stop)
					}
					if !equality.Semantic.DeepEqual(before, d) {
						t.Error("the object itself was changed")
					}
					if state != driver.Unknown && known.Memory.LastObserved.IsZero() {
						t.Error("it was observed, and does not count as observed")
					}
					for _, verb := range []plan.Verb{plan.Create, plan.Adopt, plan.Plan(known.View, known.Observation, known.Policy).Verb} {
						_, _ = gatherer.GatherFor(t.Context(), known, plan.Action{Verb: verb})
					}
					if known.CallSecrets.Own != "" {
						stores++
					}
					if known.Observed {
						observed++
					}
				})
			}
		}
	}
	if stores < 100 || observed < 1000 {
		t.Errorf("%d of %d observations ask for a write: this test shows nothing", stores, observed)
	}
}

// controller-runtime recovers a panic, and the process lives on: no slot of the account may be lost to it.
func TestPanicWhileObservingReleasesTheSlot(t *testing.T) {
	gatherer, cloud := gathererIn(clusterOf(t))
	d, _ := withPassword(nil)
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: identity.KindProviderConfig, Name: "team"}
	known, _ := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{})) // from here on it is known which account it is
	known.Release()
	cloud.panics = true
	func() {
		defer func() { _ = recover() }()
		gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
		t.Error("the driver did not panic")
	}()
	cloud.panics = false
	d.Name = "another"
	known, stop := gatherer.Gather(t.Context(), reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
	defer known.Release()
	if stop != nil {
		t.Errorf("it ended with %+v", stop)
	}
}

// An observation is too old after two sync periods, and not before.
func TestUnobservedAfterTwoSyncPeriods(t *testing.T) {
	now := time.Now()
	for age, want := range map[time.Duration]bool{0: false, 2 * time.Minute: false, 2*time.Minute + 1: true} {
		d, _ := withPassword(nil)
		g := (&Gatherer{Kind: kind.Database(), Sync: time.Minute}).begin(reconciliation.Begin(d, now, reconciliation.News{}, reconciliation.Memory{LastObserved: now.Add(-age)}))
		if g.Unobserved != want {
			t.Errorf("observed %v ago: unobserved is %t, want %t", age, g.Unobserved, want)
		}
		if g.observed(t.Context(), driver.Observation{State: driver.Ready}); g.Unobserved {
			t.Error("it was observed just now")
		}
	}
}
