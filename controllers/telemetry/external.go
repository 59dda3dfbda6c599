package telemetry

import (
	"context"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

var driverCallDuration = &Metric{
	Name: "mooring_driver_call_duration_seconds", Type: Histogram, Labels: []string{"provider", "kind", "verb", "code"},
	Help:     "How long a call of a driver took, by verb: observe, create, update or delete. It includes all requests of the call and the pauses between attempts. The code is OK, or that of the error.",
	Question: "How long does it take to observe an object?",
	Query:    `histogram_quantile(0.99, sum by (provider, kind, le) (rate(mooring_driver_call_duration_seconds_bucket{verb="observe"}[5m])))`,
	buckets:  latencies,
}

// External returns next, with every call timed.
func External[S any](m *Metrics, next driver.External[S], provider, kind string) driver.External[S] {
	return &timed[S]{External: next, m: m, provider: provider, kind: kind}
}

type timed[S any] struct {
	driver.External[S]
	m              *Metrics
	provider, kind string
}

func (t *timed[S]) took(verb string, since time.Time, err error) {
	code := ok
	if err != nil {
		code = driver.CodeOf(err).String()
	}
	t.m.driverCallDuration.WithLabelValues(t.provider, t.kind, verb, code).Observe(t.m.now().Sub(since).Seconds())
}

// Observe implements driver.External.
func (t *timed[S]) Observe(ctx context.Context, req driver.Request[S]) (seen driver.Observation, err error) {
	defer func(since time.Time) { t.took("observe", since, err) }(t.m.now())
	return t.External.Observe(ctx, req)
}

// Create implements driver.External.
func (t *timed[S]) Create(ctx context.Context, req driver.Request[S]) (done driver.Result, err error) {
	defer func(since time.Time) { t.took("create", since, err) }(t.m.now())
	return t.External.Create(ctx, req)
}

// Update implements driver.External.
func (t *timed[S]) Update(ctx context.Context, req driver.Request[S], changes []field.Change) (done driver.Result, err error) {
	defer func(since time.Time) { t.took("update", since, err) }(t.m.now())
	return t.External.Update(ctx, req, changes)
}

// Delete implements driver.External.
func (t *timed[S]) Delete(ctx context.Context, req driver.Request[S]) (done driver.Result, err error) {
	defer func(since time.Time) { t.took("delete", since, err) }(t.m.now())
	return t.External.Delete(ctx, req)
}
