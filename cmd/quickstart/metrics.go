package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// metricsPatience is how long the controller may take to answer.
const metricsPatience = 20 * time.Second

// readyMetric matches the metric of objects that are Ready, of which there are some once the samples are.
var readyMetric = regexp.MustCompile(`(?m)^mooring_resources\{[^}]*condition="Ready"[^}]*status="True"[^}]*\} [1-9]`)

// readMetrics reads the metrics as Prometheus would, and fails if they do not count the samples. A controller that was just started again counts them a moment later.
func (d *demonstration) readMetrics(ctx context.Context) error {
	var why error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, metricsPatience, true, func(ctx context.Context) (bool, error) {
		why = d.countsReady(ctx)
		return why == nil, nil
	})
	if err != nil {
		return fmt.Errorf("read metrics: %w; the controller's log is %s", errors.Join(err, why), d.log)
	}
	d.step("metrics              %s counts them, as Prometheus would read it", d.metrics)
	return nil
}

// countsReady fails if the metrics show no object that is Ready.
func (d *demonstration) countsReady(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.metrics, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK || !readyMetric.Match(text) {
		return fmt.Errorf("%s: HTTP status %d, and no mooring_resources that are Ready", d.metrics, answer.StatusCode)
	}
	return nil
}
