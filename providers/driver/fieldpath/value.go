package fieldpath

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// Get returns the value at a path that Leaves has, in a struct that of points to, and whether there is one. Pointers are followed.
func Get(of any, path string) (reflect.Value, bool) {
	at := reflect.ValueOf(of).Elem()
	for step := range strings.SplitSeq(path, ".") {
		field, ok := member(at.Type(), step)
		if !ok {
			return reflect.Value{}, false
		}
		if at = at.FieldByIndex(field.Index); (at.Kind() == reflect.Map || at.Kind() == reflect.Slice) && at.IsNil() {
			return reflect.Value{}, false
		}
		for at.Kind() == reflect.Pointer {
			if at.IsNil() {
				return reflect.Value{}, false
			}
			at = at.Elem()
		}
	}
	return at, true
}

// Set puts a value at a path that Leaves has, in a struct that of points to. What is on the way there is made if need be. It
// panics if there is no such path, or another type is there.
func Set(of any, path string, value any) {
	at := reflect.ValueOf(of).Elem()
	for step := range strings.SplitSeq(path, ".") {
		field, ok := member(at.Type(), step)
		if !ok {
			panic(fmt.Sprintf("%T has no field %s", of, path))
		}
		at = at.FieldByIndex(field.Index)
		for at.Kind() == reflect.Pointer {
			if at.IsNil() || at.Type().Elem().Kind() != reflect.Struct { // a value is never changed in place: somebody else may hold it
				at.Set(reflect.New(at.Type().Elem()))
			}
			at = at.Elem()
		}
	}
	at.Set(reflect.ValueOf(value))
}

// PlainType returns the type at a path that Leaves has, and whether that is a string, a number, a bool or a list of strings.
func PlainType(of reflect.Type, path string) (reflect.Type, bool) {
	at := pointed(of)
	for step := range strings.SplitSeq(path, ".") {
		field, ok := member(at, step)
		if !ok {
			return nil, false
		}
		at = pointed(field.Type)
	}
	switch at.Kind() {
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return at, true
	default:
		return at, at == reflect.TypeFor[[]string]()
	}
}

// member returns the field that encoding/json calls by a name.
func member(of reflect.Type, name string) (reflect.StructField, bool) {
	if of.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	known, ok := members.Load(of)
	if !ok {
		known, _ = members.LoadOrStore(of, membersOf(of))
	}
	field, ok := known.(map[string]reflect.StructField)[name]
	return field, ok
}

// members are those of each struct type that was asked for: to find them takes many times as long as to read a field.
var members sync.Map

// membersOf returns the fields of a struct type, by the names that encoding/json gives them.
func membersOf(of reflect.Type) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for _, field := range reflect.VisibleFields(of) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if _, taken := all[tag]; !taken {
			all[tag] = field
		}
	}
	return all
}
