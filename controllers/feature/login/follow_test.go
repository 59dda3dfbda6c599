package login

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// reads returns a Database that is to follow another one.
func reads() *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "reads", UID: "uid-reads", Finalizers: []string{v1alpha1.FinalizerResource}}}
	d.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: "orders"}}
	return d
}

// A read replica has the password that its primary is known to have. None is sent while it follows, and the one that it has once it follows no more, whatever became of
// the primary's in between.
func TestPasswordOfAReplica(t *testing.T) {
	for _, tt := range []struct {
		name             string
		primary, stored  map[string]string
		accepted         string // of the primary
		promoted         bool
		want             map[string]string // its password Secret
		sends            string
		unknown, changes bool
		gone             bool // there is no object of the primary
	}{
		{name: "new", primary: map[string]string{"next": "one", "serial": "1"}, accepted: "1", want: map[string]string{"current": "one", "serial": "2"}},
		{name: "known", primary: map[string]string{"current": "one", "serial": "4"}, accepted: "4", stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "one", "serial": "2"}},
		{name: "of a server without an object", gone: true, stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "one", "serial": "2"}},
		{name: "unknown, of a server without an object", gone: true, want: map[string]string{}, unknown: true},
		{name: "changed", primary: map[string]string{"current": "two", "serial": "5"}, accepted: "5", stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "two", "serial": "3"}},
		{name: "being changed", primary: map[string]string{"current": "one", "next": "two", "serial": "5"}, accepted: "5", stored: map[string]string{"current": "one", "serial": "2"},
			want: map[string]string{"current": "one", "serial": "2"}, changes: true},
		{name: "to be changed", primary: map[string]string{"current": "one", "next": "two", "serial": "5"}, accepted: "4", stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "one", "serial": "2"}},
		{name: "unknown", primary: map[string]string{"serial": "1", "foreign": "true"}, want: map[string]string{"serial": "1", "foreign": "true"}, unknown: true},
		{name: "unknown, and waiting for approval", primary: map[string]string{"next": "one", "serial": "2", "foreign": "true"}, want: map[string]string{"serial": "1", "foreign": "true"}, unknown: true},
		{name: "just promoted", promoted: true, primary: map[string]string{"current": "two", "serial": "5"}, accepted: "5", stored: map[string]string{"current": "one", "serial": "2"},
			want: map[string]string{"current": "one", "next": "one", "serial": "3", "superseded": "true"}, sends: "one"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			primary, of := withPassword(tt.primary)
			d := reads()
			d.Spec.Connection = &v1alpha1.Connection{SecretName: "reads-db"}
			d.Status.Replica = &v1alpha1.ReplicaStatus{Primary: "shop-orders"}
			if tt.accepted != "" {
				primary.Status.Applied = map[string][]string{plan.FieldPassword: {tt.accepted}}
			}
			if tt.stored != nil {
				d.Status.Applied = map[string][]string{plan.FieldPassword: {tt.stored["serial"]}}
			}
			_, own := withPassword(tt.stored)
			own.Name, own.Labels[v1alpha1.LabelName] = password.SecretName(d.UID), d.Name
			objects := []client.Object{of}
			if tt.stored != nil {
				objects = append(objects, own)
			}
			c := fake.NewClientBuilder().WithObjects(objects...).Build()
			w := fixtureOf(d, c)
			if !tt.gone {
				w.primary = func(reconciliation.State) v1alpha1.ResourceObject { return primary }
			}
			w.Primary.Named = "Database orders"
			w.Observation = driver.Observation{State: driver.Ready, Available: true, Replication: &driver.Replication{Follows: &driver.Following{Primary: "shop-orders"}}}
			if tt.promoted {
				w.Observation.Replication = nil
			}
			observed(t.Context(), w.State)
			if err := w.readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			if w.KeepsPrimary != tt.promoted { // what is decided is not stored yet
				t.Errorf("that it followed its primary stays known: %t, want %t", w.KeepsPrimary, tt.promoted)
			}
			w.storePassword(t)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(own), own); client.IgnoreNotFound(err) != nil || err != nil && len(tt.want) > 0 {
				t.Fatal(err)
			}
			if len(tt.want) > 0 {
				comparePassword(t, own, tt.want)
			}
			if w.plan.Sent.InClear() != tt.sends || (len(w.Observation.Changes) > 0) != (tt.sends != "") {
				t.Errorf("sends %q by %+v, want %q", w.plan.Sent.InClear(), w.Observation.Changes, tt.sends)
			}
			if (w.unknown != nil) != tt.unknown || w.changing != tt.changes {
				t.Errorf("unknown: %v, changes: %t", w.unknown, w.changing)
			}
		})
	}
}

// That a server followed another one stays known until it is stored that it gets a password of its own: also if the password could not even be read.
func TestPromotionIsKnownUntilThePasswordIsStored(t *testing.T) {
	for _, tt := range []struct {
		name         string
		stored       map[string]string
		fails, ended bool
	}{
		{name: "not read", fails: true},
		{name: "not stored", stored: map[string]string{"current": "one", "serial": "2"}},
		{name: "stored", stored: map[string]string{"current": "one", "next": "one", "serial": "3", "superseded": "true"}, ended: true},
		{name: "nobody knows a password, and nobody asks for one", ended: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := reads()
			d.Status.Replica = &v1alpha1.ReplicaStatus{Primary: "shop-orders"}
			builder := fake.NewClientBuilder()
			if tt.stored != nil {
				d.Spec.Connection = &v1alpha1.Connection{SecretName: "reads-db"}
				_, own := withPassword(tt.stored)
				own.Name, own.Labels[v1alpha1.LabelName] = password.SecretName(d.UID), d.Name
				builder.WithObjects(own)
			}
			if tt.fails {
				builder.WithInterceptorFuncs(interceptor.Funcs{
					Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
						return errors.New("no answer")
					},
				})
			}
			w := fixtureOf(d, builder.Build())
			w.Observation = driver.Observation{State: driver.Ready, Available: true}
			observed(t.Context(), w.State)
			if err := w.readPassword(t.Context()); (err != nil) != tt.fails {
				t.Fatal(err)
			}
			if w.KeepsPrimary == tt.ended {
				t.Errorf("that it followed its primary stays known: %t, want %t", w.KeepsPrimary, !tt.ended)
			}
		})
	}
}
