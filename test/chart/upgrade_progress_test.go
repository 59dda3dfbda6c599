package chart

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// TestUpgradeInProgress upgrades from each base while clouds create, change and delete, and while passwords are half changed, and then
// back by one release in the same situation. The release that takes over writes nothing to the cloud while it works, and finishes all:
// nothing is created twice, nothing is Stalled, and every connection Secret logs in to a real server.
func TestUpgradeInProgress(t *testing.T) {
	if err := localcloud.EngineAvailable("postgres"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("SKIPPED, NOT TESTED: %v", err)
	}
	t.Parallel()
	for _, b := range bases[:2] { // what is younger differs in buckets, which a cloud makes and changes at once
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			source := sourceOf(t, b)
			clock := &cloudClock{}
			w := newFixtureOn(t, "helm", localcloud.Options{InstanceQuota: -1, Now: clock.now, Durations: localcloud.Durations{
				Create: time.Hour, Modify: time.Hour, Delete: time.Hour, Snapshot: time.Hour,
			}})
			w.install(source+"/charts/mooring", build(t, source), often)
			w.Must(w.Accounts(t.Context()))

			p := w.begins("upgrade", clock)
			w.install(chartDir(t), build(t, root(t)), often)
			p.undisturbed()
			p.finish()

			p = w.begins("rollback", clock)
			w.run(w, "rollback", w.release, "1", "--namespace", w.namespace)
			w.roll(build(t, source))
			p.undisturbed()
			p.finish()
		})
	}
}

// A cloudClock is the wall clock, ahead by as much as a test lets pass.
type cloudClock struct{ ahead atomic.Int64 }

func (c *cloudClock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// run has the time pass at a great pace, 10 minutes at a time, until it is stopped.
func (c *cloudClock) run() (stop func()) {
	ended := make(chan struct{})
	var ticks sync.WaitGroup
	ticks.Go(func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; <-tick.C {
			select {
			case <-ended:
				tick.Stop()
				return
			default:
				c.ahead.Add(int64(10 * time.Minute))
			}
		}
	})
	return func() {
		close(ended)
		ticks.Wait()
	}
}

// inProgress are databases with which a cloud, or Mooring, is not done.
type inProgress struct {
	*fixture
	namespace string
	clock     *cloudClock
	lift      []func()

	created, changed, rotated, deleted []*v1alpha1.Database
	// before is what must stay as it is while the clouds are at work, and calls how many calls there had been.
	before map[string]any
	calls  int
}

// The passwords of databases that are given one: at first, and after the change.
const (
	firstPassword  = "first-password"
	secondPassword = "second-password"
)

// begins has databases created, changed and deleted in a namespace, and passwords changed, and returns while all of it is in progress.
func (w *fixture) begins(namespace string, clock *cloudClock) *inProgress {
	w.Helper()
	p := &inProgress{fixture: w, namespace: namespace, clock: clock}
	w.Must(system.EnsureNamespace(w.Context(), w.Client, namespace))
	for _, name := range []string{"aws-sent", "aws-refused", "aws-lost", "gcp-lost"} {
		p.password(name, firstPassword)
		d := p.database(name)
		d.Spec.Credentials = &v1alpha1.DatabaseCredentials{PasswordSecretRef: &v1alpha1.SecretKeyReference{Name: "password-of-" + name}}
		p.rotated = append(p.rotated, d)
	}
	p.changed = []*v1alpha1.Database{p.database("aws-changed"), p.database("gcp-changed")}
	p.deleted = []*v1alpha1.Database{p.database("aws-deleted"), p.database("gcp-deleted")}
	ready := slices.Concat(p.rotated, p.changed, p.deleted)
	for _, d := range ready {
		w.Must(w.Client.Create(w.Context(), d))
	}
	p.areReady(ready)

	p.rotate()
	for _, d := range p.changed {
		w.edit(d, func() {
			if d.Spec.AWS != nil {
				d.Spec.AWS.InstanceClass = new("db.t4g.small")
			} else {
				d.Spec.GCP.Tier = new("db-custom-2-7680")
			}
		})
		p.accepted(d, "ModifyDBInstance", "instances.patch")
	}
	for _, d := range p.deleted {
		w.Must(w.Client.Delete(w.Context(), d))
		p.accepted(d, "DeleteDBInstance", "instances.delete")
	}
	for _, name := range []string{"aws-created", "gcp-created"} {
		d := p.database(name)
		w.Must(w.Client.Create(w.Context(), d))
		p.created = append(p.created, d)
	}
	for _, d := range p.created {
		p.isObserved(d)
		p.accepted(d, "CreateDBInstance", "instances.insert")
	}
	p.before, p.calls = p.state(), w.calls()
	return p
}

