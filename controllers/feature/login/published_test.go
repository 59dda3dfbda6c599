package login

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/password"
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
			g := fixtureOf(d, c)
			g.remember(&binding.ConnectionSecret{Name: "orders-db"})
			login, err := g.get(t.Context(), g.Kind, d, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.decidePassword(t.Context(), login, seen); err != nil {
				t.Fatal(err)
			}
			if g.published() != nil {
				t.Error("the connection Secret is still thought to be right")
			}
		})
	}
}

// The cloud took the password of the last rotation, and gets another one now: that is not the same change again, although nothing converged in between. One
// that is sent once more is.
func TestAnotherPasswordWasNotSentBefore(t *testing.T) {
	sent := driver.Change{Field: plan.FieldPassword, From: driver.Redacted, To: driver.Redacted, Effect: driver.Online}
	tags := driver.Change{Field: "tags", From: "a", To: "b"}
	for _, test := range []struct {
		name    string
		content map[string]string
		wanted  string
		before  bool
	}{
		{"another", map[string]string{"current": "one", "serial": "2"}, "two", false},
		{"the same again", map[string]string{"current": "one", "next": "two", "named": "true", "serial": "3"}, "two", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(test.content)
			g := fixtureOf(d, fake.NewClientBuilder().WithObjects(secret).Build())
			remembered := []driver.Change{sent, tags}
			g.Memory.Cloud.Sent = remembered
			login, err := g.get(t.Context(), g.Kind, d, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.decidePassword(t.Context(), login, password.Observation{Ready: true, Wanted: test.wanted}); err != nil {
				t.Fatal(err)
			}
			if len(g.Observation.Changes) != 1 || g.Memory.Cloud.WasSent(g.Observation.Changes[0]) != test.before || !g.Memory.Cloud.WasSent(tags) {
				t.Errorf("%+v counts as sent before: %t, want %t", g.Observation.Changes, !test.before, test.before)
			}
			if remembered[0].Field != sent.Field || remembered[1].Field != tags.Field {
				t.Error("what others remember is changed")
			}
		})
	}
}

// A re-check does not read the password Secret if nothing can have changed about the password, and the connection Secret is the one
// that was found to be right.
func TestReadsOfThePassword(t *testing.T) {
	for _, test := range []struct {
		name    string
		before  func(*fixture)
		read    bool // before it is known how the connection Secret is
		written bool // the connection Secret, which holds what the password Secret says then
	}{
		{name: "as it was"},
		{name: "after an hour", read: true, before: func(g *fixture) {
			g.Now = g.Now.Add(checkEvery)
		}},
		{name: "refused by the cloud", read: true, before: func(g *fixture) {
			g.Observation.Login = &driver.LoginState{PasswordRefused: true}
		}},
		{name: "while the cloud is at work", read: true, before: func(g *fixture) {
			g.Observation.State = driver.Pending
		}},
		{name: "an administrator to be made", read: true, before: func(g *fixture) {
			g.Observation.Changes = []driver.Change{{Field: driver.FieldUsername, Effect: driver.Online}}
		}},
		{name: "a Secret of a former name", read: true, before: func(g *fixture) {
			g.Status().FormerSecrets = []v1alpha1.FormerSecret{{Name: "former"}}
		}},
		{name: "another version of the connection Secret", written: true, before: func(g *fixture) {
			g.published().Version = "1"
		}},
		{name: "another host", written: true, before: func(g *fixture) {
			g.Observation.Endpoint.Host = "other.example"
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored := map[string]string{"current": "one", "serial": "1"}
			g, login, c := asPublished(stored)
			if test.before != nil {
				test.before(g)
			}
			if err := g.readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			if read := g.secret != nil; read != test.read {
				t.Fatalf("the password Secret was read: %t, want %t", read, test.read)
			}
			if test.read {
				return
			}
			if err := g.publish(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := &corev1.Secret{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(login), got); err != nil {
				t.Fatal(err)
			}
			if written := string(got.Data["password"]) == "one"; written != test.written || (g.secret != nil) != test.written {
				t.Errorf("the connection Secret was written: %t, and the password Secret read: %t, want %t", written, g.secret != nil, test.written)
			}
		})
	}
}

// asPublished returns a database that is as declared, with a connection Secret that somebody changed before a reconciliation a minute ago, which
// thought it right. stored is what the password Secret holds; nil if it was lost.
func asPublished(stored map[string]string) (
	g *fixture, login *corev1.Secret, c client.WithWatch,
) {
	d, secret := withPassword(stored)
	stale := map[string][]byte{"host": []byte("db.example"), "password": []byte("changed by hand")}
	login = &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: "orders-db", Labels: map[string]string{v1alpha1.LabelKind: "Database", v1alpha1.LabelName: d.Name}},
		Type:       "servicebinding.io/postgresql", Data: stale,
	}
	objects := []client.Object{login}
	if stored != nil {
		objects = append(objects, secret)
	}
	c = fake.NewClientBuilder().WithObjects(objects...).Build()
	d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	g = fixtureOf(d, c)
	g.Kind.Binding = func(_ v1alpha1.ResourceObject, _ *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte) {
		return "servicebinding.io/postgresql", bytesOf(map[string]string{"host": at.Host, "password": password})
	}
	g.Request, g.View = driver.Request{Mark: mark}, plan.View{Bound: true, HasFinalizer: true, Mark: mark}
	g.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: mark, Endpoint: driver.Endpoint{Host: "db.example"}}
	g.remember(&binding.ConnectionSecret{
		Name: "orders-db", Version: "999", Kind: "servicebinding.io/postgresql", Checked: g.Now.Add(-time.Minute),
		Data: bytesOf(map[string]string{"host": "db.example", "password": ""}),
	})
	return g, login, c
}

