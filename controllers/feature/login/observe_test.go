package login

import (
	"cmp"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A password is sent until it is known to be in force, and published only then.
func TestCheckPassword(t *testing.T) {
	for _, test := range []struct {
		name     string
		stored   map[string]string
		accepted string // the serial in the status
		// remembered is the serial that this process had accepted.
		remembered string
		state      driver.State
		refused    bool
		unmade     bool              // the administrator does not exist yet
		named      string            // the password that the spec refers to
		own        bool              // the spec refers to the object's own connection Secret
		left       string            // the host in a connection Secret that was left
		want       map[string]string // the password Secret afterwards
		inForce    string            // the password that is published then, if the password Secret does not say so yet
		sent       string            // what is to be sent
		effect     driver.Effect     // of that, Online unless told
	}{
		{name: "in force", stored: map[string]string{"current": "one", "serial": "1"}, state: driver.Ready,
			want: map[string]string{"current": "one", "serial": "1"}},
		{name: "set by the creation", stored: map[string]string{"next": "one", "serial": "1"}, state: driver.Ready,
			want: map[string]string{"next": "one", "serial": "1"}, inForce: "one"},
		{name: "set by the creation, as the status says", stored: map[string]string{"next": "one", "serial": "1"}, accepted: "1", state: driver.Ready,
			want: map[string]string{"next": "one", "serial": "1"}, inForce: "one"},
		{name: "in place of what the creation set", stored: map[string]string{"next": "one", "serial": "1"}, accepted: "1", state: driver.Ready, named: "two",
			want: map[string]string{"current": "one", "next": "two", "serial": "2", "named": "true"}, sent: "two"},
		{name: "set by the creation, and refused later", stored: map[string]string{"next": "one", "serial": "1"}, accepted: "1", state: driver.Ready, refused: true,
			want: map[string]string{"current": "one", "next": "one", "serial": "2", "superseded": "true"}, sent: "one"},
		{name: "being created", stored: map[string]string{"next": "one", "serial": "1"}, state: driver.Pending,
			want: map[string]string{"next": "one", "serial": "1"}},
		{name: "refused at the creation", stored: map[string]string{"next": "one", "serial": "1"}, state: driver.Ready, refused: true,
			want: map[string]string{"next": "one", "serial": "1"}, sent: "one"},
		{name: "to be sent", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, state: driver.Ready,
			want: map[string]string{"current": "one", "next": "two", "serial": "2"}, sent: "two"},
		{name: "accepted, and being set", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2", state: driver.Pending,
			want: map[string]string{"current": "one", "next": "two", "serial": "2"}},
		{name: "accepted, and set", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2", state: driver.Ready,
			want: map[string]string{"current": "two", "serial": "2"}},
		{name: "accepted, and refused later", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2", state: driver.Ready, refused: true,
			want: map[string]string{"current": "one", "next": "two", "serial": "2", "superseded": "true"}, sent: "two"},
		{name: "thought to be in force, and refused", stored: map[string]string{"current": "two", "serial": "2"}, accepted: "2", state: driver.Ready, refused: true,
			want: map[string]string{"current": "two", "next": "two", "serial": "3", "superseded": "true"}, sent: "two"},
		{name: "in place of one that others know", stored: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, state: driver.Ready,
			want: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, sent: "one", effect: driver.Irreversible},
		{name: "the one that others know", stored: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, state: driver.Ready, named: "theirs",
			want: map[string]string{"next": "theirs", "serial": "3", "foreign": "true", "named": "true"}, sent: "theirs"},
		{name: "in place of one that others know, and set", stored: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, accepted: "2", state: driver.Ready,
			want: map[string]string{"current": "one", "serial": "2"}},
		{name: "the spec's, refused and withdrawn", stored: map[string]string{"next": "with/slash", "serial": "1", "named": "true"}, state: driver.Ready, refused: true,
			want: map[string]string{"next": made, "serial": "2"}, sent: made},
		{name: "the spec's, accepted and withdrawn", stored: map[string]string{"current": "one", "next": "two", "serial": "2", "named": "true"}, accepted: "2", state: driver.Ready,
			want: map[string]string{"current": "two", "serial": "2"}},
		{name: "of a user who is about to be made", stored: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, state: driver.Ready, unmade: true,
			want: map[string]string{"next": "one", "serial": "2"}, sent: "one"},
		{name: "refused, and the spec names what the own connection Secret has", stored: map[string]string{"current": "one", "next": "one", "serial": "3", "superseded": "true"},
			state: driver.Ready, named: "one", own: true, want: map[string]string{"current": "one", "next": "one", "serial": "3", "superseded": "true"}, sent: "one"},
		{name: "accepted, and the spec names what the own connection Secret has", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2",
			state: driver.Ready, named: "one", own: true, want: map[string]string{"current": "one", "next": "one", "serial": "3", "named": "true", "superseded": "true"}, sent: "one"},
		{name: "no password Secret", state: driver.Ready, want: map[string]string{"next": made, "serial": "2"}, sent: made},
		{name: "no password Secret any more, and no status", remembered: "2", state: driver.Ready, want: map[string]string{"next": made, "serial": "2"}, sent: made},
		{name: "no password Secret any more", accepted: "2", state: driver.Ready, want: map[string]string{"next": made, "serial": "3"}, sent: made},
		{name: "of a server that was taken over", stored: map[string]string{"serial": "1", "foreign": "true"}, state: driver.Ready,
			want: map[string]string{"next": made, "serial": "2", "foreign": "true"}, sent: made, effect: driver.Irreversible},
		{name: "no password Secret, and the old Secret of this server", left: "db.example", state: driver.Ready, want: map[string]string{"current": "left", "serial": "2"}},
		{name: "no password Secret, and the old Secret of another server", left: "other.example", state: driver.Ready,
			want: map[string]string{"next": made, "serial": "2"}, sent: made},
		{name: "of a server that was taken back, and its Secret", stored: map[string]string{"serial": "1", "foreign": "true"}, left: "db.example", state: driver.Ready,
			want: map[string]string{"current": "left", "serial": "2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(test.stored)
			named := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: "admin"}, Data: bytesOf(map[string]string{"password": test.named})}
			objects := []client.Object{named}
			if test.stored != nil {
				objects = append(objects, secret)
			}
			if test.left != "" {
				objects = append(objects, &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: "orders-db", Labels: map[string]string{v1alpha1.LabelKind: "Database", v1alpha1.LabelName: d.Name}},
					Type:       "servicebinding.io/postgresql",
					Data:       bytesOf(map[string]string{"host": test.left, "username": "postgres", "password": "left"}),
				})
			}
			c := fake.NewClientBuilder().WithObjects(objects...).Build()
			d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
			if test.named != "" {
				d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: named.Name}}
			}
			if test.own {
				d.Spec.Connection.SecretName = named.Name
			}
			g := fixtureOf(d, c)
			noteSent(g.State, serialOf(test.remembered))
			g.Observation = driver.Observation{State: test.state, Login: &driver.LoginState{PasswordRefused: test.refused}, Endpoint: driver.Endpoint{Host: "db.example", Username: "postgres"}}
			if test.unmade {
				g.Observation.Changes = []driver.Change{{Field: driver.FieldUsername, Effect: driver.Online}}
			}
			if test.accepted != "" {
				g.Status().Applied = map[string][]string{plan.FieldPassword: {test.accepted}}
			}
			if err := g.readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			g.storePassword(t)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
				t.Fatal(err)
			}
			comparePassword(t, secret, test.want)
			inForce := cmp.Or(test.inForce, test.want["current"])
			if test.want["superseded"] != "" {
				inForce = ""
			}
			if test.state == driver.Ready && g.plan.State.InForce() != inForce {
				t.Errorf("%q is in force, want %q", g.plan.State.InForce(), inForce)
			}
			if test.inForce != "" && plan.AcceptedPassword(g.Status()) != serialOf(string(secret.Data["serial"])) {
				t.Errorf("the status tells nothing of the password in force: %v", g.Status().Applied)
			}
			if test.sent == made {
				test.sent = string(secret.Data["next"])
			}
			if got := g.plan.Sent.InClear(); got != test.sent || len(g.Observation.Changes) > 0 != (test.sent != "") {
				t.Errorf("%q is to be sent by %v, want %q", got, g.Observation.Changes, test.sent)
			}
			for _, change := range g.Observation.Changes {
				if want := cmp.Or(test.effect, driver.Online); change.Effect != want {
					t.Errorf("to send it is %s, want %s", change.Effect, want)
				}
			}
		})
	}
}

