package login

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A server that is taken over has a password that others know, unless it was ours before; what was meant for one of our own making
// was not set by its creation.
func TestTakeOverPassword(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	before := mark
	before.UID = "uid-before"
	for _, test := range []struct {
		name         string
		mark         driver.Mark
		id           string
		accepted     string // the serial in the status
		stored, want map[string]string
	}{
		{name: "a stranger's", want: map[string]string{"serial": "1", "foreign": "true"}},
		{name: "a stranger's, in place of one that was to be created", stored: map[string]string{"next": "one", "serial": "1"},
			want: map[string]string{"next": "one", "serial": "2", "foreign": "true"}},
		{name: "ours of before", mark: before, want: map[string]string{}},
		{name: "ours of before, in place of one that was to be created", mark: before, stored: map[string]string{"next": "one", "serial": "1"},
			want: map[string]string{"next": "one", "serial": "2"}},
		{name: "one that lost its mark", id: "id-known", stored: map[string]string{"next": "one", "serial": "1"}, want: map[string]string{"next": "one", "serial": "1"}},
		{name: "one that was restored", mark: mark, id: "id-new", stored: map[string]string{"current": "one", "serial": "1"}, want: map[string]string{"current": "one", "serial": "1"}},
		{name: "one that was restored while a password was being set", mark: mark, id: "id-new", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2",
			want: map[string]string{"current": "one", "next": "two", "serial": "3", "superseded": "true"}},
		{name: "one that was restored with the password of its creation", mark: mark, id: "id-new", stored: map[string]string{"next": "one", "serial": "1"}, accepted: "1",
			want: map[string]string{"current": "one", "serial": "1"}},
		{name: "one that was restored when a password may have been sent", mark: mark, id: "id-new", stored: map[string]string{"current": "one", "next": "two", "serial": "2"},
			want: map[string]string{"current": "one", "next": "two", "serial": "2", "superseded": "true"}},
		{name: "once more", stored: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, want: map[string]string{"next": "one", "serial": "2", "foreign": "true"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(test.stored)
			c := fake.NewClientBuilder().Build()
			if test.stored != nil {
				if err := c.Create(t.Context(), secret); err != nil {
					t.Fatal(err)
				}
			}
			if test.accepted != "" {
				d.Status.Applied = map[string][]string{plan.FieldPassword: {test.accepted}}
			}
			g := fixtureOf(d, c)
			g.View = plan.View{HasFinalizer: true, Bound: true, Mark: mark, ID: "id-known"}
			g.Observation = driver.Observation{State: driver.Ready, Mark: test.mark, ID: test.id}
			g.remember(&binding.ConnectionSecret{Name: "orders-db"})
			if err := g.gatherFor(t.Context(), plan.Action{Verb: plan.Adopt}); err != nil {
				t.Fatal(err)
			}
			if g.published() != nil && test.want["superseded"] != "" {
				t.Error("the connection Secret is still thought to be right")
			}
			if g.plan.Store != password.Never && g.plan.Store != password.BeforeStartOver {
				t.Errorf("the password Secret is stored %s", g.plan.Store)
			}
			g.storePassword(t)
			secret.Data = nil
			if err := client.IgnoreNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret)); err != nil {
				t.Fatal(err)
			}
			comparePassword(t, secret, test.want)
		})
	}
}

