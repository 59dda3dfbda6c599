package telemetry

import (
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Two clouds: OpenTelemetry has names for what is of the first.
var (
	amazon = driver.Description{Name: "aws", Spans: driver.SpanNames{System: "aws-api", RequestID: "aws.request_id"}}
	google = driver.Description{Name: "gcp"}
)

// A spanFixture is a provider whose spans the test sees.
type spanFixture struct {
	*sdktrace.TracerProvider
	sent *tracetest.InMemoryExporter
}

func newSpanFixture() spanFixture {
	sent := tracetest.NewInMemoryExporter()
	return spanFixture{sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(newTail(sdktrace.NewSimpleSpanProcessor(sent)))), sent}
}

// names are those of the spans that were sent, by their parents' names.
func (d spanFixture) names() map[string][]string {
	spans, names := d.sent.GetSpans(), map[string][]string{}
	of := map[trace.SpanID]string{}
	for _, s := range spans {
		of[s.SpanContext.SpanID()] = s.Name
	}
	for _, s := range spans {
		names[of[s.Parent.SpanID()]] = append(names[of[s.Parent.SpanID()]], s.Name)
	}
	return names
}

// reconcile has one reconciliation that makes requests, and says what it came to.
func (d spanFixture) reconcile(t *testing.T, came *Reconciliation, err error, requests ...driver.Call) {
	t.Helper()
	calls := CallSpans(d, amazon)
	r := TraceReconciler(d, "Bucket", reconcile.Func(func(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
		for _, answer := range requests {
			_, end := calls.Begin(ctx, "s3", "GetBucketTagging")
			end(answer)
		}
		if came != nil {
			RecordOutcome(ctx, *came)
		}
		return reconcile.Result{}, err
	}))
	if _, got := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "shop", Name: "photos"}}); !errors.Is(got, err) {
		t.Errorf("%v does not come back: %v", err, got)
	}
}

