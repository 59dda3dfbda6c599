package gather

import (
	"cmp"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// made stands for a password that is made.
const made = "(made)"

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
			g := gatheringOf(d, c)
			g.Memory.Cloud.PasswordSent = serialOf(test.remembered)
			g.Observation = driver.Observation{State: test.state, Login: &driver.LoginState{PasswordRefused: test.refused}, Endpoint: driver.Endpoint{Host: "db.example", Username: "postgres"}}
			if test.unmade {
				g.Observation.Changes = []driver.Change{{Field: driver.FieldUsername, Effect: driver.Online}}
			}
			if test.accepted != "" {
				g.Status().Applied = map[string][]string{plan.FieldPassword: {test.accepted}}
			}
			if err := g.login().readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			g.storePassword(t, c)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil {
				t.Fatal(err)
			}
			comparePassword(t, secret, test.want)
			inForce := cmp.Or(test.inForce, test.want["current"])
			if test.want["superseded"] != "" {
				inForce = ""
			}
			if test.state == driver.Ready && g.Password.State.InForce() != inForce {
				t.Errorf("%q is in force, want %q", g.Password.State.InForce(), inForce)
			}
			if test.inForce != "" && plan.AcceptedPassword(g.Status()) != serialOf(string(secret.Data["serial"])) {
				t.Errorf("the status tells nothing of the password in force: %v", g.Status().Applied)
			}
			if test.sent == made {
				test.sent = string(secret.Data["next"])
			}
			if got := g.Password.Sent.InClear(); got != test.sent || len(g.Observation.Changes) > 0 != (test.sent != "") {
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
		g := gatheringOf(d, fake.NewClientBuilder().WithObjects(secret).Build())
		g.Request.ID = "id-known"
		g.Observation = driver.Observation{State: driver.Ready, ID: id}
		if err := g.login().readPassword(t.Context()); err != nil {
			t.Fatal(err)
		}
		if accepted := plan.AcceptedPassword(g.Status()) != 0; accepted != want {
			t.Errorf("of a server with id %q the password is taken for accepted: %t, want %t", id, accepted, want)
		}
	}
}

// storePassword stores what was decided about the password.
func (g *gathering) storePassword(t *testing.T, c client.Client) {
	t.Helper()
	if g.Password.Store == password.Never {
		return
	}
	store := &password.Store{Reader: c, Writer: c, Namespace: "mooring-system"}
	if err := store.Put(t.Context(), g.PasswordSecret, g.Password.State.Stored); err != nil {
		t.Fatal(err)
	}
}

// serialOf returns the serial that a text says, 0 for none.
func serialOf(text string) int {
	serial, _ := strconv.Atoi(text)
	return serial
}

func bytesOf(texts map[string]string) map[string][]byte {
	all := map[string][]byte{}
	for k, v := range texts {
		all[k] = []byte(v)
	}
	return all
}

// withPassword returns a Database and its password Secret, which is not stored yet.
func withPassword(content map[string]string) (*v1alpha1.Database, *corev1.Secret) {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-now", Finalizers: []string{v1alpha1.FinalizerResource}}}
	return d, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "mooring-system", Name: password.SecretName(d.UID), Labels: map[string]string{
		v1alpha1.LabelKind: "Database", v1alpha1.LabelName: d.Name,
	}}, Data: bytesOf(content)}
}

func comparePassword(t *testing.T, secret *corev1.Secret, want map[string]string) {
	t.Helper()
	for _, key := range []string{"current", "next", "serial", "named", "foreign", "superseded"} {
		if got := string(secret.Data[key]); got != want[key] && !(want[key] == made && len(got) > 20) {
			t.Errorf("the password Secret has %q as %s, want %q", got, key, want[key])
		}
	}
}

// gatheringOf returns the gathering about a database, without a request's mark and before it is observed. It has no client that writes.
func gatheringOf(d *v1alpha1.Database, c client.Reader) *gathering {
	k := kind.Database()
	secrets := &credential.Reader{API: c, Passwords: &password.Store{Reader: c, Namespace: "mooring-system"}, Kind: k}
	g := (&Gatherer{Reader: c, Kind: k, Secrets: secrets}).begin(reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
	g.Connection = &identity.Connection{}
	g.Described.Name.MaxLength = 63
	return g
}