// database returns a small database with a connection Secret; its name begins with its cloud.
func (p *inProgress) database(name string) *v1alpha1.Database {
	d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: name}}
	provider, _, _ := strings.Cut(name, "-")
	d.Spec.ProviderConfigRef = &v1alpha1.ProviderConfigReference{Kind: "ClusterProviderConfig", Name: provider}
	d.Spec.Engine, d.Spec.Version = new(v1alpha1.EnginePostgres), new("16")
	d.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(20))}
	d.Spec.Connection = &v1alpha1.Connection{SecretName: name}
	if provider == "aws" {
		d.Spec.AWS = &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}
	} else {
		d.Spec.GCP = &v1alpha1.DatabaseGCP{Tier: new("db-custom-1-3840")}
	}
	return d
}

// password writes the Secret that the password of a database comes from.
func (p *inProgress) password(database, value string) {
	p.Helper()
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: p.namespace, Name: "password-of-" + database}, Data: map[string][]byte{"password": []byte(value)}}
	err := p.Client.Create(p.Context(), s)
	if apierrors.IsAlreadyExists(err) {
		err = p.Client.Update(p.Context(), s)
	}
	p.Must(err)
}

// rotate changes passwords: one call is accepted, one is refused for now, and of two the answer is lost.
func (p *inProgress) rotate() {
	p.Helper()
	for _, d := range p.rotated {
		var faults []localcloud.FaultKind
		switch {
		case strings.HasSuffix(d.Name, "-refused"):
			faults = []localcloud.FaultKind{localcloud.Throttled}
		case strings.HasSuffix(d.Name, "-lost"):
			faults = []localcloud.FaultKind{localcloud.ResponseLost}
		}
		for _, kind := range faults {
			for _, operation := range []string{"ModifyDBInstance", "users.update"} {
				p.lift = append(p.lift, p.Cloud.Faults.Add(localcloud.Fault{Kind: kind, Filter: localcloud.Filter{Operation: operation, Resource: system.StatusOf(d).ExternalName}}))
			}
		}
		before := p.fixture.calls()
		p.password(d.Name, secondPassword)
		p.edit(d, func() { d.Annotations = map[string]string{v1alpha1.AnnotationReconcile: p.namespace} })
		p.Eventually(d.Name+": the new password is sent", func() bool {
			return slices.ContainsFunc(p.Cloud.Ledger.Calls(localcloud.Filter{})[before:], func(c localcloud.Call) bool {
				return c.Resource == system.StatusOf(d).ExternalName && (c.Operation == "ModifyDBInstance" || c.Operation == "users.update")
			})
		})
	}
}

// accepted waits until the cloud has accepted one of the operations for a database.
func (p *inProgress) accepted(d *v1alpha1.Database, operations ...string) {
	p.Helper()
	p.Eventually(fmt.Sprintf("%s: one of %q is accepted", d.Name, operations), func() bool {
		return slices.ContainsFunc(p.Cloud.Ledger.Calls(localcloud.Filter{Resource: system.StatusOf(d).ExternalName, Write: localcloud.Writes}), func(c localcloud.Call) bool {
			return slices.Contains(operations, c.Operation) && c.Committed
		})
	})
}

// isObserved waits until the status of a database has all that tells it from others in the cloud.
func (p *inProgress) isObserved(d *v1alpha1.Database) {
	p.Helper()
	p.await(d, "bound, with a name and an id in the cloud", func() bool { return d.Status.ExternalName != "" && d.Status.ExternalID != "" })
}

// areReady lets the clouds finish what they are at, until databases are Ready.
func (p *inProgress) areReady(all []*v1alpha1.Database) {
	p.Helper()
	defer p.clock.run()()
	for _, d := range all {
		p.await(d, "Ready", func() bool { return isReady(d) })
	}
}

func (p *inProgress) all() []*v1alpha1.Database {
	return slices.Concat(p.created, p.changed, p.rotated, p.deleted)
}

