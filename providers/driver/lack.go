package driver

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A Lack describes a field, or values of a field, that the API has and this cloud does not support. A new object with
// such a value is refused with the reason NotSupported, before any call to the cloud. An object that exists in the
// cloud already stays as it is until its spec no longer has the value.
type Lack struct {
	// Field is the dotted path of the field in the spec.
	Field string
	// Match is a regular expression for the unsupported values. It is matched against strings as they are, and against
	// the JSON of other values. If it is empty, the whole field is not supported, and the field table has no row for
	// it. A field with Match may also have no row, if the cloud always behaves as the other values say.
	Match string `json:",omitempty"`
	// Each says that Field is a map, and whether Match applies to its keys or to its values. Only the entries that
	// match are not supported.
	Each EntryPart `json:",omitempty"`
	// Values describes the unsupported values, for example "Manual". It is empty without Match.
	Values string `json:",omitempty"`
	// With are conditions: regular expressions for the values of other fields. The values are unsupported only if the
	// spec sets all these fields, and all match. If such a field is unset, the driver decides by what the cloud has.
	With map[string]string `json:",omitempty"`
	// Unless are exceptions: regular expressions for the values of other fields. If one matches, the cloud supports the
	// values.
	Unless map[string]string `json:",omitempty"`
	// Invalid: the cloud supports the values, but not in this combination of fields. The reason of the refusal is then
	// Invalid, not NotSupported.
	Invalid bool `json:",omitempty"`
	// Why says what the cloud does instead, as a clause that follows "because".
	Why string
	// Instead says what the user should do, for example "set spec.aws.vpcSecurityGroupIDs".
	Instead string
}

// An EntryPart is a part of a map's entry: its key or its value.
type EntryPart string

// The parts of an entry.
const (
	EntryKey   EntryPart = "Key"
	EntryValue EntryPart = "Value"
)

// EntryParts lists the values of EntryPart.
var EntryParts = []EntryPart{EntryKey, EntryValue}

// String says what the cloud lacks, why, and what to do.
func (l Lack) String() string {
	what := "this field"
	if l.Values != "" {
		what = l.Values
	}
	if l.Invalid {
		return fmt.Sprintf("%s is refused, because %s: %s", what, l.Why, l.Instead)
	}
	return fmt.Sprintf("%s is not supported, because %s: %s", what, l.Why, l.Instead)
}

// Lacking returns the lacks that apply to a spec. spec is the spec of an object, or its parameters, as decoded JSON.
// Unset fields are supported. For a lack with Each, there is one result for each entry of the map, in the order of the
// keys, and its Values name the entry.
func Lacking(lacks []Lack, spec map[string]any) []Lack {
	var asked []Lack
	for _, l := range lacks {
		value, set := valueAt(spec, l.Field)
		if !set || !allMatch(l.With, spec) || anyMatches(l.Unless, spec) {
			continue
		}
		if l.Each != "" {
			asked = append(asked, l.entries(value)...)
		} else if matches(l.Match, value) {
			asked = append(asked, l)
		}
	}
	return asked
}

// entries returns the lack of each entry of a map that matches.
func (l Lack) entries(of any) (asked []Lack) {
	entries, _ := of.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		part, what := any(key), fmt.Sprintf("the key %q", key)
		if l.Each == EntryValue {
			part, what = entries[key], fmt.Sprintf("the value %q of the key %q", entries[key], key)
		}
		if matches(l.Match, part) {
			one := l
			one.Values = what
			asked = append(asked, one)
		}
	}
	return asked
}

// anyMatches reports whether a spec has one of the values that expressions name by their fields.
func anyMatches(expressions map[string]string, spec map[string]any) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(expressions)), func(field string) bool { return fieldMatches(spec, field, expressions[field]) })
}

// allMatch reports whether a spec has all of the values that expressions name by their fields.
func allMatch(expressions map[string]string, spec map[string]any) bool {
	return !slices.ContainsFunc(slices.Collect(maps.Keys(expressions)), func(field string) bool { return !fieldMatches(spec, field, expressions[field]) })
}

func fieldMatches(spec map[string]any, field, expression string) bool {
	value, set := valueAt(spec, field)
	return set && matches(expression, value)
}

// matches reports whether a value matches an expression. Validate has seen that each compiles.
func matches(expression string, value any) bool {
	text, isText := value.(string)
	if !isText {
		raw, err := json.Marshal(value)
		if err != nil {
			return false
		}
		text = string(raw)
	}
	return compiled(expression).MatchString(text)
}

// expressions are those of drivers that were compiled, which takes a hundred times as long as to match a value.
var expressions sync.Map

func compiled(expression string) *regexp.Regexp {
	if known, ok := expressions.Load(expression); ok {
		return known.(*regexp.Regexp)
	}
	known, _ := expressions.LoadOrStore(expression, regexp.MustCompile(expression))
	return known.(*regexp.Regexp)
}

// valueAt returns the value at a dotted path; false if it is not set.
func valueAt(spec map[string]any, path string) (any, bool) {
	first, rest, nested := strings.Cut(path, ".")
	value, set := spec[first]
	if !nested || !set {
		return value, set && value != nil
	}
	within, isObject := value.(map[string]any)
	if !isObject {
		return nil, false
	}
	return valueAt(within, rest)
}
