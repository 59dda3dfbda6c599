package telemetry

import (
	"cmp"
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/providers/driver"
)

// scope is the name by which a trace says who made a span.
const scope = "github.com/mooring-dev/mooring"

// Attributes of spans that OpenTelemetry has no name for.
const (
	attributeKind       = attribute.Key("mooring.kind")
	attributeName       = attribute.Key("mooring.name")
	attributeUID        = attribute.Key("mooring.uid")
	attributeGeneration = attribute.Key("mooring.generation")
	attributeExternal   = attribute.Key("mooring.external_name")
	attributeAction     = attribute.Key("mooring.action")
	attributeState      = attribute.Key("mooring.state")
	attributeReason     = attribute.Key("mooring.reason")
	attributeCode       = attribute.Key("error.type")
)

// Attributes of spans that OpenTelemetry has a name for.
const (
	attributeNamespace = attribute.Key("k8s.namespace.name")
	attributeSystem    = attribute.Key("rpc.system")
	attributeService   = attribute.Key("rpc.service")
	attributeMethod    = attribute.Key("rpc.method")
	attributeStatus    = attribute.Key("http.response.status_code")
)

// TraceReconciler returns a reconciler that makes a span of each reconciliation, for example "reconcile Bucket". It
// returns next if provider is nil.
func TraceReconciler(provider trace.TracerProvider, kind string, next reconcile.Reconciler) reconcile.Reconciler {
	if provider == nil {
		return next
	}
	tracer := provider.Tracer(scope)
	return reconcile.Func(func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		ctx, span := tracer.Start(ctx, "reconcile "+kind, trace.WithAttributes(attributeKind.String(kind), attributeName.String(req.Name)))
		defer span.End()
		if req.Namespace != "" {
			span.SetAttributes(attributeNamespace.String(req.Namespace))
		}
		result, err := next.Reconcile(ctx, req)
		if err != nil {
			span.SetStatus(codes.Error, "it will be tried again") // what an error quotes may be secret
		}
		return result, err
	})
}

// A Reconciliation is the outcome of one reconciliation, as its span shows it.
type Reconciliation struct {
	UID        string
	Generation int64
	// ExternalName is the name in the cloud; empty if there is none yet.
	ExternalName string
	// Action is what was done in the cloud. State and Reason are the state of the object afterwards.
	Action, State, Reason string
	// Idle: nothing was done, and nothing changed.
	Idle bool
	// Failed is the error of the reconciliation, without secrets; empty if there was none.
	Failed string
}

// IsTraced reports whether the reconciliation in ctx is traced.
func IsTraced(ctx context.Context) bool { return trace.SpanFromContext(ctx).IsRecording() }

// RecordOutcome writes the outcome of a reconciliation to its span, which is in ctx.
func RecordOutcome(ctx context.Context, r Reconciliation) {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(attributeUID.String(r.UID), attributeGeneration.Int64(r.Generation), attributeAction.String(r.Action), attributeIdle.Bool(r.Idle))
	for key, value := range map[attribute.Key]string{attributeExternal: r.ExternalName, attributeState: r.State, attributeReason: r.Reason} {
		if value != "" {
			span.SetAttributes(key.String(value))
		}
	}
	if r.Failed != "" {
		span.SetStatus(codes.Error, r.Failed)
	}
}

// CallSpans returns a hook that makes a span of every request to a cloud, for example "s3 CreateBucket". It returns nil
// if provider is nil.
func CallSpans(provider trace.TracerProvider, cloud driver.Description) driver.Calls {
	if provider == nil {
		return nil
	}
	tracer := provider.Tracer(scope)
	system, requestID := cmp.Or(cloud.Spans.System, cloud.Name), attribute.Key(cmp.Or(cloud.Spans.RequestID, "cloud.request_id"))
	return func(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
		ctx, span := tracer.Start(ctx, service+" "+operation, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
			attributeSystem.String(system), attributeService.String(service), attributeMethod.String(operation)))
		return ctx, func(answer driver.Call) {
			defer span.End()
			if answer.Status != 0 {
				span.SetAttributes(attributeStatus.Int(answer.Status))
			}
			if answer.RequestID != "" {
				span.SetAttributes(requestID.String(answer.RequestID))
			}
			if !answer.Failed {
				return
			}
			span.SetAttributes(attributeCode.String(answer.Code.String()))
			if answer.Code != driver.NotFound { // to look for what is not there yet is no failure
				span.SetStatus(codes.Error, answer.Code.String())
			}
		}
	}
}
