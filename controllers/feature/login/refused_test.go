package login

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature/binding"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A password whose period has passed is stored as the next one before it is sent, and only if its connection Secret can get it. What keeps it from
// that is said once all else is done.
func TestPasswordWhosePeriodHasPassed(t *testing.T) {
	for _, test := range []struct {
		name   string
		secret func(*corev1.Secret) // the connection Secret; it is the database's own
		reason v1alpha1.Reason      // why the password stays
		fails  bool                 // nobody could look
	}{
		{name: "due", secret: func(*corev1.Secret) {}},
		{name: "due, and without a connection Secret"},
		{name: "the connection Secret is immutable", secret: func(s *corev1.Secret) { s.Immutable = new(true) }, reason: v1alpha1.ReasonSecretNotWritten},
		{name: "the connection Secret is another's", secret: func(s *corev1.Secret) { s.Labels = nil }, reason: v1alpha1.ReasonSecretNotOwned},
		{name: "the connection Secret can't be read", fails: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(map[string]string{"current": "one", "serial": "2"})
			now := time.Now()
			born := metav1.NewTime(now.Add(-800 * time.Hour).Truncate(time.Second))
			d.Spec.Connection = &v1alpha1.Connection{SecretName: "orders-db"}
			d.Spec.Credentials = &v1alpha1.DatabaseCredentials{RotationPeriod: "720h"}
			d.Status.FirstReadyTime = &born
			d.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}
			d.Status.Rotation = &v1alpha1.PasswordRotation{Period: "720h", LastTime: born, NextTime: metav1.NewTime(now.Add(-time.Hour))}
			objects := []client.Object{secret}
			if test.secret != nil {
				connection := &corev1.Secret{
					ObjectMeta: metav1.ObjectMeta{Namespace: d.Namespace, Name: "orders-db", Labels: map[string]string{v1alpha1.LabelKind: "Database", v1alpha1.LabelName: d.Name}},
					Type:       "servicebinding.io/postgresql",
				}
				test.secret(connection)
				objects = append(objects, connection)
			}
			c := fake.NewClientBuilder().WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
					if test.fails && key.Name == "orders-db" {
						return errors.New("no answer")
					}
					return c.Get(ctx, key, o, opts...)
				},
			}).Build()
			g := fixtureOf(d, c)
			g.Observation = driver.Observation{State: driver.Ready, Available: true}
			g.remember(&binding.ConnectionSecret{Checked: now}) // what was found right lately is looked at all the same
			err := g.readPassword(t.Context())
			if (err != nil) != test.fails {
				t.Fatal(err)
			}
			rotates := test.reason == "" && !test.fails
			if (g.plan.Step == password.Rotate) != rotates || (g.plan.State.Next != "") != rotates || (g.plan.Store == password.AtOnce) != rotates {
				t.Errorf("it does %q, and stores %q: %+v", g.plan.Step, g.plan.Store, g.plan.State)
			}
			refused, _ := errors.AsType[*identity.ValidationError](g.rotationRefused)
			if test.reason != "" && (refused == nil || refused.Reason != test.reason) || test.reason == "" && refused != nil {
				t.Errorf("it is refused by %v, want %s", g.rotationRefused, test.reason)
			}
			if test.fails {
				return
			}
			if err := g.publish(t.Context()); (err != nil) != (test.reason != "") {
				t.Errorf("to publish says %v", err)
			}
		})
	}
}
