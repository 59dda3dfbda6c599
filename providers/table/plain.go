package table

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// Plain makes the row of a field that the spec has at the path of its name, and a call in the parameter that param names: a value, or a pointer to
// one. A parameter that is a larger integer takes a smaller one. Plain panics where S has no such path, or P no such parameter.
func Plain[S, P, H any, V comparable](name, param string, have func(*H) *V) *Scalar[S, H, P, V] {
	path, err := pathOf(reflect.TypeFor[S](), name, reflect.TypeFor[*V]())
	if err != nil {
		panic(err.Error())
	}
	field, ok := reflect.TypeFor[P]().FieldByName(param)
	into := field.Type
	if ok && into.Kind() == reflect.Pointer {
		into = into.Elem()
	}
	if !ok || !takes(into, reflect.TypeFor[V]()) {
		panic(fmt.Sprintf("%s: %s has no parameter %s that takes the value", name, reflect.TypeFor[P](), param))
	}
	return Field(name,
		func(s *S) *V {
			at, err := reflect.ValueOf(s).Elem().FieldByIndexErr(path)
			if err != nil { // something on the way is nil
				return nil
			}
			return at.Interface().(*V)
		},
		have,
		func(p *P, v V) {
			to := reflect.ValueOf(p).Elem().FieldByIndex(field.Index)
			if to.Kind() == reflect.Pointer {
				to.Set(reflect.New(into))
				to = to.Elem()
			}
			to.Set(reflect.ValueOf(v).Convert(into))
		})
}

// pathOf returns where a struct has the field of a dotted path, by its JSON names.
func pathOf(t reflect.Type, path string, want reflect.Type) ([]int, error) {
	name, rest, nested := strings.Cut(path, ".")
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch {
		case tag == "" && f.Anonymous && inner.Kind() == reflect.Struct:
			if below, err := pathOf(inner, path, want); err == nil {
				return append(f.Index, below...), nil
			}
		case tag != name:
		case nested && inner.Kind() == reflect.Struct:
			below, err := pathOf(inner, rest, want)
			return append(f.Index, below...), err
		case !nested && f.Type == want:
			return f.Index, nil
		}
	}
	return nil, errors.New(t.String() + " has no " + path + " of type " + want.String())
}

// takes reports whether a parameter of a call takes a value without a loss.
func takes(param, value reflect.Type) bool {
	return param == value || param.Kind() == reflect.Int64 && value.Kind() == reflect.Int32
}
