package e2e

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// exec runs a statement as an application does that has nothing but the Secret.
func (w *fixture) exec(secret map[string][]byte, statement string) error {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 5*time.Minute)
	defer cancel()
	db := w.open(secret, true)
	defer func() { _ = db.Close() }()
	_, err := db.ExecContext(ctx, statement)
	return err
}

// orders returns how many orders there are.
func (w *fixture) orders(secret map[string][]byte) (n int) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 5*time.Minute)
	defer cancel()
	db := w.open(secret, true)
	defer func() { _ = db.Close() }()
	w.Must(db.QueryRowContext(ctx, "SELECT count(*) FROM orders").Scan(&n))
	return n
}

// sold declares a database with a connection, waits for it and fills it with one order.
func (w *fixture) sold(c *system.Cloud, engine v1alpha1.Engine) (*v1alpha1.Database, map[string][]byte) {
	w.Helper()
	p := system.MinimalDatabase(c)
	p.Engine, p.DatabaseName = new(engine), new("app")
	if c.Name == "gcp" { // which restores no other server to a point in time
		p.Backup = &v1alpha1.DatabaseBackup{PointInTimeRecovery: new(true)}
	}
	d := w.database(c, "orders", p)
	system.Connect(d, "orders-db")
	w.create(d)
	w.ready(d)
	secret := w.Secret("orders-db")
	w.Must(w.exec(secret, "CREATE TABLE orders (id int)"))
	w.Must(w.exec(secret, "INSERT INTO orders VALUES (1)"))
	return d, secret
}

// restores declares a Database like another one, of a snapshot.
func (w *fixture) restores(d *v1alpha1.Database, name string, from v1alpha1.DatabaseRestore) *v1alpha1.Database {
	again := &v1alpha1.Database{ObjectMeta: w.Meta(name)}
	again.Spec = *d.Spec.DeepCopy()
	again.Spec.RestoreFrom, again.Spec.Connection = &from, nil
	system.Connect(again, name+"-db")
	return again
}

// withPassword returns a connection Secret with another password.
func withPassword(w *fixture, secret map[string][]byte, password string) map[string][]byte {
	w.Helper()
	uri, err := url.Parse(string(secret["uri"]))
	w.Must(err)
	uri.User = url.UserPassword(uri.User.Username(), password)
	another := maps.Clone(secret)
	another["uri"], another["password"] = []byte(uri.String()), []byte(password)
	return another
}

func of(snapshot *v1alpha1.DatabaseSnapshot) v1alpha1.DatabaseRestore {
	return v1alpha1.DatabaseRestore{SnapshotRef: &v1alpha1.DatabaseSnapshotReference{Name: snapshot.Name}}
}

// What a snapshot has comes back in another server, beside the first: its rows and no later ones, under a password of its own. The first server is nobody's
// business.
func TestRestore(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMariaDB} {
		t.Run(string(engine), func(t *testing.T) {
			onReal(t, engine, func(w *fixture, c *system.Cloud) {
				d, secret := w.sold(c, engine)
				s := w.snapshotOf(d, "nightly")
				w.create(s)
				w.ready(s)
				w.Must(w.exec(secret, "INSERT INTO orders VALUES (2)"))

				again := w.restores(d, "restored", of(s))
				w.create(again)
				is, was := w.ready(again), w.state(d, "the first server", func(system.Snapshot) bool { return true })
				restored := w.Secret("restored-db")
				w.equal("orders in the restored server", w.orders(restored), 1)
				w.equal("orders in the first server", w.orders(secret), 2)
				if is.Status.ExternalName == was.Status.ExternalName || is.Status.ExternalID == was.Status.ExternalID {
					w.Errorf("%s and %s are the same server", d.Name, again.Name)
				}
				if string(restored["password"]) == string(secret["password"]) {
					w.Error("the restored server has the password of the first one")
				}
				if err := w.exec(withPassword(w, restored, string(secret["password"])), "SELECT 1"); err == nil {
					w.Error("the password of the snapshot still opens the restored server")
				}
				w.equal("transitions", w.Transitions("Database", again.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})
				refused(w, again, "spec.restoreFrom is for the creation of the server", func(d *v1alpha1.Database) { d.Spec.RestoreFrom.SnapshotRef.Name = "another" })
				refused(w, d, "create another Database with restoreFrom", func(d *v1alpha1.Database) { from := of(s); d.Spec.RestoreFrom = &from })
				w.delete(again)
				w.awaitDeleted(again)
				w.equal("orders in the first server, once the restored one is gone", w.orders(secret), 2)
			})
		})
	}
}

