package e2e

import (
	"bytes"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// asks sets an annotation that asks for an action.
func (w *fixture) asks(d *v1alpha1.Database, annotation, value string) {
	w.Helper()
	w.Refresh(d)
	before := d.DeepCopy()
	if d.Annotations == nil {
		d.Annotations = map[string]string{}
	}
	d.Annotations[annotation] = value
	w.Must(w.Client.Patch(w.Context(), d, client.MergeFrom(before)))
}

// answered waits until the status and an Event say what became of an action, and returns the message.
func (w *fixture) answered(d *v1alpha1.Database, annotation, value string, outcome v1alpha1.ActionOutcome) (message string) {
	w.Helper()
	name := strings.TrimPrefix(annotation, "mooring.dev/")
	w.AwaitObject(d, name+" "+value+" is "+string(outcome), func() bool {
		for _, s := range d.Status.Actions {
			if s.Name == name && s.Value == value && s.Outcome == outcome {
				message = s.Message
				return s.Time != nil && s.WaitsFor == ""
			}
		}
		return false
	})
	if outcome == v1alpha1.ActionIgnored {
		return message
	}
	w.Eventually("an Event says that "+annotation+"="+value+" is "+string(outcome), func() bool {
		var all corev1.EventList
		w.Must(w.Client.List(w.Context(), &all, client.InNamespace(w.Namespace)))
		for _, e := range all.Items {
			if e.InvolvedObject.Name == d.Name && e.Reason == "Action"+string(outcome) && strings.Contains(e.Message, annotation+"="+value) {
				return true
			}
		}
		return false
	})
	return message
}

// started returns since when the real server runs.
func (w *fixture) started() (at time.Time) {
	w.Helper()
	db := w.open(w.Secret("orders-db"), true)
	defer func() { _ = db.Close() }()
	w.Must(db.QueryRowContext(w.Context(), "SELECT pg_postmaster_start_time()").Scan(&at))
	return at
}

// The calls that do the actions of a Database.
var (
	restartCall  = map[string]string{"aws": "RebootDBInstance", "gcp": "instances.restart"}
	failoverCall = map[string]string{"aws": "RebootDBInstance", "gcp": "instances.failover"}
)

// Each new value of an annotation does its action once: the ledger of the cloud has one call for it. The value that is there at the creation, the same value again
// and a restart of the controller do nothing.
func TestActions(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		system.Connect(d, "orders-db")
		d.Annotations = map[string]string{v1alpha1.AnnotationRestart: "at creation", v1alpha1.AnnotationRotatePassword: "at creation"}
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.answered(d, v1alpha1.AnnotationRestart, "at creation", v1alpha1.ActionIgnored)
		w.observedAgain(c, name, 2)
		mark, since := len(c.Writes(name)), w.started()

		w.asks(d, v1alpha1.AnnotationRestart, "one")
		w.answered(d, v1alpha1.AnnotationRestart, "one", v1alpha1.ActionSucceeded)
		w.ready(d)
		w.expectWrites(c, name, mark, restartCall[c.Name])
		if again := w.started(); !again.After(since) {
			w.Errorf("the server runs since %s, as before the restart", again)
		}

		w.asks(d, v1alpha1.AnnotationFailover, "one")
		if says := w.answered(d, v1alpha1.AnnotationFailover, "one", v1alpha1.ActionRefused); !strings.Contains(says, "spec.availability to MultiZone") {
			w.Errorf("a failover without a standby: %q", says)
		}
		former := w.Secret("orders-db")
		w.asks(d, v1alpha1.AnnotationRotatePassword, "one")
		w.answered(d, v1alpha1.AnnotationRotatePassword, "one", v1alpha1.ActionSucceeded)
		w.AwaitSecret("orders-db", "with another password", func(data map[string][]byte) bool { return !bytes.Equal(data["password"], former["password"]) })
		if _, _, err := w.query(w.Secret("orders-db")); err != nil {
			w.Errorf("with the new password: %v", err)
		}
		w.ready(d)
		w.observedAgain(c, name, 2)
		w.expectWrites(c, name, mark, restartCall[c.Name], passwordWrite[c.Name])

		w.asks(d, v1alpha1.AnnotationRestart, "two")
		w.answered(d, v1alpha1.AnnotationRestart, "two", v1alpha1.ActionSucceeded)
		w.asks(d, v1alpha1.AnnotationReconcile, "now")
		w.observedAgain(c, name, 2)
		w.expectWrites(c, name, mark, restartCall[c.Name], passwordWrite[c.Name], restartCall[c.Name])
	})
}

// A standby takes over once for each value, and that the two have changed places is no drift.
func TestFailoverByAnnotation(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		p := system.MinimalDatabase(c)
		p.Availability = new(v1alpha1.AvailabilityMultiZone)
		d := w.database(c, "orders", p)
		w.create(d)
		name := w.ready(d).Status.ExternalName
		w.observedAgain(c, name, 2)
		mark := len(c.Writes(name))
		w.asks(d, v1alpha1.AnnotationFailover, "one")
		w.answered(d, v1alpha1.AnnotationFailover, "one", v1alpha1.ActionSucceeded)
		w.ready(d)
		w.observedAgain(c, name, 2)
		w.expectWrites(c, name, mark, failoverCall[c.Name])
		if w.Refresh(d); len(d.Status.PendingChanges) > 0 {
			w.Errorf("after the failover %+v differs", d.Status.PendingChanges)
		}
	})
}

// The answer to a restart is lost. It was done, and is not done again: either the cloud shows that it restarts the server, or nobody knows.
func TestRestartWhoseAnswerIsLost(t *testing.T) {
	onReal(t, v1alpha1.EnginePostgres, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		w.create(d)
		name := w.ready(d).Status.ExternalName
		mark := len(c.Writes(name))
		w.Disturb()
		lift := c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: restartCall[c.Name]}, Kind: localcloud.ResponseLost})
		w.asks(d, v1alpha1.AnnotationRestart, "one")
		w.AwaitObject(d, "answered", func() bool {
			s := d.Status.Actions[0]
			return s.Value == "one" && (s.Outcome == v1alpha1.ActionSucceeded || s.Outcome == v1alpha1.ActionUnknown)
		})
		lift()
		w.ready(d)
		w.observedAgain(c, name, 2)
		w.expectWrites(c, name, mark, restartCall[c.Name])
	})
}
