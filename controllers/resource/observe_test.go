package resource

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
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

// oneObservation is a cloud of which everything but Observe is nil: a call that writes would panic.
type oneObservation struct {
	driver.Session
	observation driver.Observation
}

func (o oneObservation) Observe(context.Context, string, driver.Request) (driver.Observation, error) {
	return o.observation, nil
}

// Observing writes nothing, neither to the cloud nor to Kubernetes, whatever is observed and whatever is stored of the password; what
// has to be stored is stored before the plan is executed.
func TestObserveWritesNothing(t *testing.T) {
	secrets := []map[string]string{
		nil, {"current": "one", "serial": "1"}, {"next": "one", "serial": "1"}, {"current": "one", "next": "two", "serial": "2"},
		{"next": "one", "serial": "2", "foreign": "true"}, {"serial": "1", "foreign": "true"}, {"next": "mine", "serial": "1", "named": "true"},
	}
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	stores := 0
	for i, stored := range secrets {
		for _, state := range []driver.State{driver.Unknown, driver.Absent, driver.Pending, driver.Ready, driver.Failed, driver.Deleting} {
			for flags := range 1 << 6 {
				is := func(bit int) bool { return flags&(1<<bit) != 0 }
				t.Run(fmt.Sprintf("%d %v %b", i, state, flags), func(t *testing.T) {
					d, secret := withPassword(stored)
					objects := []client.Object{&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "admin"}, Data: bytesOf(map[string]string{"password": "wanted"})}}
					if stored != nil {
						objects = append(objects, secret)
					}
					d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
					if is(0) {
						d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "admin"}}
					}
					seen := driver.Observation{State: state, PasswordRefused: is(1), Mark: mark, Available: is(2)}
					if is(3) {
						seen.Changes = []driver.Change{{Field: driver.FieldUsername, Effect: driver.Online}}
					}
					if is(4) {
						seen.OperationError = &driver.Error{Code: driver.Internal, Op: "ModifyDBInstance", Message: "it failed late"}
					}
					if is(5) {
						d.Status.Applied = map[string][]string{driver.FieldPassword: {"2"}}
					}
					c := fake.NewClientBuilder().WithObjects(objects...).Build()
					r := &Reconciler{Settings: Settings{Client: noWrites(t, c), Reader: c, Namespace: "mooring-system"}, Kind: kind.Database()}
					tn := &turn{
						obj: d, want: d, spec: d.GetResourceSpec(), status: &d.Status.ResourceStatus, mem: &memory{}, now: time.Unix(0, 0),
						policy: plan.Policy{Management: v1alpha1.ManagementFull}, conn: &identity.Connection{}, session: oneObservation{observation: seen},
					}
					tn.request.Mark, tn.described.Name.MaxLength = mark, 63
					err := r.observe(t.Context(), tn)
					if (err != nil) != is(4) {
						t.Fatal(err)
					}
					if tn.login != nil && tn.login.store {
						stores++
					}
				})
			}
		}
	}
	if stores < 100 {
		t.Errorf("%d observations of all ask for a write: this test shows nothing", stores)
	}
}

// What was decided about the password is stored first, whatever the plan is; if it can't be stored, the plan is not executed.
func TestPasswordIsStoredBeforeThePlanIsExecuted(t *testing.T) {
	for _, verb := range []plan.Verb{plan.Update, plan.Settle, plan.Ask, plan.Stall, plan.Wait} {
		for _, fails := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, storing fails: %t", verb, fails), func(t *testing.T) {
				d := newDesk(t)
				owner := password.Owner{Kind: "Bucket", Name: d.obj.GetName(), UID: d.obj.GetUID()}
				d.login = &login{
					store: true,
					Login: credential.Login{Secret: d.passwords().New(owner), State: password.State{Stored: password.Stored{Next: "two", Serial: 2}}},
				}
				working := d.Client
				if fails {
					d.Client = interceptor.NewClient(working.(client.WithWatch), interceptor.Funcs{
						Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
							return errors.New("no answer")
						},
					})
				}
				before := d.obj.GetResourceVersion()
				_, err := d.act(t.Context(), d.turn, plan.Action{Verb: verb, Reason: drift.Reason, Message: drift.Message, Changes: drift.Changes})
				if (err != nil) != fails {
					t.Fatal(err)
				}
				secret, err := d.passwords().Get(t.Context(), owner)
				if err != nil || secret.Stored.Next == "two" == fails {
					t.Errorf("stored is %+v, %v", secret, err)
				}
				if fails && (len(d.cloud.asked) > 0 || d.obj.GetResourceVersion() != before) {
					t.Errorf("the plan was executed: the cloud was asked to %q", d.cloud.asked)
				}
			})
		}
	}
}
