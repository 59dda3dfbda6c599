package gather

import (
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/family"
)

// relatives returns a client that finds users by their database, as the cache does.
func relatives(t *testing.T, objects ...client.Object) client.Client {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	family.AddToScheme(scheme)
	byPrimary := func(o client.Object) []string {
		return []string{kind.PrimaryName(kind.Database(), o.(v1alpha1.ResourceObject))}
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithIndex(&v1alpha1.Database{}, kind.PrimaryIndex, byPrimary).
		WithIndex(&family.User{}, kind.ParentIndex, func(o client.Object) []string { return []string{o.(*family.User).Spec.DatabaseRef.Name} }).
		WithIndex(&family.User{}, kind.CloudIndex, func(o client.Object) []string { return family.Kind().CloudKeys(o.(*family.User)) }).Build()
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

// child returns a user of that database that is in the cloud.
func child() *family.User {
	u := &family.User{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "app", UID: "uid-1", Finalizers: []string{v1alpha1.FinalizerResource}}}
	u.Spec.DatabaseRef.Name = "orders"
	u.Status.ExternalName, u.Status.Origin, u.Status.Provider, u.Status.AccountID, u.Status.Location = "shop-app", v1alpha1.OriginCreated, "aws", "111", "here"
	u.Status.ProviderConfigRef = &v1alpha1.BoundProviderConfig{Kind: identity.KindClusterProviderConfig, Name: "platform"}
	u.Status.Parent = v1alpha1.ParentStatus{ExternalName: "shop-orders", ExternalID: "db-1", Recorded: true}
	u.Status.FirstReadyTime = &metav1.Time{Time: time.Unix(1, 0)}
	return u
}

// users gathers what is known of a user.
func users(t *testing.T, u *family.User, objects ...client.Object) *gathering {
	t.Helper()
	k := family.Kind()
	g := &Gatherer{Kind: k, Family: kind.FamilyOf(k, []*kind.Kind{kind.Database(), k}), Cache: relatives(t, objects...)}
	w := g.begin(reconciliation.Begin(u, time.Unix(1000, 0), reconciliation.News{}, reconciliation.Memory{}))
	if err := w.findParent(t.Context()); err != nil {
		t.Fatal(err)
	}
	return w
}

// What is not in the cloud yet waits for its parent; what is there does not.
func TestWaitingForTheParent(t *testing.T) {
	unbound := func(u *family.User) { u.Status = family.UserStatus{} }
	observes := func(u *family.User) { u.Spec.Management = v1alpha1.ManagementObserve }
	unusable := func(d *v1alpha1.Database) {
		d.Status.Conditions[0].Status, d.Status.Conditions[1].Reason = metav1.ConditionFalse, "CloudBusy"
	}
	leaving := func(d *v1alpha1.Database) { d.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)} }
	observed := func(d *v1alpha1.Database) { d.Spec.Management = v1alpha1.ManagementObserve }
	absent := driver.Observation{State: driver.Absent}
	for _, test := range []struct {
		name    string
		child   []func(*family.User)
		parent  func(*v1alpha1.Database)
		none    bool // no parent at all
		seen    driver.Observation
		state   condition.State
		reason  v1alpha1.Reason // empty: it goes on
		message string
		refused v1alpha1.Reason
	}{
		{name: "new", child: []func(*family.User){unbound}},
		{name: "new, and nothing is to be created", child: []func(*family.User){unbound, observes}, parent: unusable},
		{name: "new, and the parent is not usable", child: []func(*family.User){unbound}, parent: unusable,
			state: condition.Progressing, reason: v1alpha1.ReasonParentNotReady, message: "waiting for Database orders, which can't be used yet (CloudBusy)"},
		{name: "new, and the parent is new", child: []func(*family.User){unbound}, parent: func(d *v1alpha1.Database) { d.Status = v1alpha1.DatabaseStatus{} },
			state: condition.Progressing, reason: v1alpha1.ReasonParentNotReady, message: "not reconciled"},
		{name: "new, and the parent is being deleted", child: []func(*family.User){unbound}, parent: leaving,
			state: condition.Stalled, reason: v1alpha1.ReasonParentNotReady, message: "Database orders is being deleted"},
		{name: "new, and the parent is only observed", child: []func(*family.User){unbound}, parent: observed,
			state: condition.Stalled, reason: v1alpha1.ReasonNotOwned, message: "Database orders is only observed", refused: v1alpha1.ReasonNotOwned},
		{name: "new, and there is no parent", child: []func(*family.User){unbound}, none: true, reason: v1alpha1.ReasonParentNotFound, message: "there is no Database orders"},
		{name: "created, and the parent is not usable", parent: unusable, seen: driver.Observation{State: driver.Ready}},
		{name: "created, and the parent is being deleted", parent: leaving, seen: driver.Observation{State: driver.Ready}},
		{name: "created, and the parent is only observed now", parent: observed, seen: driver.Observation{State: driver.Ready}, refused: v1alpha1.ReasonNotOwned},
		{name: "created, and there is no parent", none: true, reason: v1alpha1.ReasonParentNotFound, message: "there is no Database orders"},
		{name: "created within another", parent: func(d *v1alpha1.Database) { d.Status.ExternalName = "shop-other" },
			state: condition.Stalled, reason: v1alpha1.ReasonImmutable, message: "it was created within shop-orders of account 111 (aws, here), and spec.databaseRef.name now names Database orders, which is shop-other of account 111 (aws, here); change spec.databaseRef.name back"},
		{name: "created within one of that name in another cloud", parent: func(d *v1alpha1.Database) { d.Status.Provider = "gcp" },
			state: condition.Stalled, reason: v1alpha1.ReasonImmutable, message: "shop-orders of account 111 (gcp, here)"},
		{name: "created within one of that name in another account", parent: func(d *v1alpha1.Database) { d.Status.AccountID = "222" },
			state: condition.Stalled, reason: v1alpha1.ReasonImmutable, message: "shop-orders of account 222 (aws, here)"},
		{name: "created within one of that name in another location", parent: func(d *v1alpha1.Database) { d.Status.Location = "there" },
			state: condition.Stalled, reason: v1alpha1.ReasonImmutable, message: "shop-orders of account 111 (aws, there)"},
		{name: "created where nobody recorded the location", child: []func(*family.User){func(u *family.User) { u.Status.Location = "" }}},
		{name: "created within one that another took the place of", parent: func(d *v1alpha1.Database) { d.Status.ExternalID = "db-2" }},
		{name: "vanished", seen: absent},
		{name: "vanished, and the parent is not usable", parent: unusable, seen: absent,
			state: condition.Updating, reason: v1alpha1.ReasonParentNotReady, message: "waiting for Database orders"},
		{name: "vanished, and the parent is being deleted", parent: leaving, seen: absent,
			state: condition.Stalled, reason: v1alpha1.ReasonParentNotReady, message: "Database orders is being deleted"},
		{name: "being deleted, and there is no parent", none: true, child: []func(*family.User){
			func(u *family.User) { u.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)} }}, seen: absent},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, d := child(), parent()
			for _, change := range test.child {
				change(u)
			}
			if test.parent != nil {
				test.parent(d)
			}
			var there []client.Object
			if !test.none {
				there = append(there, d)
			}
			w := users(t, u, there...)
			stop := hasParent(w.State)
			if stop == nil && test.seen.State != driver.Unknown {
				w.Observed, w.Observation = true, test.seen
				stop = isCreatable(w.State)
			}
			got, message, state := v1alpha1.Reason(""), "", condition.State(0)
			if stop != nil {
				got, message, state = stop.Outcome.Reason, stop.Outcome.Message, stop.Outcome.State
				if refusal, ok := stop.Err.(*identity.ValidationError); ok { //nolint:errorlint // as it is returned
					got, message = refusal.Reason, refusal.Message
				}
			}
			if got != test.reason || state != test.state || !strings.Contains(message, test.message) || w.Policy.Refused.Reason != test.refused {
				t.Errorf("got %q (%v) %q, and refused %q", got, state, message, w.Policy.Refused.Reason)
			}
		})
	}
}

