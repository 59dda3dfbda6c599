package table_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/providers/driver"
)

// FuzzTable checks what must hold of every spec, cloud and history.
func FuzzTable(f *testing.F) {
	f.Add([]byte("a spec, a cloud and what was applied"))
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23})
	f.Add([]byte{255, 3, 255, 3, 255, 3, 255, 3, 255, 1, 255, 7, 255, 2, 255, 6, 255, 5, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		in := input(data)
		want, have := in.spec(), in.thing()
		applied := driver.Applied{"access": in.names(), "tags": in.names()}
		if applied["access"] == nil {
			delete(applied, "access")
		}
		was := have.clone()

		changes := things.Diff(&want, &have, applied, nil)
		possible := slices.DeleteFunc(slices.Clone(changes), func(c driver.Change) bool { return c.Effect == driver.Impossible })
		var p call
		if err := things.Patch(&want, &have, possible, &p); err != nil {
			t.Fatalf("patch of %v: %v", possible, err)
		}
		if diff := cmp.Diff(was, have); diff != "" {
			t.Errorf("to compare changed the cloud's side (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(driver.Names(possible), p.touched()); diff != "" {
			t.Errorf("a patch has exactly the fields of the changes (-want +got):\n%s", diff)
		}
		after := have.clone()
		p.applyTo(&after)

		for _, c := range things.Diff(&want, &after, things.Applied(&want, applied, changes), nil) {
			if c.Effect != driver.Impossible {
				t.Errorf("after the patch there differs still: %+v", c)
			}
		}
		for k, v := range was.Tags {
			_, wanted := want.Tags[k]
			if got, ok := after.Tags[k]; !wanted && !slices.Contains(applied["tags"], k) && (!ok || got != v) {
				t.Errorf("the entry %q of others became %q, %t", k, got, ok)
			}
		}
		for _, c := range changes {
			if strings.Contains(c.From+c.To+c.Why, canary) {
				t.Errorf("a change shows a secret: %+v", c)
			}
			if _, ours := applied[c.Field]; c.Release && !ours {
				t.Errorf("released without having been applied: %+v", c)
			}
		}
		mirrored(t, &want, &after)
		foretold(t, want, was, applied)
		settled(t, &want, applied, things.Diff(&want, &after, applied, nil))
	})
}

// mirrored checks that what was asked for is what the mirror says.
func mirrored(t *testing.T, want *thingSpec, have *thing) {
	t.Helper()
	raw, err := things.Mirror(have)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(raw), canary) {
		t.Errorf("the mirror shows a secret: %s", raw)
	}
	var got thingSpec
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatalf("the mirror %s is no spec: %v", raw, err)
	}
	if want.Class != nil && have.ClassNow == nil && (got.Class == nil || *got.Class != *want.Class) {
		t.Errorf("the mirror %s does not have class %q", raw, *want.Class)
	}
	if want.Size != nil && (got.Size == nil || *got.Size < *want.Size) {
		t.Errorf("the mirror %s does not have size %d", raw, *want.Size)
	}
	for _, name := range want.Logs {
		if !slices.Contains(got.Logs, name) {
			t.Errorf("the mirror %s does not have %q of the set", raw, name)
		}
	}
	for k, v := range want.Tags {
		if got.Tags[k] != v {
			t.Errorf("the mirror %s does not have the entry %s=%s", raw, k, v)
		}
	}
}

// foretold checks that the mirror of an object at rest tells what would differ. It leaves secrets out, and what is empty.
func foretold(t *testing.T, want thingSpec, have thing, applied driver.Applied) {
	t.Helper()
	want.Password, have.ClassNow = nil, nil
	raw, err := things.Mirror(&have)
	if err != nil {
		t.Fatal(err)
	}
	var from thingSpec
	if err := json.Unmarshal(raw, &from); err != nil {
		t.Fatal(err)
	}
	observed := slices.DeleteFunc(things.Diff(&want, &have, applied, nil), func(c driver.Change) bool { return c.From == "" && c.To == "" && !c.Entries })
	if diff := cmp.Diff(observed, things.Preview(&from, &want, applied, &have), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("changes of %s (-observed +previewed):\n%s", raw, diff)
	}
}

