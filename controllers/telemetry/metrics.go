package telemetry

import (
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics are those of one manager. It is a prometheus.Collector.
type Metrics struct {
	now     func() time.Time
	sources Sources
	// driftRecurrences are shown while this replica leads.
	driftRecurrences driftRecurrences

	timeToReady, timeToConverge                  *prometheus.HistogramVec
	driftDetected, driftCorrected, driftRecurred *prometheus.CounterVec
	deletions, statusWriteFailures, cloudCalls   *prometheus.CounterVec
	accountQueueWait, throttleWait               *prometheus.HistogramVec
	cloudCallDuration, driverCallDuration        *prometheus.HistogramVec
	buildInfo, syncPeriod, certificateExpiry     *prometheus.GaugeVec
}

// Options says what is known from the start.
type Options struct {
	// Version is the program's.
	Version string
	// SyncPeriod is how often a converged object is observed.
	SyncPeriod time.Duration
	Now        func() time.Time
}

// New returns metrics that show nothing yet but what is known from the start.
func New(o Options) *Metrics {
	m := &Metrics{
		now:         o.Now,
		timeToReady: timeToReady.histogram(), timeToConverge: timeToConverge.histogram(),
		driftDetected: driftDetected.counter(), driftCorrected: driftCorrected.counter(), driftRecurred: driftRecurred.counter(),
		deletions: deletions.counter(), statusWriteFailures: statusWriteFailures.counter(), cloudCalls: cloudCalls.counter(),
		accountQueueWait: accountQueueWait.histogram(), throttleWait: throttleWait.histogram(),
		cloudCallDuration: cloudCallDuration.histogram(), driverCallDuration: driverCallDuration.histogram(),
		buildInfo: buildInfo.gauge(), syncPeriod: syncPeriod.gauge(), certificateExpiry: certificateExpiry.gauge(),
	}
	m.buildInfo.WithLabelValues(o.Version, runtime.Version()).Set(1)
	m.syncPeriod.WithLabelValues().Set(o.SyncPeriod.Seconds())
	return m
}

// Watch says where to read what is shown at a scrape. It must be called before the first scrape.
//
// The counters of drift begin at 0, on every replica: PromQL's increase takes no notice of the first value of a series, and an
// alert is about them. Their labels are few; with those of other counters nobody knows beforehand which there will be.
func (m *Metrics) Watch(s Sources) {
	m.sources = s
	for _, kind := range s.Kinds {
		for _, provider := range s.Providers {
			for _, c := range []*prometheus.CounterVec{m.driftDetected, m.driftCorrected, m.driftRecurred} {
				c.WithLabelValues(kind.Name, provider)
			}
		}
	}
}

// Register shows the metrics, in place of those of another manager that the registry may have.
func (m *Metrics) Register(r prometheus.Registerer) error {
	r.Unregister(m)
	return r.Register(m)
}

func (m *Metrics) counted() []prometheus.Collector {
	return []prometheus.Collector{
		m.timeToReady, m.timeToConverge, m.driftDetected, m.driftCorrected, m.driftRecurred, m.deletions, m.statusWriteFailures,
		m.cloudCalls, m.accountQueueWait, m.throttleWait, m.cloudCallDuration, m.driverCallDuration,
		m.buildInfo, m.syncPeriod, m.certificateExpiry,
	}
}

// Describe implements prometheus.Collector.
func (m *Metrics) Describe(to chan<- *prometheus.Desc) {
	for _, metric := range OwnMetrics() {
		to <- metric.desc()
	}
}

// Collect implements prometheus.Collector.
func (m *Metrics) Collect(to chan<- prometheus.Metric) {
	for _, c := range m.counted() {
		c.Collect(to)
	}
	m.sources.collect(m.now(), to)
	if m.sources.leads() {
		m.driftRecurrences.collect(m.now(), m.sources.ObjectLimit, to)
	}
}

// Certificate notes until when the webhook's certificate is valid.
func (m *Metrics) Certificate(until time.Time) {
	m.certificateExpiry.WithLabelValues().Set(float64(until.Unix()))
}
