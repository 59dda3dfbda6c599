package class

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Tree is a spec, or a part of one, as decoded JSON: objects, lists and scalars. It lacks unset fields, and has
// explicit zero values.
type Tree = map[string]any

// TreeOf returns the tree of a struct, or of a pointer to one; nil for nil. It shares no memory with v.
func TreeOf(v any) (Tree, error) {
	if at := reflect.ValueOf(v); !at.IsValid() || at.Kind() == reflect.Pointer && at.IsNil() {
		return nil, nil
	} else if at.Kind() != reflect.Pointer {
		held := reflect.New(at.Type())
		held.Elem().Set(at)
		v = held.Interface()
	}
	tree, err := runtime.DefaultUnstructuredConverter.ToUnstructured(v)
	if err != nil {
		return nil, err
	}
	return runtime.DeepCopyJSON(tree), nil
}

// Merge merges trees; later ones take precedence. Scalars and lists are replaced. Objects are merged by key: structs
// field by field, and maps entry by entry. A struct that is empty is replaced like a scalar, if its empty value has a
// meaning of its own. The members of a union exclude one another, so a later member replaces an earlier one. The result
// shares no memory with the trees.
func Merge(layers ...Tree) Tree {
	merged := Tree{}
	for _, layer := range layers {
		lay(merged, layer, nil)
	}
	return merged
}

func lay(under, over Tree, at path) {
	for key, value := range over {
		here := append(slices.Clone(at), key)
		object, isObject := value.(Tree)
		if !isObject || asks(here, object) {
			under[key] = runtime.DeepCopyJSONValue(value)
			continue
		}
		below, ok := under[key].(Tree)
		if !ok {
			below = Tree{}
			under[key] = below
		}
		for _, field := range excluded(here, object) {
			delete(below, field)
		}
		lay(below, object, here)
	}
}

// emptyValues are the fields for which {} asks for something.
var emptyValues = v1alpha1.EmptyValues()

// asks reports whether an object is an empty one that asks for something.
func asks(at path, object Tree) bool { return len(object) == 0 && emptyValues[at.String()] != "" }

// A path is where in a tree a leaf is. Keys of maps may hold anything but are steps like all others.
type path []string

func (p path) String() string { return strings.Join(p, ".") }

// unions are the groups of fields that exclude one another.
var unions = v1alpha1.Unions()

// excluded returns the fields of a union that can't be beside what an object of it has; none if it is no union, or has nothing.
func excluded(at path, object Tree) (fields []string) {
	for _, group := range unions[at.String()] {
		if slices.ContainsFunc(group, func(field string) bool { _, has := object[field]; return has }) {
			for _, other := range unions[at.String()] {
				if !slices.Equal(other, group) {
					fields = append(fields, other...)
				}
			}
		}
	}
	return fields
}

// leaves calls visit for every scalar and list of a tree, and every empty object that asks for something, in the order of their names.
func leaves(tree Tree, visit func(at path, value any)) {
	var walk func(at path, tree Tree)
	walk = func(at path, tree Tree) {
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			here := append(slices.Clone(at), key)
			if object, ok := tree[key].(Tree); ok && !asks(here, object) {
				walk(here, object)
				continue
			}
			visit(here, tree[key])
		}
	}
	walk(nil, tree)
}

func get(tree Tree, at path) (any, bool) {
	for i, key := range at {
		value, ok := tree[key]
		if !ok || i == len(at)-1 {
			return value, ok
		}
		if tree, ok = value.(Tree); !ok {
			return nil, false
		}
	}
	return nil, false
}

// HasField reports whether a tree sets a field: with a value, or with an entry of a map. A value that excludes the
// field counts too, such as another member of a union.
func HasField(tree Tree, field string) bool { return settles(tree, strings.Split(field, ".")) }

// CopyFields copies the values of fields from one tree into another. Fields that from lacks are left as they are.
func CopyFields(into, from Tree, fields []string) {
	for _, field := range fields {
		at := path(strings.Split(field, "."))
		if value, ok := get(from, at); ok {
			put(into, at, value)
		}
	}
}

// StringField returns the string value of a field; empty if the tree does not set it.
func StringField(tree Tree, field string) string {
	value, _ := get(tree, strings.Split(field, "."))
	return text(value)
}

func put(tree Tree, at path, value any) {
	for _, key := range at[:len(at)-1] {
		below, ok := tree[key].(Tree)
		if !ok {
			below = Tree{}
			tree[key] = below
		}
		tree = below
	}
	tree[at[len(at)-1]] = runtime.DeepCopyJSONValue(value)
}

// settles reports whether a tree says what a leaf is to be: it has a value for it, or something in its place.
func settles(tree Tree, at path) bool {
	return has(tree, at) || inPlaceOf(tree, at) != nil
}

// inPlaceOf returns where a tree has something in place of a leaf: an empty object that asks for something, or a field of a union that excludes it. It
// is nil if there is nothing.
func inPlaceOf(tree Tree, at path) path {
	for i := len(at) - 1; i > 0; i-- {
		value, ok := get(tree, at[:i])
		object, isObject := value.(Tree)
		switch {
		case !ok:
			continue
		case !isObject:
			return nil
		case asks(at[:i], object):
			return at[:i]
		}
		for _, field := range slices.Sorted(maps.Keys(object)) {
			if slices.Contains(excluded(at[:i], Tree{field: true}), at[i]) {
				return append(slices.Clone(at[:i]), field)
			}
		}
		return nil
	}
	return nil
}

// drop takes a leaf out, and the objects that are empty without it.
func drop(tree Tree, at path) {
	below, ok := tree[at[0]].(Tree)
	if len(at) == 1 {
		delete(tree, at[0])
	}
	if len(at) == 1 || !ok {
		return
	}
	if drop(below, at[1:]); len(below) == 0 {
		delete(tree, at[0])
	}
}

// same reports whether two values mean the same in JSON: 1 and 1.0 are the same number. The lists of strings in our APIs are sets, so that
// their order means nothing.
func same(a, b any) bool { return show(sorted(a)) == show(sorted(b)) }

// sorted returns a list of strings in their order, and all else as it is.
func sorted(value any) any {
	list, ok := value.([]any)
	if !ok {
		return value
	}
	names := make([]string, len(list))
	for i, entry := range list {
		if names[i], ok = entry.(string); !ok {
			return value
		}
	}
	slices.Sort(names)
	return names
}

// said writes a value of a field for a message. Of {} it says what that asks for.
func said(at path, value any) string {
	if object, ok := value.(Tree); ok && asks(at, object) {
		return "{} (" + emptyValues[at.String()] + ")"
	}
	return show(value)
}

// FormatField returns the value of a field as users write it in YAML; empty if the tree does not set the field.
func FormatField(tree Tree, field string) string {
	value, ok := get(tree, strings.Split(field, "."))
	if !ok || value == nil {
		return ""
	}
	return show(value)
}

// show writes a value as people write it in YAML: strings without quotes, all else as JSON.
func show(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return string(text)
}
