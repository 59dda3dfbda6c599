package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// A receiver is a collector that keeps what it is sent.
type receiver struct {
	*httptest.Server
	connections atomic.Int64
	// mute: it takes requests, and never answers.
	mute atomic.Bool

	mu      sync.Mutex
	header  http.Header
	raw     []byte
	batches []*spans.ResourceSpans
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewUnstartedServer(r)
	r.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			r.connections.Add(1)
		}
	}
	r.Start()
	t.Cleanup(r.Close)
	return r
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	request := &collector.ExportTraceServiceRequest{}
	if err != nil || q.URL.Path != "/v1/traces" || proto.Unmarshal(body, request) != nil {
		http.Error(w, "no traces", http.StatusBadRequest)
		return
	}
	if r.mute.Load() {
		<-q.Context().Done()
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.header, r.raw, r.batches = q.Header, append(r.raw, body...), append(r.batches, request.GetResourceSpans()...)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// spans returns the spans that arrived, by their ids.
func (r *receiver) spans() map[string]*spans.Span {
	all := map[string]*spans.Span{}
	for _, batch := range r.batches {
		for _, scope := range batch.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				all[string(s.GetSpanId())] = s
			}
		}
	}
	return all
}

// attributes returns what is said of a span, or of where it comes from.
func attributes(said []*common.KeyValue) map[string]string {
	all := map[string]string{}
	for _, a := range said {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			all[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			all[a.GetKey()] = fmt.Sprint(v.IntValue)
		}
	}
	return all
}

