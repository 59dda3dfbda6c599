package execute

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A server that is taken over has a password that others know, unless it was ours before; what was meant for one of our own making
// was not set by its creation.
func TestTakeOverPassword(t *testing.T) {
	mark := driver.Mark{Cluster: "id", Namespace: "shop", Name: "orders", UID: "uid-now"}
	before := mark
	before.UID = "uid-before"
	for _, test := range []struct {
		name         string
		mark         driver.Mark
		id           string
		accepted     string // the serial in the status
		stored, want map[string]string
	}{
		{name: "a stranger's", want: map[string]string{"serial": "1", "foreign": "true"}},
		{name: "a stranger's, in place of one that was to be created", stored: map[string]string{"next": "one", "serial": "1"},
			want: map[string]string{"next": "one", "serial": "2", "foreign": "true"}},
		{name: "ours of before", mark: before, want: map[string]string{}},
		{name: "ours of before, in place of one that was to be created", mark: before, stored: map[string]string{"next": "one", "serial": "1"},
			want: map[string]string{"next": "one", "serial": "2"}},
		{name: "one that lost its mark", id: "id-known", stored: map[string]string{"next": "one", "serial": "1"}, want: map[string]string{"next": "one", "serial": "1"}},
		{name: "one that was restored", mark: mark, id: "id-new", stored: map[string]string{"current": "one", "serial": "1"}, want: map[string]string{"current": "one", "serial": "1"}},
		{name: "one that was restored while a password was being set", mark: mark, id: "id-new", stored: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2",
			want: map[string]string{"current": "one", "next": "two", "serial": "3"}},
		{name: "one that was restored with the password of its creation", mark: mark, id: "id-new", stored: map[string]string{"next": "one", "serial": "1"}, accepted: "1",
			want: map[string]string{"current": "one", "serial": "1"}},
		{name: "one that was restored before a password was sent", mark: mark, id: "id-new", stored: map[string]string{"current": "one", "next": "two", "serial": "2"},
			want: map[string]string{"current": "one", "next": "two", "serial": "2"}},
		{name: "once more", stored: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, want: map[string]string{"next": "one", "serial": "2", "foreign": "true"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, secret := withPassword(test.stored)
			c := fake.NewClientBuilder().Build()
			if test.stored != nil {
				if err := c.Create(t.Context(), secret); err != nil {
					t.Fatal(err)
				}
			}
			if test.accepted != "" {
				d.Status.Applied = map[string][]string{driver.FieldPassword: {test.accepted}}
			}
			w := workOn(kind.Database(), d, c)
			w.View = plan.View{HasFinalizer: true, Bound: true, Mark: mark, ID: "id-known"}
			w.Observation = driver.Observation{State: driver.Ready, Mark: test.mark, ID: test.id}
			if err := w.takeOverPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			secret.Data = nil
			if err := client.IgnoreNotFound(c.Get(t.Context(), client.ObjectKeyFromObject(secret), secret)); err != nil {
				t.Fatal(err)
			}
			comparePassword(t, secret, test.want)
		})
	}
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
	for _, key := range []string{"current", "next", "serial", "named", "foreign"} {
		if got := string(secret.Data[key]); got != want[key] {
			t.Errorf("the password Secret has %q as %s, want %q", got, key, want[key])
		}
	}
}
