package telemetry

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

var duration = prometheus.NewHistogramVec(prometheus.HistogramOpts{
	Name:    "mooring_driver_call_duration_seconds",
	Help:    "How long calls of a driver took, by provider, kind, verb (observe, create, update, delete) and code of the error, if any.",
	Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60},
}, []string{"provider", "kind", "verb", "code"})

func init() { metrics.Registry.MustRegister(duration) }

// External returns next, with every call timed.
func External[S any](next driver.External[S], provider, kind string, now func() time.Time) driver.External[S] {
	return &timed[S]{External: next, provider: provider, kind: kind, now: now}
}

type timed[S any] struct {
	driver.External[S]
	provider, kind string
	now            func() time.Time
}

func (t *timed[S]) took(verb string, since time.Time, err error) {
	code := "OK"
	if err != nil {
		code = driver.CodeOf(err).String()
	}
	duration.WithLabelValues(t.provider, t.kind, verb, code).Observe(t.now().Sub(since).Seconds())
}

// Observe implements driver.External.
func (t *timed[S]) Observe(ctx context.Context, req driver.Request[S]) (seen driver.Observation, err error) {
	defer func(since time.Time) { t.took("observe", since, err) }(t.now())
	return t.External.Observe(ctx, req)
}

// Create implements driver.External.
func (t *timed[S]) Create(ctx context.Context, req driver.Request[S]) (done driver.Result, err error) {
	defer func(since time.Time) { t.took("create", since, err) }(t.now())
	return t.External.Create(ctx, req)
}

// Update implements driver.External.
func (t *timed[S]) Update(ctx context.Context, req driver.Request[S], changes []field.Change) (done driver.Result, err error) {
	defer func(since time.Time) { t.took("update", since, err) }(t.now())
	return t.External.Update(ctx, req, changes)
}

// Delete implements driver.External.
func (t *timed[S]) Delete(ctx context.Context, req driver.Request[S]) (done driver.Result, err error) {
	defer func(since time.Time) { t.took("delete", since, err) }(t.now())
	return t.External.Delete(ctx, req)
}
