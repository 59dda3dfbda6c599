package family

import (
	"context"
	"maps"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/test/system"
)

// An object within another one waits for it, lives where it is, and goes with it.
func TestLifeWithinAParent(t *testing.T) {
	e := begin(t, driver.OwnedByParent)
	for _, test := range []struct {
		name string
		run  func(*environment)
	}{
		{"a user waits for its database, and is made where that is", waits},
		{"a user without a database is told which one it lacks", lacks},
		{"a database that can't be used any more does not make its users drift", calm},
		{"a database waits for users that nobody deletes", parentFirst},
		{"a database and its users that are deleted together all go", together},
		{"a user that is deleted leaves its database", childFirst},
		{"what was found is not touched unless it is adopted", found},
		{"a creation of which nothing was stored is found again", crash},
		{"two users never have one user of the cloud", rivals},
		{"a user that vanished is no longer taken for its own", vanished},
		{"a database that another took the place of has its users adopted once", replaced},
		{"a database that is retained waits for nobody, and takes its users back", retained},
		{"a user that was refused holds up nobody", refused},
		{"each call may be lost, and so may its answer", lost},
		{"a database that seems to be in another account makes nothing there", moved},
	} {
		t.Run(test.name, func(t *testing.T) {
			sub := *e
			sub.Fixture = *e.With(t)
			test.run(&sub)
		})
	}
	for _, plural := range []string{"users", "databases"} { // by the last manager
		if n := e.lists.of(plural); n > 1 {
			t.Errorf("%d list calls for %s, want that of the informer alone", n, plural)
		}
	}
}

