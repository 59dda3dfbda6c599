package e2e

import (
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

var startReal sync.Mutex

// realClouds is a second local cloud, whose databases are real servers, behind the configs aws-real and gcp-real.
var realClouds map[string]*system.Cloud

// realCloud returns one of the clouds with real servers, or skips the test where the machine has none.
func (w *fixture) realCloud(name string, engine v1alpha1.Engine) *system.Cloud {
	w.Helper()
	if err := localcloud.EngineAvailable(string(engine)); err != nil {
		if os.Getenv("CI") != "" {
			w.Fatal(err)
		}
		w.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	startReal.Lock()
	defer startReal.Unlock()
	if realClouds == nil {
		local, err := localcloud.Start(localcloud.Options{Durations: durations, InstanceQuota: -1, LogInterval: time.Second})
		w.Must(err)
		suite.Cleanup(func() {
			if err := local.Close(); err != nil {
				suite.Error(err)
			}
		})
		realClouds = map[string]*system.Cloud{}
		for _, name := range []string{"aws", "gcp"} {
			c := system.NewCloud(local, name)
			c.Config = name + "-real"
			w.account(c)
			realClouds[name] = c
		}
	}
	return realClouds[name]
}

// withEngine are the clouds that have an engine.
func withEngine(engine v1alpha1.Engine) []string {
	if engine == v1alpha1.EngineMariaDB {
		return []string{"aws"}
	}
	return []string{"aws", "gcp"}
}

// onReal runs a test on all clouds that have an engine, with real servers.
func onReal(t *testing.T, engine v1alpha1.Engine, test func(*fixture, *system.Cloud)) {
	t.Parallel()
	for _, name := range withEngine(engine) {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			test(w, w.realCloud(name, engine))
		})
	}
}

// typeOf are the types of connection Secrets. Applications find servers of MariaDB as they find those of MySQL.
var typeOf = map[v1alpha1.Engine]corev1.SecretType{
	v1alpha1.EnginePostgres: "servicebinding.io/postgresql", v1alpha1.EngineMySQL: "servicebinding.io/mysql", v1alpha1.EngineMariaDB: "servicebinding.io/mysql",
}

func TestConnection(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		engine   v1alpha1.Engine
		username string
		want     map[string]string // the administrator
	}{
		{"postgres", v1alpha1.EnginePostgres, "", same("postgres")},
		{"postgres-named", v1alpha1.EnginePostgres, "keeper", same("keeper")},
		{"mysql", v1alpha1.EngineMySQL, "", map[string]string{"aws": "admin", "gcp": "root"}},
		{"mysql-named", v1alpha1.EngineMySQL, "keeper", same("keeper")},
		{"mariadb", v1alpha1.EngineMariaDB, "", same("admin")},
		{"mariadb-named", v1alpha1.EngineMariaDB, "keeper", same("keeper")},
	} {
		t.Run(test.name, func(t *testing.T) {
			onReal(t, test.engine, func(w *fixture, c *system.Cloud) {
				p := system.MinimalDatabase(c)
				p.Engine, p.DatabaseName = new(test.engine), new("app")
				d := w.database(c, "orders", p)
				system.Connect(d, "orders-db")
				if test.username != "" {
					d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Username: new(test.username)}
				}
				w.create(d)
				s := w.ready(d)
				w.equal("binding", s.Status.Binding, &v1alpha1.Binding{Name: "orders-db"})
				user, database, err := w.query(w.Secret("orders-db"))
				w.Must(err)
				connection := &corev1.Secret{}
				w.Must(w.Client.Get(w.Context(), client.ObjectKey{Namespace: w.Namespace, Name: "orders-db"}, connection))
				w.equal("type of the Secret", connection.Type, typeOf[test.engine])
				w.equal("scheme", strings.SplitN(string(connection.Data["uri"]), "://", 2)[0], string(connection.Data["type"]))
				w.equal("user", user, test.want[c.Name])
				w.equal("database", database, "app")
				if len(w.Secret("orders-db")["certificates"]) == 0 {
					w.Error("the Secret has no certificates, so nobody can know the server")
				}
				if _, _, err := w.queryBy(w.Secret("orders-db"), false); err == nil && c.Name == "gcp" {
					w.Error("a server of Cloud SQL has a public address, and takes logins without TLS")
				}
				w.equal("transitions", w.Transitions("Database", d.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})
			})
		})
	}
}

