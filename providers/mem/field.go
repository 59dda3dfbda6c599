package mem

import (
	"maps"
	"reflect"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/table"
)

// Objects of this cloud hold the parameters of their kind, S, in the words of the spec. So all that a plain field needs is its name.

// params are the parameters of the cloud's calls.
type params[S any] struct {
	Spec S
	Tags table.Delta
}

// every is what each call takes: all parameters.
var every = table.Names{"Spec", "Tags"}

// fields says where the objects of a kind, H, hold their fields: as somebody asked for them, and as they are until that is made.
type fields[S, H any] struct{ asked, live func(*H) *S }

// plain makes the row of a field that the cloud takes as the spec has it, and reports so.
func plain[V comparable, S, H any](of fields[S, H], name string) *table.Scalar[S, H, params[S], V] {
	return table.Field(name,
		func(s *S) *V { return leaf[V](s, name) },
		func(h *H) *V { return leaf[V](of.asked(h), name) },
		func(p *params[S], v V) { fieldpath.Set(&p.Spec, name, v) },
	).Reported(func(h *H) *V { return leaf[V](of.live(h), name) })
}

// plainSet makes the row of a list of strings that the cloud takes as the spec has it, and reports so.
func plainSet[S, H any](of fields[S, H], name string) *table.Scalar[S, H, params[S], []string] {
	list := func(spec *S) []string {
		if at, ok := fieldpath.Get(spec, name); ok {
			return at.Interface().([]string)
		}
		return nil
	}
	return table.Set(name, list, func(h *H) []string { return list(of.asked(h)) },
		func(p *params[S], v []string) { fieldpath.Set(&p.Spec, name, v) })
}

// plainRules makes the row of a list of rules that the cloud takes as the spec has them, and reports so.
func plainRules[V any, S, H any](of fields[S, H], name string) *table.Scalar[S, H, params[S], []V] {
	list := func(spec *S) []V {
		if at, ok := fieldpath.Get(spec, name); ok {
			return at.Interface().([]V)
		}
		return nil
	}
	return table.Rules(name, list, func(h *H) *[]V { return new(append([]V{}, list(of.asked(h))...)) },
		func(p *params[S], v []V) { fieldpath.Set(&p.Spec, name, v) }, func(v V) V { return v }, "")
}

// tags makes the row of the tags.
func tags[S, H any](want func(*S) map[string]v1alpha1.TagValue, have func(*H) *Object) table.Row[S, H, params[S]] {
	return table.Entries("tags",
		func(s *S) map[string]string { return text(want(s)) },
		func(h *H) map[string]string { return driver.WithoutMark(have(h).Labels) },
		func(p *params[S], d table.Delta) { p.Tags = d },
	)
}

// table returns the rows of a kind: special ones as they are given, and plain ones for all other fields of the spec that are a
// string, a number, a bool or a list of strings. exempt are the fields that have no row.
func (of fields[S, H]) table(exempt map[string]string, special ...table.Row[S, H, params[S]]) table.Table[S, H, params[S]] {
	var rows table.Table[S, H, params[S]]
	for _, name := range fieldpath.Leaves(reflect.TypeFor[S]()) {
		given := slices.IndexFunc(special, func(r table.Row[S, H, params[S]]) bool { return r.Name() == name })
		_, without := exempt[name]
		leafType, isPlain := fieldpath.PlainType(reflect.TypeFor[S](), name)
		switch {
		case given >= 0:
			rows = append(rows, special[given])
		case isPlain && !without && leafType.Kind() == reflect.Slice:
			rows = append(rows, plainSet(of, name))
		case isPlain && !without:
			rows = append(rows, plain[any](of, name))
		}
	}
	return rows
}

// leaf returns the value at a path of a spec; nil if there is none.
func leaf[V any](spec any, path string) *V {
	at, ok := fieldpath.Get(spec, path)
	if !ok {
		return nil
	}
	v := at.Interface().(V)
	return &v
}

// text returns tags as plain strings; nil stays nil, which is unmanaged.
func text(tags map[string]v1alpha1.TagValue) map[string]string {
	if tags == nil {
		return nil
	}
	out := make(map[string]string, len(tags))
	for k, v := range tags {
		out[k] = string(v)
	}
	return out
}

// merge makes of labels what is to become of them.
func merge(labels map[string]string, d table.Delta) map[string]string {
	out := maps.Clone(labels)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, d.Set)
	for _, k := range d.Remove {
		delete(out, k)
	}
	return out
}

// value returns what a pointer leads to, zero if it is nil.
func value[V any](v *V) V {
	if v == nil {
		var zero V
		return zero
	}
	return *v
}

// unlessZero returns a pointer to v, or nil if v is zero: the cloud has none.
func unlessZero[V comparable](v V) *V {
	var zero V
	if v == zero {
		return nil
	}
	return &v
}
