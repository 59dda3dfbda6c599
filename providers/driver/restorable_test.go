package driver

import "testing"

// What another object left is not restored in the place of this one.
func TestMarkLeaves(t *testing.T) {
	own := Mark{Cluster: "c", Namespace: "shop", Name: "orders", UID: "u"}
	with := func(change func(*Mark)) Mark { m := own; change(&m); return m }
	for _, tt := range []struct {
		name           string
		mark           Mark
		itself, ofKind bool // of the object, and of a snapshot's object
	}{
		{"none", Mark{}, true, true},
		{"its own", own, true, true},
		{"its own of before", with(func(m *Mark) { m.UID = "before" }), true, true},
		{"its own, released", with(func(m *Mark) { m.Released = true }), true, true},
		{"of the same namespace", with(func(m *Mark) { m.Name = "nightly" }), false, true},
		{"of another namespace", with(func(m *Mark) { m.Namespace = "bank" }), false, false},
		{"of another cluster", with(func(m *Mark) { m.Cluster = "d" }), false, false},
		{"a part of it", Mark{UID: "u"}, false, false},
	} {
		if a, b := tt.mark.Leaves(own, false), tt.mark.Leaves(own, true); a != tt.itself || b != tt.ofKind {
			t.Errorf("%s: got %t and %t, want %t and %t", tt.name, a, b, tt.itself, tt.ofKind)
		}
	}
}
