package e2e

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// rotationPeriod is how old passwords get in these tests.
const rotationPeriod = 720 * time.Hour

// passwordWrite is the call that sets a password.
var passwordWrite = map[string]string{"aws": "ModifyDBInstance", "gcp": "users.update"}

// rotating is a database whose password Mooring changes by itself.
func (w *fixture) rotating(c *system.Cloud, engine v1alpha1.Engine) *v1alpha1.Database {
	p := system.MinimalDatabase(c)
	p.Engine = &engine
	d := w.database(c, "orders", p)
	if version := map[v1alpha1.Engine]string{v1alpha1.EngineMySQL: "8.0", v1alpha1.EngineMariaDB: "10.11"}[engine]; version != "" {
		d.Spec.Version = &version
	}
	system.Connect(d, "orders-db")
	d.Spec.Credentials = &v1alpha1.DatabaseCredentials{Source: v1alpha1.CredentialsGenerated, RotationPeriod: rotationPeriod.String()}
	return d
}

// schedule waits until the status says when the password is changed, of one that was confirmed after a time.
func (w *fixture) schedule(d *v1alpha1.Database, after time.Time) *v1alpha1.PasswordRotation {
	w.Helper()
	w.AwaitObject(d, "scheduled to get another password", func() bool { return d.Status.Rotation != nil && d.Status.Rotation.LastTime.After(after) })
	return d.Status.Rotation
}

// pass has the period of the password pass: the status says so, and the time need not.
func (w *fixture) pass(d *v1alpha1.Database) {
	w.Helper()
	w.Refresh(d)
	before := d.DeepCopy()
	d.Status.Rotation.NextTime = metav1.NewTime(d.Status.Rotation.LastTime.Add(time.Second))
	w.Must(w.Client.Status().Patch(w.Context(), d, client.MergeFrom(before)))
}

// An application that has nothing but the Secret, and reads it again when it is refused, is back within moments of a rotation: the Secret changes
// once the cloud has applied the password, and not before. Conditions do not move, and nothing is sent twice.
func TestRotation(t *testing.T) {
	for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL, v1alpha1.EngineMariaDB} {
		t.Run(string(engine), func(t *testing.T) {
			onReal(t, engine, func(w *fixture, c *system.Cloud) {
				d := w.rotating(c, engine)
				w.create(d)
				name := w.ready(d).Status.ExternalName
				first := w.schedule(d, time.Time{}).DeepCopy()
				if until := time.Until(first.NextTime.Time); until > rotationPeriod || until < rotationPeriod-25*time.Hour {
					w.Errorf("a new password is changed in %s", until)
				}
				w.observedAgain(c, name, 2)
				w.Refresh(d)
				w.equal("the schedule, later", d.Status.Rotation, first)
				former, mark, states := w.Secret("orders-db"), len(c.Writes(name)), len(w.States("Database", d.Name, 0))

				app := w.application()
				w.pass(d)
				w.AwaitSecret("orders-db", "with another password", func(data map[string][]byte) bool {
					return !bytes.Equal(data["password"], former["password"])
				})
				app.stop()
				if _, _, err := w.query(w.Secret("orders-db")); err != nil {
					w.Errorf("with the new password: %v", err)
				}
				if _, _, err := w.query(former); err == nil {
					w.Error("the former password still opens the door")
				}
				second := w.schedule(d, first.LastTime.Time)
				w.ready(d)
				w.expectWrites(c, name, mark, passwordWrite[c.Name])
				w.equal("the schedule after the rotation", w.Refresh(d) != nil && d.Status.Rotation.NextTime.After(second.LastTime.Add(rotationPeriod-25*time.Hour)), true)
				for _, s := range w.States("Database", d.Name, 0)[states:] {
					if !s.Is(v1alpha1.ConditionReady, yes) || !s.Is(v1alpha1.ConditionAvailable, yes) || !s.Is(v1alpha1.ConditionStalled, "") {
						w.Errorf("while the password is changed it is\n    %v", s)
					}
				}
				w.rotationIsTold(d)
			})
		})
	}
}

// rotationIsTold checks that an Event says why the password changed.
func (w *fixture) rotationIsTold(d *v1alpha1.Database) {
	w.Helper()
	w.Eventually("an Event tells of the rotation", func() bool {
		var all corev1.EventList
		w.Must(w.Client.List(w.Context(), &all, client.InNamespace(w.Namespace)))
		for _, e := range all.Items {
			if e.InvolvedObject.Name == d.Name && e.Reason == v1alpha1.EventPasswordChanged && strings.Contains(e.Message, "spec.credentials.rotationPeriod has passed") {
				return true
			}
		}
		return false
	})
}

// An application logs in again and again, with what the Secret held when it was last refused.
type application struct {
	w      *fixture
	cancel context.CancelFunc
	ended  sync.WaitGroup
	// longest is how long it was refused at most.
	longest time.Duration
}

func (w *fixture) application() *application {
	ctx, cancel := context.WithCancel(w.Context())
	a := &application{w: w, cancel: cancel}
	a.ended.Go(func() {
		secret, refused := w.Secret("orders-db"), time.Time{}
		for ctx.Err() == nil {
			switch _, _, err := w.query(secret); {
			case err != nil && refused.IsZero():
				refused = time.Now()
				fallthrough
			case err != nil:
				secret = w.Secret("orders-db")
			case !refused.IsZero():
				a.longest, refused = max(a.longest, time.Since(refused)), time.Time{}
			default:
				time.Sleep(10 * time.Millisecond)
			}
		}
		if !refused.IsZero() {
			w.Errorf("it has been refused for %s", time.Since(refused))
		}
	})
	return a
}

