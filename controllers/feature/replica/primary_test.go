package replica

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// relatives returns a cache that has objects.
func relatives(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	byPrimary := func(o client.Object) []string {
		return []string{kind.PrimaryName(kind.Database(), o.(v1alpha1.ResourceObject))}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithIndex(&v1alpha1.Database{}, kind.PrimaryIndex, byPrimary).Build()
}

// parent returns a database that can be used.
func parent() *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", Finalizers: []string{v1alpha1.FinalizerResource}}}
	d.Status.ExternalName, d.Status.ExternalID, d.Status.Provider, d.Status.AccountID, d.Status.Location = "shop-orders", "db-1", "aws", "111", "here"
	d.Status.ClassName, d.Status.ProviderConfigRef = "small", &v1alpha1.BoundProviderConfig{Kind: identity.KindClusterProviderConfig, Name: "platform"}
	d.Status.Conditions = []metav1.Condition{
		{Type: v1alpha1.ConditionAvailable, Status: metav1.ConditionTrue}, {Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue, Reason: "Ready"},
	}
	return d
}

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
			w := reconciliation.State{Object: d, Want: d, Facts: outcome.Facts{
				Kind: kind.Database(), Provider: "aws", Account: "111", Observed: true, Policy: plan.PolicyOf(kind.Database(), d), Observation: driver.Observation{State: driver.Absent},
			}}
			if tt.exists {
				w.Observation.State = driver.Ready
			}
			w.Request.Name, w.Request.Location, w.Request.Mark.Namespace = d.Spec.ExternalName, "here", "shop"
			w.Described.Capabilities.Replicas = !tt.cannot
			set := Of(kind.Database(), relatives(t, objects...), time.Minute)
			if _, err := set[0].Start(t.Context(), &w); err != nil {
				t.Fatal(err)
			}
			set.Interpret(&w)
			stop, err := set.Source(t.Context(), &w)
			if err != nil {
				t.Fatal(err)
			}
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
	w := reconciliation.State{Object: parent(), Facts: outcome.Facts{Kind: kind.Database()}}
	_, err := Of(kind.Database(), relatives(t, objects...), time.Minute)[0].Guard(t.Context(), &w)
	got := part.In(w.Parts).followers
	if err != nil || !slices.Equal(got.held, []string{"Database a", "Database b", "Database new"}) || !slices.Equal(got.leaving, []string{"shop-leaving"}) {
		t.Errorf("got %+v: %v", got, err)
	}
}

// The object that stands for the server which a read replica follows is that of the very server: not one of a later server of the name, or of another one.
func TestPrimaryOfAReplica(t *testing.T) {
	for _, tt := range []struct {
		name      string
		primaryID string // that the status has
		gone      bool   // there is no object of the primary
		elsewhere bool   // the primary is another server than what it follows
		promoted  bool
		want      bool
	}{
		{name: "new", want: true},
		{name: "of the server that the status knows", primaryID: "db-1", want: true},
		{name: "of a later server of the name", primaryID: "db-0"},
		{name: "of another server", elsewhere: true},
		{name: "of a server without an object", gone: true},
		{name: "promoted", promoted: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			primary, d := parent(), reads()
			d.Status.Replica = &v1alpha1.ReplicaStatus{Primary: "shop-orders", PrimaryID: tt.primaryID}
			primary.Status.ExternalName, primary.Status.ExternalID, primary.Status.Provider, primary.Status.AccountID = "shop-orders", "db-1", "aws", "111"
			primary.Status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{}
			if tt.elsewhere {
				primary.Status.ExternalName = "shop-invoices"
			}
			w := reconciliation.State{Object: d, Want: d, Facts: outcome.Facts{Kind: kind.Database()}}
			if !tt.gone {
				w.Primary = reconciliation.Primary{Parent: reconciliation.ParentOf(primary), Object: primary}
			}
			w.Primary.Named, w.Observed, w.Provider, w.Account = "Database orders", true, "aws", "111"
			w.Observation = driver.Observation{State: driver.Ready, Available: true, Replication: &driver.Replication{Follows: &driver.Following{Primary: "shop-orders"}}}
			if tt.promoted {
				w.Observation.Replication = nil
			}
			if got := PrimaryOf(w); (got != nil) != tt.want {
				t.Errorf("got %v, want one: %t", got, tt.want)
			}
		})
	}
}
