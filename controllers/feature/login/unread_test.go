package login

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
)

// A re-check does not read the connection Secret if a watch knows that it is the version which was found to be right.
func TestReadsOfTheConnectionSecret(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*fixture)
		unread bool
	}{
		{name: "as it was", unread: true},
		{name: "not watched", change: func(g *fixture) { g.connections.Version = nil }},
		{name: "another version", change: func(g *fixture) { g.published().Version = "998" }},
		{name: "unknown to the watch", change: func(g *fixture) {
			g.connections.Version = func(context.Context, client.ObjectKey) string { return "" }
		}},
		{name: "not remembered, and the password is known", change: func(g *fixture) {
			g.remember(nil)
			g.secret = &password.Secret{Stored: password.Stored{Current: "one"}}
			g.plan.State.Stored = g.secret.Stored
		}},
		{name: "the password was read", change: func(g *fixture) {
			g.secret = &password.Secret{Stored: password.Stored{Current: "one"}}
			g.plan.State.Stored = g.secret.Stored
		}},
		{name: "another host", change: func(g *fixture) { g.Observation.Endpoint.Host = "other.example" }},
		{name: "another name", change: func(g *fixture) { g.Status().Binding.Name = "former" }},
		{name: "beside a Secret of a former name", change: func(g *fixture) {
			g.Status().FormerSecrets = []v1alpha1.FormerSecret{{Name: "former", KeptUntil: metav1.NewTime(g.Now.Add(time.Hour))}}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, _, c := asPublished(map[string]string{"current": "one", "serial": "1"})
			g.Status().Binding = &v1alpha1.Binding{Name: "orders-db"}
			g.connections.Version = func(_ context.Context, key client.ObjectKey) string {
				if key != (client.ObjectKey{Namespace: "shop", Name: "orders-db"}) {
					t.Errorf("the version of %s is asked for", key)
				}
				return "999"
			}
			if test.change != nil {
				test.change(g)
			}
			read := false
			g.connections.API = interceptor.NewClient(c, interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					read = read || key.Name == "orders-db"
					return c.Get(ctx, key, o, opts...)
				},
			})
			if err := g.publish(t.Context()); err != nil {
				t.Fatal(err)
			}
			if unread := !read; unread != test.unread {
				t.Errorf("the connection Secret was left unread: %t, want %t", unread, test.unread)
			}
		})
	}
}
