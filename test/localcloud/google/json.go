package google

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// A Object is a resource as it stands in JSON. Resources are kept so, not as structs, since a
// merge must distinguish a member that is absent from one that is null, false or empty.
type Object = map[string]any

// ParseResource decodes a request's body twice: as it stands, and as the API's type T, which no
// member may be unknown to.
func ParseResource[T any](body []byte) (Object, *T, error) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var object Object
	if err := decoder.Decode(&object); err != nil {
		return nil, nil, Err(http.StatusBadRequest, "parseError", "Parse Error")
	}
	typed := new(T)
	if unknown, where := unknownMember(object, reflect.TypeFor[T](), ""); unknown != "" {
		return nil, nil, Err(http.StatusBadRequest, "badRequest",
			fmt.Sprintf("Invalid JSON payload received. Unknown name %q%s: Cannot find field.", unknown, where))
	}
	if err := json.Unmarshal(body, typed); err != nil {
		return nil, nil, Err(http.StatusBadRequest, "badRequest", "Invalid value: "+err.Error())
	}
	return object, typed, nil
}

// unknownMember returns the first member of value that t has no field for, and where it stands.
func unknownMember(value any, t reflect.Type, path string) (name, where string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch value := value.(type) {
	case []any:
		if t.Kind() != reflect.Slice {
			return "", ""
		}
		for i, v := range value {
			if name, where = unknownMember(v, t.Elem(), fmt.Sprintf("%s[%d]", path, i)); name != "" {
				return name, where
			}
		}
	case Object:
		if t.Kind() != reflect.Struct {
			return "", ""
		}
		for k, v := range value {
			field, ok := memberType(t, k)
			if !ok {
				if path != "" {
					where = " at '" + path + "'"
				}
				return k, where
			}
			if name, where = unknownMember(v, field, strings.TrimPrefix(path+"."+k, ".")); name != "" {
				return name, where
			}
		}
	}
	return "", ""
}

func memberType(t reflect.Type, name string) (reflect.Type, bool) {
	for field := range t.Fields() {
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name && tag != "-" {
			return field.Type, true
		}
	}
	return nil, false
}

// Typed returns a resource as the API's type.
func Typed[T any](object Object) *T {
	out := new(T)
	raw, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(raw, out)
	}
	if err != nil {
		panic(fmt.Sprintf("a resource that was admitted does not fit its type: %v", err))
	}
	return out
}

// Merge applies a JSON merge patch (RFC 7396) in place: null removes, lists replace.
func Merge(into, patch Object) {
	for k, v := range patch {
		inner, isObject := v.(Object)
		switch {
		case v == nil:
			delete(into, k)
		case isObject:
			target, ok := into[k].(Object)
			if !ok {
				target = Object{}
				into[k] = target
			}
			Merge(target, inner)
		default:
			into[k] = v
		}
	}
}

// Cloned returns a copy that shares nothing that merge changes.
func Cloned(object Object) Object {
	out := maps.Clone(object)
	for k, v := range out {
		if inner, ok := v.(Object); ok {
			out[k] = Cloned(inner)
		}
	}
	return out
}

// Member returns the object at a path, made if it is missing.
func Member(object Object, path ...string) Object {
	for _, k := range path {
		inner, ok := object[k].(Object)
		if !ok {
			inner = Object{}
			object[k] = inner
		}
		object = inner
	}
	return object
}

// At is the value at a path with dots; nil for none.
func At(object Object, path string) any {
	for {
		name, rest, more := strings.Cut(path, ".")
		if !more {
			return object[name]
		}
		object, _ = object[name].(Object)
		path = rest
	}
}

// Same reports whether two values are equal. A missing value equals the zero value of its type, because the types of an
// API have one representation for both.
func Same(a, b any) bool {
	zero := func(v any) bool { return v == nil || v == false || v == "" || v == json.Number("0") }
	return zero(a) && zero(b) || reflect.DeepEqual(a, b)
}

// selectFields honours the fields parameter: what it does not name is left out of a response.
func selectFields(value any, mask string) (any, error) {
	_, raw := value.(cloud.Reply)
	if mask == "" || mask == "*" || value == nil || raw {
		return value, nil
	}
	tree, rest := parseMask(mask)
	if rest != "" {
		return nil, Err(http.StatusBadRequest, "invalidParameter", "Invalid field selection "+mask)
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	var out any
	if err := decoder.Decode(&out); err != nil {
		return nil, err
	}
	return tree.pick(out), nil
}

// A fieldMask maps the names that were selected to what is selected below them; empty means all.
type fieldMask map[string]fieldMask

// parseMask parses "a,b/c,d(e,f)" up to the end or an unmatched parenthesis, which it returns.
func parseMask(s string) (fieldMask, string) {
	mask := fieldMask{}
	for {
		end := strings.IndexAny(s, ",()")
		if end < 0 {
			end = len(s)
		}
		below := mask
		for name := range strings.SplitSeq(s[:end], "/") {
			if below[name] == nil {
				below[name] = fieldMask{}
			}
			below = below[name]
		}
		s = s[end:]
		if strings.HasPrefix(s, "(") {
			inner, rest := parseMask(s[1:])
			maps.Copy(below, inner)
			s = strings.TrimPrefix(rest, ")")
		}
		if !strings.HasPrefix(s, ",") {
			return mask, s
		}
		s = s[1:]
	}
}

func (m fieldMask) pick(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = m.pick(value[i])
		}
	case Object:
		for k := range value {
			below, ok := m[k]
			if !ok {
				below, ok = m["*"]
			}
			switch {
			case !ok:
				delete(value, k)
			case len(below) > 0:
				value[k] = below.pick(value[k])
			}
		}
	}
	return value
}

// Empty reports whether a value is a list without entries, or an object of nothing but such lists.
func Empty(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) == 0
	case Object:
		for _, inner := range v {
			if list, ok := inner.([]any); !ok || len(list) > 0 {
				return false
			}
		}
		return true
	}
	return false
}

// Defaults adds the members of another object that are missing.
func Defaults(into, standard Object) {
	for k, v := range standard {
		if into[k] == nil {
			into[k] = v
		}
	}
}