// The account is the parent's. A deletion goes by what is recorded, also if the parent is gone or is another one now.
func TestTheAccountIsTheParents(t *testing.T) {
	d := parent()
	d.Status.ExternalID, d.Status.ProviderConfigRef.Name = "db-2", "moved"
	now := users(t, child(), d)
	if want := (driver.ParentRef{Name: "shop-orders", ID: "db-2"}); now.Parent.Ref != want || now.Parent.Config.Name != "moved" || now.Parent.Class != "small" || now.location() != "here" {
		t.Errorf("got %+v, at %q", now.Parent, now.location())
	}
	u := child()
	u.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)}
	for _, objects := range [][]client.Object{nil, {d}} {
		leaves := users(t, u, objects...)
		if want := (driver.ParentRef{Name: "shop-orders", ID: "db-1"}); leaves.Parent.Ref != want || leaves.Parent.Config.Name != "platform" {
			t.Errorf("with %d parents: got %+v", len(objects), leaves.Parent)
		}
	}
	fresh := child()
	fresh.Status = family.UserStatus{}
	w := users(t, fresh, parent())
	w.Provider, w.Account = "aws", "222"
	if v := isSameAccount(w.State); v == nil || v.Outcome.Reason != v1alpha1.ReasonAccountChanged || !strings.Contains(v.Outcome.Message, "Database orders is in account 111") {
		t.Errorf("in another account than the parent: %+v", v)
	}
}

