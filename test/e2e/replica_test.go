package e2e

import (
	"slices"
	"strings"
	"testing"

	eventsv1 "k8s.io/api/events/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// replicaOf declares a read replica of a database, with a connection.
func (w *fixture) replicaOf(d *v1alpha1.Database, name string) *v1alpha1.Database {
	r := &v1alpha1.Database{ObjectMeta: w.Meta(name)}
	r.Spec = *d.Spec.DeepCopy()
	r.Spec.Backup, r.Spec.Credentials = nil, nil
	r.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: d.Name}}
	system.Connect(r, name+"-db")
	return r
}

// A read replica has the rows and the login of its primary, follows the password of that, and refuses writes. It is promoted once a person approves that, keeps its login, takes writes,
// and follows its primary no more.
func TestReplica(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMariaDB} {
		t.Run(string(engine), func(t *testing.T) {
			onReal(t, engine, func(w *fixture, c *system.Cloud) {
				d, secret := w.sold(c, engine)
				r := w.replicaOf(d, "reads")
				w.create(r)
				is := w.ready(r)
				w.AwaitObject(d, "the primary says what follows it", func() bool { return slices.Equal(d.Status.Replicas, []string{is.Status.ExternalName}) })
				w.Refresh(r)
				if at := r.Status.Replica; at == nil || at.Primary != d.Status.ExternalName || at.Problem != "" {
					w.Fatalf("the status says that it follows %+v, want %s", at, d.Status.ExternalName)
				}
				w.equal("transitions", w.Transitions("Database", r.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})
				reads := w.Secret("reads-db")
				w.equal("the password", string(reads["password"]), string(secret["password"]))
				w.Must(w.exec(secret, "INSERT INTO orders VALUES (2)"))
				w.Eventually("the replica has both orders", func() bool { return w.orders(reads) == 2 })
				if err := w.exec(reads, "INSERT INTO orders VALUES (3)"); err == nil {
					w.Error("the replica takes writes")
				}

				w.asks(d, v1alpha1.AnnotationRotatePassword, "1")
				w.AwaitSecret("reads-db", "the new password of the primary", func(data map[string][]byte) bool { return string(data["password"]) != string(secret["password"]) })
				reads, secret = w.Secret("reads-db"), w.Secret("orders-db")
				w.equal("the password after a rotation", string(reads["password"]), string(secret["password"]))
				w.Eventually("the replica can be used with it", func() bool { return w.exec(reads, "SELECT 1") == nil })

				w.asks(r, v1alpha1.AnnotationRotatePassword, "1")
				if said := w.answered(r, v1alpha1.AnnotationRotatePassword, "1", v1alpha1.ActionRefused); !strings.Contains(said, "a read replica has the password of its primary") {
					w.Errorf("it says %q", said)
				}
				refused(w, r, "set spec.replica.role to Primary to promote it first", func(r *v1alpha1.Database) { r.Spec.Replica = nil })
				edit(w, r, func(r *v1alpha1.Database) { r.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary })
				s := w.state(r, "the promotion waits for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" })
				w.approve(r, s.Status.Plan.Hash)
				w.AwaitObject(r, "promoted", func() bool { return r.Status.Replica == nil })
				w.ready(r)
				reads = w.Secret("reads-db")
				w.equal("the password of the promoted server", string(reads["password"]), string(secret["password"]))
				w.Must(w.exec(reads, "INSERT INTO orders VALUES (3)"))
				w.Must(w.exec(secret, "INSERT INTO orders VALUES (4)"))
				w.Must(w.exec(secret, "INSERT INTO orders VALUES (5)"))
				w.equal("orders in the promoted server", w.orders(reads), 3)
				w.equal("orders in the primary", w.orders(secret), 4)
				w.equal("its identity", w.ready(r).Status.ExternalID, is.Status.ExternalID)
				edit(w, r, func(r *v1alpha1.Database) { r.Spec.Replica = nil })
				w.ready(r)
			})
		})
	}
}

// primary declares a database that can have read replicas, and waits for it.
func (w *fixture) primary(c *system.Cloud, name string) *v1alpha1.Database {
	w.Helper()
	p := system.MinimalDatabase(c)
	if c.Name == "gcp" {
		p.Backup = &v1alpha1.DatabaseBackup{PointInTimeRecovery: new(true)}
	}
	d := w.database(c, name, p)
	w.create(d)
	w.ready(d)
	return d
}

