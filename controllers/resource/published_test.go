package resource

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/execute"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A password that is about to be sent makes what is known of the connection Secret old.
func TestAnotherPasswordMakesTheConnectionSecretOld(t *testing.T) {
	for name, seen := range map[string]password.Observation{
		"another":        {Ready: true, Wanted: "two"},
		"the same again": {Ready: true, Refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			d, secret := withPassword(map[string]string{"current": "one", "serial": "1"})
			c := fake.NewClientBuilder().WithObjects(secret).Build()
			r := &Reconciler{
				Settings: Settings{Client: c, Reader: c, Namespace: secret.Namespace}, Kind: kind.Database(),
			}
			tn := &turn{
				obj: d, want: d, status: &d.Status.ResourceStatus, conn: &identity.Connection{}, mem: &memory{publisher: credential.Memory{Published: &credential.ConnectionSecret{Name: "orders-db"}}},
			}
			if err := r.readPassword(t.Context(), tn); err != nil {
				t.Fatal(err)
			}
			tn.decide(tn.login.State.Observe(seen))
			if tn.mem.publisher.Published != nil {
				t.Error("the connection Secret is still thought to be right")
			}
		})
	}
}

// A re-check does not read the password Secret if nothing can have changed about the password, and the connection Secret is the one
// that was found to be right.
func TestReadsOfThePassword(t *testing.T) {
	for _, test := range []struct {
		name    string
		before  func(*turn)
		read    bool // before it is known how the connection Secret is
		written bool // the connection Secret, which holds what the password Secret says then
	}{
		{name: "as it was"},
		{name: "after an hour", read: true, before: func(t *turn) {
			t.now = t.now.Add(credential.PasswordCheck)
		}},
		{name: "refused by the cloud", read: true, before: func(t *turn) {
			t.seen.PasswordRefused = true
		}},
		{name: "while the cloud is at work", read: true, before: func(t *turn) {
			t.seen.State = driver.Pending
		}},
		{name: "an administrator to be made", read: true, before: func(t *turn) {
			t.seen.Changes = []driver.Change{{Field: driver.FieldUsername, Effect: driver.Online}}
		}},
		{name: "a Secret of a former name", read: true, before: func(t *turn) {
			t.status.FormerSecrets = []v1alpha1.FormerSecret{{Name: "former"}}
		}},
		{name: "another version of the connection Secret", written: true, before: func(t *turn) {
			t.mem.publisher.Published.Version = "1"
		}},
		{name: "another host", written: true, before: func(t *turn) {
			t.seen.Endpoint.Host = "other.example"
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			vaulted := map[string]string{"current": "one", "serial": "1"}
			r, tn, login, c := asPublished(vaulted)
			if test.before != nil {
				test.before(tn)
			}
			if err := r.checkPassword(t.Context(), tn); err != nil {
				t.Fatal(err)
			}
			if read := tn.login != nil; read != test.read {
				t.Fatalf("the password Secret was read: %t, want %t", read, test.read)
			}
			if test.read {
				return
			}
			if _, err := r.publish(t.Context(), tn, outcome.Outcome{State: condition.Settled}); err != nil {
				t.Fatal(err)
			}
			got := &corev1.Secret{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(login), got); err != nil {
				t.Fatal(err)
			}
			if written := string(got.Data["password"]) == "one"; written != test.written || (tn.login != nil) != test.written {
				t.Errorf("the connection Secret was written: %t, and the password Secret read: %t, want %t", written, tn.login != nil, test.written)
			}
		})
	}
}

