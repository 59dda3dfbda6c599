package drivertest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// alike checks that what is there is what a spec sets: the value that wants has, of a new object or the spec itself. Fields
// that either can't have are left out: those are named. Where several values mean the
// same, it may have one of them.
func (q *sequences[S]) alike(t testing.TB, spec, there, wants *S, last, its rest) {
	t.Helper()
	lacks := q.lacking(t, spec)
	for _, f := range q.b.kind.Fields {
		if last.cannot[f.Name] != "" || f.NamedBy != "" && last.cannot[f.NamedBy] != "" || its.cannot[f.Name] != "" || slices.Contains(lacks, f.Name) {
			continue
		}
		if _, says := get(spec, f.With); f.With != "" && !says {
			continue
		}
		got, want := readings(t, there, f), readings(t, wants, f)
		for at, declared := range readings(t, spec, f) {
			if !q.means(t, f, got[at], want[at], declared) {
				t.Errorf("%s is %q in the end, and has to be %q; the spec says %q", at, got[at], want[at], declared)
			}
		}
	}
}

// means reports whether the value that an object has in the end means what the spec says. want is the value of a new object.
func (q *sequences[S]) means(t testing.TB, f Field, got, want, declared string) bool {
	switch {
	case got == want, f.holds(declared, got):
		return true
	case f.Means != nil && f.Means(declared, got):
		return true
	case declared != Text(q.b.kind.declared(t, f)):
		return false
	}
	return slices.ContainsFunc(f.Same, func(same any) bool { return Text(same) == got })
}

// lacking returns the fields of a spec with values that the cloud does not have. Whoever calls the driver refuses such a spec by their names.
func (q *sequences[S]) lacking(t testing.TB, spec *S) (names []string) {
	t.Helper()
	raw, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	var says map[string]any
	if err := json.Unmarshal(raw, &says); err != nil {
		t.Fatal(err)
	}
	for _, l := range driver.Lacking(q.b.described(t).Lacks, says) {
		names = append(names, l.Field)
	}
	return names
}
