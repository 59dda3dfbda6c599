package telemetry

import (
	"context"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

var (
	cloudCalls = &Metric{
		Name: "mooring_cloud_calls_total", Type: Counter, Labels: []string{"provider", "service", "operation", "code"},
		Help:     "Requests to a cloud, by the cloud's own names of service and operation, and by code. Each attempt counts. The code is OK, or that of the error, such as Throttled, Denied or NotFound. NotFound is no failure: it is the answer to a look-up of an object that does not exist.",
		Question: "Which requests fail, and how?",
		Query:    `sum by (provider, service, operation, code) (rate(mooring_cloud_calls_total{code!~"OK|NotFound"}[5m])) > 0`,
	}
	cloudCallDuration = &Metric{
		Name: "mooring_cloud_call_duration_seconds", Type: Histogram, Labels: []string{"provider", "service", "operation", "code"},
		Help:     "How long requests to a cloud took. Each attempt counts.",
		Question: "How fast does each service answer?",
		Query:    "histogram_quantile(0.99, sum by (provider, service, le) (rate(mooring_cloud_call_duration_seconds_bucket[5m])))",
		buckets:  latencies,
	}
)

// latencies are in seconds: from the answer of a local server to the deadline of a driver's call.
var latencies = []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60}

// ok is the code of what did not fail.
const ok = "OK"

// Calls returns a hook that counts and times the requests to a cloud.
func (m *Metrics) Calls(provider string) driver.Calls {
	return func(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
		began := m.now()
		return ctx, func(c driver.Call) {
			code := ok
			if c.Failed {
				code = c.Code.String()
			}
			m.cloudCalls.WithLabelValues(provider, service, operation, code).Inc()
			m.cloudCallDuration.WithLabelValues(provider, service, operation, code).Observe(m.now().Sub(began).Seconds())
		}
	}
}

// JoinCalls returns one hook that calls several, the first one first. Hooks that are nil are left out. It returns nil
// if all are nil.
func JoinCalls(each ...driver.Calls) driver.Calls {
	each = slices.DeleteFunc(slices.Clone(each), func(c driver.Calls) bool { return c == nil })
	switch len(each) {
	case 0:
		return nil
	case 1:
		return each[0]
	}
	return func(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
		ends := make([]func(driver.Call), len(each))
		for i, begin := range each {
			ctx, ends[i] = begin.Begin(ctx, service, operation)
		}
		return ctx, func(answer driver.Call) {
			for _, end := range slices.Backward(ends) {
				end(answer)
			}
		}
	}
}