// The mark of a user may be in a registry. The loop does not care.
func TestLifeByARegistry(t *testing.T) {
	e := begin(t, driver.OwnedByRegistry)
	d := e.usable("orders")
	u := e.user("orders", "app", nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	if have, _ := e.inCloud(d, u.Status.ExternalName); driver.MarkFrom(have.Registered).UID != string(u.UID) {
		t.Errorf("the registry has %v", have.Registered)
	}
	e.Must(e.Client.Delete(t.Context(), u))
	e.gone(u)
	if _, has := e.inCloud(d, u.Status.ExternalName); has {
		t.Error("the user is still in the cloud")
	}
}

func waits(e *environment) {
	d := e.database("slow")
	u := e.user("slow", "early", nil)
	e.Eventually("the user waits", func() bool { return e.is(u, v1alpha1.ConditionReconciling, v1alpha1.ReasonParentNotReady) })
	if !strings.Contains(said(u), "waiting for Database slow") {
		e.Errorf("message %q", said(u))
	}
	if n := e.cloud.Count(mem.Filter{Kind: mem.KindUser}); n != 0 {
		e.Errorf("%d calls while it waits", n)
	}
	e.Eventually("the database is bound", func() bool { return e.get(d) && d.Status.ExternalName != "" })
	e.Eventually("the user is Ready", func() bool { e.clock.advance(); return e.is(u, v1alpha1.ConditionReady, "") })
	if have, has := e.inCloud(d, u.Status.ExternalName); !has || *have.Spec.Role != "reader" {
		e.Errorf("in the cloud it is %+v, %t", have, has)
	}
	e.get(d)
	s := u.Status
	if s.AccountID != string(account) || s.Location != region || s.Parent.ExternalName != d.Status.ExternalName || s.Parent.ExternalID != d.Status.ExternalID || !s.Parent.Recorded {
		e.Errorf("status %+v", s)
	}
}

func lacks(e *environment) {
	u := e.user("nowhere", "lost", nil)
	e.Eventually("the user waits", func() bool { return e.is(u, v1alpha1.ConditionReconciling, v1alpha1.ReasonParentNotFound) })
	if !strings.Contains(said(u), "there is no Database nowhere") {
		e.Errorf("message %q", said(u))
	}
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(u)
}

func calm(e *environment) {
	d := e.usable("stopped")
	u := e.user("stopped", "calm", nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	mem.Databases(e.cloud).Edit(account, d.Status.ExternalName, func(d *mem.Database) { d.Stopped = true })
	e.Eventually("the database is seen stopped", func() bool { return e.get(d) && strings.Contains(said(d), "stopped") })
	before, looked := u.ResourceVersion, e.cloud.Count(mem.Filter{Kind: mem.KindUser, Op: mem.OpObserve, Name: u.Status.ExternalName})
	e.Eventually("the user is observed again", func() bool {
		return e.cloud.Count(mem.Filter{Kind: mem.KindUser, Op: mem.OpObserve, Name: u.Status.ExternalName}) > looked+1
	})
	if !e.is(u, v1alpha1.ConditionReady, "") || u.ResourceVersion != before {
		e.Errorf("it was written: %+v", u.Status.Conditions)
	}
}

func parentFirst(e *environment) {
	d := e.usable("held")
	u := e.user("held", "holder", nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	e.Must(e.Client.Delete(e.Context(), d))
	e.Eventually("the deletion is stalled", func() bool { return e.is(d, v1alpha1.ConditionStalled, v1alpha1.ReasonInUse) })
	if !strings.Contains(said(d), "User holder") {
		e.Errorf("message %q", said(d))
	}
	if n := e.cloud.Count(mem.Filter{Kind: mem.KindDatabase, Op: mem.OpDelete, Name: d.Status.ExternalName}); n != 0 {
		e.Errorf("%d deletions in the cloud", n)
	}
	late := e.user("held", "late", nil)
	e.Eventually("no other user is made", func() bool { return e.is(late, v1alpha1.ConditionStalled, v1alpha1.ReasonParentNotReady) })
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(u, d)
	e.Eventually("the user that was not made is told", func() bool { return e.get(late) && strings.Contains(said(late), "there is no Database held") })
	e.Must(e.Client.Delete(e.Context(), late))
	e.gone(late)
}

func together(e *environment) {
	d := e.usable("both")
	u := e.user("both", "too", nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	e.Must(e.Client.Delete(e.Context(), d))
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(d, u)
}

func childFirst(e *environment) {
	d := e.usable("stays")
	u := e.user("stays", "leaves", nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(u)
	if _, has := e.inCloud(d, u.Status.ExternalName); has || !e.is(d, v1alpha1.ConditionReady, "") {
		e.Errorf("the user is in the cloud: %t; the database: %v", has, d.Status.Conditions)
	}
}

func found(e *environment) {
	d := e.usable("shared")
	mem.Databases(e.cloud).Edit(account, d.Status.ExternalName, func(d *mem.Database) {
		d.Users = map[string]mem.User{"theirs": {Spec: mem.UserParameters{Role: new("owner")}}}
	})
	u := e.user("shared", "theirs", func(u *User) { u.Spec.ExternalName = "theirs" })
	e.Eventually("the user is stalled", func() bool { return e.is(u, v1alpha1.ConditionStalled, v1alpha1.ReasonNotOwned) })
	if have, _ := e.inCloud(d, "theirs"); *have.Spec.Role != "owner" {
		e.Error("it was changed")
	}
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(u)
	if _, has := e.inCloud(d, "theirs"); !has {
		e.Fatal("it was deleted")
	}
	u = e.user("shared", "ours", func(u *User) { u.Spec.ExternalName, u.Spec.Adoption = "theirs", v1alpha1.AdoptionIfExists })
	e.Eventually("the user is adopted", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	if have, _ := e.inCloud(d, "theirs"); *have.Spec.Role != "reader" || u.Status.Origin != v1alpha1.OriginAdopted {
		e.Errorf("it is %v, of origin %q", *have.Spec.Role, u.Status.Origin)
	}
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(u)
	if _, has := e.inCloud(d, "theirs"); has {
		e.Error("it was adopted, applied and deleted, and is still in the cloud")
	}
}

// fatal is a driver whose manager is killed as soon as the cloud has made a user.
type fatal struct {
	driver.Driver
	driver.Session
	kill *system.KillSwitch
	made *atomic.Bool
}

func (f fatal) Open(ctx context.Context, with driver.Opening) (driver.Session, error) {
	s, err := f.Driver.Open(ctx, with)
	f.Session = s
	return f, err
}

func (f fatal) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (driver.Result, error) {
	done, err := f.Session.Create(ctx, kind, req, secrets)
	if kind == string(mem.KindUser) {
		f.kill.Kill()
		f.made.Store(true)
	}
	return done, err
}

func crash(e *environment) {
	d := e.usable("crashed")
	e.stop()
	made := &atomic.Bool{}
	e.start(func(d driver.Driver, kill *system.KillSwitch) driver.Driver {
		return fatal{Driver: d, kill: kill, made: made}
	})
	u := e.user("crashed", "unstored", nil)
	e.Eventually("the cloud made the user", made.Load)
	e.stop()
	if e.get(u); u.Status.Parent.Recorded || u.Status.ExternalName == "" {
		e.Fatalf("status %+v, want it bound and not recorded", u.Status)
	}
	e.start(nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	if n := e.cloud.Count(mem.Filter{Kind: mem.KindUser, Op: mem.OpCreate, Name: u.Status.ExternalName}); n != 1 || !u.Status.Parent.Recorded {
		e.Errorf("%d creations, recorded: %t", n, u.Status.Parent.Recorded)
	}
	if _, has := e.inCloud(d, u.Status.ExternalName); !has {
		e.Error("it is not in the cloud")
	}
}

func moved(e *environment) {
	e.usable("anchored")
	u := e.user("anchored", "bound", nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "team"}}
	e.Must(e.Client.Get(e.Context(), client.ObjectKeyFromObject(secret), secret))
	secret.Data = mem.Config(other, region).Credentials
	e.Must(e.Client.Update(e.Context(), secret))
	e.Eventually("the user is stalled", func() bool { return e.is(u, v1alpha1.ConditionStalled, v1alpha1.ReasonAccountChanged) })
	late := e.user("anchored", "unbound", nil)
	e.Eventually("a new user is stalled, or waits", func() bool {
		return e.is(late, v1alpha1.ConditionStalled, v1alpha1.ReasonAccountChanged) || e.is(late, v1alpha1.ConditionReconciling, v1alpha1.ReasonParentNotReady)
	})
	if !strings.Contains(said(late), "Database anchored") {
		e.Errorf("message %q", said(late))
	}
	if n := e.cloud.Count(mem.Filter{Account: other, Access: mem.Writes}); n != 0 {
		e.Errorf("%d writes in the other account", n)
	}
}

// theirs puts a user that nobody manages into a database.
func (e *environment) theirs(d *v1alpha1.Database, name string) {
	mem.Databases(e.cloud).Edit(account, d.Status.ExternalName, func(d *mem.Database) {
		users := map[string]mem.User{name: {Spec: mem.UserParameters{Role: new("owner")}}}
		maps.Copy(users, d.Users)
		d.Users = users
	})
}

// adopts has a user take over what exists under a name.
func adopts(name string) func(*User) {
	return func(u *User) { u.Spec.ExternalName, u.Spec.Adoption = name, v1alpha1.AdoptionIfExists }
}

func rivals(e *environment) {
	d := e.usable("wanted")
	e.theirs(d, "theirs")
	first := e.user("wanted", "first", adopts("theirs"))
	e.Eventually("the first adopts it", func() bool { return e.is(first, v1alpha1.ConditionReady, "") })
	second := e.user("wanted", "second", func(u *User) { adopts("theirs")(u); u.Spec.Role = new("writer") })
	e.Eventually("the second is stalled", func() bool { return e.is(second, v1alpha1.ConditionStalled, v1alpha1.ReasonNotOwned) })
	if !strings.Contains(said(second), "belongs to another object") || second.Status.ExternalName != "" {
		e.Errorf("it is bound to %q, and says %q", second.Status.ExternalName, said(second))
	}
	e.Must(e.Client.Delete(e.Context(), second))
	e.gone(second)
	if have, has := e.inCloud(d, "theirs"); !has || *have.Spec.Role != "reader" {
		e.Errorf("in the cloud it is %+v, %t", have, has)
	}
}

func vanished(e *environment) {
	d := e.usable("lossy")
	u := e.user("lossy", "victim", func(u *User) { u.Spec.WhenVanished = v1alpha1.WhenVanishedStop })
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	name := u.Status.ExternalName
	mem.Databases(e.cloud).Edit(account, d.Status.ExternalName, func(d *mem.Database) { d.Users = nil })
	e.Eventually("the loss is told", func() bool { return e.is(u, v1alpha1.ConditionStalled, v1alpha1.ReasonVanished) })
	e.theirs(d, name)
	e.Eventually("what came later is nobody's", func() bool { return e.is(u, v1alpha1.ConditionStalled, v1alpha1.ReasonNotOwned) })
	if have, _ := e.inCloud(d, name); *have.Spec.Role != "owner" || u.Status.Parent.Recorded {
		e.Errorf("in the cloud it is a %s, recorded: %t", *have.Spec.Role, u.Status.Parent.Recorded)
	}
	idle := e.user("lossy", "idle", nil) // it is to be created again, and its database does not take it
	e.Eventually("the other user is Ready", func() bool { return e.is(idle, v1alpha1.ConditionReady, "") })
	mem.Databases(e.cloud).Edit(account, d.Status.ExternalName, func(d *mem.Database) { d.Users, d.Stopped = nil, true })
	e.Eventually("it waits, and its record is over", func() bool {
		return e.is(idle, v1alpha1.ConditionReconciling, v1alpha1.ReasonParentNotReady) && !idle.Status.Parent.Recorded
	})
}

func replaced(e *environment) {
	d := e.usable("restored")
	u := e.user("restored", "inside", func(u *User) {
		u.Spec.Adoption, u.Spec.WhenVanished = v1alpha1.AdoptionIfExists, v1alpha1.WhenVanishedStop
	})
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	mem.Databases(e.cloud).Edit(account, d.Status.ExternalName, func(d *mem.Database) { d.ID = "restored-from-a-snapshot" })
	e.Eventually("the loss is told", func() bool { return e.is(d, v1alpha1.ConditionStalled, v1alpha1.ReasonNotOwned) })
	e.patch(d, `{"spec": {"adoption": "IfExists"}}`)
	e.Eventually("the user is adopted within it", func() bool {
		return e.is(u, v1alpha1.ConditionReady, "") && u.Status.Parent.ExternalID == "restored-from-a-snapshot"
	})
	observe := mem.Filter{Kind: mem.KindUser, Op: mem.OpObserve, Name: u.Status.ExternalName}
	written, looked := u.ResourceVersion, e.cloud.Count(observe)
	e.Eventually("the user is observed again", func() bool { return e.cloud.Count(observe) > looked+2 })
	if e.get(u); u.ResourceVersion != written || !u.Status.Parent.Recorded {
		e.Errorf("it is written again: %+v", u.Status)
	}
}

func retained(e *environment) {
	d := e.usable("kept")
	u := e.user("kept", "stays", nil)
	e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
	e.patch(d, `{"spec": {"deletionPolicy": "Retain"}}`)
	e.Must(e.Client.Delete(e.Context(), d))
	e.gone(d)
	e.Eventually("the user says what it lacks", func() bool { return e.get(u) && strings.Contains(said(u), "there is no Database kept") })
	if _, has := e.inCloud(d, u.Status.ExternalName); !has {
		e.Fatal("the user is gone from the cloud")
	}
	back := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: shop, Name: "kept"}, Spec: d.Spec}
	back.Spec.Adoption = v1alpha1.AdoptionIfExists
	e.Create(back)
	e.Eventually("the user is Ready again", func() bool { e.clock.advance(); return e.is(u, v1alpha1.ConditionReady, "") })
	if n := e.cloud.Count(mem.Filter{Kind: mem.KindUser, Op: mem.OpCreate, Name: u.Status.ExternalName}); n != 1 {
		e.Errorf("%d creations", n)
	}
	e.Must(e.Client.Delete(e.Context(), back))
	e.gone(back)
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(u)
	if _, has := e.inCloud(d, u.Status.ExternalName); has {
		e.Error("a user that was deleted after its database is still in the cloud")
	}
}

func refused(e *environment) {
	d := e.usable("strict")
	lift := e.cloud.Fail(mem.Fault{Filter: mem.Filter{Kind: mem.KindUser, Op: mem.OpCreate}, Kind: mem.Refused, Code: driver.Denied})
	defer lift()
	u := e.user("strict", "unwanted", nil)
	e.Eventually("the creation is refused", func() bool { return e.is(u, v1alpha1.ConditionStalled, v1alpha1.ReasonDenied) })
	e.Eventually("it is sent again, and refused again", func() bool {
		e.clock.advance()
		return e.cloud.Count(mem.Filter{Kind: mem.KindUser, Op: mem.OpCreate, Name: u.Status.ExternalName}) > 1
	})
	e.Must(e.Client.Delete(e.Context(), d))
	e.gone(d)
	e.Must(e.Client.Delete(e.Context(), u))
	e.gone(u)
}

// lost leads a user through its lifecycle for each call that may be lost, or whose answer may be.
func lost(e *environment) {
	d := e.usable("faulty")
	for _, op := range []mem.Op{mem.OpCreate, mem.OpUpdate, mem.OpDelete} {
		for _, fault := range []mem.FaultKind{mem.RequestLost, mem.ResponseLost} {
			hit := &atomic.Bool{}
			lift := e.cloud.Fail(mem.Fault{Filter: mem.Filter{Kind: mem.KindUser, Op: op}, Kind: fault, Times: 1, Hook: func(mem.Call) { hit.Store(true) }})
			u := e.user("faulty", strings.ToLower(string(op)+"-"+string(fault)), nil)
			e.Eventually("the user is Ready", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
			e.patch(u, `{"spec": {"role": "writer"}}`)
			e.Eventually("the edit is applied", func() bool { return e.is(u, v1alpha1.ConditionReady, "") })
			if have, _ := e.inCloud(d, u.Status.ExternalName); have.Spec.Role == nil || *have.Spec.Role != "writer" || !u.Status.Parent.Recorded {
				e.Errorf("%s, %s: in the cloud it is %+v, recorded: %t", op, fault, have, u.Status.Parent.Recorded)
			}
			e.Must(e.Client.Delete(e.Context(), u))
			e.gone(u)
			lift()
			if _, has := e.inCloud(d, u.Status.ExternalName); has || !hit.Load() {
				e.Errorf("%s, %s: the user is in the cloud: %t; the fault hit: %t", op, fault, has, hit.Load())
			}
		}
	}
}
