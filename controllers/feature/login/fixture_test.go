package login

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/feature/featuretest"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
)

// made stands for a password that is made.
const made = "(made)"

// storePassword stores what was decided about the password.
func (g *fixture) storePassword(t *testing.T) {
	t.Helper()
	if g.plan.Store == password.Never {
		return
	}
	if err := g.passwords.Put(t.Context(), g.secret, g.plan.State.Stored); err != nil {
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

// A fixture is a reading about a database, and the features that carry out what comes of it.
type fixture struct {
	*reading
	client client.Client
}

// fixtureOf returns the reading about a database, without a request's mark and before it is observed.
func fixtureOf(d *v1alpha1.Database, c client.Client) *fixture {
	k := kind.Database()
	l := New(c, &password.Store{Reader: c, Writer: c, Namespace: "mooring-system"}, &binding.Reader{API: c, Kind: k}, func(reconciliation.State) v1alpha1.ResourceObject { return nil })
	in := reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{})
	in.Kind, in.Object, in.Policy = k, d.DeepCopy(), plan.PolicyOf(k, d)
	in.Want, in.Connection, in.Described.Name.MaxLength = in.Object, &identity.Connection{}, 63
	in.Redact = in.Redactor()
	return &fixture{l.begin(&in), c}
}

// features are those of the connection Secret and of the login.
func (g *fixture) features() feature.Set {
	g.connections.Kind = g.Kind
	return slices.Concat(binding.Of(g.Kind, g.connections, g.client, g.Login), g.Features())
}

// gatherFor has features read what an action takes.
func (g *fixture) gatherFor(ctx context.Context, a plan.Action) error {
	g.end()
	defer func() { g.part = place.In(g.Parts) }()
	return g.features().Read(ctx, g.State, a)
}

// work carries out what was planned.
func (g *fixture) work() *featuretest.Work {
	g.end()
	return &featuretest.Work{State: *g.State}
}

// done takes in what was done.
func (g *fixture) done(w *featuretest.Work) {
	*g.State = w.State
	g.part = place.In(g.Parts)
}

// publish reads and publishes, where nothing else is to be done.
func (g *fixture) publish(ctx context.Context) error {
	if err := g.gatherFor(ctx, plan.Action{Verb: plan.Converge}); err != nil {
		return err
	}
	w := g.work()
	defer g.done(w)
	_, err := g.features().Publish(ctx, w, outcome.Outcome{})
	g.features().Recorded(w.State, &w.Memory)
	return err
}

// published is what is remembered of the connection Secret.
func (g *fixture) published() *binding.ConnectionSecret {
	return binding.Remembered.In(g.Memory.Parts).Published
}

// remember remembers what the connection Secret holds.
func (g *fixture) remember(published *binding.ConnectionSecret) {
	m := binding.Remembered.In(g.Memory.Parts)
	m.Published = published
	binding.Remembered.Set(&g.Memory.Parts, m)
}
