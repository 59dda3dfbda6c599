package system

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var conditions = []string{
	v1alpha1.ConditionAvailable, v1alpha1.ConditionSynced, v1alpha1.ConditionReady,
	v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled,
}

// A flapDetector follows the conditions of one object within one generation of its spec. A condition that comes
// back to a status that it left flaps, unless something was changed meanwhile: the spec, an annotation, or
// what the test said that it disturbed.
type flapDetector struct {
	last map[string]metav1.ConditionStatus
	left map[string]map[metav1.ConditionStatus]bool
	// excused are the conditions that may come back from their next change.
	excused map[string]bool
}

// newFlapDetector begins with an edit, which may restart a server: Available may change and change back.
func newFlapDetector() *flapDetector {
	t := &flapDetector{last: map[string]metav1.ConditionStatus{}, left: map[string]map[metav1.ConditionStatus]bool{}, excused: map[string]bool{}}
	for _, name := range conditions {
		t.left[name] = map[metav1.ConditionStatus]bool{}
	}
	t.excused[v1alpha1.ConditionAvailable] = true
	return t
}

// excuse lets each condition change once more, and change back.
func (t *flapDetector) excuse() {
	for _, name := range conditions {
		clear(t.left[name])
		t.excused[name] = true
	}
}

// flapped returns the condition that is again what it was before it changed; empty if there is none. A state that is not about
// the generation yet does not count, nor does one of an object that could not be observed since its account was busy with others.
func (t *flapDetector) flapped(s Snapshot) string {
	if s.ObservedGeneration != s.Generation || WaitsForSlot(s.Status.Conditions) {
		return ""
	}
	flaps := ""
	for _, name := range conditions {
		is := isAbsent
		if c := s.Condition(name); c != nil {
			is = c.Status
		}
		was, known := t.last[name]
		t.last[name] = is
		if !known || was == is {
			continue
		}
		if t.left[name][is] {
			flaps = name
		}
		if !t.excused[name] {
			t.left[name][was] = true
		}
		delete(t.excused, name)
	}
	return flaps
}
