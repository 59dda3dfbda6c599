// Package telemetry holds Mooring's metrics: what they are, in one table that the reference is made from, and how
// they are counted. A manager has its own Metrics, so that several can live in one process.
//
// Some are counted when something happens: by a decorator around a driver's kinds, by a hook around requests to a cloud, and in the
// one place where a reconciliation is recorded. The rest are read from caches and memory when Prometheus scrapes. Neither drivers
// nor the reconciler know of Prometheus.
//
// Labels are bounded: by kinds, clouds and their operations, closed lists of reasons, and by how many classes and
// accounts there are. Names of objects are labels of one metric only, which shows unhealthy objects, up to a
// limit.
//
// It also makes the spans of reconciliations and of requests, and exports them.
package telemetry