// settled checks that what was applied, once it is, is exactly what the spec declares.
func settled(t *testing.T, want *thingSpec, before driver.Applied, left []driver.Change) {
	t.Helper()
	applied := things.Applied(want, before, left)
	var declared []string
	for _, name := range things.Declared(want) {
		if !slices.Contains(driver.Names(left), name) {
			declared = append(declared, name)
		}
	}
	for _, name := range declared {
		if _, ok := applied[name]; !ok {
			t.Errorf("%s is declared, does not differ, and is not applied", name)
		}
	}
	if want.Tags != nil && !slices.Contains(driver.Names(left), "tags") {
		if diff := cmp.Diff(slices.Sorted(maps.Keys(want.Tags)), applied["tags"], cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("applied entries (-want +got):\n%s", diff)
		}
	}
}

const canary = "canary"

// input makes values out of bytes.
type input []byte

func (in *input) next() int {
	if len(*in) == 0 {
		return 0
	}
	b := (*in)[0]
	*in = (*in)[1:]
	return int(b)
}

func (in *input) text() *string {
	if n := in.next(); n%4 != 0 {
		return new([]string{"", "open", "closed", "b"}[n%4])
	}
	return nil
}

func (in *input) number() *int {
	if n := in.next(); n%4 != 0 {
		return new(n/4 - 8)
	}
	return nil
}

func (in *input) secret() *string {
	if n := in.next(); n%3 != 0 {
		return new(canary + string(rune('a'+n%3)))
	}
	return nil
}

func (in *input) entries() map[string]string {
	n := in.next()
	if n%5 == 0 {
		return nil
	}
	m := map[string]string{}
	for range n%5 - 1 {
		m[string(rune('a'+in.next()%5))] = string(rune('0' + in.next()%3))
	}
	return m
}

func (in *input) names() []string {
	m := in.entries()
	if m == nil {
		return nil
	}
	return append([]string{}, slices.Sorted(maps.Keys(m))...)
}

// list returns names in any order, maybe twice; nil for none that are declared.
func (in *input) list() []string {
	n := in.next()
	if n%4 == 0 {
		return nil
	}
	list := []string{}
	for range n%4 - 1 {
		list = append(list, string(rune('a'+in.next()%3)))
	}
	return list
}

func (in *input) spec() thingSpec {
	s := thingSpec{Place: in.text(), Size: in.number(), Class: in.text(), Access: in.text(), Password: in.secret(), Tags: in.entries()}
	s.Logs = in.list()
	if days := in.number(); days != nil || in.next()%2 == 0 {
		s.Inner = &inner{Days: days}
	}
	return s
}

func (in *input) thing() thing {
	return thing{
		Place: in.text(), Size: in.number(), Class: in.text(), ClassNow: in.text(), Access: in.text(), Password: in.secret(),
		Days: in.number(), Tags: in.entries(), Logs: in.list(),
	}
}

func (h *thing) clone() thing {
	out := *h
	out.Tags, out.Logs = maps.Clone(h.Tags), slices.Clone(h.Logs)
	return out
}

// touched names the fields that a call has.
func (p *call) touched() []string {
	names := []string{}
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"place", p.Place != nil}, {"size", p.Size != nil}, {"class", p.Class != nil}, {"access", p.Access != nil},
		{"password", p.Password != nil}, {"inner.days", p.Days != nil}, {"tags", p.Tags != nil},
		{"logs", p.Logs != nil},
	} {
		if f.set {
			names = append(names, f.name)
		}
	}
	return names
}

// applyTo is the cloud carrying out the call.
func (p *call) applyTo(h *thing) {
	set(&h.Place, p.Place)
	set(&h.Size, p.Size)
	set(&h.Class, p.Class)
	set(&h.Access, p.Access)
	set(&h.Password, p.Password)
	set(&h.Days, p.Days)
	if p.Logs != nil {
		h.Logs = p.Logs
	}
	if p.Tags == nil {
		return
	}
	if h.Tags == nil {
		h.Tags = map[string]string{}
	}
	maps.Copy(h.Tags, p.Tags.Set)
	for _, k := range p.Tags.Remove {
		delete(h.Tags, k)
	}
}

func set[V any](at **V, v *V) {
	if v != nil {
		*at = v
	}
}
