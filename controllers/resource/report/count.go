package report

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/telemetry"
	"github.com/mooring-dev/mooring/providers/driver"
)

func (e *entry) subject() telemetry.Subject {
	return telemetry.Subject{Kind: e.Kind.Name, Provider: e.Object.GetResourceStatus().Provider}
}

// count counts, in the metrics, what a reconciliation came to that is recorded.
func (e *entry) count(next reconcile.Result) {
	if e.Metrics == nil {
		return
	}
	e.memory.Recorded, e.memory.Unwritten = e.LastObserved, false
	e.sight()
	subject := e.subject()
	if first := e.Object.GetResourceStatus().FirstReadyTime; first != nil && !e.WasReady && !e.StartedOver {
		e.Metrics.Ready(subject, first.Sub(e.Object.GetCreationTimestamp().Time))
	}
	if !e.memory.Edited.IsZero() && applied(e.Object) {
		e.Metrics.Converged(subject, e.Now.Sub(e.memory.Edited))
		e.memory.Edited = time.Time{}
	}
	if e.Outcome.Throttled {
		e.Metrics.Throttled(subject, next.RequeueAfter)
	}
	if e.showsDrift() {
		if e.memory.Drift == nil {
			e.memory.Drift = driftBefore(e.View.Waiting)
		}
		e.Metrics.Drift(subject, client.ObjectKeyFromObject(e.Object), e.memory.Drift.look(e.drifted(), e.View.InConsistencyWindow, e.Sent, e.Now))
	}
}

// countDeleted counts a deletion that is finished.
func (e *entry) countDeleted() {
	if e.Metrics == nil || !e.Outcome.Finished {
		return
	}
	what := telemetry.Deleted
	if e.Outcome.Orphaned {
		what = telemetry.Retained
	}
	e.Metrics.Gone(e.subject(), what)
}

// countUnrecorded counts a reconciliation whose result could not be written. What it observed is as good as not observed:
// nobody can read it in the status.
func (e *entry) countUnrecorded() {
	if e.Metrics != nil {
		e.memory.Unwritten = true
		e.sight()
		e.Metrics.StatusWriteFailed(e.subject())
	}
}

// sight notes when the cloud object was last observed and that written down, if that is to be done at all.
func (e *entry) sight() {
	status := e.Object.GetResourceStatus()
	e.memory.Sighting = nil
	if status.ExternalName != "" && e.Object.GetAnnotations()[v1alpha1.AnnotationPaused] != "true" {
		e.memory.Sighting = &telemetry.Sighting{Provider: status.Provider, At: e.memory.Recorded}
	}
}

// showsDrift reports whether what differs now, or does not, says something about drift: the object was as declared, and nobody
// is about to change it.
func (e *entry) showsDrift() bool {
	return e.Observed && e.Observation.State == driver.Ready && e.View.WasReady && !e.View.Edited && !e.Deleting &&
		e.Policy.Management == v1alpha1.ManagementFull && e.Policy.Refused.Reason == "" && plan.Ownership(e.View, e.Observation) == plan.Ours
}

// drifted returns the fields that somebody else changed in the cloud.
func (e *entry) drifted() (fields []string) {
	for _, p := range plan.PendingChanges(e.View, e.Observation.Changes) {
		if p.Cause == v1alpha1.CauseDrift {
			fields = append(fields, p.Field)
		}
	}
	return fields
}
