package recordings

import (
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
	case sameSent(recorded, sent) || sameName(where, recorded, sent):
	case sent == nil && recorded == null && before == nil:
	case sent == nil && p.method != http.MethodPost && sameSent(recorded, before):
	case recorded == nil && replaces && (sameSent(sent, after) || sameName(where, after, sent) || after == nil && zero(sent)):
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

// sameSent compares two values of requests. Google takes a large number as a text too, and S3 has one text for a list of one in a policy.
func sameSent(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	plain := func(v any) any {
		if list, ok := v.([]any); ok && len(list) == 1 { // in a policy
			v = list[0]
		}
		if text, ok := v.(string); ok {
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				return n
			}
		}
		return v
	}
	return a != nil && b != nil && reflect.DeepEqual(plain(a), plain(b))
}

// withNulls decodes the body of a request, with the text null for each null.
func withNulls(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var mark func(v any)
	mark = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for name, value := range v {
				if value == nil {
					v[name] = null
				}
				mark(value)
			}
		case []any:
			for _, value := range v {
				mark(value)
			}
		}
	}
	out := object(t, raw)
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
	p := requestPair{method: step.Method, recorded: withNulls(t, step.Request), sent: withNulls(t, own.Request), before: object(t, before), after: object(t, after)}
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
		{"a list", "PATCH", `{"a": [1]}`, `{"a": [2]}`, `{}`, `{}`, []string{"a[]: recorded 1, answered 2"}},
		{"a longer list", "PATCH", `{"a": [1]}`, `{"a": [1, 2]}`, `{}`, `{}`, []string{"a: recorded []interface {}{1}, answered []interface {}{1, 2}"}},
	} {
		raw := func(text string) json.RawMessage { return json.RawMessage(text) }
		p := requestPair{method: test.method, recorded: any(withNulls(t, raw(test.recorded))), sent: any(withNulls(t, raw(test.sent))),
			before: any(object(t, raw(test.before))), after: any(object(t, raw(test.after)))}
		var got []string
		for _, d := range p.differences() {
			got = append(got, d.String())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