// What is stored of a password is not taken for that of another server, which has the mark because it was restored from a copy: until that
// one is taken over, nothing is decided.
func TestPasswordOfAnotherServerIsNotDecidedAbout(t *testing.T) {
	for id, want := range map[string]bool{"id-known": true, "id-new": false, "": true} {
		d, secret := withPassword(map[string]string{"next": "one", "serial": "1"})
		d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
		g := fixtureOf(d, fake.NewClientBuilder().WithObjects(secret).Build())
		g.Request.ID = "id-known"
		g.Observation = driver.Observation{State: driver.Ready, ID: id}
		if err := g.readPassword(t.Context()); err != nil {
			t.Fatal(err)
		}
		if accepted := plan.AcceptedPassword(g.Status()) != 0; accepted != want {
			t.Errorf("of a server with id %q the password is taken for accepted: %t, want %t", id, accepted, want)
		}
	}
}

// While another server is prepared to take the place of this one, no password is sent: that one would perhaps lack it.
func TestNoPasswordWhileAServerIsPrepared(t *testing.T) {
	for operation, sends := range map[string]bool{"": true, "bgd-1": false} {
		d, secret := withPassword(map[string]string{"current": "one", "next": "two", "serial": "2"})
		d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
		g := fixtureOf(d, fake.NewClientBuilder().WithObjects(secret).Build())
		g.Request.Beside = true
		g.Observation = driver.Observation{State: driver.Ready, Available: true, Operation: operation}
		if err := g.readPassword(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := len(g.Observation.Changes) > 0; got != sends {
			t.Errorf("with the operation %q, a password is sent: %t", operation, got)
		}
	}
}

// A change that failed late may have been the password: it counts as not taken, and is sent again.
func TestLateFailureTakesBackThePassword(t *testing.T) {
	d, _ := withPassword(nil)
	d.Status.Applied = map[string][]string{plan.FieldPassword: {"3"}, "tags": {"team"}}
	g := fixtureOf(d, nil)
	noteSent(g.State, 3)
	g.remember(&binding.ConnectionSecret{})
	g.features().Failed(g.State, "it failed late")
	sent := remembered.In(g.Memory.Parts).sent
	if _, still := g.Status().Applied[plan.FieldPassword]; still || sent != 0 || len(g.Status().Applied) != 1 || g.published() != nil {
		t.Errorf("applied is %v, and remembered %d, and of the connection Secret %v", g.Status().Applied, sent, g.published())
	}
}

// Nothing that is remembered of the password of the former server is held against the one that takes its place.
func TestMemoryOfTheFormerServer(t *testing.T) {
	d, _ := withPassword(nil)
	g := fixtureOf(d, nil)
	noteSent(g.State, 3)
	g.remember(&binding.ConnectionSecret{})
	g.features().Clear(g.State)
	if sent := remembered.In(g.Memory.Parts).sent; sent != 0 || g.published() != nil {
		t.Errorf("remembered is %d, and of the connection Secret %v", sent, g.published())
	}
}

// The password of a server that was made of a snapshot is known to others, so it is looked at although nobody asked for one. That of a server which was taken back is
// in use: its spec alone, in which restoreFrom stays for good, does not make it new.
func TestOnlyARestoredServerGetsAPasswordUnasked(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*v1alpha1.Database)
		want   bool
	}{
		"it was restored":   {func(d *v1alpha1.Database) { d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Snapshot: "nightly"} }, true},
		"it was taken back": {func(*v1alpha1.Database) {}, false},
		"it was restored, and has worked": {func(d *v1alpha1.Database) {
			d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Snapshot: "nightly"}
			d.Status.FirstReadyTime, d.Status.AppliedGeneration = &metav1.Time{Time: time.Now()}, 1
		}, false},
		"it was restored, works, and never was as declared": {func(d *v1alpha1.Database) {
			d.Status.RestoredFrom = &v1alpha1.RestoredFrom{Snapshot: "nightly"}
			d.Status.FirstReadyTime = &metav1.Time{Time: time.Now()}
		}, true},
	} {
		d, _ := withPassword(nil)
		d.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{ExternalSnapshotName: "nightly"}
		d.Status.Origin = v1alpha1.OriginCreated
		tt.change(d)
		g := fixtureOf(d, nil)
		g.WasReady = d.Status.FirstReadyTime != nil
		g.Observation = driver.Observation{State: driver.Ready, Available: true, ID: "db-1", Mark: g.Request.Mark}
		if got := g.concernsPassword(); got != tt.want {
			t.Errorf("%s: its password is looked at: %t, want %t", name, got, tt.want)
		}
	}
}
