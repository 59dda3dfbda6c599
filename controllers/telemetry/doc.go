// Package telemetry has Mooring's metrics and traces. One table describes the metrics, and the reference is generated
// from it. Each manager has its own Metrics, so that several managers can run in one process.
//
// Some metrics are counted when something happens. The counters are in a decorator of a driver's session, in a hook
// around requests to a cloud, and where the outcome of a reconciliation is recorded. The others are read from caches
// and memory when Prometheus scrapes. Neither drivers nor the reconciler depend on Prometheus.
//
// The values of labels are bounded: kinds, clouds and their operations, closed lists of reasons, classes and accounts.
// One metric alone has the names of objects as labels. It shows unhealthy objects, up to a limit.
//
// The package also makes the spans of reconciliations and of requests, and exports them.
package telemetry