// A database that was deleted with a final snapshot comes back from the object that it left.
func TestRestoreOfADeletedDatabase(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d, _ := w.sold(c, v1alpha1.EnginePostgres)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot })
		w.ready(d)
		w.delete(d)
		w.awaitDeleted(d)
		left := w.final(d)
		again := w.restores(d, "orders", of(left))
		if c.Name == "gcp" { // which reserves the name for a week
			again.Spec.ExternalName = w.Namespace + "-again"
		}
		w.create(again)
		w.ready(again)
		w.equal("orders", w.orders(w.Secret("orders-db")), 1)
	})
}

// A Database waits for its snapshot, and nothing is created of one that is not there, that does not fit, or that is another namespace's.
func TestRestoreWaitsAndRefuses(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.Version = new("15")
		w.create(d)
		server := w.ready(d).Status.ExternalName
		early := w.restores(d, "early", v1alpha1.DatabaseRestore{SnapshotRef: &v1alpha1.DatabaseSnapshotReference{Name: "nightly"}})
		w.create(early)
		w.awaitMissing(early, v1alpha1.ReasonSnapshotNotFound, "there is no DatabaseSnapshot nightly")
		s := w.snapshotOf(d, "nightly")
		w.create(s)
		w.Disturb()
		w.usable(s)
		w.ready(early)

		unfit := w.restores(d, "unfit", of(s))
		unfit.Spec.Version = new("16")
		w.create(unfit)
		w.stalled(unfit, v1alpha1.ReasonInvalid, "set spec.version to 15")
		edit(w, unfit, func(d *v1alpha1.Database) { d.Spec.Version = new("15") })
		w.ready(unfit)

		none := w.restores(d, "none", v1alpha1.DatabaseRestore{ExternalSnapshotName: w.Namespace + "-none"})
		w.create(none)
		w.awaitMissing(none, v1alpha1.ReasonSnapshotNotFound, "there is no snapshot "+w.Namespace+"-none")

		theirs := w.Namespace + "-theirs"
		c.Snapshots().TakeSnapshot(w.T, server, theirs)
		edit(w, none, func(d *v1alpha1.Database) { d.Spec.RestoreFrom.ExternalSnapshotName = theirs })
		w.ready(none)
	})
}

// In an account that a class leads to, only what has the mark of the namespace is restored by its name.
func TestRestoreByAClass(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		class := w.databaseClass(c, nil)
		d := w.tenLines("orders")
		w.create(d)
		w.ready(d)
		s := w.snapshotOf(d, "nightly")
		w.create(s)
		again := w.tenLines("again")
		again.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{ExternalSnapshotName: w.usable(s).Status.ExternalName}
		w.create(again)
		w.ready(again)

		server, theirs := w.Namespace+"-others", w.Namespace+"-theirs"
		c.Databases().Make(w.T, server, nil)
		c.Snapshots().TakeSnapshot(w.T, server, theirs)
		stolen := w.tenLines("stolen")
		stolen.Spec.RestoreFrom = &v1alpha1.DatabaseRestore{ExternalSnapshotName: theirs}
		w.create(stolen)
		w.stalled(stolen, v1alpha1.ReasonNotOwned, "snapshot "+theirs+" may not be restored in this namespace")
		w.Disturb()
		w.editClass(class, func(s *v1alpha1.DatabaseClassSpec) { s.AllowAdoption = v1alpha1.AllowAdoptionAny })
		w.ready(stolen)
	})
}