// give puts a password into the Secret that a spec refers to.
func (w *fixture) give(password string) {
	w.Helper()
	s := &corev1.Secret{ObjectMeta: w.Meta("admin"), Data: map[string][]byte{"password": []byte(password)}}
	w.Disturb()
	if w.Secret("admin") == nil {
		w.Must(w.Client.Create(w.Context(), s))
	} else {
		w.Must(w.Client.Update(w.Context(), s))
	}
}

func (w *fixture) withPassword(c *system.Cloud) *v1alpha1.Database {
	d := w.database(c, "orders", system.MinimalDatabase(c))
	d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "admin"}}
	system.Connect(d, "orders-db")
	return d
}

// rotates waits until the connection Secret has a password, and logs in with it.
func (w *fixture) rotates(password string) {
	w.Helper()
	w.AwaitSecret("orders-db", "with the new password", func(data map[string][]byte) bool { return string(data["password"]) == password })
	_, _, err := w.query(w.Secret("orders-db"))
	w.Must(err)
}

func TestPasswordOfOnesOwn(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d := w.withPassword(c)
		w.create(d)
		w.awaitMissing(d, v1alpha1.ReasonPasswordNotFound, `no key "password" in a Secret admin`)
		w.Must(w.Client.Create(w.Context(), &corev1.Secret{ObjectMeta: w.Meta("admin"), Data: map[string][]byte{"other": []byte("x")}}))
		w.observedAgain(c, w.externalName(w.States("Database", d.Name, 0)[0]), 1)
		w.awaitMissing(d, v1alpha1.ReasonPasswordNotFound, `no key "password" in a Secret admin`)
		w.give("first-password")
		name := w.ready(d).Status.ExternalName
		w.rotates("first-password")
		old := w.Secret("orders-db")

		mark := len(c.Writes(name))
		w.give("second-password")
		w.rotates("second-password")
		w.ready(d)
		w.expectWrites(c, name, mark, map[string]string{"aws": "ModifyDBInstance", "gcp": "users.update"}[c.Name])
		if _, _, err := w.query(old); err == nil {
			w.Error("the old password still opens the door")
		}

		// A Secret that goes takes nothing with it.
		w.Disturb()
		w.Must(w.Client.Delete(w.Context(), &corev1.Secret{ObjectMeta: w.Meta("admin")}))
		w.stalled(d, v1alpha1.ReasonPasswordNotFound)
		_, _, err := w.query(w.Secret("orders-db"))
		w.Must(err)
		w.give("second-password")
		w.ready(d)
		w.expectWrites(c, name, mark, map[string]string{"aws": "ModifyDBInstance", "gcp": "users.update"}[c.Name])

		// A server whose password is Mooring's affair from now on keeps the one that it has, whatever the Secret says.
		edit(w, d, func(d *v1alpha1.Database) {
			d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsGenerated}
		})
		w.ready(d)
		w.give("third-password")
		w.observedAgain(c, name, 2)
		w.expectWrites(c, name, mark, map[string]string{"aws": "ModifyDBInstance", "gcp": "users.update"}[c.Name])
		_, _, err = w.query(w.Secret("orders-db"))
		w.Must(err)
	})
}

