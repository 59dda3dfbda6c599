package recordings

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What a driver sends is judged by the recorded requests. A spec asks for what the recorded change ended in: it is the mirror of the recorded answer after
// it. The driver is shown the recorded answer from before it, and makes the change. Its request is compared with the recorded one, leaf by leaf.

// sent is the direction of these tests.
const sent = "sent by the drivers"

// A requestPair is a recorded request and the one that the driver sent for the same change, as they are decoded from JSON. A null is the text null.
type requestPair struct {
	method         string // of the recorded request
	recorded, sent any
	before, after  any // what was there, and what the cloud answered afterwards
}

// null stands for a null, by which a patch takes something away.
const null = "(null)"

// differences returns where the requests ask for different things. A leaf is no difference if it is in both. Nor is one that the driver left out because it
// is so already, or one that the driver sent with the call that makes the object and that the recorded answer shows, where a false, a 0 and nothing are the same.
func (p requestPair) differences() (found []difference) {
	p.walk("", p.recorded, p.sent, p.before, p.after, &found)
	return found
}

func (p requestPair) walk(where string, recorded, sent, before, after any, found *[]difference) {
	ofRecorded, recordedMap := recorded.(map[string]any)
	ofSent, sentMap := sent.(map[string]any)
	if recordedMap && (sentMap || sent == nil) || sentMap && recorded == nil {
		names := map[string]bool{}
		for _, m := range []map[string]any{ofRecorded, ofSent} {
			for name := range m {
				names[name] = true
			}
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			p.walk(strings.TrimPrefix(where+"."+name, "."), ofRecorded[name], ofSent[name], at(before, name), at(after, name), found)
		}
		return
	}
	if listed, ok := recorded.([]any); ok {
		if own, ok := sent.([]any); ok && len(own) == len(listed) {
			for i := range listed {
				p.walk(where+"[]", listed[i], own[i], nil, nil, found)
			}
			return
		}
	}
	replaces := p.method != http.MethodPatch
	switch {
	case sameSent(where, recorded, sent) || sameName(where, recorded, sent):
	case sent == nil && recorded == null && before == nil:
	case sent == nil && p.method != http.MethodPost && sameSent(where, recorded, before):
	case recorded == nil && replaces && (sameSent(where, sent, after) || sameName(where, after, sent) || after == nil && zero(sent)):
	default:
		*found = append(*found, difference{where, recorded, sent})
	}
}

// sameName reports whether two names stand for one thing: locations in either case, and a version and one of its minor versions, which the cloud chose and the
// mirror has.
func sameName(where string, recorded, sent any) bool {
	a, isText := recorded.(string)
	b, _ := sent.(string)
	return isText && (where == "location" && strings.EqualFold(a, b) || where == "databaseVersion" && strings.HasPrefix(b, a+"_"))
}

// zero reports whether a value is the one that an answer leaves out.
func zero(v any) bool {
	list, isList := v.([]any)
	return v == false || v == 0.0 || v == "0s" || v == "" || isList && len(list) == 0
}

// sameSent compares two values of requests. Google takes a large number as a text too, and S3 has one text for a list of one in a statement of a policy.
func sameSent(where string, a, b any) bool {
	if strings.HasPrefix(where, "Statement") {
		a, b = single(a), single(b)
	}
	return reflect.DeepEqual(a, b) || sameNumber(a, b) || sameNumber(b, a)
}

// single returns the one text of a list of one.
func single(v any) any {
	if list, ok := v.([]any); ok && len(list) == 1 {
		if text, ok := list[0].(string); ok {
			return text
		}
	}
	return v
}

// sameNumber reports whether a text is how a number is written. Neither is rounded.
func sameNumber(number, text any) bool {
	t, isText := text.(string)
	switch n := number.(type) {
	case float64:
		return isText && t == strconv.FormatFloat(n, 'f', -1, 64)
	case json.Number:
		return isText && t == n.String()
	}
	return false
}

// withNulls decodes the body of a request, with the text null for each null.
func withNulls(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	return decoded(t, raw, null)
}

