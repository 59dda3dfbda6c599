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

// A Lack is a field that a cloud does not have although the API has it for other clouds, or values of a field that the cloud does not
// have. A new object that asks for one is refused with the reason NotSupported, before any call to the cloud. An object that is in the
// cloud already stays as it is there until its spec no longer asks for it.
type Lack struct {
	// Field is the dotted path of the field in the spec.
	Field string
	// Match is a regular expression that the values match which the cloud lacks; empty if the cloud lacks the field as a whole, which
	// has no row then. It is applied to strings as they are, and to everything else as JSON. A field without a row whose other values the
	// cloud takes is one where the cloud always does what these say.
	Match string `json:",omitempty"`
	// Each says that Field is a map, and that Match is applied to each of its keys or to each of its values. Then each entry that matches is
	// lacking, and no other one.
	Each EntryPart `json:",omitempty"`
	// Values says in words which values these are, for example "Manual"; empty without Match.
	Values string `json:",omitempty"`
	// With are values of other fields, as regular expressions, all of which the spec must have for the cloud to lack the value. So it says nothing
	// of a spec that leaves such a field unset: the driver, which sees what the cloud has there, judges that.
	With map[string]string `json:",omitempty"`
	// Unless are values of other fields, as regular expressions, any of which makes the cloud take the value after all.
	Unless map[string]string `json:",omitempty"`
	// Invalid: the cloud has the value, and takes it only beside a value of Unless, or not beside those of With. The reason is then Invalid in place of NotSupported.
	Invalid bool `json:",omitempty"`
	// Why says what the cloud has in its place, as a clause that follows "because".
	Why string
	// Instead says what to do, for example "set spec.aws.vpcSecurityGroupIDs".
	Instead string
}

// An EntryPart is a part of an entry of a map.
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

// Lacking returns those of the lacks that a spec asks for. spec is the spec of an object, or its parameters, as JSON has it: objects are
// maps. What a spec does not set is not asked for. A lack of entries of a map is there once for each entry, in the order of their keys, and
// its Values name the entry.
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
