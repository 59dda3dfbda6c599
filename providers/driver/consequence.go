package driver

// Consequences describe what users should know before they create or delete an object of a kind in a cloud. Only
// previews use them. Each text is a sentence without an object's name, in lower case and without a full stop.
type Consequences struct {
	// Noun is what the cloud calls an object, for example "RDS instance".
	Noun string
	// SnapshotKept says how long a final snapshot is kept, for example "until somebody deletes it". It is empty for a
	// kind without final snapshots.
	SnapshotKept string
	// WithSnapshot says what happens to an object's other backups when it is deleted with a final snapshot, and
	// WithoutSnapshot when it is deleted without one. Both are empty for a kind without backups.
	WithSnapshot, WithoutSnapshot string
	// Contents is what Deletion.Force deletes too, for example "all objects and their old versions". It is empty for a
	// kind whose contents are always deleted with it.
	Contents string
	// Unset describes the fields that a user may regret to leave unset in a new object. The most important one comes
	// first.
	Unset []UnsetField
}

// An UnsetField describes the consequence of an unset field for a new object.
type UnsetField struct {
	// Field is the path of the field, as in a field table.
	Field string
	// Means says what the object lacks, or what the cloud chooses, and what to set.
	Means string
	// Required: the cloud creates no object without the field.
	Required bool
	// Unless are regular expressions for the values of other fields. If one matches, the consequence does not matter.
	Unless map[string]string `json:",omitempty"`
}

// Matters reports whether a new object with this spec lacks the field, and no value of Unless matches. spec is as in
// Lacking.
func (u UnsetField) Matters(spec map[string]any) bool {
	_, set := valueAt(spec, u.Field)
	return !set && !anyMatches(u.Unless, spec)
}