// That nothing was created for a child is stored as soon as its parent takes nothing any more: else a creation that was refused twice, of
// which memory alone knows, keeps the parent from being deleted.
func TestNeverCreatedIsStoredWhenTheParentLeaves(t *testing.T) {
	leaving := func(d *v1alpha1.Database) {
		d.DeletionTimestamp, d.Finalizers = &metav1.Time{Time: time.Unix(5, 0)}, []string{v1alpha1.FinalizerResource}
	}
	for _, test := range []struct {
		name   string
		parent func(*v1alpha1.Database)
		child  func(*family.User)
		memory plan.Memory
		want   bool
	}{
		{name: "refused, and the parent is being deleted", parent: leaving, memory: plan.Memory{CreationRefused: true}, want: true},
		{name: "refused, and the parent takes it", memory: plan.Memory{CreationRefused: true}},
		{name: "not answered, and the parent is being deleted", parent: leaving, memory: plan.Memory{CreationSent: true}},
		{name: "bound to nothing", parent: leaving, child: func(u *family.User) { u.Status = family.UserStatus{} }, memory: plan.Memory{CreationRefused: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, d, k := child(), parent(), family.Kind()
			if test.child != nil {
				test.child(u)
			}
			if test.parent != nil {
				test.parent(d)
			}
			g := &Gatherer{Kind: k, Family: kind.FamilyOf(k, []*kind.Kind{kind.Database(), k}), Cache: relatives(t, d)}
			w := g.begin(reconciliation.Begin(u, time.Unix(1000, 0), reconciliation.News{}, reconciliation.Memory{Cloud: test.memory}))
			if err := w.findParent(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := w.Status().CreationRefused; got != test.want {
				t.Errorf("stored: %t, want %t", got, test.want)
			}
		})
	}
}

// A parent that is being deleted waits for those within it that have something in the cloud and are not being deleted too.
func TestParentsWaitForChildren(t *testing.T) {
	named := func(name string, change func(*family.User)) *family.User {
		u := child()
		u.Name = name
		if change != nil {
			change(u)
		}
		return u
	}
	objects := []client.Object{
		named("b", nil), named("a", nil), named("d", nil), named("c", nil),
		named("leaving", func(u *family.User) { u.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)} }),
		named("new", func(u *family.User) { u.Finalizers = nil }),
		named("unbound", func(u *family.User) { u.Status = family.UserStatus{} }),
		named("refused", func(u *family.User) { u.Status.CreationRefused = true }),
		named("elsewhere", func(u *family.User) { u.Spec.DatabaseRef.Name = "other" }),
		named("far", func(u *family.User) { u.Namespace = "other" }),
	}
	d, k := parent(), kind.Database()
	g := &Gatherer{Kind: k, Family: kind.FamilyOf(k, []*kind.Kind{k, family.Kind()}), Cache: relatives(t, objects...)}
	find := func() *gathering {
		w := g.begin(reconciliation.Begin(d, time.Now(), reconciliation.News{}, reconciliation.Memory{}))
		if err := w.findChildren(t.Context()); err != nil {
			t.Fatal(err)
		}
		return w
	}
	if w := find(); len(w.Children) > 0 {
		t.Errorf("it is not being deleted, and has %q", w.Children)
	}
	d.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)}
	w := find()
	if want := []string{"User a", "User b", "User c", "User d"}; !slices.Equal(w.Children, want) {
		t.Errorf("got %q, want %q", w.Children, want)
	}
	w.observed(t.Context(), driver.Observation{State: driver.Ready, ID: "db-1"})
	if err := w.look(t.Context()); err != nil || !slices.Equal(w.View.Children, w.Children) {
		t.Errorf("the plan knows of %q: %v", w.View.Children, err)
	}
}

