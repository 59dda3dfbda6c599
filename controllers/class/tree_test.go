package class

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// tree reads JSON as the API machinery does.
func tree(t testing.TB, text string) Tree {
	t.Helper()
	out := Tree{}
	if err := utiljson.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return out
}

func TestMerge(t *testing.T) {
	for _, tt := range []struct {
		name   string
		layers []string
		want   string
	}{
		{"nothing", nil, `{}`},
		{"one", []string{`{"a":1}`}, `{"a":1}`},
		{"scalars replace", []string{`{"a":1,"b":"x"}`, `{"a":2}`}, `{"a":2,"b":"x"}`},
		{"an explicit zero replaces", []string{`{"a":1,"b":true,"c":"x"}`, `{"a":0,"b":false,"c":""}`}, `{"a":0,"b":false,"c":""}`},
		{"structs merge", []string{`{"a":{"b":1,"c":1}}`, `{"a":{"c":2}}`}, `{"a":{"b":1,"c":2}}`},
		{"lists are atomic", []string{`{"a":[1,2]}`, `{"a":[3]}`}, `{"a":[3]}`},
		{"an empty list is a list", []string{`{"a":[1,2]}`, `{"a":[]}`}, `{"a":[]}`},
		{"maps merge by key", []string{`{"tags":{"a":"1","b":"1"}}`, `{"tags":{"b":"2","c":"2"}}`}, `{"tags":{"a":"1","b":"2","c":"2"}}`},
		{"an empty map adds nothing", []string{`{"tags":{"a":"1"}}`, `{"tags":{}}`}, `{"tags":{"a":"1"}}`},
		{"an empty map over nothing is there", []string{`{}`, `{"tags":{}}`}, `{"tags":{}}`},
		{"three", []string{`{"a":1}`, `{"a":2,"b":2}`, `{"b":3}`}, `{"a":2,"b":3}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var layers []Tree
			for _, l := range tt.layers {
				layers = append(layers, tree(t, l))
			}
			if diff := cmp.Diff(tree(t, tt.want), Merge(layers...)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An explicit zero value and an empty map survive the way from a struct into a tree and back.
func TestTreeOfKeepsZeroValues(t *testing.T) {
	in := &v1alpha1.DatabaseParameters{
		Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}, DeletionProtection: new(false),
		Tags: map[string]v1alpha1.TagValue{},
	}
	got, err := TreeOf(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, `{"backup":{"retentionDays":0},"deletionProtection":false,"tags":{}}`), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var back v1alpha1.DatabaseParameters
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(got, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(in, &back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// parameters reads parameters from whatever a fuzzer makes up, as far as that is any.
func parameters(t *testing.T, text []byte) Tree {
	t.Helper()
	var p v1alpha1.DatabaseParameters
	if json.Unmarshal(text, &p) != nil {
		p = v1alpha1.DatabaseParameters{}
	}
	out, err := TreeOf(&p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"engine":"postgres","tags":{"a":"1"}}`), []byte(`{"storage":{"sizeGiB":0},"tags":{}}`), []byte(`{"deletionProtection":false,"aws":{"instanceClass":""}}`))
	f.Add([]byte(`{}`), []byte(`{"tags":{"a":"1","b":""},"backup":{}}`), []byte(`{"backup":{"retentionDays":0}}`))
	f.Fuzz(func(t *testing.T, at, bt, ct []byte) {
		a, b, c := parameters(t, at), parameters(t, bt), parameters(t, ct)
		before := []Tree{runtime.DeepCopyJSON(a), runtime.DeepCopyJSON(b), runtime.DeepCopyJSON(c)}
		all := Merge(a, b, c)
		if diff := cmp.Diff(all, Merge(Merge(a, b), c)); diff != "" {
			t.Errorf("not associative on the left:\n%s", diff)
		}
		if diff := cmp.Diff(all, Merge(a, Merge(b, c))); diff != "" {
			t.Errorf("not associative on the right:\n%s", diff)
		}
		if diff := cmp.Diff(all, Merge(all, all)); diff != "" {
			t.Errorf("not idempotent:\n%s", diff)
		}
		leaves(c, func(p path, want any) {
			if got, ok := get(all, p); !ok || !same(got, want) {
				t.Errorf("%s is %v, %t; the last layer says %v", p, got, ok, want)
			}
		})
		leaves(all, func(p path, value any) {
			said := func(layer Tree) bool { v, ok := get(layer, p); return ok && same(v, value) }
			if !said(a) && !said(b) && !said(c) {
				t.Errorf("%s is %v, which nobody said", p, value)
			}
		})
		scribble(all)
		if diff := cmp.Diff(before, []Tree{a, b, c}); diff != "" {
			t.Errorf("the result shares something with a layer:\n%s", diff)
		}
	})
}

