package drivertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Sequences leads objects of a kind through random sequences of edits, and holds that each ends as a new object with the last spec would be:
// what that spec sets is in the cloud, and entries of others are untouched. One that can't get there has a change that is Impossible, or is
// refused with the name of a field, as a new object would be or as Field.Stuck says. Seeds say which sequences: the same seed makes the same one. One that fails
// is told as short as it still fails.
func Sequences(t *testing.T, h Harness, kind string, seeds ...uint64) {
	h.defaults()
	for _, k := range h.Kinds {
		if k.kind() == kind {
			k.sequences(t, &h, seeds)
			return
		}
	}
	t.Fatalf("the harness has no kind %q", kind)
}

func (k *Kind[S]) sequences(t *testing.T, h *Harness, seeds []uint64) {
	q, ends := sequences[S]{newBench(h, k.Name, k)}, map[ending]int{}
	for _, seed := range seeds {
		s := q.random(t, rand.New(rand.NewPCG(seed, 0)))
		end, why := q.attempt(t, s)
		ends[end]++
		if end != endFailed {
			continue
		}
		s, why = q.shortened(t, s, why)
		t.Fatalf("seed %d: %s\n%s", seed, s, strings.Join(why, "\n"))
	}
	t.Logf("%d sequences ended so: %v", len(seeds), ends)
	if ends[endConverged] < len(seeds)/2 {
		t.Errorf("%d of %d sequences ended as declared: they show too little", ends[endConverged], len(seeds))
	}
}

// sequences makes sequences of a kind.
type sequences[S any] struct{ b *bench[S] }

// An ending is how a sequence ended.
type ending string

const (
	endConverged ending = "as declared"
	endStalled   ending = "with a change that is Impossible"
	endRefused   ending = "refused by name"
	endNotMade   ending = "refused at creation"
	endFailed    ending = "failed"
)

// A sequence is what happens to an object.
type sequence struct {
	// without are the fields of Full that it is not created with.
	without []string
	moves   []move
}

// A move sets a field to a value, in the spec, where nil takes it out, or behind the driver's back. Then the object gets so many rounds of
// being looked at and updated.
type move struct {
	field  string
	value  any
	others bool
	rounds int
}

// String returns the sequence as somebody would tell it.
func (s sequence) String() string {
	lines := []string{"created without " + strings.Join(s.without, ", ")}
	for _, m := range s.moves {
		what := fmt.Sprintf("spec.%s = %v", m.field, m.value)
		if m.others {
			what = fmt.Sprintf("somebody sets %s = %v", m.field, m.value)
		}
		lines = append(lines, fmt.Sprintf("%s, then %d rounds", what, m.rounds))
	}
	return strings.Join(lines, "\n  ")
}

// random makes a sequence.
func (q *sequences[S]) random(t testing.TB, r *rand.Rand) (s sequence) {
	var fields []Field
	for _, f := range q.b.kind.Fields {
		if f.Effect != driver.Impossible {
			fields = append(fields, f)
		}
	}
	for range r.IntN(4) {
		if f := fields[r.IntN(len(fields))]; !slices.Contains(q.b.kind.Needed, f.Name) && !slices.Contains(s.without, f.Name) {
			s.without = append(s.without, f.Name)
			s.without = append(s.without, f.companions()...)
		}
	}
	for range 1 + r.IntN(6) {
		f := fields[r.IntN(len(fields))]
		m := move{field: f.Name, rounds: r.IntN(4)}
		if f.drifts() && q.b.kind.Cloud.Edit != nil && r.IntN(5) == 0 {
			m.value, m.others = f.drift(), true
		} else {
			m.value = q.valueOf(t, f, r.IntN(5))
		}
		if m.value == nil && r.IntN(4) > 0 { // else the cloud may refuse what is left
			for _, other := range f.companions() {
				s.moves = append(s.moves, move{field: other})
			}
		}
		s.moves = append(s.moves, m)
	}
	return s
}

// valueOf is a value for a field: of five, two are another than in Full, two the one in Full, and one is none.
func (q *sequences[S]) valueOf(t testing.TB, f Field, choice int) any {
	switch {
	case choice < 2:
		return f.To
	case choice == 2 && !slices.Contains(q.b.kind.Needed, f.Name):
		return nil
	}
	return q.b.kind.declared(t, f)
}

