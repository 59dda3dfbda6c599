package telemetry

import (
	"context"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

var driverCallDuration = &Metric{
	Name: "mooring_driver_call_duration_seconds", Type: Histogram, Labels: []string{"provider", "kind", "verb", "code"},
	Help:     "How long a call of a driver took, by verb: observe, list, create, update or delete. It includes all requests of the call and the pauses between attempts. The code is OK, or that of the error.",
	Question: "How long does it take to observe an object?",
	Query:    `histogram_quantile(0.99, sum by (provider, kind, le) (rate(mooring_driver_call_duration_seconds_bucket{verb="observe"}[5m])))`,
	buckets:  latencies,
}

// TimeCalls returns a session that measures how long every call about an object takes.
func TimeCalls(m *Metrics, next driver.Session, provider string) driver.Session {
	return &timed{Session: next, m: m, provider: provider}
}

type timed struct {
	driver.Session
	m        *Metrics
	provider string
}

func (t *timed) took(kind, verb string, since time.Time, err error) {
	code := ok
	if err != nil {
		code = driver.CodeOf(err).String()
	}
	t.m.driverCallDuration.WithLabelValues(t.provider, kind, verb, code).Observe(t.m.now().Sub(since).Seconds())
}

// Observe implements driver.Session.
func (t *timed) Observe(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (seen driver.Observation, err error) {
	defer func(since time.Time) { t.took(kind, "observe", since, err) }(t.m.now())
	return t.Session.Observe(ctx, kind, req, secrets)
}

// List implements driver.Session.
func (t *timed) List(ctx context.Context, kind string, req driver.ListRequest) (page driver.Page, err error) {
	defer func(since time.Time) { t.took(kind, "list", since, err) }(t.m.now())
	return t.Session.List(ctx, kind, req)
}

// Create implements driver.Session.
func (t *timed) Create(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (done driver.Result, err error) {
	defer func(since time.Time) { t.took(kind, "create", since, err) }(t.m.now())
	return t.Session.Create(ctx, kind, req, secrets)
}

// Update implements driver.Session.
func (t *timed) Update(ctx context.Context, kind string, req driver.Request, edit driver.Edit, secrets driver.Secrets) (done driver.Result, err error) {
	defer func(since time.Time) { t.took(kind, "update", since, err) }(t.m.now())
	return t.Session.Update(ctx, kind, req, edit, secrets)
}

// Do implements driver.Session. A command counts as an update.
func (t *timed) Do(ctx context.Context, kind string, req driver.Request, command driver.Command, secrets driver.Secrets) (done driver.Result, err error) {
	defer func(since time.Time) { t.took(kind, "update", since, err) }(t.m.now())
	return t.Session.Do(ctx, kind, req, command, secrets)
}

// Delete implements driver.Session.
func (t *timed) Delete(ctx context.Context, kind string, req driver.Request, secrets driver.Secrets) (done driver.Result, err error) {
	defer func(since time.Time) { t.took(kind, "delete", since, err) }(t.m.now())
	return t.Session.Delete(ctx, kind, req, secrets)
}