// What vanished comes back from the snapshot that it was made of, and not empty.
func TestRestoreAgain(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, made system.Made) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		w.ready(d)
		s := w.snapshotOf(d, "nightly")
		w.create(s)
		w.usable(s)
		again := w.restores(d, "restored", of(s))
		again.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate
		w.create(again)
		first := w.ready(again).Status
		w.Disturb()
		c.Databases().Delete(w.T, first.ExternalName)
		w.state(again, "another server", func(o system.Snapshot) bool {
			return o.IsReady(again) && o.Status.FirstReadyTime != nil && o.Status.ExternalID != first.ExternalID
		})
		if n := count(c.Writes(first.ExternalName), made.Restore); n != 2 {
			w.Errorf("it was restored %d times, want twice: %q", n, c.Writes(first.ExternalName))
		}
	})
}

// A database comes back as it was between two rows, beside the first one, by the automatic backups of that.
func TestRestoreToAPointInTime(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d, secret := w.sold(c, v1alpha1.EnginePostgres)
		at := metav1.Time{Time: time.Now().Add(time.Second).Truncate(time.Second)} // after the first row
		w.Eventually("that time has passed", func() bool { return time.Since(at.Time) > 100*time.Millisecond })
		w.Must(w.exec(secret, "INSERT INTO orders VALUES (2)"))

		again := w.restores(d, "restored", v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: d.Name}, Time: &at}})
		w.create(again)
		w.ready(again)
		w.Refresh(again)
		w.equal("orders in the restored server", w.orders(w.Secret("restored-db")), 1)
		w.equal("orders in the first server", w.orders(secret), 2)
		if from := again.Status.RestoredFrom; from == nil || from.Time == nil || !from.Time.Equal(&at) || from.Server == "" {
			w.Errorf("the status says that it was restored from %+v", from)
		}

		latest := w.restores(d, "latest", v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: d.Name}}})
		w.create(latest)
		w.ready(latest)
		w.equal("orders in the server of the latest time", w.orders(w.Secret("latest-db")) > 0, true)

		for name, tt := range map[string]struct {
			time metav1.Time
			says string
		}{
			"early": {metav1.Time{Time: time.Now().Add(-24 * time.Hour).Truncate(time.Second)}, "correct spec.restoreFrom.pointInTime.time"},
			"late":  {metav1.Time{Time: time.Now().Add(24 * time.Hour).Truncate(time.Second)}, "still to come"},
		} {
			wrong := w.restores(d, name, v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: d.Name}, Time: &tt.time}})
			w.create(wrong)
			w.stalled(wrong, v1alpha1.ReasonInvalid, tt.says)
			if name := wrong.Status.ExternalName; name != "" && slices.Contains(c.Databases().Names(w.T), name) {
				w.Errorf("%s was created", name)
			}
		}
		for name, tt := range map[string]struct{ of, says string }{"none": {"nobody", "there is no Database nobody"}, "itself": {"itself", "names this object itself, which does not exist"}} {
			none := w.restores(d, name, v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: tt.of}}})
			w.create(none)
			w.awaitMissing(none, v1alpha1.ReasonSnapshotNotFound, tt.says)
		}
	})
}