// shortened leaves out of a sequence that failed what it fails without.
func (q *sequences[S]) shortened(t testing.TB, s sequence, why []string) (sequence, []string) {
	for shorter := true; shorter; {
		shorter = false
		var all []sequence
		for i := range s.moves {
			all = append(all, sequence{s.without, slices.Delete(slices.Clone(s.moves), i, i+1)})
		}
		for i := range s.without {
			all = append(all, sequence{slices.Delete(slices.Clone(s.without), i, i+1), s.moves})
		}
		for _, other := range all {
			if end, says := q.attempt(t, other); end == endFailed {
				s, why, shorter = other, says, true
				break
			}
		}
	}
	return s, why
}

// attempt leads an object through a sequence, and says how that ended and what failed.
func (q *sequences[S]) attempt(t testing.TB, s sequence) (end ending, why []string) {
	w := &witnessed{TB: t}
	w.run(func() { end = q.lead(w, s) })
	if len(w.said) > 0 {
		end = endFailed
	}
	return end, w.said
}

func (q *sequences[S]) lead(t *witnessed, s sequence) ending {
	spec := q.b.kind.Full()
	for _, field := range s.without {
		set(t, &spec, field, nil)
	}
	req := q.b.request(t, spec)
	if !q.made(t, &req) {
		return endNotMade
	}
	defer q.remove(t, req.Name)
	q.rounds(t, &req, 12)
	theirs := q.others(t, req.Name)
	for _, m := range s.moves {
		if m.others {
			q.b.Finish(t)
			inner := &witnessed{TB: t}
			inner.run(func() { q.b.kind.Cloud.Edit(inner, req.Name, m.field, m.value) }) // the cloud may refuse it
			q.b.Finish(t)
		} else {
			set(t, &req.Spec, m.field, m.value)
		}
		q.takenAway(m.field, theirs)
		q.rounds(t, &req, m.rounds)
	}
	end, says, last := q.rounds(t, &req, 12)
	q.theirsKept(t, req, theirs)
	if end == endStalled {
		return endStalled
	}
	fresh := q.b.request(t, req.Spec)
	if !q.made(t, &fresh) {
		return endRefused
	}
	defer q.remove(t, fresh.Name)
	newEnd, _, its := q.rounds(t, &fresh, 12)
	if end == endRefused && (newEnd == endRefused || q.stuck(says)) {
		return endRefused
	}
	if end != newEnd {
		t.Fatalf("it ends %s (%s), and a new object with the same spec %s", end, says, newEnd)
	}
	q.alike(t, req.Spec, last.Mirror, its.Mirror)
	return end
}

// stuck reports whether what was refused names a field whose edits may be refused where a new object could have the value.
func (q *sequences[S]) stuck(says string) bool {
	return slices.ContainsFunc(q.b.kind.Fields, func(f Field) bool { return f.Stuck != "" && strings.Contains(says, f.Name) })
}

// remove makes room for the next objects. One that can't be deleted now stays.
func (q *sequences[S]) remove(t testing.TB, name string) {
	q.b.Finish(t)
	inner := &witnessed{TB: t}
	inner.run(func() { q.b.kind.Cloud.Remove(inner, name) })
}

// made creates an object, and reports whether the cloud took it.
func (q *sequences[S]) made(t testing.TB, req *request[S]) bool {
	t.Helper()
	req.Applied = q.b.observe(t, *req).Applied
	result, err := q.b.open(t).Create(t.Context(), *req)
	if driver.CodeOf(err) == driver.Invalid {
		return false
	}
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	req.ID, req.Operation = result.ID, result.Operation
	q.b.Finish(t)
	return true
}

// rounds looks at an object and applies what differs so many times, or until nothing does, and says where that ended.
func (q *sequences[S]) rounds(t testing.TB, req *request[S], n int) (end ending, says string, obs driver.Observation) {
	t.Helper()
	end, says = endFailed, "it does not come to rest"
	for i := range n {
		if i%3 == 2 { // before that, it is looked at while the cloud is at work
			q.b.Finish(t)
		}
		obs = q.b.observe(t, *req)
		req.Applied, req.Operation, req.ID = obs.Applied, obs.Operation, obs.ID
		switch {
		case obs.State == driver.Pending:
			q.b.Finish(t)
			continue
		case obs.State != driver.Ready:
			t.Fatalf("the state is %v (%s)", obs.State, obs.Problem)
		case len(obs.Changes) == 0:
			return endConverged, "", obs
		case slices.ContainsFunc(obs.Changes, func(c driver.Change) bool { return c.Effect == driver.Impossible }):
			return endStalled, fmt.Sprint(obs.Changes), obs
		}
		result, err := q.b.open(t).Update(t.Context(), *req, obs.Changes)
		switch code := driver.CodeOf(err); {
		case code == driver.Busy && obs.Stopped && slices.ContainsFunc(obs.Changes, func(c driver.Change) bool { return c.NeedsRunning }):
			end, says = endRefused, err.Error() // until the spec or somebody starts it
		case code == driver.Busy, code == driver.Conflict:
			q.b.Finish(t)
		case err != nil:
			end, says = endRefused, err.Error()
			if !strings.Contains(says, "spec.") {
				t.Errorf("a refusal names no field: %s", says)
			}
		case len(result.Failed) > 0:
			end, says = endRefused, fmt.Sprint(result.Failed)
		default:
			end, says = endFailed, fmt.Sprintf("it does not come to rest: %v", obs.Changes)
			req.Operation = result.Operation
		}
	}
	return end, says, obs
}

