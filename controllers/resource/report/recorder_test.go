package report

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
)

// A value of a spec makes no second line in what kubectl describe prints of an Event, and steers no terminal.
func TestEventsAreOneLineOfWhatIsSeen(t *testing.T) {
	recorder := events.NewFakeRecorder(1)
	Plain(recorder).Eventf(&corev1.Pod{}, nil, corev1.EventTypeNormal, "Updated", "Update", "changed %s",
		"tags team=a\n  Normal  Ready\u2028usable\x1b[2K\u202e100%d")
	if diff := cmp.Diff("Normal Updated changed tags team=a Normal Ready usable[2K100%d", <-recorder.Events); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
