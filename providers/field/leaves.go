package field

import (
	"reflect"
	"strings"
)

// Leaves returns the dotted paths of all leaves of a struct type, by the names in its json tags.
// Pointers are followed; maps, slices and scalars are leaves. Tests use it to demand a row, or a named
// exemption, for every leaf of a spec.
func Leaves(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var leaves []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" && (f.Anonymous || strings.Contains(options, "inline")) {
			leaves = append(leaves, Leaves(f.Type)...)
			continue
		}
		inner := f.Type
		for inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() != reflect.Struct {
			leaves = append(leaves, name)
			continue
		}
		for _, leaf := range Leaves(inner) {
			leaves = append(leaves, name+"."+leaf)
		}
	}
	return leaves
}
