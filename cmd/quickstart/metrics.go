package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"
)

// metricsPatience is how long the controller may take to answer.
const metricsPatience = 20 * time.Second

// readyMetric matches the metric of objects that are Ready, of which there are some once the samples are.
var readyMetric = regexp.MustCompile(`(?m)^mooring_resources\{[^}]*condition="Ready"[^}]*status="True"[^}]*\} [1-9]`)

// readMetrics reads the metrics as Prometheus would, and fails if they do not count the samples.
func (d *demonstration) readMetrics(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, metricsPatience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.metrics, http.NoBody)
	if err != nil {
		return fmt.Errorf("read metrics: %w", err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("read metrics: %w; the controller's log is %s", err, d.log)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("read metrics: %w", err)
	}
	if answer.StatusCode != http.StatusOK || !readyMetric.Match(text) {
		return fmt.Errorf("%s: HTTP status %d, and no mooring_resources that are Ready; the controller's log is %s", d.metrics, answer.StatusCode, d.log)
	}
	d.step("metrics              %s counts them, as Prometheus would read it", d.metrics)
	return nil
}