// Where the cloud has no place for a mark, the record stands for it: what was not recorded as created is nobody's.
func TestRecordedMark(t *testing.T) {
	mark := driver.Mark{Cluster: "here", Namespace: "shop", Name: "app", UID: "uid-1"}
	unrecorded := func(u *family.User) { u.Status.Parent.Recorded = false }
	chosen := func(u *family.User) { u.Spec.ExternalName = "shop-app" }
	adopted := func(u *family.User) { u.Status.Origin = v1alpha1.OriginAdopted }
	for _, test := range []struct {
		name   string
		child  []func(*family.User)
		memory plan.Memory
		parent driver.ParentRef
		want   plan.Belonging
		id     string
	}{
		{name: "recorded", want: plan.Ours},
		{name: "recorded, within a parent whose ID is not known", parent: driver.ParentRef{Name: "shop-orders"}, want: plan.Ours},
		{name: "recorded within another parent of that name", parent: driver.ParentRef{Name: "shop-orders", ID: "db-2"}, want: plan.Unmarked},
		{name: "never seen before", child: []func(*family.User){func(u *family.User) { u.Status, u.Finalizers = family.UserStatus{}, nil }}, want: plan.Unmarked},
		{name: "only observed", child: []func(*family.User){func(u *family.User) { u.Status.Origin = "" }}, want: plan.Unmarked},
		{name: "an answer that was lost, of a name that Mooring made", child: []func(*family.User){unrecorded}, want: plan.Ours},
		{name: "a refusal, of a name that Mooring made", child: []func(*family.User){unrecorded}, memory: plan.Memory{CreationFailed: true}, want: plan.Unmarked},
		{name: "an answer that was lost, of a name that a person chose", child: []func(*family.User){unrecorded, chosen}, want: plan.Unmarked},
		{name: "an answer, of a name that a person chose", child: []func(*family.User){unrecorded, chosen}, memory: plan.Memory{Answered: true}, want: plan.Ours},
		{name: "adopted", child: []func(*family.User){chosen, adopted}, want: plan.Ours},
		{name: "about to be adopted", child: []func(*family.User){unrecorded, chosen, adopted}, want: plan.Unmarked},
		{name: "never created", memory: plan.Memory{CreationRefused: true}, want: plan.Unmarked},
		{name: "without the finalizer", child: []func(*family.User){func(u *family.User) { u.Finalizers = nil }}, want: plan.Unmarked},
		{name: "another object of that name", child: []func(*family.User){func(u *family.User) { u.Status.ExternalID = "user-1" }}, id: "user-2", want: plan.Replaced},
	} {
		t.Run(test.name, func(t *testing.T) {
			u := child()
			for _, change := range test.child {
				change(u)
			}
			if test.parent.Zero() {
				test.parent = driver.ParentRef{Name: "shop-orders", ID: "db-1"}
			}
			w := (&Gatherer{Kind: family.Kind()}).begin(reconciliation.Begin(u, time.Now(), reconciliation.News{}, reconciliation.Memory{Cloud: test.memory}))
			w.Described.Ownership, w.Asks.Generated, w.Asks.Name = driver.OwnedByParent, "shop-app", "shop-app"
			w.Request.Mark, w.Request.Parent = mark, test.parent
			w.observed(t.Context(), driver.Observation{State: driver.Ready, ID: test.id})
			if err := w.look(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := plan.Ownership(w.View, w.Observation); got != test.want || w.Status().MarkMissing {
				t.Errorf("got %d, want %d; the mark is missing: %t", got, test.want, w.Status().MarkMissing)
			}
		})
	}
}

// The record of an object ends with the object: what comes later under its name is found at first sight, also by a process that remembers
// the creation, and by one that does not.
func TestTheRecordEndsWithTheObject(t *testing.T) {
	const settle = 5 * time.Second
	there, gone := driver.Observation{State: driver.Ready}, driver.Observation{State: driver.Absent}
	chosen := func(u *family.User) { u.Spec.ExternalName = "shop-app" }
	adopted := func(u *family.User) { u.Status.Origin = v1alpha1.OriginAdopted }
	neverReady := func(u *family.User) { u.Status.FirstReadyTime = nil }
	type observed struct {
		at   time.Duration
		seen driver.Observation
	}
	for _, test := range []struct {
		name   string
		child  []func(*family.User)
		forget bool // another process takes over
		seen   []observed
		want   plan.Belonging
	}{
		{name: "gone for a moment", seen: []observed{{0, gone}, {settle - 1, gone}, {settle, there}}, want: plan.Ours},
		{name: "gone", seen: []observed{{0, gone}, {settle, gone}, {settle + 1, there}}, want: plan.Unmarked},
		{name: "gone, and remembered by nobody", forget: true, seen: []observed{{0, gone}, {settle, gone}, {settle + 1, there}}, want: plan.Unmarked},
		{name: "of a chosen name", child: []func(*family.User){chosen}, seen: []observed{{0, gone}, {settle, gone}, {settle + 1, there}}, want: plan.Unmarked},
		{name: "adopted", child: []func(*family.User){adopted, chosen}, forget: true, seen: []observed{{0, gone}, {settle, gone}, {settle + 1, there}}, want: plan.Unmarked},
		{name: "gone before it was usable", child: []func(*family.User){neverReady}, seen: []observed{{0, gone}, {settle, gone}, {settle + 1, there}}, want: plan.Unmarked},
		{name: "gone before it was usable, and remembered by nobody", child: []func(*family.User){neverReady}, forget: true,
			seen: []observed{{0, gone}, {settle, gone}, {settle + 1, there}}, want: plan.Unmarked},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, memory, began := child(), plan.Memory{Answered: true, Carried: &plan.Returned{ID: "user-1"}}, time.Unix(1000, 0)
			u.Status.ExternalID = "user-1"
			for _, change := range test.child {
				change(u)
			}
			got := plan.Others
			for i, s := range test.seen {
				if i == len(test.seen)-1 && test.forget {
					memory = plan.Memory{}
				}
				w := (&Gatherer{Kind: family.Kind(), ConsistencyWindow: settle}).begin(reconciliation.Begin(u, began.Add(s.at), reconciliation.News{}, reconciliation.Memory{Cloud: memory}))
				w.Described.Ownership, w.Asks.Generated, w.Asks.Name = driver.OwnedByParent, "shop-app", "shop-app"
				w.Request.Mark, w.Request.Parent = driver.Mark{Cluster: "here", UID: "uid-1"}, driver.ParentRef{Name: "shop-orders", ID: "db-1"}
				w.observed(t.Context(), s.seen)
				if err := w.look(t.Context()); err != nil {
					t.Fatal(err)
				}
				u, memory, got = w.Object.(*family.User), w.Memory.Cloud, plan.Ownership(w.View, w.Observation)
			}
			if recorded := u.Status.Parent.Recorded; got != test.want || recorded != (got == plan.Ours) || (u.Status.ExternalID != "") != recorded {
				t.Errorf("got %d, want %d; recorded: %t, id %q", got, test.want, recorded, u.Status.ExternalID)
			}
		})
	}
}

