package gather

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
)

// A re-check does not read the connection Secret if a watch knows that it is the version which was found to be right.
func TestReadsOfTheConnectionSecret(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*gathering)
		unread bool
	}{
		{name: "as it was", unread: true},
		{name: "not watched", change: func(g *gathering) { g.gatherer.Secrets.Version = nil }},
		{name: "another version", change: func(g *gathering) { g.Memory.Published.Published.Version = "998" }},
		{name: "unknown to the watch", change: func(g *gathering) {
			g.gatherer.Secrets.Version = func(context.Context, client.ObjectKey) string { return "" }
		}},
		{name: "not remembered, and the password is known", change: func(g *gathering) {
			g.Memory.Published.Published, g.PasswordSecret = nil, &password.Secret{Stored: password.Stored{Current: "one"}}
			g.Password.State.Stored = g.PasswordSecret.Stored
		}},
		{name: "the password was read", change: func(g *gathering) {
			g.PasswordSecret = &password.Secret{Stored: password.Stored{Current: "one"}}
			g.Password.State.Stored = g.PasswordSecret.Stored
		}},
		{name: "another host", change: func(g *gathering) { g.Observation.Endpoint.Host = "other.example" }},
		{name: "another name", change: func(g *gathering) { g.Status().Binding.Name = "former" }},
		{name: "beside a Secret of a former name", change: func(g *gathering) {
			g.Status().FormerSecrets = []v1alpha1.FormerSecret{{Name: "former", KeptUntil: metav1.NewTime(g.Now.Add(time.Hour))}}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, _, _ := asPublished(map[string]string{"current": "one", "serial": "1"})
			g.Status().Binding = &v1alpha1.Binding{Name: "orders-db"}
			g.gatherer.Secrets.Version = func(_ context.Context, key client.ObjectKey) string {
				if key != (client.ObjectKey{Namespace: "shop", Name: "orders-db"}) {
					t.Errorf("the version of %s is asked for", key)
				}
				return "999"
			}
			if test.change != nil {
				test.change(g)
			}
			if err := g.login().gatherFor(t.Context(), plan.Action{Verb: plan.Converge}); err != nil || g.PublishError != nil {
				t.Fatal(err, g.PublishError)
			}
			if unread := len(g.Connections) == 0; unread != test.unread {
				t.Errorf("the connection Secret was left unread: %t, want %t", unread, test.unread)
			}
		})
	}
}
