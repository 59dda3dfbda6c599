package resource

import "k8s.io/apimachinery/pkg/api/equality"

// creation is what the cloud returned for a creation.
type creation struct{ id, operation string }

// carryOver leaves what a creation returned to the next reconciliation, which begins at once and stores it together with what it
// observes. It reports whether there is nothing else to store. If the process crashes in between, the cloud object is found by its
// name and mark, as after a lost response.
func (r *Reconciler) carryOver(t *turn) bool {
	stored, made := t.stored.GetResourceStatus(), creation{t.status.ExternalID, t.status.Operation}
	t.status.ExternalID, t.status.Operation = stored.ExternalID, stored.Operation
	if !equality.Semantic.DeepEqual(t.stored, t.obj) {
		t.status.ExternalID, t.status.Operation = made.id, made.operation
		return false
	}
	t.mem.creation = &made
	return true
}

// resume adds to the status what a creation returned and nobody stored.
func (t *turn) resume() {
	if made := t.mem.creation; made != nil && t.bound() {
		t.status.ExternalID, t.status.Operation = made.id, made.operation
	}
}
