package resource

// resume adds to the status what a creation returned and nobody stored.
func (t *turn) resume() {
	if made := t.mem.creation; made != nil && t.bound() {
		t.status.ExternalID, t.status.Operation = made.ID, made.Operation
	}
}
