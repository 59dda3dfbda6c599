package telemetry

import (
	"runtime"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics holds the metrics of one manager. It is a prometheus.Collector.
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

// Options are the values that are known when the process starts.
type Options struct {
	// Version is the version of the program.
	Version string
	// SyncPeriod is the interval at which a converged object is observed.
	SyncPeriod time.Duration
	Now        func() time.Time
}

// New returns metrics that expose only what Options has. Watch adds the rest.
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

// Watch sets the sources that are read at a scrape. Call it before the first scrape.
//
// The counters of drift start at 0 on every replica. PromQL's increase ignores the first value of a series, and an
// alert uses it. Drift has few label values, so all of them are known in advance; those of other counters are not.
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

// Register registers the metrics. It replaces the metrics of another manager if the registry has them.
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

// Certificate records until when the webhook's certificate is valid.
func (m *Metrics) Certificate(until time.Time) {
	m.certificateExpiry.WithLabelValues().Set(float64(until.Unix()))
}
