package telemetry

import (
	"time"

	"k8s.io/apimachinery/pkg/types"
)

var (
	timeToReady = &Metric{
		Name: "mooring_time_to_ready_seconds", Type: Histogram, Labels: []string{"kind", "provider"},
		Help:    "How long it took from an object's creation until it was usable for the first time. Once for each object.",
		Asks:    "How long do people wait for a new database?",
		Query:   `histogram_quantile(0.9, sum by (provider, le) (rate(mooring_time_to_ready_seconds_bucket{kind="Database"}[1d])))`,
		buckets: waits,
	}
	timeToConverge = &Metric{
		Name: "mooring_time_to_converge_seconds", Type: Histogram, Labels: []string{"kind", "provider"},
		Help:    "How long it took from an edit of the spec until that was applied and the object Ready. It holds the waiting for an approval, and not the edits before an object was first usable. Edits under way when Mooring starts are not counted.",
		Asks:    "How long does an edit take?",
		Query:   "histogram_quantile(0.9, sum by (kind, provider, le) (rate(mooring_time_to_converge_seconds_bucket[1d])))",
		buckets: waits,
	}
	driftFound = &Metric{
		Name: "mooring_drift_found_total", Type: Counter, Labels: []string{"kind", "provider"},
		Help:  "How often an object that was as declared was found changed in the cloud. The same difference counts once, however often it is looked at.",
		Asks:  "How often do others change what Mooring manages?",
		Query: "sum by (kind, provider) (increase(mooring_drift_found_total[1d]))",
	}
	driftCorrected = &Metric{
		Name: "mooring_drift_corrected_total", Type: Counter, Labels: []string{"kind", "provider"},
		Help:  "How often such a difference was put right, and seen to be.",
		Asks:  "How much of the drift was put right?",
		Query: "sum by (kind, provider) (increase(mooring_drift_corrected_total[1d]))",
	}
	driftReturned = &Metric{
		Name: "mooring_drift_returned_total", Type: Counter, Labels: []string{"kind", "provider"},
		Help:  "How often a field of an object was found changed in the cloud within a day of having been put right: somebody else keeps changing it.",
		Asks:  "Does somebody work against Mooring?",
		Query: "sum by (kind, provider) (increase(mooring_drift_returned_total[1h]))",
	}
	deletions = &Metric{
		Name: "mooring_deletions_total", Type: Counter, Labels: []string{"kind", "provider", "outcome"},
		Help:  "Deletions that were finished, by outcome: deleted, or retained where the cloud object was left.",
		Asks:  "What was deleted today?",
		Query: "sum by (kind, provider, outcome) (increase(mooring_deletions_total[1d]))",
	}
	throttleWait = &Metric{
		Name: "mooring_throttle_wait_seconds", Type: Histogram, Labels: []string{"provider"},
		Help:    "How long objects were put off because a cloud said that it was asked too often, after all attempts of a call.",
		Asks:    "How much time is lost to rate limits of the clouds?",
		Query:   "sum by (provider) (rate(mooring_throttle_wait_seconds_sum[5m]))",
		buckets: []float64{1, 2.5, 5, 10, 30, 60, 120, 300, 600},
	}
)

// waits are in seconds: from a bucket, which takes a moment, to a large database, which takes an hour.
var waits = []float64{1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 21600, 86400}

// A Subject is whom something is counted of.
type Subject struct{ Kind, Provider string }

// Outcomes of deletions.
const (
	Deleted  = "deleted"
	Retained = "retained"
)

// Ready counts an object that is usable for the first time.
func (m *Metrics) Ready(s Subject, since time.Duration) {
	m.timeToReady.WithLabelValues(s.Kind, s.Provider).Observe(max(0, since.Seconds()))
}

// Converged counts an edit that is applied.
func (m *Metrics) Converged(s Subject, since time.Duration) {
	m.timeToConverge.WithLabelValues(s.Kind, s.Provider).Observe(max(0, since.Seconds()))
}

// A Drift is what became of an object's drift in a turn.
type Drift struct {
	// Found: there is some that was not there before. Returned: and it had been put right.
	Found, Returned bool
	// Corrected: some was put right.
	Corrected bool
}

// Drift counts drift of the object of that name.
func (m *Metrics) Drift(s Subject, name types.NamespacedName, d Drift) {
	if d.Found {
		m.driftFound.WithLabelValues(s.Kind, s.Provider).Inc()
	}
	if d.Returned {
		m.driftReturned.WithLabelValues(s.Kind, s.Provider).Inc()
		m.driftReturns.add(driftedObject{s, name}, m.now())
	}
	if d.Corrected {
		m.driftCorrected.WithLabelValues(s.Kind, s.Provider).Inc()
	}
}

// Gone counts a deletion that is finished.
func (m *Metrics) Gone(s Subject, outcome string) {
	m.deletions.WithLabelValues(s.Kind, s.Provider, outcome).Inc()
}

// Throttled counts an object that is put off.
func (m *Metrics) Throttled(s Subject, wait time.Duration) {
	m.throttleWait.WithLabelValues(s.Provider).Observe(wait.Seconds())
}

// Unrecorded counts a turn whose result could not be written.
func (m *Metrics) Unrecorded(s Subject) { m.unrecorded.WithLabelValues(s.Kind).Inc() }
