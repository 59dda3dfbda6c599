package telemetry

import (
	"context"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// attributeIdle is on the span of a turn that did nothing.
const attributeIdle = attribute.Key("mooring.idle")

// longest is how many requests of a turn are held back. One that makes more is no mere look.
const longest = 256

// tail holds the spans of a turn back until it ends, and lets go those of turns that did nothing and in which nothing
// failed: re-checks of what is as declared, which are nearly all. What it holds is bounded, since workers are.
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

// OnEnd implements sdktrace.SpanProcessor. What ends when its turn has ended is passed on: that is few, the steps to an
// identity that is renewed while nobody waits.
func (t *tail) OnEnd(span sdktrace.ReadOnlySpan) {
	for _, s := range t.decided(span) {
		t.next.OnEnd(s)
	}
}

// decided returns the spans that are to be passed on, now that another has ended.
func (t *tail) decided(span sdktrace.ReadOnlySpan) []sdktrace.ReadOnlySpan {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := span.SpanContext().TraceID()
	held, open := t.open[id]
	held = append(held, span)
	switch {
	case !open:
		return held
	case span.Parent().IsValid() && len(held) < longest:
		t.open[id] = held
		return nil
	}
	delete(t.open, id) // it has ended, or is worth telling whatever comes
	if len(held) < longest && idle(span) && !failed(held) {
		return nil
	}
	return held
}

// idle reports whether a turn did nothing, as far as it says. One that says nothing does not act on a cloud.
func idle(turn sdktrace.ReadOnlySpan) bool {
	for _, a := range turn.Attributes() {
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
