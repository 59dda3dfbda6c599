package v1alpha1

import (
	"reflect"
	"strings"
)

// Clouds returns the names of the clouds that this version of the API has a block for, in the order of Account: aws, gcp. A
// cloud's blocks have that name in the specs of provider configs, classes and objects alike.
func Clouds() []string { return fieldNames(reflect.TypeFor[Account]()) }

// AccountFields returns the names of the fields of a cloud's block in Account; none if there is no such block.
func AccountFields(cloud string) []string {
	for f := range reflect.TypeFor[Account]().Fields() {
		if jsonName(f) == cloud {
			return fieldNames(f.Type.Elem())
		}
	}
	return nil
}

// WebIdentityFields returns the names of the fields of WebIdentity.
func WebIdentityFields() []string { return fieldNames(reflect.TypeFor[WebIdentity]()) }

// Cloud returns the name of the cloud that the account is in. It is empty if the account has no block that this version of the
// API knows: an object may have been stored by a later one.
func (a Account) Cloud() string {
	value := reflect.ValueOf(a)
	for i, name := range Clouds() {
		if !value.Field(i).IsNil() {
			return name
		}
	}
	return ""
}

// Field returns a field of the block that the account has, by its name in the API; empty if it is unset, or there is none.
func (a Account) Field(name string) string {
	for _, block := range reflect.ValueOf(a).Fields() {
		if !block.IsNil() {
			return textOf(block.Elem(), name)
		}
	}
	return ""
}

// Has reports whether the block that the account has sets a field, by its name in the API.
func (a Account) Has(name string) bool {
	for _, block := range reflect.ValueOf(a).Fields() {
		if block.IsNil() {
			continue
		}
		for i, field := range fieldNames(block.Elem().Type()) {
			if field == name {
				return !block.Elem().Field(i).IsZero()
			}
		}
	}
	return false
}

// Field returns a field of the web identity, by its name in the API; empty if it is unset, or there is none.
func (w WebIdentity) Field(name string) string { return textOf(reflect.ValueOf(w), name) }

func fieldNames(t reflect.Type) (names []string) {
	for f := range t.Fields() {
		names = append(names, jsonName(f))
	}
	return names
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// textOf returns a field of a struct of strings, by its name in the API.
func textOf(value reflect.Value, name string) string {
	for i, n := range fieldNames(value.Type()) {
		if n == name && value.Field(i).Kind() == reflect.String {
			return value.Field(i).String()
		}
	}
	return ""
}