// A read replica waits for its primary. Nothing is created where it could not follow, and never an empty server.
func TestReplicaWaitsAndRefuses(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		bare := w.database(c, "bare", system.MinimalDatabase(c))
		lacks := "spec.backup.pointInTimeRecovery"
		if c.Name != "gcp" {
			lacks = "spec.backup.retentionDays"
			bare.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}
		}
		r := w.replicaOf(bare, "reads")
		w.create(r)
		w.awaitMissing(r, v1alpha1.ReasonPrimaryNotFound, "there is no Database bare in this namespace")
		w.Disturb()
		w.create(bare)
		w.ready(bare)
		w.stalled(r, v1alpha1.ReasonInvalid, lacks)
		w.Refresh(r)
		if system.ProviderOf(c.Name).Journal == nil { // which has the refused ones, too
			w.equal("creations", len(c.Writes(r.Status.ExternalName)), 0)
		}
		w.Disturb()
		edit(w, bare, func(d *v1alpha1.Database) {
			d.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(1))}
			if c.Name == "gcp" {
				d.Spec.Backup.PointInTimeRecovery = new(true)
			}
		})
		w.ready(bare)
		w.ready(r)

		promoted := w.replicaOf(bare, "promoted")
		promoted.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary
		w.create(promoted)
		w.stalled(promoted, v1alpha1.ReasonInvalid, "there is no read replica to promote")
		other := w.replicaOf(bare, "other")
		other.Spec.Version = new("16")
		if v := bare.Spec.Version; v != nil && *v == "16" {
			other.Spec.Version = new("15")
		}
		w.create(other)
		w.stalled(other, v1alpha1.ReasonInvalid, "set spec.version to")
	})
}

// A read replica that is as declared, and its primary, cause no writes. Each look at them is one call, and another one asks how far the replica lags behind. A lag that changes a little changes nothing.
func TestConvergedReplicaIsSilent(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.primary(c, "orders")
		r := w.replicaOf(d, "reads")
		w.create(r)
		w.ready(r)
		w.AwaitObject(d, "the primary says what follows it", func() bool { return len(d.Status.Replicas) == 1 })
		names := []string{d.Status.ExternalName, w.Refresh(r).ExternalName}
		lags := system.ProviderOf(c.Name).Lag
		if lags != nil {
			w.AwaitObject(r, "the status says the lag", func() bool { return r.Status.Replica.Lag == v1alpha1.ReplicaLagSeconds })
			w.equal("there is such a replica", lags(w.Cloud, names[1], 30), true)
		}
		w.observedAgain(c, names[0], 2) // what was still under way is done by then
		w.observedAgain(c, names[1], 2)
		versions := func() string { w.Refresh(d); w.Refresh(r); return d.ResourceVersion + " " + r.ResourceVersion }
		before, writes := versions(), len(c.Writes(names[0]))+len(c.Writes(names[1]))
		calls := len(w.Cloud.Ledger.Calls(localcloud.Filter{}))
		w.observedAgain(c, names[1], 3)
		w.equal("the versions of the objects", versions(), before)
		w.equal("writes to the cloud", len(c.Writes(names[0]))+len(c.Writes(names[1])), writes)
		if system.ProviderOf(c.Name).Journal != nil { // the stand-in keeps no ledger of it
			return
		}
		kinds := map[string]int{}
		for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{})[calls:] {
			if call.Resource == names[1] {
				kinds[call.Operation]++
			}
		}
		asked := kinds["GetMetricData"] + kinds["timeSeries.list"]
		delete(kinds, "GetMetricData")
		delete(kinds, "timeSeries.list")
		for operation, looks := range kinds {
			if len(kinds) != 1 || asked > looks+1 { // one of the look before
				w.Errorf("looks at a read replica take the calls %v, and %d calls for its lag; %s was called %d times", kinds, asked, operation, looks)
			}
		}
	})
}

