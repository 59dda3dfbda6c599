package resource

// Present returns nil for what the cloud leaves empty.
func Present[V comparable](v V) *V {
	var zero V
	if v == zero {
		return nil
	}
	return &v
}