// What is sent is what a person would look at: reconciliations that did something, or in which something failed.
func TestWhatIsSent(t *testing.T) {
	whole := map[string][]string{"": {"reconcile Bucket"}, "reconcile Bucket": {"s3 GetBucketTagging"}}
	denied := driver.Call{Failed: true, Code: driver.Denied, Status: 403}
	for name, tc := range map[string]struct {
		came *Reconciliation
		err  error
		call driver.Call
		want map[string][]string
	}{
		"it changed something":        {&Reconciliation{Action: "Update"}, nil, driver.Call{Status: 200}, whole},
		"it only looked":              {&Reconciliation{Idle: true}, nil, driver.Call{Status: 200}, map[string][]string{}},
		"what it looked for is not":   {&Reconciliation{Idle: true}, nil, driver.Call{Failed: true, Code: driver.NotFound}, map[string][]string{}},
		"it says nothing":             {nil, nil, driver.Call{Status: 200}, map[string][]string{}},
		"it says nothing, and failed": {nil, errors.New("x"), driver.Call{Status: 200}, whole},
		"a request failed":            {&Reconciliation{Idle: true}, nil, denied, whole},
		"it failed":                   {&Reconciliation{Idle: true, Failed: "no"}, nil, driver.Call{Status: 200}, whole},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSpanFixture()
			d.reconcile(t, tc.came, tc.err, tc.call)
			if diff := cmp.Diff(tc.want, d.names()); diff != "" {
				t.Errorf("spans by parent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSpansSayWhatHappened(t *testing.T) {
	d := newSpanFixture()
	d.reconcile(t, &Reconciliation{UID: "u", Generation: 3, ExternalName: "shop-photos", Action: "Update", State: "Retrying", Reason: "Retrying", Failed: "slow down"}, nil,
		driver.Call{Status: 200, RequestID: "R1"}, driver.Call{Status: 503, RequestID: "R2", Failed: true, Code: driver.Throttled}, driver.Call{Failed: true, Code: driver.Unavailable})
	type said struct {
		Name, Status string
		Code         codes.Code
		Attributes   map[string]any
	}
	request := func(more map[string]any) map[string]any {
		all := map[string]any{"rpc.system": "aws-api", "rpc.service": "s3", "rpc.method": "GetBucketTagging"}
		maps.Copy(all, more)
		return all
	}
	want := []said{
		{"s3 GetBucketTagging", "", codes.Unset, request(map[string]any{"http.response.status_code": int64(200), "aws.request_id": "R1"})},
		{"s3 GetBucketTagging", "Throttled", codes.Error, request(map[string]any{"http.response.status_code": int64(503), "aws.request_id": "R2", "error.type": "Throttled"})},
		{"s3 GetBucketTagging", "Unavailable", codes.Error, request(map[string]any{"error.type": "Unavailable"})},
		{"reconcile Bucket", "slow down", codes.Error, map[string]any{
			"k8s.namespace.name": "shop", "mooring.kind": "Bucket", "mooring.name": "photos", "mooring.uid": "u", "mooring.generation": int64(3),
			"mooring.external_name": "shop-photos", "mooring.action": "Update", "mooring.state": "Retrying", "mooring.reason": "Retrying", "mooring.idle": false,
		}},
	}
	var got []said
	for _, s := range d.sent.GetSpans() {
		about := map[string]any{}
		for _, a := range s.Attributes {
			about[string(a.Key)] = a.Value.AsInterface()
		}
		got = append(got, said{s.Name, s.Status.Description, s.Status.Code, about})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
}

// A reconciliation that makes very many requests is sent without all of them being held, and one that is under way holds no other up.
func TestHeldSpansAreBounded(t *testing.T) {
	d := newSpanFixture()
	d.reconcile(t, &Reconciliation{Idle: true}, nil, make([]driver.Call, 3*longest)...)
	if n := len(d.sent.GetSpans()); n != 3*longest+1 {
		t.Errorf("%d spans were sent, want all", n)
	}
}

// A request may outlive the reconciliation that asked for it, because others wait for the answer, too: what becomes of it is what becomes of
// the reconciliation.
func TestRequestEndsAfterItsReconciliation(t *testing.T) {
	for name, tc := range map[string]struct {
		idle bool
		call driver.Call
		want map[string][]string
	}{
		"it changed something":   {false, driver.Call{Status: 200}, map[string][]string{"": {"reconcile Bucket"}, "reconcile Bucket": {"oauth2 token"}}},
		"it only looked":         {true, driver.Call{Status: 200}, map[string][]string{}},
		"it looked, and in vain": {true, driver.Call{Failed: true, Code: driver.Unavailable}, map[string][]string{"": {"reconcile Bucket"}, "reconcile Bucket": {"oauth2 token"}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSpanFixture()
			ctx, span := d.Tracer(scope).Start(t.Context(), "reconcile Bucket")
			_, end := CallSpans(d, google).Begin(ctx, "oauth2", "token")
			RecordOutcome(ctx, Reconciliation{Idle: tc.idle})
			span.End()
			if n := len(d.sent.GetSpans()); n > 0 {
				t.Errorf("%d spans were sent before the last of them ended", n)
			}
			end(tc.call)
			if diff := cmp.Diff(tc.want, d.names()); diff != "" {
				t.Errorf("spans by parent (-want +got):\n%s", diff)
			}
		})
	}
}

// Requests that never end hold no more than so many reconciliations: the oldest is decided by what is known of it.
func TestReconciliationsThatWaitAreBounded(t *testing.T) {
	sent := tracetest.NewInMemoryExporter()
	held := newTail(sdktrace.NewSimpleSpanProcessor(sent))
	d := spanFixture{sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(held)), sent}
	const more = 10
	var ends []func(driver.Call)
	for i := range mostOver + more {
		ctx, span := d.Tracer(scope).Start(t.Context(), "reconcile Bucket")
		_, end := CallSpans(d, google).Begin(ctx, "oauth2", "token")
		ends = append(ends, end)
		RecordOutcome(ctx, Reconciliation{Idle: i%2 == 1})
		span.End()
	}
	if len(held.open) != mostOver || len(held.over) != mostOver {
		t.Errorf("%d are held, %d of them over, want %d", len(held.open), len(held.over), mostOver)
	}
	if n := len(sent.GetSpans()); n != more/2 {
		t.Errorf("%d spans were sent, want those of the oldest that changed something: %d", n, more/2)
	}
	for _, end := range ends {
		end(driver.Call{Status: 200})
	}
	if len(held.open) != 0 || len(held.over) != 0 {
		t.Errorf("%d are held after all has ended, %d of them over", len(held.open), len(held.over))
	}
}

// A request that others wait for, too, may begin after its reconciliation is over. It goes where that went, so that nobody sees a part of nothing, unless it failed.
func TestRequestAfterTheEnd(t *testing.T) {
	for name, tt := range map[string]struct {
		idle   bool
		answer driver.Call
		want   int
	}{
		"of one that was dropped":              {idle: true, answer: driver.Call{Status: 200}},
		"that failed, of one that was dropped": {idle: true, answer: driver.Call{Failed: true, Code: driver.Denied, Status: 403}, want: 1},
		"of one that was sent":                 {answer: driver.Call{Status: 200}, want: 2},
	} {
		t.Run(name, func(t *testing.T) {
			d := newSpanFixture()
			ctx, span := d.Tracer(scope).Start(t.Context(), "reconcile Bucket")
			RecordOutcome(ctx, Reconciliation{Idle: tt.idle})
			span.End()
			_, end := CallSpans(d, amazon).Begin(ctx, "sts", "GetCallerIdentity")
			end(tt.answer)
			if sent := d.sent.GetSpans(); len(sent) != tt.want {
				t.Errorf("sent were %v, want %d", d.names(), tt.want)
			}
		})
	}
}

// The end of the program waits for no request: what is known of a reconciliation then is sent.
func TestShutdownSendsWhatIsKnown(t *testing.T) {
	kept := &keeping{}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(newTail(kept)))
	begin := func(idle bool) {
		ctx, span := provider.Tracer(scope).Start(t.Context(), "reconcile Bucket")
		CallSpans(provider, google).Begin(ctx, "oauth2", "token")
		RecordOutcome(ctx, Reconciliation{Idle: idle})
		span.End()
	}
	begin(true)
	begin(false)
	if err := provider.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := len(kept.names); n != 1 || kept.names[0] != "reconcile Bucket" {
		t.Errorf("%q were sent, want the reconciliation that changed something", kept.names)
	}
}

// A keeping keeps the names of the spans that it is given.
type keeping struct{ names []string }

func (k *keeping) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (k *keeping) OnEnd(s sdktrace.ReadOnlySpan)                   { k.names = append(k.names, s.Name()) }
func (k *keeping) ForceFlush(context.Context) error                { return nil }
func (k *keeping) Shutdown(context.Context) error                  { return nil }

func TestAll(t *testing.T) {
	var told []string
	who := func(name string) driver.Calls {
		return func(ctx context.Context, service, operation string) (context.Context, func(driver.Call)) {
			told = append(told, name+" "+service+" "+operation)
			return context.WithValue(ctx, key(name), true), func(c driver.Call) { told = append(told, name+" "+c.RequestID) }
		}
	}
	if JoinCalls() != nil || JoinCalls(nil, nil) != nil {
		t.Error("where nobody is to be told there is something to do")
	}
	ctx, end := JoinCalls(nil, who("a"), nil, who("b")).Begin(t.Context(), "s3", "PutObject")
	end(driver.Call{RequestID: "R"})
	if ctx.Value(key("a")) == nil || ctx.Value(key("b")) == nil {
		t.Error("the context lacks what one of them put there")
	}
	if diff := cmp.Diff([]string{"a s3 PutObject", "b s3 PutObject", "b R", "a R"}, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

type key string

// That a collector takes nothing is said once in a while, and never as an error that OpenTelemetry would repeat.
func TestLossesAreSaidOnceInAWhile(t *testing.T) {
	now, said := time.Now(), []string(nil)
	log := funcr.New(func(_, line string) { said = append(said, line) }, funcr.Options{})
	r := &reporting{SpanExporter: refusing{}, log: log, now: func() time.Time { return now }}
	for range 100 {
		if err := r.ExportSpans(t.Context(), make([]sdktrace.ReadOnlySpan, 3)); err != nil {
			t.Fatal(err)
		}
		now = now.Add(reportPause / 50)
	}
	if len(said) != 2 || !strings.Contains(said[1], `"lost"=150`) {
		t.Errorf("said %q", said)
	}
}

// refusing is a collector that takes nothing.
type refusing struct{ sdktrace.SpanExporter }

func (refusing) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error { return errors.New("no") }

func TestTracingEnabled(t *testing.T) {
	for name, tc := range map[string]struct {
		endpoint    string
		environment map[string]string
		want        bool
	}{
		"nothing":       {"", nil, false},
		"the flag":      {"http://c:4318", nil, true},
		"a variable":    {"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, true},
		"another":       {"", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://c:4318/v1/traces"}, true},
		"disabled":      {"http://c:4318", map[string]string{"OTEL_SDK_DISABLED": "true"}, false},
		"no exporter":   {"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, false},
		"only a header": {"", map[string]string{"OTEL_EXPORTER_OTLP_HEADERS": "a=b"}, false},
	} {
		if got := TracingEnabled(tc.endpoint, func(name string) (string, bool) { v, ok := tc.environment[name]; return v, ok }); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// Off costs nothing: no call of anything.
func TestTracingOff(t *testing.T) {
	next := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) { return reconcile.Result{}, nil })
	if CallSpans(nil, amazon) != nil {
		t.Error("there is something to do for each request")
	}
	r, ctx := TraceReconciler(nil, "Bucket", next), t.Context()
	var none driver.Calls
	allocations := testing.AllocsPerRun(100, func() {
		_, _ = r.Reconcile(ctx, reconcile.Request{})
		_, end := none.Begin(ctx, "s3", "GetBucketTagging")
		end(driver.Call{})
		if IsTraced(ctx) {
			t.Error("traced")
		}
	})
	if allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
}

func BenchmarkBegin(b *testing.B) {
	for name, calls := range map[string]driver.Calls{"off": JoinCalls(CallSpans(nil, amazon)), "on": JoinCalls(CallSpans(newSpanFixture(), amazon))} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, end := calls.Begin(b.Context(), "s3", "GetBucketTagging")
				end(driver.Call{Status: 200})
			}
		})
	}
}

func BenchmarkTraced(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		IsTraced(b.Context())
	}
}
