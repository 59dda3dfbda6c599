package identity

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A position is a place in the record of some Buckets.
type position map[*v1alpha1.Bucket]int

func (s *environment) position(buckets []*v1alpha1.Bucket) position {
	p := position{}
	for _, b := range buckets {
		p[b] = len(s.recorder.StatesOf(b, 0))
	}
	return p
}

// verifyUnchanged checks that no condition of any Bucket has changed since a position. That an object was not looked at in time says only
// that the machine is slow, so such states are passed over.
func (s *environment) verifyUnchanged(t *testing.T, since position) {
	t.Helper()
	for b, n := range since {
		states := slices.DeleteFunc(s.recorder.StatesOf(b, max(n-1, 0)), waits)
		for i := 1; i < len(states); i++ {
			if before, after := states[i-1], states[i]; statuses(before) != statuses(after) {
				t.Errorf("%s/%s changed from%v\nto%v", b.Namespace, b.Name, before, after)
			}
		}
	}
}

// statuses are those of all conditions.
func statuses(s system.Snapshot) string {
	text := ""
	for _, c := range s.Status.Conditions {
		text += fmt.Sprintf("%s=%s ", c.Type, c.Status)
	}
	return text
}

func waits(s system.Snapshot) bool { return system.WaitsForSlot(s.Status.Conditions) }

func isReady(s system.Snapshot) bool {
	return !s.Deleted && s.ObservedGeneration == s.Generation &&
		s.Is(v1alpha1.ConditionReady, metav1.ConditionTrue) && s.Is(v1alpha1.ConditionSynced, metav1.ConditionTrue)
}
