package gather

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// reads returns a database that is to follow orders.
func reads() *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "reads", UID: "uid-reads", Finalizers: []string{v1alpha1.FinalizerResource}}}
	d.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: "orders"}}
	return d
}

// A read replica is made of a database of its namespace that can be used, in the same account, and of no other: without one nothing is created.
func TestPrimaryOfANewReplica(t *testing.T) {
	for _, tt := range []struct {
		name    string
		primary func(*v1alpha1.Database)
		none    bool
		spec    func(*v1alpha1.DatabaseSpec)
		cannot  bool
		exists  bool
		reason  v1alpha1.Reason
		message string
		from    string // the other location
	}{
		{name: "usable"},
		{name: "of which nobody knows what it is like", primary: func(d *v1alpha1.Database) { d.Status.Observed = nil }, reason: v1alpha1.ReasonPrimaryNotReady, message: "can't be used yet"},
		{name: "elsewhere", primary: func(d *v1alpha1.Database) { d.Status.Location = "there" }, from: "there"},
		{name: "the server exists", exists: true},
		{name: "there is none", none: true, reason: v1alpha1.ReasonPrimaryNotFound, message: "there is no Database orders in this namespace"},
		{name: "itself", spec: func(s *v1alpha1.DatabaseSpec) { s.Replica.PrimaryRef.Name = "reads" }, reason: v1alpha1.ReasonInvalid, message: "which is this object itself"},
		{name: "not reconciled", primary: func(d *v1alpha1.Database) { d.Status = v1alpha1.DatabaseStatus{} }, reason: v1alpha1.ReasonPrimaryNotReady, message: "(not reconciled)"},
		{name: "being created", primary: func(d *v1alpha1.Database) {
			d.Status.Conditions[0].Status, d.Status.Conditions[1].Reason = metav1.ConditionFalse, "Creating"
		}, reason: v1alpha1.ReasonPrimaryNotReady, message: "which can't be used yet (Creating)"},
		{name: "being deleted", primary: func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)} }, reason: v1alpha1.ReasonPrimaryNotReady, message: "delete this object"},
		{name: "only observed", primary: func(d *v1alpha1.Database) { d.Spec.Management = v1alpha1.ManagementObserve }, reason: v1alpha1.ReasonInvalid, message: "only observed"},
		{name: "in another account", primary: func(d *v1alpha1.Database) { d.Status.AccountID = "222" }, reason: v1alpha1.ReasonInvalid, message: "is in aws account 222, and this object is to be in aws account 111"},
		{name: "in another cloud", primary: func(d *v1alpha1.Database) { d.Status.Provider = "gcp" }, reason: v1alpha1.ReasonInvalid, message: "gcp account 111"},
		{name: "of the name that this one is to have", spec: func(s *v1alpha1.DatabaseSpec) { s.ExternalName = "shop-orders" }, reason: v1alpha1.ReasonInvalid, message: "choose another spec.externalName"},
		{name: "with a password that the cloud manages", primary: func(d *v1alpha1.Database) {
			d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsCloudManaged}
		}, reason: v1alpha1.ReasonInvalid, message: "set spec.credentials.source of it to Generated"},
		{name: "of another engine", primary: func(d *v1alpha1.Database) {
			d.Status.Observed = &v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EngineMySQL), Version: new("8.0")}
		}, spec: func(s *v1alpha1.DatabaseSpec) { s.Engine = new(v1alpha1.EnginePostgres) }, reason: v1alpha1.ReasonInvalid, message: "set spec.engine to mysql"},
		{name: "the cloud can't", cannot: true, reason: v1alpha1.ReasonNotSupported, message: "remove spec.replica"},
		{name: "to be promoted at once", spec: func(s *v1alpha1.DatabaseSpec) { s.Replica.Role = v1alpha1.ReplicaRolePrimary }, exists: true}, // the plan refuses it
	} {
		t.Run(tt.name, func(t *testing.T) {
			d, primary := reads(), parent()
			primary.UID, primary.Status.Observed = "uid-orders", &v1alpha1.DatabaseParameters{}
			if tt.spec != nil {
				tt.spec(&d.Spec)
			}
			if tt.primary != nil {
				tt.primary(primary)
			}
			objects := []client.Object{d, primary}
			if tt.none {
				objects = objects[:1]
			}
			w := gatheringOf(d, nil)
			w.gatherer.Cache = relatives(t, objects...)
			w.Provider, w.Account, w.Observed, w.Observation = "aws", "111", true, driver.Observation{State: driver.Absent}
			if tt.exists {
				w.Observation.State = driver.Ready
			}
			w.Request.Name, w.Request.Location, w.Request.Mark.Namespace = d.Spec.ExternalName, "here", "shop"
			w.Described.Capabilities.Replicas = !tt.cannot
			f := &following{w}
			if err := f.find(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.View.Replica = replicaOf(w.State)
			stop := w.run(t.Context(), []step{{gather: func(g *gathering, ctx context.Context) error { return (&following{g}).begin(ctx) }, check: canFollow}})
			got, says := v1alpha1.Reason(""), ""
			if stop != nil {
				got, says = stop.Outcome.Reason, stop.Outcome.Message
				if refused, ok := errors.AsType[*identity.ValidationError](stop.Err); ok {
					got, says = refused.Reason, refused.Message
				}
			}
			if got != tt.reason || !strings.Contains(says, tt.message) {
				t.Errorf("it ended with %s: %q; want %s: %q", got, says, tt.reason, tt.message)
			}
			from := w.Request.Restore
			switch {
			case tt.exists && from != nil:
				t.Error("what exists is to be made of another one")
			case stop == nil && !tt.exists && (from == nil || !from.Follows || from.Source != (driver.ParentRef{Name: "shop-orders", ID: "db-1"}) || from.SourceLocation != tt.from || from.SourceMark != driver.Mark{Namespace: "shop", Name: "orders", UID: "uid-orders"}):
				t.Errorf("it is to be made of %+v", from)
			}
		})
	}
}