// state returns what must not change while the clouds are at work: what objects are bound to, what is stored of passwords, and what is
// Stalled. The databases whose call is refused or gets no answer may be tried again, which does not change what is stored.
func (p *inProgress) state() map[string]any {
	p.Helper()
	state := map[string]any{}
	for _, d := range p.all() {
		p.Must(p.Client.Get(p.Context(), client.ObjectKeyFromObject(d), d))
		stalled := meta.IsStatusConditionTrue(d.Status.Conditions, v1alpha1.ConditionStalled)
		state["Database "+d.Name] = []any{d.Spec, d.Finalizers, d.Status.ExternalName, d.Status.ExternalID, stalled}
	}
	secrets := &corev1.SecretList{}
	p.Must(p.Client.List(p.Context(), secrets, client.InNamespace(p.namespace)))
	for _, s := range secrets.Items {
		state["Secret "+s.Name] = s.Data
	}
	for _, d := range p.all() {
		s := &corev1.Secret{}
		p.Must(p.Client.Get(p.Context(), client.ObjectKey{Namespace: system.Namespace, Name: "password-" + string(d.UID)}, s))
		state["password of "+d.Name] = s.Data
	}
	return state
}

// undisturbed waits until the release that took over has observed all, and demands that it changed nothing.
func (p *inProgress) undisturbed() {
	p.Helper()
	var objects []client.Object
	for _, d := range p.all() {
		objects = append(objects, d)
	}
	p.awaitObserved(objects)
	p.awaitObserved(objects) // the second time it has written down what the first one showed
	if diff := cmp.Diff(p.before, p.state()); diff != "" {
		p.Errorf("%s changed (-before +after):\n%s", p.namespace, diff)
	}
	for _, c := range p.Cloud.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes})[p.writesBefore():] {
		if c.Fault == "" {
			p.Errorf("%s wrote to the cloud: %s %s", p.namespace, c.Operation, c.Resource)
		}
	}
}

// writesBefore returns how many writes there had been when everything was in progress.
func (p *inProgress) writesBefore() (n int) {
	for _, c := range p.Cloud.Ledger.Calls(localcloud.Filter{})[:p.calls] {
		if c.Write {
			n++
		}
	}
	return n
}

// finish lets the clouds do their work, and demands that it comes to an end: once.
func (p *inProgress) finish() {
	p.Helper()
	for _, lift := range p.lift {
		lift()
	}
	there := slices.Concat(p.created, p.changed, p.rotated)
	p.areReady(there)
	p.areDeleted(p.deleted)
	p.logIn(there)
	for _, d := range p.all() {
		for _, operation := range []string{"CreateDBInstance", "instances.insert", "DeleteDBInstance", "instances.delete"} {
			n := p.Cloud.Ledger.Count(localcloud.Filter{Operation: operation, Resource: system.StatusOf(d).ExternalName})
			if n > 1 {
				p.Errorf("%s: %s was sent %d times", d.Name, operation, n)
			}
		}
	}
	for _, d := range there { // their servers end with them
		p.edit(d, func() { d.Spec.DeletionPolicy = v1alpha1.DeletionDelete })
		p.Must(p.Client.Delete(p.Context(), d))
	}
	p.areDeleted(there) // nothing of them is written later
}

// areDeleted lets the clouds finish what they are at, until databases are deleted.
func (p *inProgress) areDeleted(all []*v1alpha1.Database) {
	p.Helper()
	defer p.clock.run()()
	for _, d := range all {
		system.Await(p.T, p.Client, d.DeepCopy(), d.Name+" is deleted", func(exists bool) bool { return !exists })
	}
}

// logIn lets the clouds finish what they are at, until the connection Secrets log in to databases.
func (p *inProgress) logIn(all []*v1alpha1.Database) {
	p.Helper()
	defer p.clock.run()()
	for _, d := range all {
		p.Eventually(d.Name+": its connection Secret logs in", func() bool {
			s := &corev1.Secret{}
			err := p.Client.Get(p.Context(), client.ObjectKey{Namespace: p.namespace, Name: d.Name}, s)
			p.Must(client.IgnoreNotFound(err))
			own := slices.Contains(p.rotated, d)
			return err == nil && (!own || string(s.Data["password"]) == secondPassword) && p.logsIn(string(s.Data["uri"]))
		})
	}
}

func (p *inProgress) logsIn(uri string) bool {
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, uri)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close(ctx) }()
	return conn.Ping(ctx) == nil
}
