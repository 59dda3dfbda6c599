package v1alpha1

import "reflect"

// EmptyValue is a part of a spec whose empty value {} asks for something, unlike an unset field.
// +kubebuilder:object:generate=false
type EmptyValue interface {
	// EmptyMeans says what {} asks for, as in: no web site.
	EmptyMeans() string
}

// Union is a part of a spec of which only one group of fields can be set: they are different things that it can be.
// +kubebuilder:object:generate=false
type Union interface {
	// Groups returns the names of the fields of each group.
	Groups() [][]string
}

// EmptyValues returns what {} asks for, by the name of each field for which it means something, such as website.
func EmptyValues() map[string]string {
	means := map[string]string{}
	eachStruct(func(name string, zero any) {
		if value, ok := zero.(EmptyValue); ok {
			means[name] = value.EmptyMeans()
		}
	})
	return means
}

// Unions returns the groups of each union, by its name.
func Unions() map[string][][]string {
	groups := map[string][][]string{}
	eachStruct(func(name string, zero any) {
		if union, ok := zero.(Union); ok {
			groups[name] = union.Groups()
		}
	})
	return groups
}

// eachStruct calls visit with the name and the zero value of each struct within the parameters of all kinds. Those in lists have no names.
func eachStruct(visit func(name string, zero any)) {
	for _, object := range ResourceObjects() {
		walkStructs("", reflect.TypeOf(object.GetParameters()).Elem(), visit)
	}
}

func walkStructs(prefix string, of reflect.Type, visit func(name string, zero any)) {
	for f := range of.Fields() {
		if f.Type.Kind() != reflect.Pointer || f.Type.Elem().Kind() != reflect.Struct {
			continue
		}
		name := prefix + jsonName(f)
		visit(name, reflect.Zero(f.Type.Elem()).Interface())
		walkStructs(name+".", f.Type.Elem(), visit)
	}
}