// A server that is taken over keeps a password that only others know, until a person agrees to another.
func TestPasswordOfOthers(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		before := w.database(c, "theirs", system.MinimalDatabase(c))
		before.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		system.Connect(before, "theirs-db")
		w.create(before)
		name := w.ready(before).Status.ExternalName
		theirs := w.Secret("theirs-db")
		w.delete(before)
		w.awaitDeleted(before)

		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.ExternalName, d.Spec.Adoption = name, v1alpha1.AdoptionIfExists
		system.Connect(d, "orders-db")
		w.create(d)
		s := w.stalled(d, v1alpha1.ReasonApprovalRequired, "every login with the current one then fails", "spec.credentials.passwordSecretRef", v1alpha1.AnnotationApprove+"=")
		w.equal("pendingChanges", s.Status.PendingChanges, []v1alpha1.PendingChange{{
			Field: "credentials.password", From: driver.Redacted, To: driver.Redacted, Effect: string(driver.Irreversible), Cause: v1alpha1.CauseDrift,
			WaitsFor: v1alpha1.WaitsForApproval,
		}})
		w.observedAgain(c, name, 2)
		_, _, err := w.query(theirs)
		w.Must(err)
		w.equal("connection Secret", w.Secret("orders-db"), map[string][]byte(nil))

		mark := len(c.Writes(name))
		w.approve(d, s.Status.Plan.Hash)
		w.ready(d)
		w.expectWrites(c, name, mark, map[string]string{"aws": "ModifyDBInstance", "gcp": "users.update"}[c.Name])
		_, _, err = w.query(w.Secret("orders-db"))
		w.Must(err)
		if _, _, err := w.query(theirs); err == nil {
			w.Error("the old password still opens the door")
		}
	})
}

// externalName waits for the name in the cloud.
func (w *fixture) externalName(s system.Snapshot) string {
	w.Helper()
	return w.Await(w.T, s.Kind, s.Name, "bound", func(s system.Snapshot) bool { return s.Status.ExternalName != "" }).Status.ExternalName
}

// RDS takes no password with a slash: it is refused before it is sent, and heals by mending the Secret.
func TestPasswordThatRDSRefuses(t *testing.T) {
	t.Parallel()
	w := newSerialFixture(t)
	c := w.realCloud("aws", v1alpha1.EnginePostgres)
	w.give("with/slash")
	d := w.withPassword(c)
	w.create(d)
	w.stalled(d, v1alpha1.ReasonPasswordInvalid, "the password in Secret admin can't be used", "must not contain any of the characters")
	w.give("first-password")
	w.ready(d)
	w.rotates("first-password")
	w.give("with/slash/too")
	w.stalled(d, v1alpha1.ReasonPasswordInvalid, "the password in Secret admin can't be used", "must not contain any of the characters")
	_, _, err := w.query(w.Secret("orders-db"))
	w.Must(err) // the Secret tells the password that the server has
	w.give("second-password")
	w.ready(d)
	w.rotates("second-password")
}

// A Secret of the connection's name that somebody else made is left alone.
func TestSecretOfSomebodyElse(t *testing.T) {
	onAll(t, func(w *fixture, c *system.Cloud, k system.Target) {
		theirs := &corev1.Secret{ObjectMeta: w.Meta("taken"), Data: map[string][]byte{"mine": []byte("1")}}
		w.Must(w.Client.Create(w.Context(), theirs))
		o := w.declare(c, k, "orders")
		system.Connect(o, "taken")
		w.create(o)
		s := w.stalled(o, v1alpha1.ReasonSecretNotOwned, "change spec.connection.secretName, or delete the Secret if nobody needs it")
		if s.Status.ExternalName != "" {
			w.Errorf("it was made all the same, and could not be told of:\n    %v", s)
		}
		w.equal("their Secret", w.Secret("taken"), theirs.Data)
		w.Disturb()
		w.Must(w.Client.Delete(w.Context(), theirs))
		w.ready(o)
		w.equal("provider", string(w.Secret("taken")["provider"]), c.Name)
	})
}