// scribble changes everything in a tree.
func scribble(tree Tree) {
	for key, value := range tree {
		switch value := value.(type) {
		case Tree:
			scribble(value)
			value["scribble"] = "x"
		case []any:
			for i := range value {
				value[i] = "x"
			}
		}
		delete(tree, key)
	}
}

// FuzzEvaluate holds the promises of a merged object: what is enforced holds, the user's own words stand otherwise, what comes from
// the class is told, and to evaluate again what was recorded changes nothing.
func FuzzEvaluate(f *testing.F) {
	f.Add([]byte(`{"engine":"postgres","storage":{"sizeGiB":10}}`), []byte(`{"storage":{"sizeGiB":0}}`), []byte(`{"tags":{"cost":"x"}}`), "small", true)
	f.Add([]byte(`{"location":"eu"}`), []byte(`{"engine":"mysql"}`), []byte(`{"engine":"postgres"}`), "", false)
	f.Fuzz(func(t *testing.T, defaults, spec, enforced []byte, size string, bound bool) {
		c := &Class{
			Object: &v1alpha1.DatabaseClass{}, Spec: &v1alpha1.ClassSpec{}, Defaults: parameters(t, defaults), Enforced: parameters(t, enforced),
			Sizes: []Size{{
				ClassSize: v1alpha1.ClassSize{Name: "small", Bounds: map[string]v1alpha1.SizeBounds{"storage.sizeGiB": {Min: new(int32(20)), Max: new(int32(100))}}},
				Values:    Tree{"aws": Tree{"instanceClass": "db.t4g.small"}},
			}},
		}
		o := Input{Spec: parameters(t, spec), Bound: bound, Fixed: []string{"engine", "location"}}
		if size != "" {
			o.Spec["size"] = size
		}
		v := Evaluate(c, o, nil)
		fixed := func(p path) bool { return bound && (p.String() == "engine" || p.String() == "location") }
		leaves(c.Enforced, func(p path, want any) {
			if got, ok := get(v.Spec, p); !fixed(p) && (!ok || !same(got, want)) {
				t.Errorf("%s is %v; the class insists on %v", p, got, want)
			}
		})
		leaves(o.Spec, func(p path, want any) {
			_, overruled := get(c.Enforced, p)
			if got, ok := get(v.Spec, p); !overruled && (!ok || !same(got, want)) {
				t.Errorf("%s is %v; the spec says %v", p, got, want)
			}
		})
		if diff := cmp.Diff(v.Spec, Merge(o.Spec, v.Effective.flat())); diff != "" && len(leavesOf(diffTree(v.Spec, Merge(o.Spec, v.Effective.flat())))) > 0 {
			t.Errorf("spec and effective are not the whole (-whole +parts):\n%s", diff)
		}
		recorded := v.Effective.Stored(nil)
		if again := v.Effective.Stored(recorded); again != recorded {
			t.Errorf("the same would be written anew: %v", again)
		}
		o.Bound, o.Before = true, recorded
		if after := Evaluate(c, o, nil); !bound && after.Effective.Stored(recorded) != recorded {
			t.Errorf("once bound it is another: %v, was %v", after.Effective, v.Effective)
		}
	})
}

func leavesOf(tree Tree) (names []string) {
	leaves(tree, func(p path, _ any) { names = append(names, p.String()) })
	return names
}

// diffTree returns the leaves of a that b does not have.
func diffTree(a, b Tree) Tree {
	out := Tree{}
	leaves(a, func(p path, value any) {
		if other, ok := get(b, p); !ok || !same(other, value) {
			put(out, p, value)
		}
	})
	return out
}