// A server is created with the password that its Secret holds, with the one that the spec names, or with a new one, and whatever the
// status says of a former server. What only a person can mend is told once finalizer and binding are stored, so it is no error here.
func TestPasswordOfACreation(t *testing.T) {
	for _, test := range []struct {
		name        string
		noFinalizer bool
		accepted    string // the serial in the status
		stored      map[string]string
		named       string // the password that the spec names
		own         bool   // it names the object's former connection Secret
		missing     bool   // the Secret that the spec names
		others      bool   // the password Secret is not Mooring's
		want        map[string]string
		refused     v1alpha1.Reason
	}{
		{name: "the first", noFinalizer: true, want: map[string]string{"next": made, "serial": "1"}},
		{name: "the first, with the user's", noFinalizer: true, named: "mine-mine", want: map[string]string{"next": "mine-mine", "serial": "1", "named": "true"}},
		{name: "once more", stored: map[string]string{"next": "one", "serial": "1"}, want: map[string]string{"next": "one", "serial": "1"}},
		{name: "anew after a loss", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2",
			want: map[string]string{"current": "one", "next": "two", "serial": "2", "superseded": "true"}},
		{name: "anew after the Secret was lost", accepted: "4", want: map[string]string{"next": made, "serial": "1"}},
		{name: "anew after a loss, with what the own connection Secret has", stored: map[string]string{"next": "one", "serial": "1"}, accepted: "1", named: "one", own: true,
			want: map[string]string{"next": "one", "serial": "1"}},
		{name: "anew while a password was being set, with what the own connection Secret has", stored: map[string]string{"current": "one", "next": "two", "serial": "2", "superseded": "true"},
			named: "one", own: true, want: map[string]string{"current": "one", "next": "one", "serial": "3", "named": "true", "superseded": "true"}},
		{name: "once more, with what another connection Secret has", stored: map[string]string{"next": "one", "serial": "1"}, named: "two", own: true,
			want: map[string]string{"next": "one", "serial": "1"}, refused: v1alpha1.ReasonPasswordInvalid},
		{name: "with a Secret that is not there", missing: true, refused: v1alpha1.ReasonPasswordNotFound},
		{name: "with a password Secret that somebody else made", stored: map[string]string{"next": "theirs", "serial": "1"}, others: true,
			want: map[string]string{"next": "theirs", "serial": "1"}, refused: v1alpha1.ReasonSecretNotOwned},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(test.stored)
			if test.noFinalizer {
				d.Finalizers = nil
			}
			if test.others {
				secret.Labels = nil
			}
			if test.accepted != "" {
				d.Status.Applied = map[string][]string{plan.FieldPassword: {test.accepted}}
			}
			c := fake.NewClientBuilder().Build()
			if test.stored != nil {
				if err := c.Create(t.Context(), secret); err != nil {
					t.Fatal(err)
				}
			}
			if test.named != "" || test.missing {
				d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "admin"}}
			}
			if test.named != "" {
				named := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: "admin"}, Data: bytesOf(map[string]string{"password": test.named})}
				if err := c.Create(t.Context(), named); err != nil {
					t.Fatal(err)
				}
			}
			if test.own {
				d.Status.FormerSecrets = []v1alpha1.FormerSecret{{Name: "admin"}}
			}
			g := fixtureOf(d, c)
			if err := g.gatherFor(t.Context(), plan.Action{Verb: plan.Create}); err != nil {
				t.Fatal(err)
			}
			refusal, _ := errors.AsType[*identity.ValidationError](g.plan.Refused)
			if refused := refusal != nil; refused != (test.refused != "") || refused && refusal.Reason != test.refused {
				t.Errorf("refused because of %v, want %q", g.plan.Refused, test.refused)
			}
			g.storePassword(t)
			secret.Data = nil
			if err := client.IgnoreNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret)); err != nil {
				t.Fatal(err)
			}
			comparePassword(t, secret, test.want)
			if sent, held := g.plan.Sent.InClear(), string(secret.Data["next"]); test.refused == "" && sent != held {
				t.Errorf("%q is sent, and the Secret has %q", sent, held)
			}
			if g.plan.Refused != nil && g.plan.Sent.InClear() != "" {
				t.Error("what was refused is sent")
			}
		})
	}
}

// No server is created whose connection Secret is somebody else's, and its password Secret is not read.
func TestWhatACreationNeedsFirst(t *testing.T) {
	d, _ := withPassword(nil)
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
	others := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: "orders-db"}}
	g := fixtureOf(d, fake.NewClientBuilder().WithObjects(others).Build())
	g.Request.Name = "orders"
	err := g.gatherFor(t.Context(), plan.Action{Verb: plan.Create})
	if refusal, ok := errors.AsType[*identity.ValidationError](err); !ok || refusal.Reason != v1alpha1.ReasonSecretNotOwned {
		t.Errorf("got %v", err)
	}
	if g.secret != nil {
		t.Error("the password Secret was read")
	}
}
