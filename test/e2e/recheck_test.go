package e2e

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// Where Mooring watches the metadata of its Secrets, a re-check of a Database asks Kubernetes for nothing. A connection Secret that somebody
// edits or deletes is mended by the next re-check all the same.
func TestRecheckReadsNoSecret(t *testing.T) {
	t.Parallel()
	s := environmentOn(installWith(t, system.Values{"watchSecrets": true}, localcloud.Options{ListenersOnly: true, InstanceQuota: -1}), false, 2)
	s.StartManager(t, controllers.Options{SyncPeriod: 24 * time.Hour}, nil)
	for _, cloud := range []string{"aws", "gcp"} {
		t.Run(cloud, func(t *testing.T) {
			w, c := s.fixture(t), s.clouds[cloud]
			d := connected(w.database(c, "orders", system.MinimalDatabase(c)))
			w.create(d)
			name := w.ready(d).Status.ExternalName
			password := string(w.Secret("login")["password"])
			look := func(what string) {
				w.Helper()
				before := c.Observations(name)
				edit(w, d, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationReconcile: what} })
				w.Eventually("it is looked at", func() bool { return c.Observations(name) > before })
			}
			since := w.requests(d)
			w.Eventually("the watch tells of what was written last", func() bool {
				since = w.requests(d)
				look("once" + time.Now().String())
				look("again" + time.Now().String()) // by when the one before has ended
				return len(since()) == 0
			})
			since = w.requests(d)
			for _, what := range []string{"one", "two", "three"} {
				look(what)
			}
			if asked := since(); len(asked) > 0 {
				w.Errorf("three re-checks asked Kubernetes for %q, want nothing", asked)
			}

			for what, change := range map[string]func(*corev1.Secret) error{
				"edited": func(secret *corev1.Secret) error {
					secret.Data["password"] = []byte("another")
					return w.Client.Update(t.Context(), secret)
				},
				"deleted": func(secret *corev1.Secret) error { return w.Client.Delete(t.Context(), secret) },
			} {
				secret := &corev1.Secret{}
				w.Must(w.Client.Get(t.Context(), client.ObjectKey{Namespace: w.Namespace, Name: "login"}, secret))
				w.Must(change(secret))
				w.Eventually("the watch tells of it, and it is mended", func() bool {
					look(what + time.Now().String())
					return string(w.Secret("login")["password"]) == password
				})
			}
		})
	}
}
