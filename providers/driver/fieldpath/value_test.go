package fieldpath

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type tree struct {
	Plain  *string           `json:"plain,omitempty"`
	Inner  *branch           `json:"inner,omitempty"`
	Tags   map[string]string `json:"tags,omitzero"`
	Listed []string          `json:"listed,omitempty"`
}

type branch struct {
	Size *int32 `json:"size,omitempty"`
	On   bool   `json:"on"`
}

func TestLeaf(t *testing.T) {
	var empty tree
	full := tree{Plain: new("a"), Inner: &branch{Size: new(int32(3)), On: true}, Tags: map[string]string{"k": "v"}, Listed: []string{}}
	for path, want := range map[string]any{"listed": []string{}, "plain": "a", "inner.size": int32(3), "inner.on": true, "tags": map[string]string{"k": "v"}, "none": nil, "plain.none": nil} {
		got, ok := Get(&full, path)
		if ok != (want != nil) || ok && !cmp.Equal(want, got.Interface()) {
			t.Errorf("%s: got %v, %t; want %v", path, got, ok, want)
		}
		if got, ok := Get(&empty, path); ok {
			t.Errorf("%s of nothing: got %v", path, got)
		}
	}
}

func TestSetLeaf(t *testing.T) {
	var made tree
	Set(&made, "plain", "a")
	Set(&made, "inner.size", int32(3))
	Set(&made, "inner.on", true)
	earlier := *made.Inner
	Set(&made, "inner.size", int32(4))
	want := tree{Plain: new("a"), Inner: &branch{Size: new(int32(4)), On: true}}
	if diff := cmp.Diff(want, made); diff != "" || *earlier.Size != 3 {
		t.Errorf("what was there before became %d; (-want +got):\n%s", *earlier.Size, diff)
	}
	for _, path := range []string{"none", "plain.none"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: set, and there is no such field", path)
				}
			}()
			Set(&made, path, "a")
		}()
	}
}

func TestPlainLeaf(t *testing.T) {
	for path, want := range map[string]bool{"plain": true, "inner.size": true, "inner.on": true, "inner": false, "tags": false, "listed": true, "none": false, "plain.none": false} {
		if _, got := PlainType(reflect.TypeFor[tree](), path); got != want {
			t.Errorf("%s: got %t, want %t", path, got, want)
		}
	}
}
