package drivertest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/field"
)

// consequences checks that what people are told of a deletion and a creation is there where it applies, and names fields of the spec.
func consequences[S any](t testing.TB, b *bench[S]) {
	c := b.open(t).Consequences()
	if c.Noun == "" {
		t.Error("Consequences gives the object no name: set Noun")
	}
	if (c.SnapshotKept != "") != b.kind.Snapshots {
		t.Errorf("SnapshotKept is %q; the kind takes final snapshots: %v", c.SnapshotKept, b.kind.Snapshots)
	}
	if (c.Contents != "") != b.kind.Contents {
		t.Errorf("Contents is %q; the kind is deleted with its contents only by force: %v", c.Contents, b.kind.Contents)
	}
	leaves := field.Leaves(reflect.TypeFor[S]())
	for _, u := range c.Unset {
		if !slices.Contains(leaves, u.Field) {
			t.Errorf("Unset names %q, which is no leaf of %T", u.Field, *new(S))
		}
		if !strings.Contains(u.Means, "set spec.") {
			t.Errorf("Unset says of %s: %q, and not what to set", u.Field, u.Means)
		}
	}
	for _, text := range []string{c.WithSnapshot, c.WithoutSnapshot, c.Contents} {
		if strings.HasSuffix(text, ".") {
			t.Errorf("%q ends with a full stop", text)
		}
	}
}
