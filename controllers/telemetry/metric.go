package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// The types of metrics.
const (
	Counter   = "counter"
	Gauge     = "gauge"
	Histogram = "histogram"
)

// A Metric describes one metric.
type Metric struct {
	Name string
	// Type is Counter, Gauge or Histogram.
	Type   string
	Help   string
	Labels []string
	// Replicas: every replica of the controller exposes it. Otherwise only the leader does.
	Replicas bool
	// PerObject: it has labels that name objects, or it counts series that do. The flag --metrics-object-limit=0 turns
	// it off.
	PerObject bool
	// Question is a question that an operator asks, and Query the PromQL that answers it.
	Question, Query string

	buckets []float64
}

// A Section is a group of metrics about one subject.
type Section struct {
	Title   string
	Metrics []*Metric
}

// Sections returns all metrics that the reference documents: Mooring's own, and those of controller-runtime that its
// alerts and its dashboard use.
func Sections() []Section {
	return []Section{
		{"Unhealthy objects", []*Metric{objectCondition, objectsOmitted, objectDriftRecurrences}},
		{"Resources", []*Metric{resources, timeToReady, timeToConverge, driftDetected, driftCorrected, driftRecurred,
			reconcilingAge, deletions, deletionAge, observationAge, rollouts}},
		{"Read replicas", []*Metric{replicaLag}},
		{"Ends of support", []*Metric{objectSupportEnd, supportEnd}},
		{"Provider configs and accounts", []*Metric{providerConfigs, accountConcurrencyLimit, accountInFlight, accountQueueDepth, accountQueueWait, accountCallLimit, accountResyncCalls, accountResyncPeriod, accountQuotaUsed, throttleWait}},
		{"Calls to the clouds", []*Metric{cloudCalls, cloudCallDuration, driverCallDuration}},
		{"The controller", []*Metric{buildInfo, leader, syncPeriod, statusWriteFailures, staleStatusResources, certificateExpiry}},
		{"Metrics of controller-runtime", foreign},
	}
}

// OwnMetrics returns the metrics that a Metrics exposes.
func OwnMetrics() (own []*Metric) {
	for _, s := range Sections() {
		for _, m := range s.Metrics {
			if !slices.Contains(foreign, m) {
				own = append(own, m)
			}
		}
	}
	return own
}

func (m *Metric) desc() *prometheus.Desc {
	return prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
}

func (m *Metric) counter() *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.Name, Help: m.Help}, m.Labels)
}

func (m *Metric) gauge() *prometheus.GaugeVec {
	return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: m.Name, Help: m.Help}, m.Labels)
}

func (m *Metric) histogram() *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: m.Name, Help: m.Help, Buckets: m.buckets}, m.Labels)
}
