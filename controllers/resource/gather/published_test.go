package gather

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
			g := gatheringOf(d, c)
			g.Memory.Published.Published = &credential.ConnectionSecret{Name: "orders-db"}
			login, err := g.gatherer.Secrets.Login(t.Context(), d, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.login().decidePassword(t.Context(), login, seen); err != nil {
				t.Fatal(err)
			}
			if g.Memory.Published.Published != nil {
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
			g := gatheringOf(d, fake.NewClientBuilder().WithObjects(secret).Build())
			remembered := []driver.Change{sent, tags}
			g.Memory.Cloud.Sent = remembered
			login, err := g.gatherer.Secrets.Login(t.Context(), d, 0)
			if err != nil {
				t.Fatal(err)
			}
			if err := g.login().decidePassword(t.Context(), login, password.Observation{Ready: true, Wanted: test.wanted}); err != nil {
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
		before  func(*gathering)
		read    bool // before it is known how the connection Secret is
		written bool // the connection Secret, which holds what the password Secret says then
	}{
		{name: "as it was"},
		{name: "after an hour", read: true, before: func(g *gathering) {
			g.Now = g.Now.Add(credential.PasswordCheck)
		}},
		{name: "refused by the cloud", read: true, before: func(g *gathering) {
			g.Observation.Login = &driver.LoginState{PasswordRefused: true}
		}},
		{name: "while the cloud is at work", read: true, before: func(g *gathering) {
			g.Observation.State = driver.Pending
		}},
		{name: "an administrator to be made", read: true, before: func(g *gathering) {
			g.Observation.Changes = []driver.Change{{Field: driver.FieldUsername, Effect: driver.Online}}
		}},
		{name: "a Secret of a former name", read: true, before: func(g *gathering) {
			g.Status().FormerSecrets = []v1alpha1.FormerSecret{{Name: "former"}}
		}},
		{name: "another version of the connection Secret", written: true, before: func(g *gathering) {
			g.Memory.Published.Published.Version = "1"
		}},
		{name: "another host", written: true, before: func(g *gathering) {
			g.Observation.Endpoint.Host = "other.example"
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			stored := map[string]string{"current": "one", "serial": "1"}
			g, login, c := asPublished(stored)
			if test.before != nil {
				test.before(g)
			}
			if err := g.login().readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			if read := g.PasswordSecret != nil; read != test.read {
				t.Fatalf("the password Secret was read: %t, want %t", read, test.read)
			}
			if test.read {
				return
			}
			if err := g.publish(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			got := &corev1.Secret{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(login), got); err != nil {
				t.Fatal(err)
			}
			if written := string(got.Data["password"]) == "one"; written != test.written || (g.PasswordSecret != nil) != test.written {
				t.Errorf("the connection Secret was written: %t, and the password Secret read: %t, want %t", written, g.PasswordSecret != nil, test.written)
			}
		})
	}
}

// asPublished returns a database that is as declared, with a connection Secret that somebody changed before a reconciliation a minute ago, which
// thought it right. stored is what the password Secret holds; nil if it was lost.
func asPublished(stored map[string]string) (
	g *gathering, login *corev1.Secret, c client.Client,
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
	g = gatheringOf(d, c)
	g.Kind.Binding = func(_ v1alpha1.ResourceObject, _ *driver.Description, at driver.Endpoint, password string) (corev1.SecretType, map[string][]byte) {
		return "servicebinding.io/postgresql", bytesOf(map[string]string{"host": at.Host, "password": password})
	}
	g.Request, g.View = driver.Request{Mark: mark}, plan.View{Bound: true, HasFinalizer: true, Mark: mark}
	g.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: mark, Endpoint: driver.Endpoint{Host: "db.example"}}
	g.Memory.Published.Published = &credential.ConnectionSecret{
		Name: "orders-db", Version: "999", Kind: "servicebinding.io/postgresql", Checked: g.Now.Add(-time.Minute),
		Data: bytesOf(map[string]string{"host": "db.example", "password": ""}),
	}
	return g, login, c
}

// The connection Secret names nothing that may not be in the cloud yet.
func TestNothingIsPublishedBeforeItIsMade(t *testing.T) {
	for _, unmade := range []bool{true, false} {
		g, login, c := asPublished(map[string]string{"current": "one", "serial": "1"})
		g.Memory.Published.Published, g.Unmade = nil, unmade
		read, err := g.gatherer.Secrets.Login(t.Context(), g.Object, 0)
		if err != nil {
			t.Fatal(err)
		}
		g.PasswordSecret, g.Password.State = read.Secret, read.State
		if err := g.publish(t.Context(), c); err != nil {
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
			g.Memory.Published.Published, g.Observation.State = nil, driver.Pending
			if test.accepted != "" {
				g.Status().Applied = map[string][]string{plan.FieldPassword: {test.accepted}}
			}
			if err := g.login().readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := g.publish(t.Context(), c); err != nil {
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
	g, _, c := asPublished(nil)
	g.Memory.Published.Published.Version = "1"
	if err := g.publish(t.Context(), c); !errors.Is(err, outcome.ErrStale) || g.Memory.Published.Published != nil {
		t.Errorf("got %v, and the connection Secret is remembered: %t", err, g.Memory.Published.Published != nil)
	}
}

// publish publishes by what was gathered.
func (g *gathering) publish(ctx context.Context, c client.Client) error {
	if err := errors.Join(g.login().gatherFor(ctx, plan.Action{Verb: plan.Converge}), g.PublishError); err != nil {
		return err
	}
	p := &execute.Publisher{Writer: c, Kind: g.Kind}
	done, err := p.Publish(ctx, execute.Publication{
		Object: g.Object, Want: g.Want, Cloud: &g.Connection.Cloud, Observation: g.Observation, Password: g.Password.State, PasswordKnown: g.PasswordSecret != nil,
		Connections: g.Connections, Now: g.Now, Redact: g.Redactor(), KeepsCertificates: g.KeepsCertificates, Usable: plan.Usable(g.View, g.Observation, g.Unmade),
	}, g.Memory.Published)
	g.Memory.Published = done.Memory
	return err
}

// A changed authority reaches the connection Secret. One that is not known any more takes none away, and costs no write.
func TestAuthoritiesReachTheConnectionSecret(t *testing.T) {
	for _, test := range []struct {
		name        string
		reported    string
		keeps       bool
		want        string
		wantWritten bool
	}{
		{"the same", "old", false, "old", false},
		{"another", "new", false, "new", true},
		{"none any more", "", false, "", true},
		{"not known", "", true, "old", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, login, c := asPublished(map[string]string{"current": "one", "serial": "1"})
			g.Kind = kind.Database()
			d := g.Object.(*v1alpha1.Database)
			d.Spec.Engine = new(v1alpha1.EnginePostgres)
			at := driver.Endpoint{Host: "db.example", Port: 5432, Username: "postgres", Certificates: "old"}
			_, login.Data = g.Kind.Binding(g.Want, &g.Connection.Cloud, at, "one")
			login.Labels[v1alpha1.LabelUID] = string(d.UID)
			if err := c.Update(t.Context(), login); err != nil {
				t.Fatal(err)
			}
			version := login.ResourceVersion
			g.Memory.Published.Published = nil
			at.Certificates = test.reported
			g.Observation.Endpoint, g.KeepsCertificates = at, test.keeps
			for range 2 {
				if err := g.login().readPassword(t.Context()); err != nil {
					t.Fatal(err)
				}
				if err := g.publish(t.Context(), c); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(login), login); err != nil {
				t.Fatal(err)
			}
			if got := string(login.Data["certificates"]); got != test.want || (login.ResourceVersion != version) != test.wantWritten {
				t.Errorf("got %q, written %t, want %q, written %t", got, login.ResourceVersion != version, test.want, test.wantWritten)
			}
			if string(login.Data["password"]) != "one" {
				t.Errorf("the password is %q", login.Data["password"])
			}
		})
	}
}
