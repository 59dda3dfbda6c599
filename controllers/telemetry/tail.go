package telemetry

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// attributeIdle says whether a reconciliation changed nothing.
const attributeIdle = attribute.Key("mooring.idle")

// longest is how many spans of a reconciliation are buffered. One that makes more requests did more than observe.
const longest = 256

// tail buffers the spans of a reconciliation until it ends. It drops the spans of a reconciliation that changed nothing and had
// no failure: nearly all are resyncs of objects that are up to date. The number of workers bounds the buffer.
type tail struct {
	next sdktrace.SpanProcessor

	mu   sync.Mutex
	open map[trace.TraceID][]sdktrace.ReadOnlySpan
}

func newTail(next sdktrace.SpanProcessor) *tail {
	return &tail{next: next, open: map[trace.TraceID][]sdktrace.ReadOnlySpan{}}
}

// OnStart implements sdktrace.SpanProcessor.
func (t *tail) OnStart(parent context.Context, span sdktrace.ReadWriteSpan) {
	t.next.OnStart(parent, span)
	if span.Parent().IsValid() || span.SpanKind() == trace.SpanKindClient {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[span.SpanContext().TraceID()] = nil
}

// OnEnd implements sdktrace.SpanProcessor. A span that ends after its reconciliation is passed on. Those are few: the requests that
// renew credentials in the background.
func (t *tail) OnEnd(span sdktrace.ReadOnlySpan) {
	for _, s := range t.decided(span) {
		t.next.OnEnd(s)
	}
}

// decided returns the spans to pass on after another span ended.
func (t *tail) decided(span sdktrace.ReadOnlySpan) []sdktrace.ReadOnlySpan {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := span.SpanContext().TraceID()
	spans, open := t.open[id]
	spans = append(spans, span)
	switch {
	case !open:
		return spans
	case span.Parent().IsValid() && len(spans) < longest:
		t.open[id] = spans
		return nil
	}
	delete(t.open, id) // it has ended, or is sent whatever its outcome is
	if len(spans) < longest && idle(span) && !failed(spans) {
		return nil
	}
	return spans
}

// idle reports whether a reconciliation changed nothing. A controller whose spans do not say so does not act on a cloud.
func idle(reconciliation sdktrace.ReadOnlySpan) bool {
	for _, a := range reconciliation.Attributes() {
		if a.Key == attributeIdle {
			return a.Value.AsBool()
		}
	}
	return true
}

func failed(spans []sdktrace.ReadOnlySpan) bool {
	for _, s := range spans {
		if s.Status().Code == codes.Error {
			return true
		}
	}
	return false
}

// ForceFlush implements sdktrace.SpanProcessor.
func (t *tail) ForceFlush(ctx context.Context) error { return t.next.ForceFlush(ctx) }

// Shutdown implements sdktrace.SpanProcessor.
func (t *tail) Shutdown(ctx context.Context) error { return t.next.Shutdown(ctx) }
