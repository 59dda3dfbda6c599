package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A password that the engine does not take is refused before it is stored or sent, and the object heals once the Secret is mended.
func TestPasswordOutOfBounds(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		long := strings.Repeat("0123456789", 90_000)
		w.give(long)
		d := w.withPassword(c)
		w.create(d)
		s := w.stalled(d, v1alpha1.ReasonPasswordInvalid, "the password in Secret admin can't be used", "change it there")
		name := s.Status.ExternalName
		w.neverStored(d, long)
		w.equal("writes", c.Writes(name), []string(nil))

		w.give("first-password")
		w.ready(d)
		w.equal("password", string(w.Secret("orders-db")["password"]), "first-password")
		mark := len(c.Writes(name))
		w.give("line-break\n")
		w.stalled(d, v1alpha1.ReasonPasswordInvalid, "line breaks")
		w.observedAgain(c, name, 2)
		w.neverStored(d, "line-break\n")
		w.equal("password", string(w.Secret("orders-db")["password"]), "first-password")
		w.give("first-password")
		w.ready(d)
		w.expectWrites(c, name, mark)
	})
}

// A connection Secret is no source of a password while Mooring writes it, under a former name too: each new password would make another.
func TestPasswordFromAFormerConnection(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	system.Connect(d, "login")
	w.create(d)
	name := w.ready(d).Status.ExternalName
	edit(w, d, func(d *v1alpha1.Database) { system.Connect(d, "moved") })
	w.ready(d)
	mark := len(c.Writes(name))
	edit(w, d, func(d *v1alpha1.Database) {
		d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "login", Key: "uri"}}
	})
	w.stalled(d, v1alpha1.ReasonPasswordInvalid, "names Secret login, which Mooring writes for this object's own connection", "store the password in another Secret")
	edit(w, d, func(d *v1alpha1.Database) { d.Spec.Credentials = nil })
	w.ready(d)
	w.expectWrites(c, name, mark)
}

// neverStored checks that Mooring's own Secret with the password of a database does not hold this one.
func (w *fixture) neverStored(d *v1alpha1.Database, password string) {
	w.Helper()
	s := &corev1.Secret{}
	err := w.Client.Get(w.Context(), client.ObjectKey{Namespace: system.Namespace, Name: "password-" + string(d.UID)}, s)
	if apierrors.IsNotFound(err) {
		return
	}
	w.Must(err)
	for key, value := range s.Data {
		if string(value) == password {
			w.Errorf("it is stored as %s", key)
		}
	}
}
