package report

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A counter counts, in the metrics, what reconciliations come to.
type counter struct {
	reconciliation.State
	metrics *telemetry.Metrics
}

func (c counter) subject() telemetry.Subject {
	return telemetry.Subject{Kind: c.Kind.Name, Provider: c.Object.GetResourceStatus().Provider}
}

// count counts, in the metrics, what a reconciliation came to that is recorded.
func (c counter) count(m Memory, next reconcile.Result) Memory {
	if c.metrics == nil {
		return m
	}
	m.Recorded, m.Unwritten = c.Memory.LastObserved, false
	m.Lag = c.lag(m.Lag)
	m.LastObservation = c.lastObservation(m)
	subject := c.subject()
	if first := c.Object.GetResourceStatus().FirstReadyTime; first != nil && !c.WasReady && !c.Memory.Cloud.StartedOver {
		c.metrics.Ready(subject, first.Sub(c.Object.GetCreationTimestamp().Time))
	}
	if !m.Edited.IsZero() && applied(c.Object) {
		c.metrics.Converged(subject, c.Now.Sub(m.Edited))
		m.Edited = time.Time{}
	}
	if c.Outcome.Throttled {
		c.metrics.Throttled(subject, next.RequeueAfter)
	}
	if c.showsDrift() {
		if m.Drift == nil {
			m.Drift = driftBefore(c.View.Waiting)
		}
		c.metrics.Drift(subject, client.ObjectKeyFromObject(c.Object), m.Drift.look(c.drifted(), c.View.InConsistencyWindow, c.JustSent(), c.Now))
	}
	return m
}

// deleted counts a deletion that is finished.
func (c counter) deleted() {
	if c.metrics == nil || !c.Outcome.Finished {
		return
	}
	what := telemetry.Deleted
	if c.Outcome.Orphaned {
		what = telemetry.Retained
	}
	c.metrics.ObjectDeleted(c.subject(), what)
}

// unrecorded counts a reconciliation whose result could not be written. What it observed is as good as not observed:
// nobody can read it in the status.
func (c counter) unrecorded(m Memory) Memory {
	if c.metrics != nil {
		m.Unwritten, m.LastObservation = true, c.lastObservation(m)
		c.metrics.StatusWriteFailed(c.subject())
	}
	return m
}

// lastObservation returns when the cloud object was last observed and that written down; nil if that is not to be done now.
func (c counter) lastObservation(m Memory) *telemetry.LastObservation {
	status := c.Object.GetResourceStatus()
	if status.ExternalName == "" || c.Object.GetAnnotations()[v1alpha1.AnnotationPaused] == "true" {
		return nil
	}
	return &telemetry.LastObservation{Provider: status.Provider, At: m.Recorded, Class: status.ClassName, Lag: m.Lag}
}

// lag returns how far the cloud object lags behind what it follows, where it was known to lag so before: what was not observed is as before, until that is too old.
func (c counter) lag(before *time.Duration) *time.Duration {
	switch {
	case c.Unobserved:
		return nil
	case !c.Observed || c.Observation.State == driver.Unknown:
		return before
	case c.Observation.Replication.GetFollows() == nil || plan.Ownership(c.View, c.Observation) != plan.Ours && c.Policy.Management != v1alpha1.ManagementObserve:
		return nil
	}
	return c.Observation.Replication.GetFollows().Lag
}

// showsDrift reports whether what differs now, or does not, says something about drift: the object was as declared, and nobody
// is about to change it.
func (c counter) showsDrift() bool {
	return c.Observed && c.Observation.State == driver.Ready && c.View.WasReady && !c.View.Edited && !c.Deleting &&
		c.Policy.Management == v1alpha1.ManagementFull && c.Policy.Refused.Reason == "" && plan.Ownership(c.View, c.Observation) == plan.Ours
}

// drifted returns the fields that somebody else changed in the cloud.
func (c counter) drifted() (fields []string) {
	for _, p := range plan.PendingChanges(c.View, c.Observation.Changes) {
		if p.Cause == v1alpha1.CauseDrift {
			fields = append(fields, p.Field)
		}
	}
	return fields
}
