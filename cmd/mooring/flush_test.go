package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr/funcr"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// A silentExporter takes spans, and does not return before it has been long enough, whatever its context says: one that obeys its context
// would hide that nobody bounds the flush.
type silentExporter struct{ takes time.Duration }

func (e silentExporter) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	time.Sleep(e.takes)
	return nil
}

func (silentExporter) Shutdown(context.Context) error { return nil }

// A collector that does not answer holds up the end for no longer than flushPatience, and one that answers late loses nothing.
func TestFlush(t *testing.T) {
	for _, tt := range []struct {
		name        string
		takes, want time.Duration
		says        int
	}{
		{"it answers", flushPatience / 2, flushPatience / 2, 0},
		{"it never answers", time.Hour, flushPatience, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(silentExporter{tt.takes}))
				_, span := provider.Tracer("test").Start(t.Context(), "reconcile")
				span.End()
				said, began := 0, time.Now()
				ended, cancel := context.WithCancel(t.Context())
				cancel() // by the signal
				flush(ended, provider, funcr.New(func(_, _ string) { said++ }, funcr.Options{}))
				if took := time.Since(began); took != tt.want || said != tt.says {
					t.Errorf("it took %v and said %d times that traces are lost, want %v and %d", took, said, tt.want, tt.says)
				}
				time.Sleep(2 * time.Hour) // until the exporter has returned, too
			})
		})
	}
}
