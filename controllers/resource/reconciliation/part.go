package reconciliation

import "maps"

// Parts hold what features know of one object, each in a value of its own. The zero value holds nothing.
//
// A copy of Parts is independent of the original, as long as features replace values and do not change them in place.
type Parts struct{ values map[string]any }

// A Part is the place of one feature's value among Parts.
type Part[T any] struct{ name string }

// PartOf returns the place that a feature names. The name is that of the feature's package; no two features share one.
func PartOf[T any](name string) Part[T] { return Part[T]{name: name} }

// In returns the value of the feature; the zero value if it has set none.
func (p Part[T]) In(parts Parts) T {
	value, _ := parts.values[p.name].(T)
	return value
}

// Set replaces the value of the feature.
func (p Part[T]) Set(parts *Parts, value T) {
	values := maps.Clone(parts.values)
	if values == nil {
		values = map[string]any{}
	}
	values[p.name] = value
	parts.values = values
}
