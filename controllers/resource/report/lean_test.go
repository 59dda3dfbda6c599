package report

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
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
)

// An object that is too large for all of its status gets the part that Mooring goes by, its conditions first; one that has no room even for these gets an
// Event, once.
func TestWhatIsTooLargeForItsStatusSaysSo(t *testing.T) {
	for name, tt := range map[string]struct {
		stores    int // what the API server stores, as plan.Weight counts it
		mirrored  int // entries of the mirror
		condition bool
		mirror    bool
		writes    int
		events    int
	}{
		"all fits":                         {stores: 3 << 19, mirrored: 10, condition: true, mirror: true, writes: 1, events: 1},
		"known to be large":                {stores: 3 << 19, mirrored: 40_000, condition: true, writes: 1, events: 1},
		"refused, and fits without mirror": {stores: 400 << 10, mirrored: 20_000, condition: true, writes: 2, events: 1},
		"no room at all":                   {stores: 100, mirrored: 20_000, writes: 2, events: 1},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			b := &v1alpha1.Bucket{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "photos", ResourceVersion: "1", Generation: 1}}
			writes := 0
			recorder := events.NewFakeRecorder(10)
			r := &Reporter{
				Client: fake.NewClientBuilder().WithScheme(scheme).WithObjects(b).WithStatusSubresource(b).WithInterceptorFuncs(interceptor.Funcs{
					SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
						if writes++; plan.Weight(o) > tt.stores {
							return errors.New("etcdserver: request is too large")
						}
						return c.SubResource(sub).Patch(ctx, o, p, opts...)
					},
				}).Build(), Recorder: recorder, Log: logr.Discard(), Kind: kind.Bucket(), Cadence: retry.DefaultCadence(time.Minute), Deadline: time.Minute,
			}
			object := b.DeepCopy()
			object.Status.Applied = map[string][]string{"tags": {"team"}}
			var rules []v1alpha1.CORSRule
			for range tt.mirrored {
				rules = append(rules, v1alpha1.CORSRule{AllowedOrigins: []string{"https://shop.example.com"}})
			}
			object.Status.Observed = &v1alpha1.BucketParameters{CORS: rules, Versioning: new(v1alpha1.VersioningEnabled)}
			in := reconciliation.State{Stored: b, Object: object, Done: reconciliation.Done{Outcome: outcome.Outcome{State: condition.Stalled, Reason: v1alpha1.ReasonInvalid, Message: "too large", Next: outcome.AtSync}}}
			in.Redact = func(message string) string { return message }
			memory := r.Report(t.Context(), in, NewMemory(r.Cadence, time.Now())).Memory
			stored := &v1alpha1.Bucket{}
			if err := r.Client.Get(t.Context(), client.ObjectKeyFromObject(b), stored); err != nil {
				t.Fatal(err)
			}
			if has := len(stored.Status.Conditions) > 0; has != tt.condition {
				t.Errorf("it has conditions: %v", stored.Status.Conditions)
			}
			if tt.condition && (stored.Status.Observed == nil || stored.Status.Observed.Versioning == nil || len(stored.Status.Observed.CORS) == 0 || (len(stored.Status.Observed.CORS) > 1) != tt.mirror || len(stored.Status.Applied) != 1) {
				t.Errorf("the mirror is %.200v, and applied is %v", stored.Status.Observed, stored.Status.Applied)
			}
			if writes != tt.writes {
				t.Errorf("it takes %d writes, want %d", writes, tt.writes)
			}
			if !tt.condition {
				r.Report(t.Context(), in, memory) // says it no second time
			}
			if len(recorder.Events) != tt.events {
				t.Fatalf("%d Events, want %d", len(recorder.Events), tt.events)
			}
			if event := <-recorder.Events; !strings.Contains(event, "too large") && !strings.Contains(event, "so large") {
				t.Errorf("the Event is %s", event)
			}
		})
	}
}
