package report

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/condition"
	"github.com/mooring-dev/mooring/controllers/kind"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/controllers/retry"
	"github.com/mooring-dev/mooring/providers/driver"
)

// What was done is recorded in its order, and what waits for the status comes once that is stored. A step that each new object takes is no
// Event of a new object.
func TestNotes(t *testing.T) {
	first := outcome.Normal("Created", "created it")
	first.FirstTime = true
	later := outcome.Normal("ConnectionMoved", "wrote the Secret")
	later.OnceStored = true
	notes := []outcome.Note{later, first, outcome.Warning("DataLost", "it was lost"), outcome.Normal("Updated", "changed it")}
	for name, test := range map[string]struct {
		stores, wasReady bool
		want             []string
	}{
		"nothing to store":          {want: []string{"Warning DataLost it was lost", "Normal Updated changed it"}},
		"stored":                    {stores: true, want: []string{"Warning DataLost it was lost", "Normal Updated changed it", "Normal ConnectionMoved wrote the Secret"}},
		"stored, and it was usable": {stores: true, wasReady: true, want: []string{"Normal Created created it", "Warning DataLost it was lost", "Normal Updated changed it", "Normal ConnectionMoved wrote the Secret"}},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", ResourceVersion: "1"}}
			recorder := events.NewFakeRecorder(10)
			r := &Reporter{
				Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(b).WithStatusSubresource(b).Build(), Recorder: recorder, Log: logr.Discard(),
				Kind: kind.Bucket(), Cadence: retry.DefaultCadence(time.Minute), Deadline: time.Minute,
			}
			in := reconciliation.State{Stored: b, Object: b.DeepCopy(), Notes: notes, WasReady: test.wasReady, Done: reconciliation.Done{Outcome: outcome.Outcome{KeepConditions: true, Next: outcome.Soon}}}
			in.Redact = func(message string) string { return message }
			if test.stores {
				in.Object.GetResourceStatus().Operation = "operation-1"
			}
			if report := r.Report(t.Context(), in, NewMemory(r.Cadence, time.Now())); !report.Recorded {
				t.Fatal("it is not recorded")
			}
			stored := &v1alpha1.Bucket{}
			if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(b), stored); err != nil || (stored.Status.Operation != "") != test.stores {
				t.Fatalf("the operation that is stored is %q: %v", stored.Status.Operation, err)
			}
			close(recorder.Events)
			var got []string
			for e := range recorder.Events {
				got = append(got, e)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("Events (-want +got):\n%s", diff)
			}
		})
	}
}

