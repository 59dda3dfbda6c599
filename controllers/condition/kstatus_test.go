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

// reconcile brings the object to a state, as a reconcile does.
func (o *object) reconcile(s State) *object {
	available := s != Progressing
	Set(&o.status.Conditions, Update{State: s, Reason: v1alpha1.ReasonReady, Message: "so it is", Available: &available, Generation: o.generation, Now: now})
	if s.Evaluated() {
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
		{"being created", born().reconcile(Progressing), kstatus.InProgressStatus},
		{"usable and as declared", born().reconcile(Progressing).reconcile(UpToDate), kstatus.CurrentStatus},
		{"edited, not looked at yet", born().reconcile(UpToDate).edit(), kstatus.InProgressStatus},
		{"an edit is being applied", born().reconcile(UpToDate).edit().reconcile(Updating), kstatus.InProgressStatus},
		{"an edit waits for approval", born().reconcile(UpToDate).edit().reconcile(EditWaits), kstatus.FailedStatus},
		{"an edit was approved", born().reconcile(UpToDate).edit().reconcile(EditWaits).reconcile(Updating), kstatus.InProgressStatus},
		{"drift waits for approval", born().reconcile(UpToDate).reconcile(DriftWaits), kstatus.CurrentStatus},
		{"a first call failed", born().reconcile(Retrying), kstatus.InProgressStatus},
		{"the first calls fail for long", born().reconcile(RetryingLong), kstatus.InProgressStatus},
		{"a call failed", born().reconcile(UpToDate).reconcile(Retrying), kstatus.CurrentStatus},
		{"a call failed after an edit", born().reconcile(UpToDate).edit().reconcile(Retrying), kstatus.InProgressStatus},
		{"calls fail for long", born().reconcile(UpToDate).reconcile(RetryingLong), kstatus.InProgressStatus},
		{"not observed for long", born().reconcile(UpToDate).reconcile(Unobserved), kstatus.InProgressStatus},
		{"observed again", born().reconcile(UpToDate).reconcile(Unobserved).reconcile(UpToDate), kstatus.CurrentStatus},
		{"observation refused", born().reconcile(UpToDate).reconcile(ObservationRefused), kstatus.CurrentStatus},
		{"observation refused after calls failed for long", born().reconcile(UpToDate).reconcile(RetryingLong).reconcile(ObservationRefused), kstatus.CurrentStatus},
		{"observation refused for two sync periods", born().reconcile(UpToDate).reconcile(ObservationRefused).reconcile(Stalled), kstatus.FailedStatus},
		{"invalid from the beginning", born().reconcile(Stalled), kstatus.FailedStatus},
		{"an invalid edit", born().reconcile(UpToDate).edit().reconcile(Stalled), kstatus.FailedStatus},
		{"a call failed while stalled", born().reconcile(Stalled).reconcile(Retrying), kstatus.FailedStatus},
		{"mended", born().reconcile(Stalled).edit().reconcile(Updating).reconcile(UpToDate), kstatus.CurrentStatus},
		{"paused when as declared", born().reconcile(UpToDate).reconcile(Paused), kstatus.CurrentStatus},
		{"paused while being created", born().reconcile(Progressing).reconcile(Paused), kstatus.InProgressStatus},
		{"paused before anything", born().reconcile(Paused), kstatus.InProgressStatus},
		{"edited while paused", born().reconcile(UpToDate).reconcile(Paused).edit().reconcile(Paused), kstatus.InProgressStatus},
		{"deleted", born().reconcile(UpToDate).delete().reconcile(Deleting), kstatus.TerminatingStatus},
		{"a deletion that can't go on", born().reconcile(UpToDate).delete().reconcile(DeletionStalled), kstatus.TerminatingStatus},
	} {
		if got := tt.object.kstatus(t); got != tt.want {
			t.Errorf("%s: kstatus is %s, want %s", tt.name, got, tt.want)
		}
	}
}