// The class by which the parent got its account decides about adoption, as an object's own class does.
func TestTheParentsClassDecidesAboutAdoption(t *testing.T) {
	for _, test := range []struct {
		name    string
		allows  v1alpha1.AllowAdoption // empty: there is no such class
		asked   v1alpha1.Adoption
		noClass bool // the parent has none
		want    v1alpha1.Adoption
		refused bool
		any     bool // it may observe what has no mark
	}{
		{name: "no class", noClass: true, asked: v1alpha1.AdoptionIfExists, want: v1alpha1.AdoptionIfExists, any: true},
		{name: "anything", allows: v1alpha1.AllowAdoptionAny, asked: v1alpha1.AdoptionIfExists, want: v1alpha1.AdoptionIfExists, any: true},
		{name: "what is marked", allows: v1alpha1.AllowAdoptionIfMarked, asked: v1alpha1.AdoptionIfExists, want: v1alpha1.AdoptionIfMarked, refused: true},
		{name: "nothing", allows: v1alpha1.AllowAdoptionNone, asked: v1alpha1.AdoptionIfExists, want: v1alpha1.AdoptionNever, refused: true},
		{name: "nothing, and nothing is asked for", allows: v1alpha1.AllowAdoptionNone, want: v1alpha1.AdoptionNever},
		{name: "a class that is gone", asked: v1alpha1.AdoptionIfExists, want: v1alpha1.AdoptionIfMarked, refused: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, d := child(), parent()
			u.Spec.Adoption = test.asked
			objects := []client.Object{d}
			if test.noClass {
				d.Status.ClassName = ""
			}
			if test.allows != "" {
				c := &v1alpha1.DatabaseClass{ObjectMeta: metav1.ObjectMeta{Name: "small"}}
				c.Spec.AllowAdoption = test.allows
				objects = append(objects, c)
			}
			w := users(t, u, objects...)
			if err := w.findAccount(t.Context()); err != nil {
				t.Fatal(err)
			}
			p, says := w.Policy, "does not allow"
			if test.allows == "" {
				says = "is gone, so nothing says that existing cloud objects may be taken over"
			}
			if p.Adoption != test.want || p.ObserveMarked == test.any || (p.Refused.Reason == v1alpha1.ReasonClassViolated) != test.refused ||
				test.refused != strings.Contains(p.Refused.Message, `class "small" of Database orders `+says) {
				t.Errorf("got %+v", p)
			}
		})
	}
}