// After the whole cluster was lost, its snapshots have marks that are no object's any more. By their names they are restored where the platform team allows it, and
// otherwise not: in an account that is shared they could be anybody's.
func TestRestoreAfterTheClusterWasLost(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d, _ := w.sold(c, v1alpha1.EnginePostgres)
		server, snapshot := w.ready(d).Status.ExternalName, w.Namespace+"-lost"
		edit(w, d, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
		w.state(d, "paused", func(s system.Snapshot) bool { return s.Is(v1alpha1.ConditionSynced, no) })
		own := driver.MarkFrom(c.Databases().Tags(w.T, server))
		lost := driver.Mark{Cluster: "lost", Namespace: "elsewhere", Name: "orders", UID: "uid-lost"}
		c.Databases().Tag(w.T, server, lost.Labels())
		c.Snapshots().TakeSnapshot(w.T, server, snapshot)
		c.Databases().Tag(w.T, server, own.Labels())

		from := v1alpha1.DatabaseRestore{ExternalSnapshotName: snapshot}
		shared := w.restores(d, "shared", from)
		w.create(shared)
		w.stalled(shared, v1alpha1.ReasonNotOwned, "the account is shared")
		w.delete(shared)
		w.awaitDeleted(shared)

		w.databaseClass(c, func(s *v1alpha1.DatabaseClassSpec) { s.AllowAdoption = v1alpha1.AllowAdoptionAny })
		again := w.tenLines("again")
		again.Spec.RestoreFrom, again.Spec.Connection = &from, nil
		again.Spec.Version, again.Spec.DatabaseName = new("17"), new("app") // as the server was
		system.Connect(again, "again-db")
		w.create(again)
		w.ready(again)
		w.equal("orders", w.orders(w.Secret("again-db")), 1)
	})
}

// A database that the snapshot does not have is not created empty in its place: the object says so, until the name is right.
func TestRestoreCreatesNothingEmpty(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d, _ := w.sold(c, v1alpha1.EnginePostgres)
		s := w.snapshotOf(d, "nightly")
		w.create(s)
		w.ready(s)
		again := w.restores(d, "restored", of(s))
		again.Spec.DatabaseName = new("other")
		w.create(again)
		name := w.stalled(again, v1alpha1.ReasonImmutable, "spec.databaseName").Status.ExternalName
		if calls := c.Writes(name); slices.Contains(calls, "databases.insert") {
			w.Errorf("a database was created: %q", calls)
		}
		for _, look := range []string{"1", "2"} { // that the server can be used by now does not change that
			seen := c.Observations(name)
			edit(w, again, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationReconcile: look} })
			w.Eventually("it is looked at again", func() bool { return c.Observations(name) > seen })
		}
		if s := w.stalled(again, v1alpha1.ReasonImmutable, "spec.databaseName"); s.Status.FirstReadyTime != nil {
			w.Error("it counts as ready although it never was as declared")
		}
		if calls := c.Writes(name); slices.Contains(calls, "databases.insert") {
			w.Errorf("a database was created later: %q", calls)
		}
		if w.Secret("restored-db") != nil {
			w.Error("the connection Secret leads to a server that never was as declared")
		}
		edit(w, again, func(d *v1alpha1.Database) { d.Spec.DatabaseName = new("app") })
		w.ready(again)
		w.equal("orders", w.orders(w.Secret("restored-db")), 1)
	})
}

