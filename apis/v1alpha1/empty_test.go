package v1alpha1

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// What {} means is said of the fields whose comment says it, and of no others.
func TestEmptyValues(t *testing.T) {
	means := EmptyValues()
	for _, name := range []string{"encryption", "website", "logging", "retention", "gcp.denyMaintenancePeriod"} {
		if means[name] == "" {
			t.Errorf("{} means nothing for %s: %v", name, means)
		}
	}
	for _, name := range []string{"tags", "aws", "gcp", "backup", "network"} {
		if said, ok := means[name]; ok {
			t.Errorf("{} means %q for %s, which says nothing if it is empty", said, name)
		}
	}
}

// An empty value is {} in JSON: a field of it that can't be left out would make it another.
func TestEmptyValuesAreEmptyInJSON(t *testing.T) {
	for _, value := range []EmptyValue{Encryption{}, BucketWebsite{}, BucketLogging{}, BucketRetention{}, DenyMaintenancePeriod{}} {
		if text, err := json.Marshal(value); err != nil || string(text) != "{}" {
			t.Errorf("%s is %s (%v)", reflect.TypeOf(value).Name(), text, err)
		}
		if said := value.EmptyMeans(); said == "" || strings.HasSuffix(said, ".") {
			t.Errorf("%s says %q of {}; want some words of a sentence", reflect.TypeOf(value).Name(), said)
		}
	}
}

// The groups of a union are the fields of it, each in one group.
func TestUnionsHaveTheirFields(t *testing.T) {
	unions := Unions()
	if len(unions["website"]) != 2 {
		t.Errorf("the unions are %v", unions)
	}
	eachStruct(func(name string, zero any) {
		seen := map[string]int{}
		for _, group := range unions[name] {
			for _, field := range group {
				seen[field]++
			}
		}
		for _, field := range fieldNames(reflect.TypeOf(zero)) {
			if _, is := unions[name]; is && seen[field] != 1 {
				t.Errorf("%s.%s is in %d groups", name, field, seen[field])
			}
			delete(seen, field)
		}
		if len(seen) > 0 {
			t.Errorf("%s has no fields %v", name, seen)
		}
	})
}
