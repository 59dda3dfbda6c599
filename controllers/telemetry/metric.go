package telemetry

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// Types of metrics.
const (
	Counter   = "counter"
	Gauge     = "gauge"
	Histogram = "histogram"
)

// A Metric says what a metric is.
type Metric struct {
	Name string
	// Type is Counter, Gauge or Histogram.
	Type   string
	Help   string
	Labels []string
	// Replicas: every replica exposes it. Without Replicas only the leader does.
	Replicas bool
	// PerObject: its labels name objects, or it is about metrics whose labels do. --metrics-object-limit=0 switches it off.
	PerObject bool
	// Question is a question that an operator asks, and Query is the PromQL that answers it.
	Question, Query string

	buckets []float64
}

// A Section is metrics of one subject.
type Section struct {
	Title   string
	Metrics []*Metric
}

// Sections are all metrics of Mooring, and those of controller-runtime that its alerts and dashboard rely on.
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

// OwnMetrics are the metrics that a Metrics exposes.
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
