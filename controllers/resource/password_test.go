package resource

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A password is sent until it is known to be in force, and published only then.
func TestCheckPassword(t *testing.T) {
	for _, test := range []struct {
		name     string
		vault    map[string]string
		accepted string // the serial in the status
		state    driver.State
		refused  bool
		want     map[string]string // the vault afterwards
		sent     string            // what is to be sent
	}{
		{name: "in force", vault: map[string]string{"current": "one", "serial": "1"}, state: driver.Ready,
			want: map[string]string{"current": "one", "serial": "1"}},
		{name: "set by the creation", vault: map[string]string{"next": "one", "serial": "1"}, state: driver.Ready,
			want: map[string]string{"current": "one", "serial": "1"}},
		{name: "being created", vault: map[string]string{"next": "one", "serial": "1"}, state: driver.Pending,
			want: map[string]string{"next": "one", "serial": "1"}},
		{name: "refused at the creation", vault: map[string]string{"next": "one", "serial": "1"}, state: driver.Ready, refused: true,
			want: map[string]string{"next": "one", "serial": "1"}, sent: "one"},
		{name: "to be sent", vault: map[string]string{"current": "one", "next": "two", "serial": "2"}, state: driver.Ready,
			want: map[string]string{"current": "one", "next": "two", "serial": "2"}, sent: "two"},
		{name: "accepted, and being set", vault: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2", state: driver.Pending,
			want: map[string]string{"current": "one", "next": "two", "serial": "2"}},
		{name: "accepted, and set", vault: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2", state: driver.Ready,
			want: map[string]string{"current": "two", "serial": "2"}},
		{name: "accepted, and refused later", vault: map[string]string{"current": "one", "next": "two", "serial": "2"}, accepted: "2", state: driver.Ready, refused: true,
			want: map[string]string{"current": "one", "next": "two", "serial": "2"}, sent: "two"},
		{name: "thought to be in force, and refused", vault: map[string]string{"current": "two", "serial": "2"}, accepted: "2", state: driver.Ready, refused: true,
			want: map[string]string{"current": "two", "next": "two", "serial": "3"}, sent: "two"},
	} {
		t.Run(test.name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := clientgoscheme.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", UID: "uid-now", Finalizers: []string{v1alpha1.FinalizerResource}}}
			vault := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "mooring-system", Name: vaultName(d)}, Data: bytesOf(test.vault)}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(vault).Build()
			r := &Reconciler[*v1alpha1.Database, v1alpha1.DatabaseParameters]{
				Settings: Settings{Client: c, Reader: c, Namespace: vault.Namespace},
				Kind: &Kind[*v1alpha1.Database, v1alpha1.DatabaseParameters]{
					Credentials: func(*v1alpha1.Database) *v1alpha1.DatabaseCredentials { return nil },
					Connection:  func(*v1alpha1.Database) *v1alpha1.Connection { return &v1alpha1.Connection{SecretName: "orders-db"} },
				},
			}
			tn := &turn[*v1alpha1.Database, v1alpha1.DatabaseParameters]{
				obj: d, want: d, status: &d.Status.ResourceStatus, mem: &memory{}, policy: Policy{Management: v1alpha1.ManagementFull},
				seen: driver.Observation{State: test.state, PasswordRefused: test.refused},
			}
			if test.accepted != "" {
				tn.status.Applied = map[string][]string{driver.FieldPassword: {test.accepted}}
			}
			if err := r.checkPassword(t.Context(), tn); err != nil {
				t.Fatal(err)
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(vault), vault); err != nil {
				t.Fatal(err)
			}
			for _, key := range []string{vaultCurrent, vaultNext, vaultSerial} {
				if got := string(vault.Data[key]); got != test.want[key] {
					t.Errorf("the vault has %q as %s, want %q", got, key, test.want[key])
				}
			}
			if got := tn.request.Login.Password; got != test.sent || len(tn.seen.Changes) > 0 != (test.sent != "") {
				t.Errorf("%q is to be sent by %v, want %q", got, tn.seen.Changes, test.sent)
			}
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
