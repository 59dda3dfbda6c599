package drivertest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/table"
)

// SetField puts a value, in the spec's words, at a dotted path of parameters, for harnesses whose cloud holds parameters as they are.
func SetField[S any](t testing.TB, parameters *S, path string, value any) {
	t.Helper()
	set(t, parameters, path, value)
}

// set puts a value at a dotted path of spec; nil takes the field out, with the struct that it is the last of: an empty one
// says something.
func set[S any](t testing.TB, spec *S, path string, value any) {
	t.Helper()
	for _, v := range []any{nil, value} { // a map would be merged into the one that is there
		var tree = v
		steps := strings.Split(path, ".")
		for _, step := range slices.Backward(steps) {
			tree = map[string]any{step: tree}
		}
		raw, err := json.Marshal(tree)
		if err == nil {
			err = json.Unmarshal(raw, spec)
		}
		if err != nil {
			t.Fatalf("the harness gives %s a value that its type can't hold: %v", path, err)
		}
	}
	if parent, _, nested := cutLast(path); value == nil && nested && isEmpty(t, spec, parent) {
		set(t, spec, parent, nil)
	}
}

func cutLast(path string) (before, last string, nested bool) {
	i := strings.LastIndex(path, ".")
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// isEmpty reports whether a struct in spec is there and holds nothing.
func isEmpty[S any](t testing.TB, spec *S, path string) bool {
	t.Helper()
	at, ok := fieldpath.Get(spec, path)
	if !ok {
		return false
	}
	raw, err := json.Marshal(at.Interface())
	if err != nil {
		t.Fatal(err)
	}
	return string(raw) == "{}"
}

// get returns the value at a dotted path of spec as text, and whether there is one. Maps come sorted.
func get[S any](spec *S, path string) (string, bool) {
	at, ok := fieldpath.Get(spec, path)
	if !ok {
		return "", false
	}
	return Text(at.Interface()), true
}

// Text returns a value of a field as changes show it, and Applied has it. A list of strings may be one that was decoded from JSON.
func Text(value any) string {
	switch list := value.(type) {
	case []string:
		return strings.Join(slices.Sorted(slices.Values(list)), ", ")
	case []any:
		if len(list) > 0 && reflect.TypeOf(list[0]).Kind() == reflect.Map { // rules
			return table.TextOf(list)
		}
		var names []string
		for _, v := range list {
			names = append(names, fmt.Sprint(v))
		}
		return Text(names)
	}
	if isRules(value) {
		return table.TextOf(value)
	}
	return fmt.Sprint(value)
}

// isRules reports whether a value is a list of structs.
func isRules(value any) bool {
	of := reflect.TypeOf(value)
	return of != nil && of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct
}
