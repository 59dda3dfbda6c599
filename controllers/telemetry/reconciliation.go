package telemetry

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

var (
	timeToReady = &Metric{
		Name: "mooring_time_to_ready_seconds", Type: Histogram, Labels: []string{"kind", "provider"},
		Help:     "How long it took from the creation of an object until it was Ready for the first time. Each object counts once.",
		Question: "How long does a new database take?",
		Query:    `histogram_quantile(0.9, sum by (provider, le) (rate(mooring_time_to_ready_seconds_bucket{kind="Database"}[1d])))`,
		buckets:  waits,
	}
	timeToConverge = &Metric{
		Name: "mooring_time_to_converge_seconds", Type: Histogram, Labels: []string{"kind", "provider"},
		Help:     "How long it took from an edit of the spec until the edit was applied and the object was Ready. It includes the time that an edit waited for approval. Edits before an object was Ready for the first time do not count, and neither do edits that were in progress when Mooring started.",
		Question: "How long does an edit take?",
		Query:    "histogram_quantile(0.9, sum by (kind, provider, le) (rate(mooring_time_to_converge_seconds_bucket[1d])))",
		buckets:  waits,
	}
	driftDetected = &Metric{
		Name: "mooring_drift_detected_total", Type: Counter, Labels: []string{"kind", "provider"},
		Help:     "How often drift was detected: an object that was up to date differs from its spec because of a change in the cloud. The same difference counts once.",
		Question: "How often do others change in the cloud what Mooring manages?",
		Query:    "sum by (kind, provider) (increase(mooring_drift_detected_total[1d]))",
	}
	driftCorrected = &Metric{
		Name: "mooring_drift_corrected_total", Type: Counter, Labels: []string{"kind", "provider"},
		Help:     "How often drift was corrected, and an observation confirmed that.",
		Question: "How often was drift corrected?",
		Query:    "sum by (kind, provider) (increase(mooring_drift_corrected_total[1d]))",
	}
	driftRecurred = &Metric{
		Name: "mooring_drift_recurred_total", Type: Counter, Labels: []string{"kind", "provider"},
		Help:     "How often drift recurred: a field differs again within a day after Mooring corrected it, because another tool or person keeps changing it.",
		Question: "Does another tool or person work against Mooring?",
		Query:    "sum by (kind, provider) (increase(mooring_drift_recurred_total[1h]))",
	}
	deletions = &Metric{
		Name: "mooring_deletions_total", Type: Counter, Labels: []string{"kind", "provider", "outcome"},
		Help:     "Finished deletions, by outcome: deleted, or retained if the cloud object was not deleted.",
		Question: "What was deleted today?",
		Query:    "sum by (kind, provider, outcome) (increase(mooring_deletions_total[1d]))",
	}
	throttleWait = &Metric{
		Name: "mooring_throttle_wait_seconds", Type: Histogram, Labels: []string{"provider"},
		Help:     "How long reconciliations were postponed because a cloud throttled a call, after all attempts of that call.",
		Question: "How much time is lost to throttling?",
		Query:    "sum by (provider) (rate(mooring_throttle_wait_seconds_sum[5m]))",
		buckets:  []float64{1, 2.5, 5, 10, 30, 60, 120, 300, 600},
	}
)

// waits are in seconds: from a bucket, which takes a second, to a large database, which takes an hour.
var waits = []float64{1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 86400}

// A Subject holds the labels that most counters have: the kind of the object and its cloud.
type Subject struct{ Kind, Provider string }

// The outcomes of a deletion.
const (
	Deleted  = "deleted"
	Retained = "retained"
)

// Ready counts an object that became Ready for the first time. since is how long that took.
func (m *Metrics) Ready(s Subject, since time.Duration) {
	m.timeToReady.WithLabelValues(s.Kind, s.Provider).Observe(max(0, since.Seconds()))
}

// Converged counts an edit of the spec that was applied. since is how long that took.
func (m *Metrics) Converged(s Subject, since time.Duration) {
	m.timeToConverge.WithLabelValues(s.Kind, s.Provider).Observe(max(0, since.Seconds()))
}

// A Drift says what one reconciliation observed of an object's drift.
type Drift struct {
	// Detected: there is drift that the reconciliation before did not observe. Recurred: the same drift was corrected
	// less than a day before.
	Detected, Recurred bool
	// Corrected: the reconciliation corrected some drift.
	Corrected bool
}

// Drift counts the drift of an object.
func (m *Metrics) Drift(s Subject, name types.NamespacedName, d Drift) {
	if d.Detected {
		m.driftDetected.WithLabelValues(s.Kind, s.Provider).Inc()
	}
	if d.Recurred {
		m.driftRecurred.WithLabelValues(s.Kind, s.Provider).Inc()
		m.driftRecurrences.add(driftedObject{s, name}, m.now())
	}
	if d.Corrected {
		m.driftCorrected.WithLabelValues(s.Kind, s.Provider).Inc()
	}
}

// ObjectDeleted counts a deletion that is complete. outcome is Deleted or Retained.
func (m *Metrics) ObjectDeleted(s Subject, outcome string) {
	m.deletions.WithLabelValues(s.Kind, s.Provider, outcome).Inc()
}

// Throttled counts a reconciliation that waits because the cloud throttled a call. wait is how long.
func (m *Metrics) Throttled(s Subject, wait time.Duration) {
	m.throttleWait.WithLabelValues(s.Provider).Observe(wait.Seconds())
}

// StatusWriteFailed counts a reconciliation whose outcome could not be written to the object's status.
func (m *Metrics) StatusWriteFailed(s Subject) { m.statusWriteFailures.WithLabelValues(s.Kind).Inc() }
