package drivertest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Sequences leads objects of a kind through random sequences of edits, and holds how each ends. What the last spec sets is in the cloud as in a new
// object. What it leaves out is as it was, or as the field's row says. Entries of others are untouched. What can't be so is named, field by field, and
// keeps nothing else waiting: a new object can't have it either, it is Impossible, or Field.Stuck says why. Seeds say which sequences: the same
// seed makes the same one. One that fails is told as short as it still fails. Every few sequences have a harness of their own.
func Sequences(t *testing.T, harness func(t *testing.T) Harness, kind string, seeds ...uint64) {
	ends := map[ending]int{}
	for some := range slices.Chunk(seeds, 50) {
		t.Run(fmt.Sprintf("from seed %d", some[0]), func(t *testing.T) {
			h := harness(t)
			h.defaults()
			i := slices.IndexFunc(h.Kinds, func(k Trial) bool { return k.kind() == kind })
			if i < 0 {
				t.Fatalf("the harness has no kind %q", kind)
			}
			for end, n := range h.Kinds[i].sequences(t, &h, some) {
				ends[end] += n
			}
		})
		if ends[endFailed] >= mostFailures {
			t.Fatal("there may be more")
		}
	}
	t.Logf("%d sequences ended so: %v", len(seeds), ends)
	if ends[endConverged] < len(seeds)/2 {
		t.Errorf("%d of %d sequences ended as declared: they show too little", ends[endConverged], len(seeds))
	}
}

func (k *Kind[S]) sequences(t *testing.T, h *Harness, seeds []uint64) map[ending]int {
	q, ends := sequences[S]{newBench(h, k.Name, k)}, map[ending]int{}
	q.b.held = q.b.open(t)
	for _, seed := range seeds {
		s := q.random(t, rand.New(rand.NewPCG(seed, 0)))
		end, why := q.attempt(t, s)
		ends[end]++
		if end == endFailed {
			s, why = q.shortened(t, s, why)
			t.Errorf("seed %d: %s\n%s", seed, s, strings.Join(why, "\n"))
		}
	}
	return ends
}

// mostFailures is how many sequences that fail are told: to shorten one takes a while.
const mostFailures = 8

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
		if len(s.moves) > 0 && r.IntN(2) == 0 { // what happens to one field again shows more than what happens to two once
			f = q.b.kind.field(t, s.moves[r.IntN(len(s.moves))].field)
		}
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

// lead leads an object through a sequence. Then what the spec has is compared with a new object, and what it does not have with what was there
// when that was left out.
func (q *sequences[S]) lead(t *witnessed, s sequence) ending {
	spec := q.b.kind.Full()
	for _, field := range s.without {
		set(t, &spec, field, nil)
	}
	req := q.b.request(t, spec)
	if q.made(t, &req) != nil {
		return endNotMade
	}
	defer q.remove(t, req.Name)
	q.rounds(t, &req, 12)
	free := newUnmanaged(t, q, &req)
	theirs := q.others(t, req.Name)
	for _, m := range s.moves {
		if m.others {
			q.edit(t, &req, m, free)
		} else {
			free.spec(t, &req, m.field, m.value)
			set(t, &req.Spec, m.field, m.value)
		}
		q.takenAway(m.field, theirs)
		q.rounds(t, &req, m.rounds)
	}
	last := q.rounds(t, &req, 12)
	q.theirsKept(t, req, theirs)
	free.check(t, &req, last)
	return q.compare(t, req, last)
}

// compare compares what an object has of a spec with a new object, as far as either can have it.
func (q *sequences[S]) compare(t *witnessed, req request[S], last rest) ending {
	fresh, there := q.b.request(t, req.Spec), q.there(t, req)
	if err := q.made(t, &fresh); err != nil {
		if len(namedIn(err.Error(), q.b.kind.Fields)) == 0 {
			t.Errorf("a refused creation names no field: %v", err)
		}
		q.alike(t, &req.Spec, there, &req.Spec, last, rest{})
		return endRefused
	}
	defer q.remove(t, fresh.Name)
	its := q.rounds(t, &fresh, 12)
	q.alike(t, &req.Spec, there, q.there(t, fresh), last, its)
	for _, name := range last.open() {
		f := q.b.kind.field(t, name)
		if _, same := its.cannot[name]; !same && !last.impossible(name) && !last.obs.Stopped && f.Stuck == "" {
			t.Errorf("%s can't be as declared (%s), and a new object is", name, last.cannot[name])
		}
	}
	if last.end == endConverged && its.end != endConverged {
		t.Errorf("it ends as declared, and a new object with the same spec %s (%v)", its.end, its.cannot)
	}
	return last.end
}

// edit has somebody else change a field. The cloud may refuse it.
func (q *sequences[S]) edit(t testing.TB, req *request[S], m move, free *unmanaged[S]) {
	q.b.Finish(t)
	before := q.there(t, *req)
	inner := &witnessed{TB: t}
	inner.run(func() { q.b.kind.Cloud.Edit(inner, req.Name, m.field, m.value) })
	q.b.Finish(t)
	free.others(t, before, q.there(t, *req))
}

// remove makes room for the next objects. One that can't be deleted now stays.
func (q *sequences[S]) remove(t testing.TB, name string) {
	q.b.Finish(t)
	inner := &witnessed{TB: t}
	inner.run(func() { q.b.kind.Cloud.Remove(inner, name) })
}

// made creates an object, and returns why the cloud did not take it.
func (q *sequences[S]) made(t testing.TB, req *request[S]) (refused error) {
	t.Helper()
	req.Applied = q.b.observe(t, *req).Applied
	result, err := q.b.open(t).Create(t.Context(), *req)
	if driver.CodeOf(err) == driver.Invalid {
		return err
	}
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	q.b.checked(t, *req, nil)
	req.ID, req.Operation = result.ID, result.Operation
	q.b.Finish(t)
	return nil
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

// Shares divides seeds among so many.
func Shares(seeds []uint64, among int) [][]uint64 {
	shares := make([][]uint64, among)
	for i, seed := range seeds {
		shares[i%among] = append(shares[i%among], seed)
	}
	return shares
}
