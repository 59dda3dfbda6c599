package drivertest

import (
	"reflect"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
)

// plainValues are two values of each type that a plain field may have: the one in Full, and the one that it is edited to.
var plainValues = map[reflect.Kind][2]any{
	reflect.String: {"first", "other"}, reflect.Bool: {false, true}, reflect.Int32: {int32(1), int32(2)}, reflect.Int64: {int64(1), int64(2)},
	reflect.Slice: {[]string{"first", "second"}, []string{"other"}},
}

// PlainFields adds to a kind what it lacks of the spec's strings, numbers, bools and lists of strings: a value in Full, and another one in Fields. It is for clouds
// that take any value and change it online. A field with a rule, and one that is in both by hand, is left as it is; exempt fields have no row.
func (k *Kind[S]) PlainFields(exempt ...string) *Kind[S] {
	full := k.Full
	first := map[string]any{}
	for _, name := range fieldpath.Leaves(reflect.TypeFor[S]()) {
		of, plain := fieldpath.PlainType(reflect.TypeFor[S](), name)
		byHand := slices.ContainsFunc(k.Fields, func(f Field) bool { return f.Name == name })
		if !plain || byHand || slices.Contains(exempt, name) {
			continue
		}
		values := plainValues[of.Kind()]
		first[name] = reflect.ValueOf(values[0]).Convert(of).Interface()
		k.Fields = append(k.Fields, Field{Name: name, To: values[1]})
	}
	k.Full = func() S {
		spec := full()
		for name, value := range first {
			fieldpath.Set(&spec, name, value)
		}
		return spec
	}
	return k
}
