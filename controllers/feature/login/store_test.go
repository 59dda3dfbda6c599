package login

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/feature"
	"github.com/mooring-dev/mooring/controllers/feature/replica"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// failing returns a cluster to which nothing can be written, if it fails.
func failing(fails bool) client.Client {
	c := fake.NewClientBuilder().Build()
	if !fails {
		return c
	}
	return interceptor.NewClient(c, interceptor.Funcs{
		Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return errors.New("no answer")
		},
	})
}

// A password is stored at the moment that was decided, and at no other. No server is created or taken over whose password can't be used.
func TestPasswordIsStoredAtItsMoment(t *testing.T) {
	refused := &identity.ValidationError{Reason: v1alpha1.ReasonPasswordNotFound}
	moments := map[feature.Moment]password.StorePoint{feature.AtOnce: password.AtOnce, feature.BeforeTakeover: password.BeforeStartOver, feature.BeforeCreation: password.AfterStartOver}
	for at, its := range moments {
		for _, store := range []password.StorePoint{password.Never, password.AtOnce, password.BeforeStartOver, password.AfterStartOver} {
			for _, refuse := range []error{nil, refused} {
				t.Run(string(at)+", "+string(store), func(t *testing.T) {
					d, _ := withPassword(nil)
					g := fixtureOf(d, failing(false))
					g.secret = g.passwords.New(owner(g.Kind, d))
					g.plan = decision{Decision: password.Decision{State: password.State{Stored: password.Stored{Next: "one", Serial: 1}, Sent: 1}, Store: store}, Refused: refuse}
					w, before := g.work(), *g.secret
					err := g.features().Prepare(t.Context(), w, at)
					if stops := refuse != nil && at != feature.AtOnce; (err != nil) != stops {
						t.Fatalf("it ended with %v", err)
					}
					found, getErr := g.passwords.Get(t.Context(), owner(g.Kind, d))
					wrote := store == its && (refuse == nil || at == feature.AtOnce)
					if getErr != nil || found.Exists != wrote || wrote && found.Stored.Next != "one" {
						t.Errorf("stored is %+v (%v)", found, getErr)
					}
					if g.secret.Exists || g.secret.Stored != before.Stored {
						t.Error("what others hold was changed")
					}
					if err := g.features().Prepare(t.Context(), w, at); wrote && err != nil {
						t.Errorf("it is stored once more, with %v", err)
					}
				})
			}
		}
	}
}

// If the next password can't be stored, the status goes on to say that it may have arrived.
func TestPasswordThatCanNotBeStored(t *testing.T) {
	d, _ := withPassword(nil)
	plan.NotePassword(&d.Status.ResourceStatus, 2)
	g := fixtureOf(d, failing(true))
	plan.NotePassword(g.Status(), 0) // it was accepted, and came to nothing
	g.secret = g.passwords.New(owner(g.Kind, d))
	g.plan.State, g.plan.Store = password.State{Stored: password.Stored{Next: "two", Serial: 2}}, password.AtOnce
	w := g.work()
	if err := g.features().Prepare(t.Context(), w, feature.AtOnce); err == nil {
		t.Fatal("it was stored")
	}
	if plan.AcceptedPassword(w.Status()) != 2 {
		t.Error("nothing says any more that the password may have arrived")
	}
}

// The status says on that a server follows another one, although it was promoted, until it is stored that it gets a password of its own.
func TestPromotionIsToldOnceThePasswordIsStored(t *testing.T) {
	for _, fails := range []bool{false, true} {
		d := reads()
		d.Status.FirstReadyTime, d.Status.Replica = &metav1.Time{Time: time.Unix(1, 0)}, &v1alpha1.ReplicaStatus{Primary: "orders"}
		g := fixtureOf(d, failing(fails))
		g.Observed, g.KeepsPrimary = true, true
		g.View.Mark = driver.Mark{Cluster: "id", Namespace: "shop", Name: "reads", UID: "uid-reads"}
		g.Observation = driver.Observation{State: driver.Ready, Available: true, Mark: g.View.Mark}
		g.secret = g.passwords.New(owner(g.Kind, d))
		g.plan.Decision = password.Decision{State: password.State{Stored: password.Stored{Current: "one", Next: "one", Serial: 3, Superseded: true}}, Store: password.AtOnce}
		w := g.work()
		if err := g.features().Prepare(t.Context(), w, feature.AtOnce); (err != nil) != fails {
			t.Fatal(err)
		}
		told := replica.Of(w.Kind, nil, time.Minute).Describe(w.State, w.Object, outcome.Outcome{KeepConditions: true}).Object
		if follows := kind.ReplicaStatusOf(w.Kind, told) != nil; follows != fails {
			t.Errorf("storing fails: %t; the status says that it follows its primary: %t", fails, follows)
		}
	}
}

// Which password the cloud accepted is noted in the status and in memory. An Event says what it was about, and never the password.
func TestAcceptedPasswordIsNoted(t *testing.T) {
	set := driver.Change{Field: plan.FieldPassword}
	for _, tt := range []struct {
		name    string
		changes []driver.Change
		next    string
		rotates bool
		serial  int
		event   string
		says    string
	}{
		{"another", []driver.Change{set}, "other-password", false, 2, v1alpha1.EventPasswordChanged, "changed the administrator's password"},
		{"once more", []driver.Change{set}, "same-password", false, 2, v1alpha1.EventUpdated, "once more"}, // after a promotion
		{"of a rotation", []driver.Change{set}, "other-password", true, 2, v1alpha1.EventPasswordChanged, "rotationPeriod has passed"},
		{"beside another field", []driver.Change{set, {Field: "tags"}}, "other-password", false, 2, "", ""},
		{"another field", []driver.Change{{Field: "tags"}}, "other-password", false, 0, "", ""},
		{"nothing", nil, "other-password", false, 0, "", ""},
		{"handed over", []driver.Change{handOver(&v1alpha1.ResourceStatus{})}, "other-password", false, 0, v1alpha1.EventPasswordChanged, "the cloud sets a password of its own"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, _ := withPassword(nil)
			g := fixtureOf(d, nil)
			g.plan.State, g.View.Rotates = password.State{Stored: password.Stored{Current: "same-password", Next: tt.next, Serial: 2}}, tt.rotates
			w := g.work()
			said := g.features().Sent(w, plan.Action{Verb: plan.Update}, tt.changes)
			if (said != nil) != (tt.event != "") || said != nil && (said.Reason != tt.event || !strings.Contains(said.Message, tt.says) || strings.Contains(said.Message, "-password")) {
				t.Errorf("it says %+v", said)
			}
			if plan.AcceptedPassword(w.Status()) != tt.serial || remembered.In(w.Memory.Parts).sent != tt.serial {
				t.Errorf("accepted is %d, and remembered %d, want %d", plan.AcceptedPassword(w.Status()), remembered.In(w.Memory.Parts).sent, tt.serial)
			}
		})
	}
}
