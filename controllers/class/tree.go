package class

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// A Tree is a spec or a part of one, as JSON has it: objects, lists and scalars. What is unset is not in it; an explicit
// zero value is.
type Tree = map[string]any

// TreeOf returns the tree of a struct or a pointer to one; nil for nil. It shares nothing with v.
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

// Merge lays trees over one another, each over those before it: scalars and lists replace, objects merge by key, so that
// structs merge field by field and maps entry by entry. The result shares nothing with them.
func Merge(layers ...Tree) Tree {
	merged := Tree{}
	for _, layer := range layers {
		lay(merged, layer)
	}
	return merged
}

func lay(under, over Tree) {
	for key, value := range over {
		object, isObject := value.(Tree)
		if !isObject {
			under[key] = runtime.DeepCopyJSONValue(value)
			continue
		}
		below, ok := under[key].(Tree)
		if !ok {
			below = Tree{}
			under[key] = below
		}
		lay(below, object)
	}
}

// A path is where in a tree a leaf is. Keys of maps may hold anything but are steps like all others.
type path []string

func (p path) String() string { return strings.Join(p, ".") }

// leaves calls visit for every scalar and list of a tree, in the order of their names. Empty objects have none.
func leaves(tree Tree, visit func(at path, value any)) {
	var walk func(at path, tree Tree)
	walk = func(at path, tree Tree) {
		for _, key := range slices.Sorted(maps.Keys(tree)) {
			here := append(slices.Clone(at), key)
			if object, ok := tree[key].(Tree); ok {
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

// Sets reports whether a tree has a value for a field, or an entry of it.
func Sets(tree Tree, field string) bool {
	_, ok := get(tree, strings.Split(field, "."))
	return ok
}

// Text returns the string that a tree has for a field; empty if it has none.
func Text(tree Tree, field string) string {
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
