package e2e

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// replicaOf declares a read replica of a database, with a connection.
func (w *fixture) replicaOf(d *v1alpha1.Database, name string) *v1alpha1.Database {
	r := &v1alpha1.Database{ObjectMeta: w.Meta(name)}
	r.Spec = *d.Spec.DeepCopy()
	r.Spec.DatabaseName, r.Spec.Backup, r.Spec.Credentials = nil, nil, nil
	r.Spec.Replica = &v1alpha1.DatabaseReplica{PrimaryRef: v1alpha1.DatabaseReference{Name: d.Name}}
	system.Connect(r, name+"-db")
	return r
}

// toDatabase returns what a Secret says, for another database of the server.
func toDatabase(secret map[string][]byte, name string) map[string][]byte {
	to := map[string][]byte{}
	for key, value := range secret {
		to[key] = value
	}
	to["database"] = []byte(name)
	return to
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
				reads := toDatabase(w.Secret("reads-db"), "app")
				w.equal("the password", string(reads["password"]), string(secret["password"]))
				w.Must(w.exec(secret, "INSERT INTO orders VALUES (2)"))
				w.Eventually("the replica has both orders", func() bool { return w.orders(reads) == 2 })
				if err := w.exec(reads, "INSERT INTO orders VALUES (3)"); err == nil {
					w.Error("the replica takes writes")
				}

				w.asks(d, v1alpha1.AnnotationRotatePassword, "1")
				w.AwaitSecret("reads-db", "the new password of the primary", func(data map[string][]byte) bool { return string(data["password"]) != string(secret["password"]) })
				reads, secret = toDatabase(w.Secret("reads-db"), "app"), w.Secret("orders-db")
				w.equal("the password after a rotation", string(reads["password"]), string(secret["password"]))
				w.Eventually("the replica can be used with it", func() bool { return w.exec(reads, "SELECT 1") == nil })

				refused(w, r, "set spec.replica.role to Primary to promote it first", func(r *v1alpha1.Database) { r.Spec.Replica = nil })
				refused(w, r, "a read replica never follows another server", func(r *v1alpha1.Database) { r.Spec.Replica.PrimaryRef.Name = "other" })
				edit(w, r, func(r *v1alpha1.Database) { r.Spec.Replica.Role = v1alpha1.ReplicaRolePrimary })
				s := w.state(r, "the promotion waits for approval", func(s system.Snapshot) bool { return s.Status.Plan != nil && s.Status.Plan.Hash != "" })
				w.approve(r, s.Status.Plan.Hash)
				w.AwaitObject(r, "promoted", func() bool { return r.Status.Replica == nil })
				w.ready(r)
				reads = toDatabase(w.Secret("reads-db"), "app")
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
