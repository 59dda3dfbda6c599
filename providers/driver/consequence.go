package driver

// Consequences say, as data, what people should know before they create or delete an object of a kind in a cloud. Texts are sentences
// that begin in lower case and have no full stop, and hold no name of an object. Previews show them; nothing is decided by them.
type Consequences struct {
	// Noun is what the cloud calls an object: RDS instance.
	Noun string
	// SnapshotKept says how long a final snapshot is kept: "until somebody deletes it". Empty for a kind that has none.
	SnapshotKept string
	// WithSnapshot and WithoutSnapshot say what becomes of an object's other backups when it is deleted after a final snapshot, or
	// without one. Empty where there are none.
	WithSnapshot, WithoutSnapshot string
	// Contents are what a deletion with Deletion.Force deletes as well: "all objects and their old versions". Empty for a kind
	// that always goes with its contents.
	Contents string
	// Unset says what a new object has where its spec leaves a field open, if a user may regret that. What matters most comes first.
	Unset []UnsetField
}

// An UnsetField says what it means for a new object that its spec does not have a field.
type UnsetField struct {
	// Field is the path of the field, as in a field table.
	Field string
	// Means is what the object lacks, or what the cloud chooses, and what to set.
	Means string
	// Required: the cloud creates nothing without the field.
	Required bool
	// Unless are values of other fields, as regular expressions, any of which says that nobody regrets it.
	Unless map[string]string `json:",omitempty"`
}

// Matters reports whether a new object with a spec lacks the field, and nothing in the spec says that this is as it should be. spec is as
// Lacking takes it.
func (u UnsetField) Matters(spec map[string]any) bool {
	_, set := valueAt(spec, u.Field)
	return !set && !anyMatches(u.Unless, spec)
}
