package telemetry

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// TraceOptions configure the export of spans.
type TraceOptions struct {
	// Endpoint is the URL of a collector that accepts OTLP over HTTP. If it is empty, OpenTelemetry's own environment
	// variables set it.
	Endpoint string
	// Ratio is the fraction of reconciliations that are traced, from 0 to 1. With 1, OTEL_TRACES_SAMPLER decides, whose
	// default is to trace all.
	Ratio float64
	// Version and ClusterID are attributes of every trace.
	Version, ClusterID string
	Log                logr.Logger
	Now                func() time.Time
}

// ParseTraceEndpoint returns the URL to which spans are sent, for the URL of a collector.
func ParseTraceEndpoint(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q is not the URL of a collector, for example http://collector:4318", endpoint)
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1/traces"
	}
	return u.String(), nil
}

// TracingEnabled reports whether traces are enabled, by the flag or by OpenTelemetry's own environment variables.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func TracingEnabled(endpoint string, environment func(string) (string, bool)) bool {
	value := func(name string) string { v, _ := environment(name); return v }
	if strings.EqualFold(value("OTEL_SDK_DISABLED"), "true") || value("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return endpoint != "" || value("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// NewTracing returns a tracer provider that exports spans in the background, in batches. Its Shutdown sends the spans
// that are left. A collector that does not answer loses spans, but does not delay reconciliations.
func NewTracing(ctx context.Context, o TraceOptions) (*sdktrace.TracerProvider, error) {
	var where []otlptracehttp.Option
	if o.Endpoint != "" {
		address, err := ParseTraceEndpoint(o.Endpoint)
		if err != nil {
			return nil, err
		}
		where = append(where, otlptracehttp.WithEndpointURL(address))
	}
	exporter, err := otlptracehttp.New(ctx, where...) // calls nobody yet
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	name, _ := os.Hostname()
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "mooring"), attribute.String("service.version", o.Version),
		attribute.String("service.instance.id", name), attribute.String("mooring.cluster_id", o.ClusterID),
	), resource.WithFromEnv()) // which has the last word
	if err != nil {
		return nil, fmt.Errorf("traces: %w", err)
	}
	options := []sdktrace.TracerProviderOption{
		sdktrace.WithResource(about),
		sdktrace.WithSpanProcessor(newTail(sdktrace.NewBatchSpanProcessor(&reporting{SpanExporter: exporter, log: o.Log, now: o.Now}))),
	}
	if o.Ratio < 1 {
		options = append(options, sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(o.Ratio))))
	}
	return sdktrace.NewTracerProvider(options...), nil
}

// reportPause is how long nothing more is said of a collector that does not take spans.
const reportPause = 10 * time.Minute

// reporting is an exporter that says in the log, once in a while, what is lost. OpenTelemetry would say so of each batch.
type reporting struct {
	sdktrace.SpanExporter
	log logr.Logger
	now func() time.Time

	mu   sync.Mutex
	said time.Time
	lost int
}

// ExportSpans implements sdktrace.SpanExporter.
func (r *reporting) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := r.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost += len(spans)
	if now := r.now(); now.Sub(r.said) >= reportPause {
		r.log.Info("the collector does not accept traces; nothing else is affected", "error", err.Error(), "lost", r.lost)
		r.said, r.lost = now, 0
	}
	return nil
}