// A read replica that lags behind says so in its status, roughly, and in a metric in seconds. It is none the less Ready. Who is asked to approve a promotion is told the lag, and
// may approve it whatever the lag becomes. A promoted server has none.
func TestReplicaLag(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		lags := system.ProviderOf(c.Name).Lag
		if lags == nil {
			return // it says nothing of it
		}
		d := w.primary(c, "orders")
		r := w.replicaOf(d, "reads")
		w.create(r)
		name := w.ready(r).Status.ExternalName
		says := func(lag v1alpha1.ReplicaLag) {
			w.Helper()
			w.AwaitObject(r, "it lags by "+string(lag), func() bool { return r.Status.Replica != nil && r.Status.Replica.Lag == lag })
		}
		says(v1alpha1.ReplicaLagSeconds)
		for _, step := range []struct {
			seconds float64
			want    v1alpha1.ReplicaLag
		}{{90000.5, v1alpha1.ReplicaLagDays}, {40000, v1alpha1.ReplicaLagHours}, {2000, v1alpha1.ReplicaLagHours}, {1000, v1alpha1.ReplicaLagMinutes}} {
			w.equal("there is such a replica", lags(w.Cloud, name, step.seconds), true)
			w.Eventually("the metric shows the lag", func() bool { return w.lag(r) == step.seconds })
			says(step.want)
		}
		w.equal("transitions", w.Transitions("Database", r.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})

		edit(w, r, func(r *v1alpha1.Database) { r.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary })
		s := w.state(r, "the promotion waits for approval, and says the lag", func(s system.Snapshot) bool {
			return s.Status.Plan != nil && s.Status.Plan.Hash != "" && strings.Contains(s.Told(), "lags behind by minutes")
		})
		lags(w.Cloud, name, 5)
		says(v1alpha1.ReplicaLagSeconds)
		w.approve(r, s.Status.Plan.Hash)
		w.AwaitObject(r, "promoted", func() bool { return r.Status.Replica == nil })
		w.ready(r)
		w.Eventually("the metric is gone", func() bool { return w.lag(r) == -1 })
	})
}

// lag returns what the metric shows of an object, in seconds; -1 for nothing.
func (w *fixture) lag(o client.Object) float64 {
	w.Helper()
	families, err := w.of.metrics.Gather()
	w.Must(err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			labels := map[string]string{}
			for _, l := range m.GetLabel() {
				labels[l.GetName()] = l.GetValue()
			}
			if f.GetName() == "mooring_replica_lag_seconds" && labels["namespace"] == o.GetNamespace() && labels["name"] == o.GetName() {
				return m.GetGauge().GetValue()
			}
		}
	}
	return -1
}

// Who deletes a primary before its replicas is told what follows it. The deletion goes on by itself once nothing does, and takes a final snapshot, which a replica does not.
func TestDeletionOfAPrimary(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.primary(c, "orders")
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot })
		r, second := w.replicaOf(d, "reads"), w.replicaOf(d, "second")
		r.Spec.DeletionPolicy = v1alpha1.DeletionSnapshot
		w.create(r)
		w.create(second)
		reads := w.ready(r).Status.ExternalName
		w.ready(second)
		w.ready(d)
		w.delete(d)
		w.stalled(d, v1alpha1.ReasonInUse, "Database reads, Database second; delete them, or promote them")
		w.Disturb()
		w.delete(r)
		w.awaitDeleted(r)
		w.equal("final snapshots of the replica", len(c.Databases().Snapshots(w.T, reads)), 0)
		s := w.stalled(d, v1alpha1.ReasonInUse)
		w.equal("the state of the primary", s.Deleting, true)
		edit(w, second, func(r *v1alpha1.Database) { r.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary })
		s = w.state(second, "the promotion waits for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" })
		w.Disturb()
		w.approve(second, s.Status.Plan.Hash)
		w.awaitDeleted(d)
		w.final(d)
		w.ready(second)
	})
}

// A read replica that somebody deleted is made anew from its primary, and nothing is lost; one that somebody promoted stays as it is until the spec says so, too.
func TestReplicaBehindItsBack(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d, secret := w.sold(c, v1alpha1.EnginePostgres)
		r := w.replicaOf(d, "reads")
		r.Spec.WhenVanished = v1alpha1.WhenVanishedRecreate
		r.Spec.DeletionProtection = nil
		w.create(r)
		first := w.ready(r)
		w.Disturb()
		c.Databases().Delete(w.T, first.Status.ExternalName)
		w.state(r, "another server", func(s system.Snapshot) bool {
			return s.IsReady(r) && s.Status.FirstReadyTime != nil && s.Status.ExternalID != first.Status.ExternalID
		})
		w.Eventually("the replica has the order", func() bool { return w.orders(w.Secret("reads-db")) == 1 })
		list := &eventsv1.EventList{}
		w.Must(w.Client.List(w.Context(), list, client.InNamespace(w.Namespace)))
		for _, e := range list.Items {
			if e.Reason == v1alpha1.EventDataLost {
				w.Errorf("an Event says %q", e.Note)
			}
		}

		w.Disturb()
		c.Databases().Promote(w.T, first.Status.ExternalName)
		w.stalled(r, v1alpha1.ReasonImmutable, "set spec.replica.role to Primary")
		edit(w, r, func(r *v1alpha1.Database) { r.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary })
		w.ready(r)
		w.Must(w.exec(w.Secret("reads-db"), "INSERT INTO orders VALUES (2)"))
		w.equal("orders in the primary", w.orders(secret), 1)
		w.equal("the password", string(w.Secret("reads-db")["password"]), string(secret["password"]))
	})
}
