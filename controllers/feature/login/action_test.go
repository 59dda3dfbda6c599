package login

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An action has the Secrets read that it writes or deletes, and no others: each is a call to the API server.
func TestSecretsOfAnAction(t *testing.T) {
	const stored = "password-uid-now"
	nothing := func(*fixture) {}
	ofClass := func(wasReady bool) func(*fixture) {
		return func(g *fixture) { g.View.WasReady, g.View.ClassChanged = wasReady, class.Fields{"tags"} }
	}
	for _, test := range []struct {
		name   string
		action plan.Action
		before func(*fixture)
		want   []string
	}{
		{"converged", plan.Action{Verb: plan.Converge}, nothing, []string{"former", stored, "wanted"}},
		{"waiting for approval", plan.Action{Verb: plan.AwaitApproval}, nothing, []string{"former", stored, "wanted"}},
		{"of a former name that expired", plan.Action{Verb: plan.Converge}, func(g *fixture) {
			g.Status().FormerSecrets = []v1alpha1.FormerSecret{{Name: "old", KeptUntil: metav1.NewTime(g.Now.Add(-time.Second))}}
		}, []string{"former", "old", stored, "wanted"}},
		{"not usable", plan.Action{Verb: plan.Wait}, func(g *fixture) { g.Observation.Available = false }, nil},
		{"not usable, and one that expired", plan.Action{Verb: plan.Wait}, func(g *fixture) {
			g.Observation.Available = false
			g.Status().FormerSecrets = []v1alpha1.FormerSecret{{Name: "old", KeptUntil: metav1.NewTime(g.Now.Add(-time.Second))}}
		}, []string{"old"}},
		{"no password is known", plan.Action{Verb: plan.Converge}, func(g *fixture) { g.remember(nil) }, nil},
		{"known not to exist", plan.Action{Verb: plan.Converge}, func(g *fixture) {
			m := binding.Remembered.In(g.Memory.Parts)
			m.Unwritten = "wanted"
			binding.Remembered.Set(&g.Memory.Parts, m)
		}, []string{"former", stored}},
		{"no connection any more", plan.Action{Verb: plan.Converge}, func(g *fixture) { g.Want.(*v1alpha1.Database).Spec.Connection = nil }, []string{"former"}},
		{"could not be read in full", plan.Action{Verb: plan.Converge}, func(g *fixture) { g.Observation.Unreadable = []driver.FieldError{{Field: "tags"}} }, nil},
		{"observed only", plan.Action{Verb: plan.Converge}, func(g *fixture) { g.Policy.Management = v1alpha1.ManagementObserve }, nil},
		{"an update for drift", plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "tags"}}}, nothing, nil},
		{"an update for a class, which may have to wait", plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "tags"}}}, ofClass(true),
			[]string{"former", stored, "wanted"}},
		{"an approved update for a class", plan.Action{Verb: plan.Update, Approved: true, Changes: []driver.Change{{Field: "tags"}}}, ofClass(true), nil},
		{"an update for a class before the first Ready", plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "tags"}}}, ofClass(false), nil},
		{"an update for a class while it is deleted", plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "tags"}}}, func(g *fixture) {
			ofClass(true)(g)
			g.View.Deleting = true
		}, nil},
		{"gone", plan.Action{Verb: plan.RemoveFinalizer}, nothing, []string{"former", "wanted"}},
		{"gone, and the cloud object stays", plan.Action{Verb: plan.RemoveFinalizer, Orphaned: true}, nothing, nil},
		{"to be deleted", plan.Action{Verb: plan.Delete}, nothing, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(map[string]string{"current": "one", "serial": "1"})
			d.Spec.Connection = &v1alpha1.Connection{SecretName: "wanted"}
			d.Status.Binding = &v1alpha1.Binding{Name: "former"}
			var read []string
			c := fake.NewClientBuilder().WithObjects(secret).WithInterceptorFuncs(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					if _, ok := o.(*corev1.Secret); ok {
						read = append(read, key.Name)
					}
					return c.Get(ctx, key, o, opts...)
				},
			}).Build()
			g := fixtureOf(d, c)
			g.View.Mark = driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
			g.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: g.View.Mark}
			g.remember(&binding.ConnectionSecret{})
			test.before(g)
			if err := g.gatherFor(t.Context(), test.action); err != nil {
				t.Fatal(err)
			}
			if slices.Sort(read); !slices.Equal(read, test.want) {
				t.Errorf("read %q, want %q", read, test.want)
			}
			if test.want == nil || test.action.Verb == plan.Create || test.action.Verb == plan.Adopt {
				return
			}
			carryOut := func() error { _, err := g.features().Publish(t.Context(), g.work(), outcome.Outcome{}); return err }
			if test.action.Verb == plan.RemoveFinalizer {
				carryOut = func() error { return g.features().Drop(t.Context(), g.work(), test.action.Orphaned) }
			}
			if err := carryOut(); err != nil {
				t.Errorf("a Secret was not read that the action takes: %v", err)
			}
		})
	}
}

// An action goes on if only what publishing takes can't be read; one that needs a Secret for itself ends.
func TestSecretThatCannotBeRead(t *testing.T) {
	byClass := plan.Action{Verb: plan.Update, Changes: []driver.Change{{Field: "tags"}}}
	for _, test := range []struct {
		name, fails string
		action      plan.Action
		goesOn      bool
	}{
		{"converged", "wanted", plan.Action{Verb: plan.Converge}, true},
		{"converged, and the password Secret", "password-uid-now", plan.Action{Verb: plan.Converge}, true},
		{"waiting for approval", "wanted", plan.Action{Verb: plan.AwaitApproval}, true},
		{"waiting for approval, and a former name", "former", plan.Action{Verb: plan.AwaitApproval}, true},
		{"an update for a class", "wanted", byClass, true},
		{"a creation", "wanted", plan.Action{Verb: plan.Create}, false},
		{"a creation, and the password Secret", "password-uid-now", plan.Action{Verb: plan.Create}, false},
		{"a takeover", "password-uid-now", plan.Action{Verb: plan.Adopt}, false},
		{"gone", "wanted", plan.Action{Verb: plan.RemoveFinalizer}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(map[string]string{"current": "one", "serial": "1"})
			d.Spec.Connection = &v1alpha1.Connection{SecretName: "wanted"}
			d.Status.Binding = &v1alpha1.Binding{Name: "former"}
			c := fake.NewClientBuilder().WithObjects(secret).WithInterceptorFuncs(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					if key.Name == test.fails {
						return errors.New("no answer")
					}
					return c.Get(ctx, key, o, opts...)
				},
			}).Build()
			g := fixtureOf(d, c)
			g.View.Mark = driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
			g.View.WasReady, g.View.ClassChanged = true, class.Fields{"tags"}
			g.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: g.View.Mark}
			g.remember(&binding.ConnectionSecret{})
			err := g.gatherFor(t.Context(), test.action)
			if (err == nil) != test.goesOn {
				t.Errorf("it ends with %v; it should go on: %t", err, test.goesOn)
			}
			if _, err := g.features().Publish(t.Context(), g.work(), outcome.Outcome{}); test.goesOn && (err == nil || !strings.Contains(err.Error(), "no answer")) {
				t.Errorf("it publishes although a Secret could not be read: %v", err)
			}
		})
	}
}