// Two objects never have one cloud object. A record is stronger than a binding, and of two that are alike the older object's is.
func TestOneObjectForACloudObject(t *testing.T) {
	at := func(second int64) func(*family.User) {
		return func(u *family.User) { u.CreationTimestamp = metav1.Unix(second, 0) }
	}
	unbound := func(u *family.User) { u.Status, u.Finalizers = family.UserStatus{}, nil }
	unrecorded := func(u *family.User) { u.Status.Parent.Recorded = false }
	older, younger := at(10), at(30) // than the object, of 20
	const ours, theirs, nobodys = plan.Ours, plan.Others, plan.Unmarked
	for _, test := range []struct {
		name  string
		own   []func(*family.User)
		rival []func(*family.User)
		cloud plan.Memory
		want  plan.Belonging
		taken bool
	}{
		{name: "new, and another has it", own: []func(*family.User){unbound}, want: theirs, taken: true},
		{name: "new, and a younger one has it", own: []func(*family.User){unbound}, rival: []func(*family.User){younger}, want: theirs, taken: true},
		{name: "new, and another is about to have it", own: []func(*family.User){unbound}, rival: []func(*family.User){unrecorded}, want: theirs, taken: true},
		{name: "new, and another namespace has it", own: []func(*family.User){unbound}, rival: []func(*family.User){func(u *family.User) { u.Namespace = "bank" }}, want: theirs, taken: true},
		{name: "new, and one that is being deleted has it", own: []func(*family.User){unbound}, want: theirs, taken: true,
			rival: []func(*family.User){func(u *family.User) { u.DeletionTimestamp = &metav1.Time{Time: time.Unix(5, 0)} }}},
		{name: "new, and the other was refused", own: []func(*family.User){unbound}, want: nobodys,
			rival: []func(*family.User){unrecorded, func(u *family.User) { u.Status.CreationRefused = true }}},
		{name: "new, and the other only observes", own: []func(*family.User){unbound}, want: nobodys,
			rival: []func(*family.User){func(u *family.User) { u.Finalizers, u.Status.Origin = nil, "" }}},
		{name: "new, and the other is within another parent", own: []func(*family.User){unbound}, want: nobodys,
			rival: []func(*family.User){func(u *family.User) { u.Status.Parent.ExternalID = "db-2" }}},
		{name: "new, and the other is in another account", own: []func(*family.User){unbound}, want: nobodys,
			rival: []func(*family.User){func(u *family.User) { u.Status.AccountID = "222" }}},
		{name: "new, and the other is in another cloud", own: []func(*family.User){unbound}, want: nobodys,
			rival: []func(*family.User){func(u *family.User) { u.Status.Provider = "gcp" }}},
		{name: "new, and the other is in another location", own: []func(*family.User){unbound}, want: nobodys,
			rival: []func(*family.User){func(u *family.User) { u.Status.Location = "there" }}},
		{name: "recorded, and another is bound to it", rival: []func(*family.User){older, unrecorded}, want: ours},
		{name: "recorded, and so is a younger one", rival: []func(*family.User){younger}, want: ours},
		{name: "recorded, and so is an older one", rival: []func(*family.User){older}, want: theirs, taken: true},
		{name: "answered, and an older one is bound to it", own: []func(*family.User){unrecorded}, cloud: plan.Memory{Answered: true},
			rival: []func(*family.User){older, unrecorded}, want: ours},
		{name: "bound, and so is an older one", own: []func(*family.User){unrecorded}, rival: []func(*family.User){older, unrecorded}, want: theirs, taken: true},
		{name: "refused, and a younger one is bound to it", own: []func(*family.User){unrecorded}, cloud: plan.Memory{CreationRefused: true},
			rival: []func(*family.User){younger, unrecorded}, want: theirs, taken: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, rival := child(), child()
			rival.Name, rival.UID = "rival", "uid-2"
			at(20)(u)
			younger(rival)
			for _, change := range test.own {
				change(u)
			}
			for _, change := range test.rival {
				change(rival)
			}
			for _, state := range []driver.State{driver.Ready, driver.Absent} {
				w := users(t, u, parent(), rival)
				w.Described.Ownership, w.Provider, w.Account, w.Memory.Cloud = driver.OwnedByParent, "aws", "111", test.cloud
				w.Request = driver.Request{Name: "shop-app", Location: "here", Parent: w.Parent.Ref, Mark: driver.Mark{Cluster: "here", Namespace: "shop", Name: "app", UID: "uid-1"}}
				w.Asks.Generated, w.Asks.Name = "shop-app", "shop-app"
				if err := w.findRival(t.Context()); err != nil {
					t.Fatal(err)
				}
				w.observed(t.Context(), driver.Observation{State: state})
				if err := w.look(t.Context()); err != nil {
					t.Fatal(err)
				}
				stop := isFree(w.State)
				switch belongs := plan.Ownership(w.View, w.Observation); {
				case state == driver.Ready && (belongs != test.want || stop != nil):
					t.Errorf("it is there: got %d, want %d; %+v", belongs, test.want, stop)
				case state == driver.Absent && (stop != nil) != test.taken:
					t.Errorf("it is not there: %+v", stop)
				}
			}
		})
	}
}
