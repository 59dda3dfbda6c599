package fieldpath

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// Leaves returns the dotted paths of all leaves of a struct type, by the names that encoding/json gives
// them. Pointers are followed; maps, slices, scalars, structs without fields and types that marshal themselves
// are leaves. Tests use it to demand a row, or a named exemption, for every leaf of a spec. A type that
// holds itself has no end of leaves, and panics.
func Leaves(t reflect.Type) []string {
	t = pointed(t)
	if t.Kind() != reflect.Struct {
		return nil
	}
	return leaves(t, nil)
}

func leaves(t reflect.Type, within []reflect.Type) []string {
	if slices.Contains(within, t) {
		panic("leaves: " + t.String() + " holds itself")
	}
	within = append(within, t)
	var all []string
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := pointed(f.Type)
		nested := inner.Kind() == reflect.Struct && inner.NumField() > 0 && !marshals(inner)
		switch {
		case f.Tag.Get("json") == "-":
			continue
		case name == "" && nested && (f.Anonymous || strings.Contains(options, "inline")):
			all = append(all, leaves(inner, within)...)
			continue
		case !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		if !nested {
			all = append(all, name)
			continue
		}
		for _, leaf := range leaves(inner, within) {
			all = append(all, name+"."+leaf)
		}
	}
	return all
}

func pointed(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// marshals reports whether a type writes its own JSON, so that its fields mean nothing.
func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]())
}

// Entry returns the type of the entries of a list at the path of a leaf; nil if there is no list.
func Entry(t reflect.Type, leaf string) reflect.Type {
	t = pointed(t)
	name, rest, nested := strings.Cut(leaf, ".")
	for f := range t.Fields() {
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := pointed(f.Type)
		switch {
		case tag == "" && inner.Kind() == reflect.Struct && (f.Anonymous || strings.Contains(options, "inline")):
			if entry := Entry(inner, leaf); entry != nil {
				return entry
			}
		case tag != name:
		case nested && inner.Kind() == reflect.Struct:
			return Entry(inner, rest)
		case !nested && inner.Kind() == reflect.Slice:
			return inner.Elem()
		}
	}
	return nil
}