// A database that is being deleted learns which objects follow it, and which of those are on their way out.
func TestFollowersOf(t *testing.T) {
	follower := func(name string, change func(*v1alpha1.Database)) *v1alpha1.Database {
		d := reads()
		d.Name, d.Status.ExternalName, d.Status.Replica = name, "shop-"+name, &v1alpha1.ReplicaStatus{Primary: "shop-orders"}
		d.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
		if change != nil {
			change(d)
		}
		return d
	}
	objects := []client.Object{
		follower("b", nil), follower("a", nil),
		follower("new", func(d *v1alpha1.Database) { d.Status.FirstReadyTime, d.Status.Replica = nil, nil }),
		follower("promoted", func(d *v1alpha1.Database) { d.Status.Replica = nil }),
		follower("unbound", func(d *v1alpha1.Database) { d.Status = v1alpha1.DatabaseStatus{} }),
		follower("refused", func(d *v1alpha1.Database) { d.Status.CreationRefused = true }),
		follower("leaving", func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)} }),
		follower("elsewhere", func(d *v1alpha1.Database) { d.Spec.Replica.PrimaryRef.Name = "other" }),
		follower("far", func(d *v1alpha1.Database) { d.Namespace = "other" }),
	}
	got, err := FollowersOf(t.Context(), relatives(t, objects...), kind.Database(), parent())
	if err != nil || !slices.Equal(got.Held, []string{"Database a", "Database b", "Database new"}) || !slices.Equal(got.Leaving, []string{"shop-leaving"}) {
		t.Errorf("got %+v: %v", got, err)
	}
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
		primaryID        string // that the status has
		gone             bool   // there is no object of the primary
		elsewhere        bool   // the primary is another server than what it follows
	}{
		{name: "new", primary: map[string]string{"next": "one", "serial": "1"}, accepted: "1", want: map[string]string{"current": "one", "serial": "2"}},
		{name: "known", primary: map[string]string{"current": "one", "serial": "4"}, accepted: "4", stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "one", "serial": "2"}},
		{name: "of the server that the status knows", primaryID: "db-1", primary: map[string]string{"current": "two", "serial": "5"}, accepted: "5", stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "two", "serial": "3"}},
		{name: "of a later server of the name", primaryID: "db-0", primary: map[string]string{"current": "two", "serial": "5"}, accepted: "5", stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "one", "serial": "2"}},
		{name: "of another server", elsewhere: true, primary: map[string]string{"current": "two", "serial": "5"}, accepted: "5", stored: map[string]string{"current": "one", "serial": "2"}, want: map[string]string{"current": "one", "serial": "2"}},
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
			d.Status.Replica = &v1alpha1.ReplicaStatus{Primary: "shop-orders", PrimaryID: tt.primaryID}
			primary.Status.ExternalName, primary.Status.ExternalID, primary.Status.Provider, primary.Status.AccountID = "shop-orders", "db-1", "aws", "111"
			primary.Status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{}
			if tt.elsewhere {
				primary.Status.ExternalName = "shop-invoices"
			}
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
			w := gatheringOf(d, c)
			if !tt.gone {
				w.Primary = reconciliation.Primary{Parent: parentOf(primary), Object: primary}
			}
			w.Primary.Named, w.Observed, w.Provider, w.Account = "Database orders", true, "aws", "111"
			w.Observation = driver.Observation{State: driver.Ready, Available: true, Replication: &driver.Replication{Follows: &driver.Following{Primary: "shop-orders"}}}
			if tt.promoted {
				w.Observation.Replication = nil
			}
			w.observed(w.Observation)
			if err := w.login().readPassword(t.Context()); err != nil {
				t.Fatal(err)
			}
			if w.KeepsPrimary != tt.promoted { // what is decided is not stored yet
				t.Errorf("that it followed its primary stays known: %t, want %t", w.KeepsPrimary, tt.promoted)
			}
			w.storePassword(t, c)
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(own), own); client.IgnoreNotFound(err) != nil || err != nil && len(tt.want) > 0 {
				t.Fatal(err)
			}
			if len(tt.want) > 0 {
				comparePassword(t, own, tt.want)
			}
			if w.Password.Sent.InClear() != tt.sends || (len(w.Observation.Changes) > 0) != (tt.sends != "") {
				t.Errorf("sends %q by %+v, want %q", w.Password.Sent.InClear(), w.Observation.Changes, tt.sends)
			}
			if (w.PasswordUnknown != nil) != tt.unknown || w.PasswordChanges != tt.changes {
				t.Errorf("unknown: %v, changes: %t", w.PasswordUnknown, w.PasswordChanges)
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
			w := gatheringOf(d, builder.Build())
			w.observed(driver.Observation{State: driver.Ready, Available: true})
			if err := w.login().readPassword(t.Context()); (err != nil) != tt.fails {
				t.Fatal(err)
			}
			if w.KeepsPrimary == tt.ended {
				t.Errorf("that it followed its primary stays known: %t, want %t", w.KeepsPrimary, !tt.ended)
			}
		})
	}
}