// stop waits until the application is in again, and says how long it was refused.
func (a *application) stop() {
	a.w.Helper()
	if _, _, err := a.w.query(a.w.Secret("orders-db")); err != nil {
		a.w.Error(err)
	}
	time.Sleep(time.Second)
	a.cancel()
	a.ended.Wait()
	a.w.Logf("new logins were refused for %s", a.longest.Round(time.Millisecond))
	if a.longest > 10*time.Second { // a look at the cloud, and a write, on a machine that is busy
		a.w.Errorf("new logins were refused for %s", a.longest)
	}
}

// What is paused, observed only, or can't tell anybody keeps its password.
func TestNoRotation(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.rotating(c, v1alpha1.EnginePostgres)
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.schedule(d, time.Time{})
		mark := len(c.Writes(name))

		edit(w, d, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
		w.state(d, "paused", func(s system.Snapshot) bool { return s.Is(v1alpha1.ConditionSynced, no) })
		w.pass(d)
		edit(w, d, func(d *v1alpha1.Database) {
			d.Annotations, d.Spec.Management, d.Spec.ExternalName = nil, v1alpha1.ManagementObserve, name
		})
		w.observedAgain(c, name, 2)
		w.AwaitObject(d, "without a schedule while it is only observed", func() bool { return d.Status.Rotation == nil })
		w.expectWrites(c, name, mark)

		edit(w, d, func(d *v1alpha1.Database) { d.Spec.Management, d.Spec.ExternalName = "", "" })
		w.schedule(d, time.Time{})
		w.ready(d)
		before := &corev1.Secret{ObjectMeta: w.Meta("orders-db")}
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(before), before))
		immutable := before.DeepCopy()
		immutable.Immutable = new(true)
		w.Disturb()
		w.Must(w.Client.Patch(w.Context(), immutable, client.MergeFrom(before)))
		w.pass(d)
		w.stalled(d, v1alpha1.ReasonSecretNotWritten, "is immutable, so it could not get a new password")
		w.observedAgain(c, name, 2)
		w.expectWrites(c, name, mark)
		w.stalled(d, v1alpha1.ReasonSecretNotWritten, "is immutable, so it could not get a new password")

		w.Must(w.Client.Delete(w.Context(), before))
		w.AwaitSecret("orders-db", "with another password", func(data map[string][]byte) bool {
			return data != nil && !bytes.Equal(data["password"], before.Data["password"])
		})
		w.ready(d)
		w.observedAgain(c, name, 1)
		w.equal("writes", len(c.Writes(name))-mark, 1)
	})
}

// What is missed is made up for once, and nothing is written while the time passes: by the clock of the test.
func TestRotationByTime(t *testing.T) {
	t.Parallel()
	clock := newSchedule()
	clock.seldom = windowSync
	day := newDayFixture(t, clock, windowSync, localcloud.Durations{Modify: time.Minute})
	for _, p := range providersFor(t) {
		day.run(p.Name, func(f *fixture) {
			w := &dayFixture{f, clock}
			c, period := day.onDay(p.Name), 12*time.Hour
			d := w.rotating(c, v1alpha1.EnginePostgres)
			d.Name, d.Spec.Credentials.RotationPeriod = "orders-"+c.Name, period.String()
			d.Spec.Connection.SecretName = d.Name
			w.create(d)
			w.until(d, "ready", func(s system.Snapshot) bool { return s.IsReady(d) })
			name := w.last(d).Status.ExternalName
			first := w.schedule(d, time.Time{}).DeepCopy()
			mark, states := len(c.Writes(name)), len(w.States("Database", d.Name, 0))
			for w.clock.step(first.NextTime.Add(-time.Second)) {
			}
			w.equal("writes before the time", len(c.Writes(name))-mark, 0)
			w.equal("states before the time", len(w.States("Database", d.Name, 0))-states, 0)
			second := w.rotated(d, first)
			w.equal("writes at the time", c.Writes(name)[mark:], []string{passwordWrite[c.Name]})
			if late := second.LastTime.Sub(first.NextTime.Time); late < 0 || late > 5*time.Minute {
				w.Errorf("it is changed %s after its time", late)
			}
			edit(w.fixture, d, func(d *v1alpha1.Database) { d.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
			w.until(d, "paused", func(s system.Snapshot) bool { return s.Is(v1alpha1.ConditionSynced, no) })
			for w.clock.step(second.NextTime.Add(3 * period)) { // nobody looks
			}
			w.equal("writes while it is paused", c.Writes(name)[mark:], []string{passwordWrite[c.Name]})
			edit(w.fixture, d, func(d *v1alpha1.Database) { d.Annotations = nil })
			third := w.rotated(d, second)
			for w.clock.step(third.NextTime.Add(-time.Minute)) {
			}
			w.equal("writes after three periods away", c.Writes(name)[mark:], []string{passwordWrite[c.Name], passwordWrite[c.Name]})
		})
	}
}

// rotated lets the time pass until another password is in force than that of a schedule.
func (w *dayFixture) rotated(d *v1alpha1.Database, before *v1alpha1.PasswordRotation) *v1alpha1.PasswordRotation {
	w.Helper()
	w.until(d, "with another password", func(system.Snapshot) bool {
		w.Refresh(d)
		return d.Status.Rotation != nil && d.Status.Rotation.LastTime.After(before.LastTime.Time)
	})
	return d.Status.Rotation.DeepCopy()
}