// asPublished returns a database that is as declared, with a connection Secret that somebody changed before a reconciliation a minute ago, which
// thought it right. vaulted is what the password Secret holds; nil if it was lost.
func asPublished(vaulted map[string]string) (
	r *Reconciler, tn *turn, login *corev1.Secret, c client.Client,
) {
	d, secret := withPassword(vaulted)
	stale := map[string][]byte{"host": []byte("db.example"), "password": []byte("changed by hand")}
	login = &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: "orders-db", Labels: map[string]string{v1alpha1.LabelKind: "Database", v1alpha1.LabelName: d.Name}},
		Type:       "servicebinding.io/postgresql", Data: stale,
	}
	objects := []client.Object{login}
	if vaulted != nil {
		objects = append(objects, secret)
	}
	c = fake.NewClientBuilder().WithObjects(objects...).Build()
	r = &Reconciler{
		Settings: Settings{Client: c, Reader: c, Namespace: secret.Namespace},
		Kind:     kind.Database(),
	}
	r.Kind.Binding = func(_ v1alpha1.ResourceObject, _ *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte) {
		return "servicebinding.io/postgresql", bytesOf(map[string]string{"host": at.Host, "password": password})
	}
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	now := time.Now()
	tn = &turn{
		obj: d, want: d, status: &d.Status.ResourceStatus, now: now, policy: plan.Policy{Management: v1alpha1.ManagementFull}, conn: &identity.Connection{},
		request: driver.Request{Mark: mark}, view: plan.View{Bound: true, Held: true, Mark: mark},
		seen: driver.Observation{State: driver.Ready, Available: true, Mark: mark, Endpoint: driver.Endpoint{Host: "db.example"}},
		mem: &memory{publisher: credential.Memory{Published: &credential.ConnectionSecret{
			Name: "orders-db", Version: "999", Kind: "servicebinding.io/postgresql", Checked: now.Add(-time.Minute),
			Data: bytesOf(map[string]string{"host": "db.example", "password": ""}),
		}}},
	}
	return r, tn, login, c
}

// The connection Secret names nothing that may not be in the cloud yet.
func TestNothingIsPublishedBeforeItIsMade(t *testing.T) {
	for _, unmade := range []bool{true, false} {
		r, tn, login, c := asPublished(map[string]string{"current": "one", "serial": "1"})
		tn.mem.publisher.Published, tn.unmade = nil, unmade
		if err := r.readPassword(t.Context(), tn); err != nil {
			t.Fatal(err)
		}
		if _, err := r.publish(t.Context(), tn, outcome.Outcome{State: condition.Updating}); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(login), login); err != nil {
			t.Fatal(err)
		}
		if written := string(login.Data["password"]) == "one"; written == unmade {
			t.Errorf("unmade %t, written %t", unmade, written)
		}
	}
}

// A password Secret that was lost is noticed as soon as somebody has the connection Secret written again.
func TestLostPasswordIsNoticedWithTheConnectionSecret(t *testing.T) {
	r, tn, _, _ := asPublished(nil)
	tn.mem.publisher.Published.Version = "1"
	if _, err := r.publish(t.Context(), tn, outcome.Outcome{State: condition.Settled}); !errors.Is(err, outcome.ErrStale) || tn.mem.publisher.Published != nil {
		t.Errorf("got %v, and the connection Secret is remembered: %t", err, tn.mem.publisher.Published != nil)
	}
}

// publish publishes by what a reconciliation knows.
func (r *Reconciler) publish(ctx context.Context, t *turn, out outcome.Outcome) (outcome.Outcome, error) {
	publication := execute.Publication{
		Object: t.obj, Want: t.want, Cloud: &t.conn.Cloud, Observation: t.seen, PasswordSent: t.mem.cloud.PasswordSent, Now: t.now, Redact: t.redact,
		Usable: t.seen.Available && plan.Ownership(t.view, t.seen) == plan.Ours && !t.unmade,
	}
	if t.login != nil {
		publication.Login = &t.login.Login
	}
	done, err := r.publisher().Publish(ctx, publication, t.mem.publisher)
	t.mem.publisher = done.Memory
	if t.login == nil && done.Login != nil {
		t.setLogin(done.Login)
	}
	return out, err
}