// TestTrace runs the program with a collector: what it did arrives there, and nothing secret with it.
func TestTrace(t *testing.T) {
	w, r := newFixture(t), newReceiver(t)
	t.Run("on", func(t *testing.T) {
		t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=shop")
		t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
		w.lead(t, "--trace-endpoint="+r.URL)
		w.verifyTraces(t, r)
	})
	t.Run("by OpenTelemetry's own variables", func(t *testing.T) {
		other := newReceiver(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", other.URL)
		t.Setenv("OTEL_SERVICE_NAME", "buckets-and-more")
		w.lead(t)
		if len(other.batches) == 0 || attributes(other.batches[0].GetResource().GetAttributes())["service.name"] != "buckets-and-more" {
			t.Errorf("got %v", other.batches)
		}
	})
	t.Run("off", func(t *testing.T) {
		other := newReceiver(t)
		if usual, err := net.Listen("tcp", "127.0.0.1:4318"); err == nil { // where a collector would be, if nobody else is
			defer func() { _ = usual.Close() }()
			go func() {
				if _, err := usual.Accept(); err == nil {
					other.connections.Add(1)
				}
			}()
		}
		w.lead(t)
		t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", other.URL)
		t.Setenv("OTEL_TRACES_EXPORTER", "none")
		w.lead(t)
		if n := other.connections.Load(); n > 0 || len(other.batches) > 0 {
			t.Errorf("%d connections to a collector that nobody named", n)
		}
	})
	t.Run("to nobody who answers", func(t *testing.T) {
		other := newReceiver(t)
		other.mute.Store(true)
		t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
		t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
		said := 0
		for _, line := range w.lead(t, "--trace-endpoint="+other.URL) {
			if strings.Contains(line, "does not accept traces") || strings.Contains(line, "traces are lost") {
				said++
			}
		}
		if said < 1 || said > 2 || other.connections.Load() == 0 {
			t.Errorf("it said %d times that traces are lost, want once, and maybe at the end; %d connections", said, other.connections.Load())
		}
	})
}

// lead runs the program, and leads a bucket and a database through a life meanwhile. It returns the log.
func (w *fixture) lead(t *testing.T, flags ...string) []string {
	t.Helper()
	replica := w.start(t, append(flags, "--sync-period=1s")...)
	bucket, database := w.newBucket("aws", "traced"), newDatabase("gcp", "traced")
	database.Spec.DeletionPolicy = v1alpha1.DeletionDelete
	database.Spec.Connection = &v1alpha1.Connection{SecretName: "traced"}
	w.create(t, bucket)
	w.create(t, database)
	w.awaitReady(t, replica, bucket)
	w.awaitReady(t, replica, database)
	w.edit(t, bucket, func() { bucket.Spec.Tags = map[string]v1alpha1.TagValue{"team": "a"} })
	w.awaitReady(t, replica, bucket)
	secrets := &corev1.SecretList{}
	if err := w.Client.List(t.Context(), secrets, client.InNamespace(system.Namespace)); err != nil {
		t.Fatal(err)
	}
	w.secrets = append(w.secrets, secrets.Items...)
	for _, o := range []client.Object{bucket, database} {
		if err := w.Client.Delete(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range []client.Object{bucket, database} {
		replica.await(t, "its end", func() bool { return w.isGone(t, o) })
	}
	replica.signal(t, syscall.SIGTERM)
	replica.finish(t)
	if holder := w.leader(t); holder != "" {
		t.Errorf("it has ended, and %s still holds the lease", holder)
	}
	return replica.lines(0)
}

func (w *fixture) verifyTraces(t *testing.T, r *receiver) {
	if r.header.Get("X-Tenant") != "shop" {
		t.Errorf("the collector was sent the headers %v", r.header)
	}
	about := attributes(r.batches[0].GetResource().GetAttributes())
	if about["service.name"] != "mooring" || about["service.version"] == "" || about["mooring.cluster_id"] == "" || about["deployment.environment.name"] != "test" {
		t.Errorf("they come from %v", about)
	}
	// By what the cloud named them, the requests that reached it.
	sent := map[string]localcloud.Call{}
	for _, call := range w.Cloud.Ledger.Calls(localcloud.Filter{}) {
		if call.RequestID != "" {
			sent[call.RequestID] = call
		}
	}
	all := r.spans()
	seen, turns := map[string]bool{}, map[string]bool{}
	for _, s := range all {
		said := attributes(s.GetAttributes())
		if s.GetKind() != spans.Span_SPAN_KIND_CLIENT {
			turns[s.GetName()+" "+said["mooring.action"]] = true
			if len(s.GetParentSpanId()) > 0 || said["mooring.kind"] == "" || said["mooring.name"] == "" {
				t.Errorf("a turn says too little: %v", s)
			}
			continue
		}
		parent := all[string(s.GetParentSpanId())]
		if parent == nil || !bytes.Equal(parent.GetTraceId(), s.GetTraceId()) || !strings.HasPrefix(parent.GetName(), "reconcile ") {
			t.Errorf("%s is no part of a turn: %v", s.GetName(), parent)
		}
		id := said["aws.request_id"] + said["cloud.request_id"]
		if id == "" {
			if said["rpc.service"] == "s3" || said["rpc.service"] == "storage" {
				t.Errorf("no request id: %v", s)
			}
			continue
		}
		call, ok := sent[id]
		if got := fmt.Sprint(said["rpc.service"], said["rpc.method"], said["http.response.status_code"]); !ok || seen[id] || got != fmt.Sprint(call.Service, call.Operation, fmt.Sprint(call.Status)) {
			t.Errorf("%v is not what was sent, or is told twice: %+v", s, call)
		}
		seen[id] = true
	}
	for id, call := range sent {
		if call.Write && call.Service == "s3" && !seen[id] {
			t.Errorf("no span of %+v", call)
		}
	}
	for _, turn := range []string{
		"reconcile Bucket Create", "reconcile Bucket Update", "reconcile Bucket Delete", "reconcile Bucket RemoveFinalizer", "reconcile Database Create", "reconcile Database Delete",
	} {
		if !turns[turn] {
			t.Errorf("no turn %q among %v", turn, turns)
		}
	}
	w.verifySecretFree(t, r.raw)
}

// verifySecretFree checks that nothing of Secrets of Mooring's own is in what was sent: keys to the clouds, passwords.
func (w *fixture) verifySecretFree(t *testing.T, raw []byte) {
	t.Helper()
	const shortest = 8 // what is shorter would be found by chance
	looked := 0
	for _, s := range w.secrets {
		for key, value := range s.Data {
			if len(value) < shortest {
				continue
			}
			looked++
			for _, form := range []string{string(value), base64.StdEncoding.EncodeToString(value)} {
				if bytes.Contains(raw, []byte(form)) {
					t.Errorf("spans show %s of Secret %s", key, s.Name)
				}
			}
		}
	}
	if looked < 3 { // an access key, a key of Google's, a password
		t.Errorf("%d secrets: too few to look for", looked)
	}
}
