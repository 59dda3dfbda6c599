package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// The connection Secret is kept as it was published, whatever people do to it, and the cloud hears nothing of it.
func TestConnectionSecretIsKept(t *testing.T) {
	onAll(t, func(w *world, c *cloud, k thing) {
		o := k.new(w, c, "orders")
		connect(o, "login")
		w.create(o)
		name := w.ready(o).status.ExternalName
		mark := len(c.writes(name))
		published := w.published("login")

		w.run("deleted", func(w *world) {
			w.disturb()
			w.must(w.Client.Delete(w.Context(), w.published("login")))
			w.eventually("the Secret is back", func() bool { return w.secret("login") != nil })
			w.samePublished(w.published("login"), published)
			w.ready(o)
		})
		w.run("edited", func(w *world) {
			w.disturb()
			theirs := w.published("login")
			theirs.Data["uri"], theirs.Data["more"] = []byte("changed"), []byte("1")
			delete(theirs.Data, "type")
			w.must(w.Client.Update(w.Context(), theirs))
			w.eventually("the Secret is put right", func() bool { return string(w.secret("login")["uri"]) != "changed" })
			w.samePublished(w.published("login"), published)
			w.ready(o)
		})
		w.run("renamed", func(w *world) {
			edit(w, o, func(o client.Object) { connect(o, "moved") })
			s := w.ready(o)
			w.equal("binding", s.status.Binding, &v1alpha1.Binding{Name: "moved"})
			w.samePublished(w.published("moved"), published)
			w.equal("the Secret of the old name", w.secret("login"), map[string][]byte(nil))
		})
		w.run("renamed to what is somebody else's", func(w *world) {
			theirs := w.theirs("taken")
			edit(w, o, func(o client.Object) { connect(o, "taken") })
			w.stalled(o, v1alpha1.ReasonSecretNotOwned, "Secret taken", "change spec.connection.secretName")
			w.looks(c, name, 2)
			w.samePublished(w.published("taken"), theirs)
			edit(w, o, func(o client.Object) { connect(o, "login") })
			w.ready(o)
			w.samePublished(w.published("login"), published)
			w.samePublished(w.published("taken"), theirs)
		})
		w.run("replaced by somebody else's", func(w *world) {
			w.disturb()
			ours := w.published("login")
			ours.Labels = nil
			ours.Data = map[string][]byte{"mine": []byte("1")}
			w.must(w.Client.Update(w.Context(), ours))
			w.stalled(o, v1alpha1.ReasonSecretNotOwned, "Secret login", "change spec.connection.secretName, or delete the Secret if nobody needs it")
			w.looks(c, name, 2)
			w.samePublished(w.published("login"), ours)
			w.disturb()
			w.must(w.Client.Delete(w.Context(), ours))
			w.ready(o)
			w.samePublished(w.published("login"), published)
		})
		w.costs(c, name, mark)
	})
}

// published returns a Secret of the namespace that must be there.
func (w *world) published(name string) *corev1.Secret {
	w.Helper()
	s := &corev1.Secret{}
	w.must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, s))
	return s
}

// theirs makes a Secret that is not Mooring's.
func (w *world) theirs(name string) *corev1.Secret {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: w.meta(name), Type: corev1.SecretTypeOpaque, Data: map[string][]byte{"mine": []byte("1")}}
	w.must(w.Client.Create(w.Context(), s))
	return s
}

// samePublished checks that two Secrets say the same.
func (w *world) samePublished(got, want *corev1.Secret) {
	w.Helper()
	w.equal("type", got.Type, want.Type)
	w.equal("labels", got.Labels, want.Labels)
	w.equal("data", got.Data, want.Data)
}
