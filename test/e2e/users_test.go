package e2e

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// Whoever wants to delete an account sees who depends on it. The first users are named, so that each new one is no news.
func TestUsersOfAnAccount(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	w.credentials(c, nil)
	team := w.team(c)
	w.Must(w.Client.Create(w.Context(), team))
	users := map[string]client.Object{}
	name := func(bucket string) string { return "Bucket " + w.Namespace + "/" + bucket }
	named := func(want string) {
		w.Helper()
		w.AwaitObject(team, "the account is in use by: "+want, func() bool { return team.Status.InUseBy == want })
	}
	for _, bucket := range []string{"a", "b", "c", "d"} {
		b := w.bucket(c, bucket, v1alpha1.BucketParameters{})
		b.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ProviderConfig", Name: team.Name}
		w.create(b)
		w.ready(b)
		users[bucket] = b
	}
	named(name("a") + ", " + name("b") + ", " + name("c") + " and others")
	w.delete(users["d"])
	named(name("a") + ", " + name("b") + ", " + name("c"))
	w.delete(users["b"])
	named(name("a") + ", " + name("c"))
	w.delete(users["a"])
	w.delete(users["c"])
	named("")
}

// Who may not read Secrets sees where a server answers.
func TestEndpointInStatus(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		system.Connect(d, "login")
		w.create(d)
		w.ready(d)
		secret := w.Secret("login")
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(d), d))
		if want := string(secret["host"]) + ":" + string(secret["port"]); len(want) < 4 || d.Status.Endpoint != want {
			w.Errorf("status.endpoint is %q, want %q", d.Status.Endpoint, want)
		}
	})
}