// A clone of Cloud SQL is born with the mark, the networks and the tags of another server. It is never taken for that one, and not usable before all that is put right. If it is
// deleted before that, it goes, and the other one stays.
func TestRestoreOfACopy(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	p := system.MinimalDatabase(c)
	p.Backup = &v1alpha1.DatabaseBackup{PointInTimeRecovery: new(true)}
	p.Network = &v1alpha1.DatabaseNetwork{PublicAccess: new(v1alpha1.PublicAccessAllowed), AllowedCIDRs: []string{"203.0.113.0/24"}}
	d := w.database(c, "orders", p)
	d.Spec.Tags = map[string]v1alpha1.TagValue{"team": "shop"}
	w.create(d)
	server := w.ready(d).Status.ExternalName
	was := len(c.Writes(server))

	copyOf := func(name string) (again *v1alpha1.Database, server string) {
		again = w.restores(d, name, v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: d.Name}}})
		again.Spec.Network.AllowedCIDRs = nil
		again.Spec.Tags = map[string]v1alpha1.TagValue{"owner": "audit"}
		return again, plan.ExternalName(w.mark(w.Namespace, name).Cluster, w.Namespace, name, 63)
	}
	refusesPatches := func(server string, after int) (lift func()) {
		return c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.patch", Resource: server}, Kind: localcloud.Denied, Skip: after})
	}

	again, itsServer := copyOf("restored")
	lift := refusesPatches(itsServer, 1) // its own mark comes first
	w.create(again)
	s := w.stalled(again, v1alpha1.ReasonDenied)
	w.Refresh(again)
	if from := again.Status.RestoredFrom; s.Status.FirstReadyTime != nil || from == nil || from.DatabaseUID != string(d.UID) {
		w.Errorf("with the networks of the other server its status is %+v", again.Status)
	}
	if !w.marked(c, system.TargetOf("Database", c.Name), itsServer, again) {
		w.Errorf("its tags are %v", c.Databases().Tags(w.T, itsServer))
	}
	if err := w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: "restored-db"}, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		w.Errorf("its connection Secret is there before its networks are its own: %v", err)
	}
	lift()
	edit(w, again, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "1"} })
	w.ready(again)
	w.Secret("restored-db")
	w.mirrors(again, "network.allowedCIDRs", "")
	w.equal("the tag of the other server", c.Databases().Tags(w.T, itsServer)["team"], "")
	w.equal("its own tag", c.Databases().Tags(w.T, itsServer)["owner"], "audit")
	w.says(again, v1alpha1.EventReady, "usable")
	events := &eventsv1.EventList{}
	w.Must(w.Client.List(w.Context(), events, client.InNamespace(w.Namespace)))
	for _, e := range events.Items {
		if e.Regarding.UID == again.UID && (e.Reason == v1alpha1.EventAdopted || e.Reason == v1alpha1.EventReleased) {
			w.Errorf("of a new server an Event %s says %q", e.Reason, e.Note)
		}
	}

	early, earlyServer := copyOf("early")
	early.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot // of what nobody used, none is taken
	w.Cleanup(refusesPatches(earlyServer, 0))
	w.create(early)
	w.stalled(early, v1alpha1.ReasonDenied)
	w.delete(early)
	w.awaitDeleted(early)
	if names := c.Databases().Names(w.T); slices.Contains(names, earlyServer) || !slices.Contains(names, server) || !slices.Contains(names, itsServer) {
		w.Errorf("once the copy is deleted, there are %q", names)
	}
	w.equal("snapshots of it", c.Databases().Snapshots(w.T, earlyServer), []string(nil))
	w.equal("writes to the other server", c.Writes(server)[was:], []string{"instances.clone", "instances.clone"})
	if !w.marked(c, system.TargetOf("Database", c.Name), server, d) {
		w.Errorf("the tags of the other server are %v", c.Databases().Tags(w.T, server))
	}
}

// Of two Databases with one name in the cloud, only the one that is bound to it first makes a copy: before that has its own mark, nobody could tell whose it is.
func TestRestoreOfACopyThatTwoClaim(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	d := w.database(c, "orders", system.MinimalDatabase(c))
	w.create(d)
	source, server := w.ready(d).Status.ExternalName, w.Namespace+"-copy"
	claims := func(name string) *v1alpha1.Database {
		again := w.restores(d, name, v1alpha1.DatabaseRestore{PointInTime: &v1alpha1.DatabasePointInTime{DatabaseRef: v1alpha1.DatabaseReference{Name: d.Name}}})
		again.Spec.ExternalName = server
		w.create(again)
		return again
	}
	lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.clone", Resource: source}, Kind: localcloud.Throttled})
	first := claims("first")
	w.state(first, "bound", func(s system.Snapshot) bool { return s.Status.ExternalName == server })
	second := claims("second")
	w.stalled(second, v1alpha1.ReasonNotOwned, "another object is bound to a cloud object of this name")
	w.delete(second)
	w.awaitDeleted(second)
	lift()
	w.ready(first)
	if !w.marked(c, system.TargetOf("Database", c.Name), server, first) {
		w.Errorf("the tags of the copy are %v", c.Databases().Tags(w.T, server))
	}
}
