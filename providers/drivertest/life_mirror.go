package drivertest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/providers/driver"
)

// fullyApplied is what is set in an object made from Full.
func fullyApplied[S any](t testing.TB, b *bench[S]) driver.Applied {
	t.Helper()
	full, want := b.kind.Full(), driver.Applied{}
	for _, f := range b.kind.Fields {
		text, declared := get(&full, f.Name)
		if !declared && f.Given[f.Name] != nil { // Full leaves it out
			continue
		}
		if f.isMap() && declared {
			want[f.Name] = appliedEntries(t, b, f.Name, entriesOf(t, &full, f))
		} else if declared {
			want[f.Name] = stored(t, b, f, text)
		}
	}
	return want
}

// ofSpec returns what was applied of the spec's own fields. Drivers remember more than these.
func ofSpec[S any](b *bench[S], applied driver.Applied) driver.Applied {
	out := driver.Applied{}
	for _, f := range b.kind.Fields {
		if values, ok := applied[f.Name]; ok {
			out[f.Name] = values
		}
	}
	return out
}

// mirrorWhole: who declares little is told which fields the mirror lacks, and gets them all if asked for.
func mirrorWhole[S any](t testing.TB, b *bench[S]) {
	full := b.request(t, b.kind.Full())
	want := mirrorOf[S](t, b.create(t, &full))
	bare := full
	bare.Spec, bare.Applied = b.kind.Minimal(), nil
	part := b.observe(t, bare)
	bare.Whole = true
	whole := b.observe(t, bare)
	if lacking := slices.DeleteFunc(slices.Clone(whole.Unread), b.kind.lacks); len(lacking) > 0 {
		t.Errorf("a whole mirror lacks %v", lacking)
	}
	lacks, has := mirrorOf[S](t, part), mirrorOf[S](t, whole)
	for _, field := range part.Unread {
		if text, there := get(&lacks, field); there {
			t.Errorf("%s is said to be unread, and the mirror has %s", field, text)
		}
		text, _ := get(&has, field)
		if wanted, _ := get(&want, field); text != wanted {
			t.Errorf("%s is %q in a whole mirror, want %q as in that of who declares it", field, text, wanted)
		}
	}
}

// mirrorOf returns a mirror as a spec.
func mirrorOf[S any](t testing.TB, o driver.Observation) (mirror S) {
	t.Helper()
	if err := json.Unmarshal(o.Mirror, &mirror); err != nil {
		t.Fatalf("the mirror is %s: %v", o.Mirror, err)
	}
	return mirror
}

func mirror[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	obs := b.create(t, &req)
	var got S
	decoder := json.NewDecoder(bytes.NewReader(obs.Mirror))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("the mirror %s is no spec: %v", obs.Mirror, err)
	}
	for _, f := range b.kind.Fields {
		want, declared := get(&req.Spec, f.Name)
		if text, ok := get(&got, f.Name); (declared || f.Given[f.Name] == nil) && (!ok || text != want) {
			t.Errorf("the mirror has %s = %q, want %q", f.Name, text, want)
		}
	}
	for _, k := range driver.MarkKeys() {
		if strings.Contains(string(obs.Mirror), k) {
			t.Errorf("the mirror shows the mark's label %s: it is not the spec's", k)
		}
	}
}

func applied[S any](t testing.TB, b *bench[S]) {
	req := b.request(t, b.kind.Full())
	obs := b.create(t, &req)
	if diff := cmp.Diff(fullyApplied(t, b), ofSpec(b, obs.Applied)); diff != "" {
		t.Errorf("once all is set (-want +got):\n%s", diff)
	}
	req.Spec = b.kind.Minimal()
	for name := range b.observe(t, req).Applied {
		field := slices.ContainsFunc(b.kind.Fields, func(f Field) bool { return f.Name == name }) // drivers remember more than fields
		if _, declared := get(&req.Spec, name); field && !declared && !b.kind.returns(name) {
			t.Errorf("%s is still Applied although the spec no longer has it", name)
		}
	}
}

// returns reports whether a field returns to a safe value when it is taken out of the spec.
func (k *Kind[S]) returns(name string) bool {
	return slices.ContainsFunc(k.Fields, func(f Field) bool { return f.Name == name && (f.Safe != nil || f.Releases) })
}
