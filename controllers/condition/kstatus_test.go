package condition

import (
	"testing"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// object is an object of ours as kstatus sees it.
type object struct {
	generation int64
	deleted    bool
	status     v1alpha1.ResourceStatus
}

// born is an object that nobody has looked at: the CRD's default is all it has.
func born() *object {
	return &object{generation: 1, status: v1alpha1.ResourceStatus{ObservedGeneration: -1}}
}

// turn brings the object to a state, as a reconcile does.
func (o *object) turn(s State) *object {
	available := s != Progressing
	Set(&o.status.Conditions, Update{State: s, Reason: v1alpha1.ReasonReady, Message: "so it is", Available: &available, Generation: o.generation, Now: now})
	if s.Judged() {
		o.status.ObservedGeneration = o.generation
	}
	return o
}

func (o *object) edit() *object   { o.generation++; return o }
func (o *object) delete() *object { o.deleted = true; return o }

func (o *object) kstatus(t *testing.T) kstatus.Status {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1alpha1.Bucket{Status: v1alpha1.BucketStatus{ResourceStatus: o.status}})
	if err != nil {
		t.Fatal(err)
	}
	u := &unstructured.Unstructured{Object: content}
	u.SetAPIVersion(v1alpha1.GroupVersion.String())
	u.SetKind("Bucket")
	u.SetName("b")
	u.SetGeneration(o.generation)
	if o.deleted {
		u.SetDeletionTimestamp(&metav1.Time{Time: now.Time})
	}
	result, err := kstatus.Compute(u)
	if err != nil {
		t.Fatal(err)
	}
	return result.Status
}

// Flux, Argo CD, Helm and kubectl wait are right without plugins: what they conclude is computed by
// the library that they use.
func TestKstatus(t *testing.T) {
	for _, tt := range []struct {
		name   string
		object *object
		want   kstatus.Status
	}{
		{"not looked at yet", born(), kstatus.InProgressStatus},
		{"being created", born().turn(Progressing), kstatus.InProgressStatus},
		{"usable and as declared", born().turn(Progressing).turn(Settled), kstatus.CurrentStatus},
		{"edited, not looked at yet", born().turn(Settled).edit(), kstatus.InProgressStatus},
		{"an edit is being applied", born().turn(Settled).edit().turn(Updating), kstatus.InProgressStatus},
		{"an edit waits for approval", born().turn(Settled).edit().turn(EditWaits), kstatus.FailedStatus},
		{"an edit was approved", born().turn(Settled).edit().turn(EditWaits).turn(Updating), kstatus.InProgressStatus},
		{"drift waits for approval", born().turn(Settled).turn(DriftWaits), kstatus.CurrentStatus},
		{"a first call failed", born().turn(Retrying), kstatus.InProgressStatus},
		{"the first calls fail for long", born().turn(RetryingLong), kstatus.InProgressStatus},
		{"a call failed", born().turn(Settled).turn(Retrying), kstatus.CurrentStatus},
		{"a call failed after an edit", born().turn(Settled).edit().turn(Retrying), kstatus.InProgressStatus},
		{"calls fail for long", born().turn(Settled).turn(RetryingLong), kstatus.InProgressStatus},
		{"not observed for long", born().turn(Settled).turn(Unseen), kstatus.InProgressStatus},
		{"observed again", born().turn(Settled).turn(Unseen).turn(Settled), kstatus.CurrentStatus},
		{"observation refused", born().turn(Settled).turn(ObservationRefused), kstatus.CurrentStatus},
		{"observation refused after calls failed for long", born().turn(Settled).turn(RetryingLong).turn(ObservationRefused), kstatus.CurrentStatus},
		{"observation refused for two sync periods", born().turn(Settled).turn(ObservationRefused).turn(Stalled), kstatus.FailedStatus},
		{"invalid from the beginning", born().turn(Stalled), kstatus.FailedStatus},
		{"an invalid edit", born().turn(Settled).edit().turn(Stalled), kstatus.FailedStatus},
		{"a call failed while stalled", born().turn(Stalled).turn(Retrying), kstatus.FailedStatus},
		{"mended", born().turn(Stalled).edit().turn(Updating).turn(Settled), kstatus.CurrentStatus},
		{"paused when as declared", born().turn(Settled).turn(Paused), kstatus.CurrentStatus},
		{"paused while being created", born().turn(Progressing).turn(Paused), kstatus.InProgressStatus},
		{"paused before anything", born().turn(Paused), kstatus.InProgressStatus},
		{"edited while paused", born().turn(Settled).turn(Paused).edit().turn(Paused), kstatus.InProgressStatus},
		{"deleted", born().turn(Settled).delete().turn(Deleting), kstatus.TerminatingStatus},
		{"a deletion that can't go on", born().turn(Settled).delete().turn(DeletionStalled), kstatus.TerminatingStatus},
	} {
		if got := tt.object.kstatus(t); got != tt.want {
			t.Errorf("%s: kstatus is %s, want %s", tt.name, got, tt.want)
		}
	}
}
