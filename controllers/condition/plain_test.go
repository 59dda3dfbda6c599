package condition

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A value of a spec makes no second line in what kubectl describe prints of a condition, steers no terminal, and is no news at each look.
func TestMessagesAreOneLineOfWhatIsSeen(t *testing.T) {
	var conditions []metav1.Condition
	u := Update{State: Stalled, Reason: v1alpha1.ReasonInvalid, Message: "team is \"a\nStatus:  True\u2028\x1b[2K\u202eb\"; correct it", Generation: 1}
	Set(&conditions, u)
	for _, c := range conditions {
		if c.Type == v1alpha1.ConditionStalled {
			if diff := cmp.Diff("team is \"a Status: True [2Kb\"; correct it", c.Message); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	}
	before := append([]metav1.Condition{}, conditions...)
	Set(&conditions, u)
	if diff := cmp.Diff(before, conditions); diff != "" {
		t.Errorf("said again (-before +after):\n%s", diff)
	}
}
