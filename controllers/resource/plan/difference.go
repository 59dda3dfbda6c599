package plan

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Difference is from what to what a field changes, or a part of one. At is its path: tags.team is an entry of a map, lifecycle[logs].expireAfterDays a field of
// the entry logs of a list. An empty value is none.
type Difference struct{ At, From, To string }

// DifferencesOf takes a change apart, so that people see which entries of a map or a list differ, and that all others stay. What can't be taken apart is one difference.
func DifferencesOf(c driver.Change) []Difference {
	if parts := ofMap(c); len(parts) > 0 {
		return parts
	}
	if parts := ofList(c); len(parts) > 0 {
		return parts
	}
	return []Difference{{c.Field, c.From, c.To}}
}

// ofMap takes the change of a map apart, which is written as name=value, name=value; nothing if it is not written so.
func ofMap(c driver.Change) (parts []Difference) {
	from, ok := valuesIn(c.From, c.Names)
	to, also := valuesIn(c.To, c.Names)
	if !c.Entries || !ok || !also {
		return nil
	}
	for _, name := range c.Names {
		if from[name] != to[name] {
			at := c.Field + "." + name
			if strings.ContainsAny(name, " /") { // a grant, for example
				at = fmt.Sprintf("%s[%s]", c.Field, name)
			}
			parts = append(parts, Difference{at, from[name], to[name]})
		}
	}
	return parts
}

// valuesIn returns the values of names in a text; false if that has something else in it.
func valuesIn(text string, names []string) (values map[string]string, ok bool) {
	values = map[string]string{}
	for rest := text; rest != ""; {
		name, value, is := strings.Cut(rest, "=")
		if !is || !slices.Contains(names, name) {
			return nil, false
		}
		end := len(value)
		for _, other := range names {
			if at := strings.Index(value, ", "+other+"="); at >= 0 && at < end {
				end = at
			}
		}
		values[name], rest = value[:end], strings.TrimPrefix(value[end:], ", ")
	}
	return values, true
}

// ofList takes the change of a list of objects apart, which is written as JSON; nothing if it is none, or if its entries have no names.
func ofList(c driver.Change) (parts []Difference) {
	was, ok := listIn(c.From)
	is, also := listIn(c.To)
	if !ok || !also {
		return nil
	}
	from, to, ok := named(was, is)
	if !ok {
		return nil
	}
	both := maps.Clone(from)
	maps.Copy(both, to)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		at := fmt.Sprintf("%s[%s]", c.Field, name)
		before, after := from[name], to[name]
		if before == nil || after == nil {
			parts = append(parts, Difference{at, written(before), written(after)})
			continue
		}
		parts = append(parts, ofObject(at, before, after)...)
	}
	return parts
}

// ofObject returns in which fields two objects differ.
func ofObject(at string, from, to map[string]any) (parts []Difference) {
	both := maps.Clone(from)
	maps.Copy(both, to)
	for _, name := range slices.Sorted(maps.Keys(both)) {
		was, is := from[name], to[name]
		object, isObject := was.(map[string]any)
		other, isToo := is.(map[string]any)
		switch {
		case isObject && isToo:
			parts = append(parts, ofObject(at+"."+name, object, other)...)
		case written(was) != written(is):
			parts = append(parts, Difference{at + "." + name, written(was), written(is)})
		}
	}
	return parts
}

// keys are the fields that name an entry of a list: the first of them that all entries have, each another value.
var keys = []string{"name", "id", "sid"}

// listIn returns the entries of a list of objects; false if it is none.
func listIn(text string) (list []map[string]any, ok bool) {
	ok = text == "" || json.Unmarshal([]byte(text), &list) == nil
	return list, ok
}

// named returns the entries of two lists by their names; false if no field names all.
func named(from, to []map[string]any) (was, is map[string]map[string]any, ok bool) {
	for _, key := range keys {
		if was, is = byKey(from, key), byKey(to, key); len(was) == len(from) && len(is) == len(to) {
			return was, is, true
		}
	}
	return nil, nil, false
}

func byKey(list []map[string]any, key string) map[string]map[string]any {
	entries := map[string]map[string]any{}
	for _, entry := range list {
		if name, is := entry[key].(string); is {
			entries[name] = maps.Clone(entry)
			delete(entries[name], key)
		}
	}
	return entries
}

// written writes a value as people write it: a text without quotes, all else as JSON.
func written(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case map[string]any:
		if v == nil {
			return ""
		}
	case string:
		return v
	}
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(raw)
}