// The connection Secret names nothing that may not be in the cloud yet.
func TestNothingIsPublishedBeforeItIsMade(t *testing.T) {
	for _, unmade := range []bool{true, false} {
		g, login, c := asPublished(map[string]string{"current": "one", "serial": "1"})
		g.remember(nil)
		if g.Differences = nil; unmade {
			g.Differences = []driver.Change{{Field: "databaseName", To: "app"}}
		}
		read, err := g.get(t.Context(), g.Kind, g.Object, 0)
		if err != nil {
			t.Fatal(err)
		}
		g.secret, g.plan.State = read.secret, read.state
		if err := g.publish(t.Context()); err != nil {
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

// A server that was created anew with the next password may be usable before it is Ready. The current password is that of the former
// server, and is not published; nor is it once the next one was sent again, and before it is confirmed.
func TestPasswordOfAFormerServerIsNotPublished(t *testing.T) {
	for name, test := range map[string]struct {
		stored   map[string]string
		accepted string
		written  bool
	}{
		"a rotation":                       {map[string]string{"current": "one", "next": "two", "serial": "2"}, "1", true},
		"a rotation without a status":      {map[string]string{"current": "one", "next": "two", "serial": "2"}, "", true},
		"a server that was created anew":   {map[string]string{"current": "one", "next": "two", "serial": "2", "superseded": "true"}, "", false},
		"the next password was sent again": {map[string]string{"current": "one", "next": "two", "serial": "2", "superseded": "true"}, "2", false},
	} {
		t.Run(name, func(t *testing.T) {
			g, login, c := asPublished(test.stored)
			g.remember(nil)
			g.Observation.State = driver.Pending
			if test.accepted != "" {
				g.Status().Applied = map[string][]string{plan.FieldPassword: {test.accepted}}
			}
			if err := g.readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := g.publish(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(login), login); err != nil {
				t.Fatal(err)
			}
			if written := string(login.Data["password"]) == "one"; written != test.written {
				t.Errorf("written %t, want %t: %s", written, test.written, login.Data)
			}
		})
	}
}

// A password Secret that was lost is noticed as soon as somebody has the connection Secret written again.
func TestLostPasswordIsNoticedWithTheConnectionSecret(t *testing.T) {
	g, _, _ := asPublished(nil)
	g.published().Version = "1"
	if err := g.publish(t.Context()); !errors.Is(err, outcome.ErrStale) || g.published() != nil {
		t.Errorf("got %v, and the connection Secret is remembered: %t", err, g.published() != nil)
	}
}