// others has somebody else set an entry in each map, and returns the maps as they are then.
func (q *sequences[S]) others(t testing.TB, name string) map[string]map[string]string {
	t.Helper()
	q.b.Finish(t)
	all := map[string]map[string]string{}
	for _, f := range q.b.kind.Fields {
		if in, ok := q.b.kind.entriesIn(f.Name); ok {
			entries := in.Of(t, name)
			entries[in.Other] = in.Theirs
			in.Set(t, name, entries)
			if in.Of(t, name)[in.Other] == in.Theirs { // not where nobody can, such as in a default group of RDS
				all[f.Name] = map[string]string{in.Other: in.Theirs}
			}
		}
	}
	q.b.Finish(t)
	return all
}

// takenAway forgets the maps that a field excludes: with another value of it, such as another parameter group, they have
// other entries.
func (q *sequences[S]) takenAway(field string, theirs map[string]map[string]string) {
	for _, f := range q.b.kind.Fields {
		if f.Name != field {
			continue
		}
		maps.DeleteFunc(theirs, func(excluded string, _ map[string]string) bool {
			value, given := f.Given[excluded]
			return given && value == nil
		})
	}
}

// theirsKept checks that what others set is there.
func (q *sequences[S]) theirsKept(t testing.TB, req request[S], theirs map[string]map[string]string) {
	t.Helper()
	for field, want := range theirs {
		in, _ := q.b.kind.entriesIn(field)
		got := in.Of(t, req.Name)
		for name := range maps.Keys(want) {
			if got[name] != want[name] {
				t.Errorf("of %s somebody else's entry %s=%s is %q in the end", field, name, want[name], got[name])
			}
		}
	}
}

// alike checks that what a spec sets reads the same in the mirrors of two objects. Where the cloud knows no way back, one is ahead, and where
// several values mean the same, each may have one of them.
func (q *sequences[S]) alike(t testing.TB, spec S, mirror, other json.RawMessage) {
	t.Helper()
	var one, two S
	for into, raw := range map[*S]json.RawMessage{&one: mirror, &two: other} {
		if err := json.Unmarshal(raw, into); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range q.b.kind.Fields {
		if _, declared := get(&spec, f.Name); !declared || f.NoDrift != "" || len(f.Same) > 0 {
			continue
		}
		if _, isMap := f.To.(map[string]string); isMap {
			continue // others own entries, too
		}
		if _, says := get(&spec, f.With); f.With != "" && !says {
			continue
		}
		got, _ := get(&one, f.Name)
		if want, _ := get(&two, f.Name); got != want {
			t.Errorf("%s is %q in the end, and %q in a new object", f.Name, got, want)
		}
	}
}

// witnessed is a test that notes what fails, in place of failing.
type witnessed struct {
	testing.TB
	said []string
}

// ended is what a failure that ends a witnessed test panics with.
type ended struct{}

// run runs something until it ends or fails for good.
func (w *witnessed) run(something func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ours := r.(ended); !ours {
				panic(r)
			}
		}
	}()
	something()
}

// Errorf implements testing.TB.
func (w *witnessed) Errorf(format string, args ...any) {
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// Error implements testing.TB.
func (w *witnessed) Error(args ...any) { w.said = append(w.said, fmt.Sprint(args...)) }

// Fatalf implements testing.TB.
func (w *witnessed) Fatalf(format string, args ...any) {
	w.Errorf(format, args...)
	panic(ended{})
}

// Fatal implements testing.TB.
func (w *witnessed) Fatal(args ...any) {
	w.Error(args...)
	panic(ended{})
}

// Seeds returns so many seeds, or as many as MOORING_SEQUENCES says, from 1 on.
func Seeds(t testing.TB, n uint64) (seeds []uint64) {
	t.Helper()
	if text := os.Getenv("MOORING_SEQUENCES"); text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("MOORING_SEQUENCES is not a number: %v", err)
		}
	}
	for seed := range n {
		seeds = append(seeds, seed+1)
	}
	return seeds
}
