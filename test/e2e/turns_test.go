package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

var conditions = []string{
	v1alpha1.ConditionAvailable, v1alpha1.ConditionSynced, v1alpha1.ConditionReady,
	v1alpha1.ConditionReconciling, v1alpha1.ConditionStalled,
}

// turns tells how the conditions of one object turn, within one generation of its spec. A condition that comes
// back to a status that it left flaps, unless something was changed meanwhile: the spec, an annotation, or
// what the test said that it disturbed.
type turns struct {
	is   map[string]metav1.ConditionStatus
	left map[string]map[metav1.ConditionStatus]bool
	// excused are the conditions that may come back from their next turn.
	excused map[string]bool
}

// newTurns begins with an edit, which may restart a server: Available may turn and come back.
func newTurns() *turns {
	t := &turns{is: map[string]metav1.ConditionStatus{}, left: map[string]map[metav1.ConditionStatus]bool{}, excused: map[string]bool{}}
	for _, name := range conditions {
		t.left[name] = map[metav1.ConditionStatus]bool{}
	}
	t.excused[v1alpha1.ConditionAvailable] = true
	return t
}

// excuse lets each condition turn once more, and turn back.
func (t *turns) excuse() {
	for _, name := range conditions {
		clear(t.left[name])
		t.excused[name] = true
	}
}

// back returns the condition that is what it was before it turned; empty if there is none. A state that is not about
// the generation yet does not count.
func (t *turns) back(s snapshot) string {
	if s.observed != s.generation {
		return ""
	}
	flaps := ""
	for _, name := range conditions {
		is := absent
		if c := s.condition(name); c != nil {
			is = c.Status
		}
		was, known := t.is[name]
		t.is[name] = is
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
