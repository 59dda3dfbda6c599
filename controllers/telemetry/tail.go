package telemetry

import (
	"context"
	"slices"
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

// mostOver is how many reconciliations that have themselves ended wait for their last span. Beyond that the oldest waits no longer.
const mostOver = 256

// tail buffers the spans of a reconciliation until the last of them has ended, which may be a request that others wait for, too, or one that
// renews credentials. It drops the spans of a reconciliation that changed nothing and had no failure: nearly all are resyncs of objects that are
// up to date. The number of workers bounds the buffer, together with mostOver.
type tail struct {
	next sdktrace.SpanProcessor

	mu   sync.Mutex
	open map[trace.TraceID]*reconciliation
	// over are those of open that have themselves ended, the oldest first.
	over []trace.TraceID
	// dropped are the last ones that were dropped. A request of one may begin later still, if others wait for it, and is dropped, too.
	dropped []trace.TraceID
}

// A reconciliation is what is known of the spans of one.
type reconciliation struct {
	ended []sdktrace.ReadOnlySpan
	// running is how many more have begun.
	running int
	// over: it has itself ended. idle: it changed nothing. sent: whatever comes is passed on.
	over, idle, sent bool
}

func newTail(next sdktrace.SpanProcessor) *tail {
	return &tail{next: next, open: map[trace.TraceID]*reconciliation{}}
}

// OnStart implements sdktrace.SpanProcessor.
func (t *tail) OnStart(parent context.Context, span sdktrace.ReadWriteSpan) {
	t.next.OnStart(parent, span)
	t.mu.Lock()
	defer t.mu.Unlock()
	id := span.SpanContext().TraceID()
	if t.open[id] == nil {
		if span.Parent().IsValid() || span.SpanKind() == trace.SpanKindClient {
			return
		}
		t.open[id] = &reconciliation{}
	}
	t.open[id].running++
}

// OnEnd implements sdktrace.SpanProcessor. A request that begins after all else of its reconciliation has ended is passed on if that was, or if it failed.
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
	r := t.open[id]
	if r == nil {
		if slices.Contains(t.dropped, id) && !failed([]sdktrace.ReadOnlySpan{span}) {
			return nil
		}
		return []sdktrace.ReadOnlySpan{span}
	}
	r.running--
	r.ended = append(r.ended, span)
	if !span.Parent().IsValid() {
		r.over, r.idle = true, idle(span)
		t.over = append(t.over, id)
	}
	if r.running == 0 {
		t.forget(id)
	}
	r.sent = r.sent || len(r.ended) >= longest
	var spans []sdktrace.ReadOnlySpan
	if r.sent || r.running == 0 {
		spans = t.take(id, r)
	}
	return append(spans, t.oldest()...)
}

// oldest forgets the oldest reconciliation that waits for its last span, if too many do, and returns its spans that are to be passed on. Spans of it that end
// later are passed on if these were, or if they failed.
func (t *tail) oldest() []sdktrace.ReadOnlySpan {
	if len(t.over) <= mostOver {
		return nil
	}
	id := t.over[0]
	r := t.open[id]
	t.forget(id)
	return t.take(id, r)
}

// take is reconciliation.take, and remembers a reconciliation that is dropped.
func (t *tail) take(id trace.TraceID, r *reconciliation) []sdktrace.ReadOnlySpan {
	spans := r.take()
	if spans == nil && r.over {
		t.dropped = append(t.dropped[max(0, len(t.dropped)-mostOver+1):], id)
	}
	return spans
}

// forget removes a reconciliation.
func (t *tail) forget(id trace.TraceID) {
	delete(t.open, id)
	t.over = slices.DeleteFunc(t.over, func(other trace.TraceID) bool { return other == id })
}

// take returns the spans that have ended and are to be passed on, and forgets them.
func (r *reconciliation) take() []sdktrace.ReadOnlySpan {
	spans := r.ended
	r.ended = nil
	if r.sent || r.over && !r.idle || failed(spans) {
		return spans
	}
	return nil
}

// idle reports whether a reconciliation changed nothing. A controller whose spans do not say so does not act on a cloud.
func idle(span sdktrace.ReadOnlySpan) bool {
	for _, a := range span.Attributes() {
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

// Shutdown implements sdktrace.SpanProcessor. It passes on reconciliations whose last request has not ended.
func (t *tail) Shutdown(ctx context.Context) error {
	t.mu.Lock()
	var spans []sdktrace.ReadOnlySpan
	for _, r := range t.open {
		if r.over {
			spans = append(spans, r.take()...)
		}
	}
	t.mu.Unlock()
	for _, s := range spans {
		t.next.OnEnd(s)
	}
	return t.next.Shutdown(ctx)
}
