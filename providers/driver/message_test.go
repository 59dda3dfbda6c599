package driver_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// messages are all that crosses the contract. What it holds is found from here.
var messages = []any{
	driver.Description{}, driver.Config{}, driver.Request{}, driver.Observation{}, driver.Result{}, driver.ListRequest{}, driver.Page{}, driver.Call{}, driver.Error{},
	[]driver.Change{}, driver.Edit{}, driver.Applied{}, driver.Command{}, driver.Draft{}, []driver.Refusal{},
}

// stays are the fields that do not cross, and why.
var stays = map[string]string{
	"driver.Error.Err": "the SDK's error, which stays in the process that made it: no caller decides by it",
}

// Every field of every message survives encoding and decoding, so that a driver may live in another process.
func TestMessagesSurviveJSON(t *testing.T) {
	for _, message := range messages {
		typ := reflect.TypeOf(message)
		t.Run(typ.String(), func(t *testing.T) {
			sent := reflect.New(typ)
			fill(t, sent.Elem(), typ.String())
			text, err := json.Marshal(sent.Interface())
			if err != nil {
				t.Fatal(err)
			}
			arrived := reflect.New(typ)
			if err := json.Unmarshal(text, arrived.Interface()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(sent.Interface(), arrived.Interface()); diff != "" {
				t.Errorf("what arrived differs (-sent +arrived):\n%s", diff)
			}
		})
	}
}

// Nothing in a message stays zero here, or the test above would show less than it says.
func TestFillFillsAll(t *testing.T) {
	for _, message := range messages {
		v := reflect.New(reflect.TypeOf(message)).Elem()
		fill(t, v, v.Type().String())
		filled(t, v, v.Type().String())
	}
}

// The test above fails for what no wire can carry.
func TestWhatCanNotCross(t *testing.T) {
	for name, value := range map[string]any{
		"a function": struct{ F func() }{},
		"a channel":  struct{ C chan int }{},
		"an error":   struct{ E error }{},
		"unexported": struct{ hidden int }{},
		"deep inside": struct {
			L []struct {
				M map[string]*struct{ F func() }
			}
		}{},
		"any other values": struct{ V any }{},
	} {
		r := &refusals{TB: t}
		v := reflect.New(reflect.TypeOf(value)).Elem()
		fill(r, v, "it")
		if r.count == 0 {
			t.Errorf("%s: %v is taken for a message", name, v.Type())
		}
	}
}

// refusals counts errors.
type refusals struct {
	testing.TB
	count int
}

func (r *refusals) Errorf(string, ...any) { r.count++ }

var codec = reflect.TypeFor[json.Unmarshaler]()

// fill sets all that is in a value, and complains about what no wire can carry.
func fill(t testing.TB, v reflect.Value, path string) {
	t.Helper()
	switch at := v.Addr().Interface().(type) {
	case *driver.Spec:
		parameters := &v1alpha1.DatabaseParameters{}
		fill(t, reflect.ValueOf(parameters).Elem(), path)
		*at = driver.NewSpec(parameters)
		return
	case *time.Time:
		*at = time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
		return
	case *json.RawMessage:
		*at = json.RawMessage(`{"tags":{"a":"b"}}`)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		fillFields(t, v, path)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0), path+"[0]")
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, path+" key")
		fill(t, value, path+" value")
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString("of " + path)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(3) // a code and a state too
	default:
		t.Errorf("%s is a %v, which can't cross a wire", path, v.Type())
	}
}

func fillFields(t testing.TB, v reflect.Value, path string) {
	t.Helper()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name := fmt.Sprintf("%s.%s", v.Type(), f.Name)
		switch {
		case stays[name] != "":
		case !f.IsExported():
			if !v.Addr().Type().Implements(codec) {
				t.Errorf("%s is not exported, so it is lost on a wire", name)
			}
		default:
			fill(t, v.Field(i), path+"."+f.Name)
		}
	}
}

// filled complains about all that is zero.
func filled(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	if v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0 {
		t.Errorf("%s is empty", path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.IsExported() && stays[fmt.Sprintf("%s.%s", v.Type(), f.Name)] == "" {
				filled(t, v.Field(i), path+"."+f.Name)
			}
		}
	case reflect.Pointer:
		filled(t, v.Elem(), path)
	case reflect.Slice:
		filled(t, v.Index(0), path)
	default:
	}
}