// What may not be lost if the process ends is an Event in the API server when Note returns, and no recorder holds it. Two of one reconciliation are two Events, and what is told again is the same one. If the
// API server does not take one, the recorder has it, and tries again.
func TestNoteIsAnEventAtOnce(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := errors.Join(v1alpha1.AddToScheme(scheme), eventsv1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", UID: "b"}}
	down := false
	recorder := events.NewFakeRecorder(10)
	r := &Reporter{
		Client: fake.NewClientBuilder().WithScheme(scheme).WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				if down {
					return errors.New("the API server is away")
				}
				return c.Create(ctx, o, opts...)
			},
		}).Build(), Recorder: recorder, Log: logr.Discard(), Kind: kind.Bucket(), Deadline: time.Minute,
	}
	in := reconciliation.State{Stored: b, Object: b.DeepCopy(), Done: reconciliation.Done{Action: "Create"}}
	in.Now, in.Redact = time.Now(), func(message string) string { return driver.Redact(message, "Canary-Horse") }
	ended, end := context.WithCancel(t.Context())
	end() // a process that is ending still says it
	r.Note(ended, in, Memory{}, outcome.Warning("DataLost", "it was lost Canary-Horse"))
	r.Note(ended, in, Memory{}, outcome.Warning("Retained", "a snapshot stays\x1b"))
	r.Note(ended, in, Memory{}, outcome.Warning("Retained", "a snapshot stays\x1b")) // another try, or another process, tells it again
	stored := &eventsv1.EventList{}
	if err := r.Client.List(t.Context(), stored, client.InNamespace("shop")); err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	if len(stored.Items) != 2 {
		t.Errorf("the API server has %d Events, want one of each", len(stored.Items))
	}
	for _, e := range stored.Items {
		said[e.Reason] = e.Note
		if e.Type != "Warning" || e.Action != "Create" || e.Regarding.Name != "photos" || e.Regarding.Kind != "Bucket" || e.Regarding.UID != "b" ||
			e.ReportingController != Controller || e.ReportingInstance == "" || e.EventTime.IsZero() {
			t.Errorf("the Event is %+v", e)
		}
	}
	if len(said) != 2 || strings.Contains(said["DataLost"], "Canary") || !strings.Contains(said["DataLost"], "it was lost") || strings.Contains(said["Retained"], "\x1b") {
		t.Errorf("the API server has %q", said)
	}
	if len(recorder.Events) > 0 {
		t.Errorf("the recorder has %s", <-recorder.Events)
	}
	again := in
	again.Object = in.Object.DeepCopyObject().(v1alpha1.ResourceObject)
	again.Object.GetResourceStatus().ExternalID = "the one after that"
	r.Note(ended, again, Memory{}, outcome.Warning("DataLost", "it was lost Canary-Horse"))
	if err := r.Client.List(t.Context(), stored, client.InNamespace("shop")); err != nil || len(stored.Items) != 3 {
		t.Errorf("the API server has %d Events once the next cloud object was lost, too: %v", len(stored.Items), err)
	}
	down = true
	if r.Note(t.Context(), in, Memory{}, outcome.Warning("DataLost", "it was lost")); len(recorder.Events) != 1 {
		t.Errorf("the recorder has %d Events, want 1", len(recorder.Events))
	}
}

// What a creation returned is carried until an observation is stored with it. The wait for a slot of the account in between costs no write,
// unless it has something to say.
func TestCreationIsCarriedThroughTheQueue(t *testing.T) {
	for name, test := range map[string]struct {
		out    outcome.Outcome
		writes bool
	}{
		"created": {out: outcome.Outcome{Created: true, KeepConditions: true, Next: outcome.Soon}},
		"queued":  {out: outcome.Outcome{Queued: true, KeepConditions: true, Next: outcome.Later}},
		"queued, and the conditions say so": {
			out:    outcome.Outcome{Queued: true, State: condition.Progressing, Reason: v1alpha1.ReasonQueued, Message: "waiting", Next: outcome.Later},
			writes: true,
		},
		"observed": {out: outcome.Outcome{KeepConditions: true, Next: outcome.Polling}, writes: true},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			d := &v1alpha1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders", ResourceVersion: "1"}}
			d.Status.ExternalName = "shop-orders-x"
			r := &Reporter{
				Client:   fake.NewClientBuilder().WithScheme(scheme).WithObjects(d).WithStatusSubresource(d).Build(),
				Recorder: events.NewFakeRecorder(10), Log: logr.Discard(), Kind: kind.Database(), Cadence: retry.DefaultCadence(time.Minute), Deadline: time.Minute,
			}
			in := reconciliation.State{Stored: d, Object: d.DeepCopy(), Done: reconciliation.Done{Outcome: test.out}}
			in.Redact = func(message string) string { return message }
			made := in.Object.GetResourceStatus()
			made.ExternalID, made.Operation = "db-1", "operation-1"
			report := r.Report(t.Context(), in, NewMemory(r.Cadence, time.Now()))
			stored := &v1alpha1.Database{}
			if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(d), stored); err != nil || !report.Recorded {
				t.Fatalf("recorded %v: %v", report.Recorded, err)
			}
			want, carried := "", &plan.Returned{ID: "db-1", Operation: "operation-1"}
			if test.writes {
				want, carried = "db-1", nil
			}
			if stored.Status.ExternalID != want {
				t.Errorf("the id that is stored is %q, not %q", stored.Status.ExternalID, want)
			}
			if diff := cmp.Diff(carried, report.Carried); diff != "" {
				t.Errorf("what is carried (-want +got):\n%s", diff)
			}
		})
	}
}
