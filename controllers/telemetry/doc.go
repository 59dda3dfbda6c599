// Package telemetry holds Mooring's metrics: what they are, in one table that the reference is made from, and how
// they are counted. A manager has its own Metrics, so that several can live in one process.
//
// Some are counted as things happen: by a decorator around a driver's kinds, by whoever is told of requests to a
// cloud, and by the one place where a turn is recorded. The rest are read when somebody scrapes, from caches and
// memories. Neither drivers nor the reconciler know of Prometheus.
//
// Labels are bounded: by kinds, clouds and their operations, closed lists of reasons, and by how many classes and
// accounts there are. Names of objects are labels of one metric only, which shows the objects that are not fine, up to a
// limit.
//
// It also makes the spans of turns and of requests, and exports them.
package telemetry