// decoded decodes an object, with a value for each null. A whole number stays as it is written where a float64 would round it.
func decoded(t *testing.T, raw json.RawMessage, ofNull any) map[string]any {
	t.Helper()
	out := map[string]any{}
	if len(raw) == 0 {
		return out
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	var mark func(v any) any
	mark = func(v any) any {
		switch v := v.(type) {
		case nil:
			return ofNull
		case json.Number:
			const exact = 1 << 53
			if n, err := v.Int64(); err == nil && (n > exact || n < -exact) {
				return v
			}
			n, _ := v.Float64()
			return n
		case map[string]any:
			for name, value := range v {
				v[name] = mark(value)
			}
		case []any:
			for i, value := range v {
				v[i] = mark(value)
			}
		}
		return v
	}
	mark(out)
	return out
}

// queryOf returns the query parameters of a call that say what it does: not those that choose the form of the answer.
func queryOf(t *testing.T, path string) map[string]any {
	t.Helper()
	_, query, _ := strings.Cut(path, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	out := map[string]any{}
	for name := range values {
		if name != "" && !slices.Contains([]string{"alt", "prettyPrint", "projection"}, name) {
			out["?"+name] = values.Get(name)
		}
	}
	return out
}

// judgeSent compares a recorded call with those that the driver made. What the driver calls besides is a difference each.
func judgeSent(t *testing.T, nameOf func(exchange) string, step exchange, calls []exchange, before, after json.RawMessage) (found []difference) {
	t.Helper()
	same := func(c exchange) bool {
		return c.Method == step.Method && resource(c.Path) == resource(step.Path)
	}
	i := slices.IndexFunc(calls, same)
	if i < 0 { // the same object by another method
		i = slices.IndexFunc(calls, func(c exchange) bool { return resource(c.Path) == resource(step.Path) })
	}
	var own exchange
	if i >= 0 {
		own = calls[i]
		if !same(own) {
			found = append(found, difference{"call", nameOf(step), nameOf(own)})
		}
	}
	for j, c := range calls {
		if j != i {
			found = append(found, difference{"also " + nameOf(c), nil, string(c.Request)})
		}
	}
	p := requestPair{method: step.Method, recorded: withNulls(t, step.Request), sent: withNulls(t, own.Request), before: decoded(t, before, nil), after: decoded(t, after, nil)}
	if i >= 0 {
		maps.Copy(p.recorded.(map[string]any), queryOf(t, step.Path))
		maps.Copy(p.sent.(map[string]any), queryOf(t, own.Path))
	} else if step.Method == http.MethodDelete || len(step.Request) == 0 && step.Method == http.MethodPost {
		found = append(found, difference{"call", nameOf(step), nil})
	}
	return append(found, p.differences()...)
}

// wanted returns the spec that asks for the state of a mirror. What a former mirror has besides is asked for as none: an empty list, or an empty block.
func wanted(t *testing.T, after, before json.RawMessage) json.RawMessage {
	t.Helper()
	said, _ := sayable(any(object(t, after)))
	spec, _ := said.(map[string]any)
	emptyWhere(spec, object(t, before), object(t, after))
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// emptyWhere gives a spec an empty list or block where a former mirror has one that the later one lacks.
func emptyWhere(spec, former, later map[string]any) {
	for name, value := range former {
		_, there := later[name]
		switch value := value.(type) {
		case []any:
			if !there {
				spec[name] = []any{}
			}
		case map[string]any:
			shown, _ := later[name].(map[string]any)
			if !there {
				spec[name] = map[string]any{}
			}
			if said, ok := spec[name].(map[string]any); ok {
				emptyWhere(said, value, shown)
			}
		}
	}
}

func TestRequestPairs(t *testing.T) {
	for _, test := range []struct {
		name, method                  string
		recorded, sent, before, after string
		want                          []string
	}{
		{"the same", "PATCH", `{"a": {"b": "1"}}`, `{"a": {"b": 1}}`, `{}`, `{}`, nil},
		{"another value", "PATCH", `{"a": {"b": 1}}`, `{"a": {"b": 2}}`, `{}`, `{}`, []string{"a.b: recorded 1, answered 2"}},
		{"left out as it is so", "PATCH", `{"a": 1, "b": 2}`, `{"b": 2}`, `{"a": 1}`, `{}`, nil},
		{"left out", "PATCH", `{"a": 1}`, `{}`, `{"a": 2}`, `{"a": 1}`, []string{"a: recorded 1, answered nothing"}},
		{"too much in a patch", "PATCH", `{}`, `{"a": 1}`, `{"a": 1}`, `{"a": 1}`, []string{"a: recorded nothing, answered 1"}},
		{"what a creation chooses", "POST", `{}`, `{"a": 1}`, `{}`, `{"a": 1}`, nil},
		{"what it does not choose", "POST", `{}`, `{"a": 1}`, `{}`, `{"a": 2}`, []string{"a: recorded nothing, answered 1"}},
		{"a location in the other case", "POST", `{"location": "EU"}`, `{"location": "eu"}`, `{}`, `{}`, nil},
		{"another location", "POST", `{"location": "EU"}`, `{"location": "us"}`, `{}`, `{}`, []string{`location: recorded "EU", answered "us"`}},
		{"a minor version", "POST", `{"databaseVersion": "MYSQL_8_0"}`, `{"databaseVersion": "MYSQL_8_0_41"}`, `{}`, `{}`, nil},
		{"another version", "POST", `{"databaseVersion": "MYSQL_8_0"}`, `{"databaseVersion": "MYSQL_8_4"}`, `{}`, `{}`, []string{`databaseVersion: recorded "MYSQL_8_0", answered "MYSQL_8_4"`}},
		{"taken away", "PATCH", `{"a": null}`, `{"a": null}`, `{"a": {"b": 1}}`, `{}`, nil},
		{"not taken away", "PATCH", `{"a": null}`, `{}`, `{"a": {"b": 1}}`, `{}`, []string{`a: recorded "(null)", answered nothing`}},
		{"two texts of one number", "PATCH", `{"a": "012345678901"}`, `{"a": "12345678901"}`, `{}`, `{}`, []string{`a: recorded "012345678901", answered "12345678901"`}},
		{"a number with a zero in front", "PATCH", `{"a": 1}`, `{"a": "01"}`, `{}`, `{}`, []string{`a: recorded 1, answered "01"`}},
		{"a large number", "PATCH", `{"a": "9007199254740993"}`, `{"a": 9007199254740993}`, `{}`, `{}`, nil},
		{"its neighbour", "PATCH", `{"a": "9007199254740993"}`, `{"a": 9007199254740992}`, `{}`, `{}`, []string{`a: recorded "9007199254740993", answered 9.007199254740992e+15`}},
		{"a list of one", "PATCH", `{"a": ["x"]}`, `{"a": "x"}`, `{}`, `{}`, []string{`a: recorded []interface {}{"x"}, answered "x"`}},
		{"one in a policy", "PUT", `{"Statement": [{"Action": ["x"], "Principal": {"AWS": "y"}}]}`, `{"Statement": [{"Action": "x", "Principal": {"AWS": ["y"]}}]}`, `{}`, `{}`, nil},
		{"another in a policy", "PUT", `{"Statement": [{"Action": ["x"]}]}`, `{"Statement": [{"Action": "z"}]}`, `{}`, `{}`, []string{`Statement[].Action: recorded []interface {}{"x"}, answered "z"`}},
		{"an account in a policy", "PUT", `{"Statement": [{"Principal": ["012345678901"]}]}`, `{"Statement": [{"Principal": "12345678901"}]}`, `{}`, `{}`, []string{`Statement[].Principal: recorded []interface {}{"012345678901"}, answered "12345678901"`}},
		{"a list", "PATCH", `{"a": [1]}`, `{"a": [2]}`, `{}`, `{}`, []string{"a[]: recorded 1, answered 2"}},
		{"a longer list", "PATCH", `{"a": [1]}`, `{"a": [1, 2]}`, `{}`, `{}`, []string{"a: recorded []interface {}{1}, answered []interface {}{1, 2}"}},
	} {
		raw := func(text string) json.RawMessage { return json.RawMessage(text) }
		p := requestPair{method: test.method, recorded: any(withNulls(t, raw(test.recorded))), sent: any(withNulls(t, raw(test.sent))),
			before: any(decoded(t, raw(test.before), nil)), after: any(decoded(t, raw(test.after), nil))}
		var got []string
		for _, d := range p.differences() {
			got = append(got, d.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
