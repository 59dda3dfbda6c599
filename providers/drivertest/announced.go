package drivertest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Announced makes the edits of all fields of a kind, there and back, and where the field was not set before. Whatever disturbs those who use the object has to be
// announced by the preview of the edit, and asked for by a change that says so: else nobody could consent to it. Harness.Disrupted tells what disturbed them.
func Announced(t *testing.T, harness func(t *testing.T) Harness, kind string) {
	h := harness(t)
	h.defaults()
	i := slices.IndexFunc(h.Kinds, func(k Trial) bool { return k.kind() == kind })
	if i < 0 || h.Disrupted == nil {
		t.Fatalf("the harness has no kind %q, or can't tell what disturbs it", kind)
	}
	h.Kinds[i].announced(t, &h)
}

func (k *Kind[S]) announced(t *testing.T, h *Harness) {
	d := disturbance[S]{bench: newBench(h, k.Name, k)}
	for _, f := range k.Fields {
		if f.Effect == driver.Impossible {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Run("another value", func(t *testing.T) {
				spec := given(t, d.bench, f)
				req := d.created(t, d.bench.request(t, spec))
				edited := given(t, d.bench, f)
				for name, value := range f.Along {
					set(t, &edited, name, value)
				}
				set(t, &edited, f.Name, f.To)
				d.lead(t, &req, edited)
				d.lead(t, &req, spec)
			})
			if slices.Contains(k.Needed, f.Name) || f.Later {
				return
			}
			t.Run("a first value", func(t *testing.T) {
				without, _ := withoutField(t, d.bench, f)
				req := d.created(t, without)
				d.lead(t, &req, given(t, d.bench, f))
			})
		})
	}
	if d.seen == 0 {
		t.Error("no edit disturbed anybody: the harness does not see it")
	}
	t.Logf("%d calls disturbed those who use an object, and all were announced", d.seen)
}

// A disturbance looks for what disturbs those who use an object. seen counts the calls that did.
type disturbance[S any] struct {
	bench *bench[S]
	seen  int
}

// created makes an object. What no cloud makes, as a version without the parameters of that version, is not edited either.
func (d *disturbance[S]) created(t *testing.T, req request[S]) request[S] {
	t.Helper()
	req.Applied = d.bench.observe(t, req).Applied
	result, err := d.bench.open(t).Create(t.Context(), req)
	if driver.CodeOf(err) == driver.Invalid {
		t.Skipf("SKIPPED: there is no such object: %v", err)
	}
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	req.ID, req.Operation = result.ID, result.Operation
	d.bench.converge(t, &req)
	return req
}

// lead makes an edit, and counts the calls of it that disturbed those who use the object.
func (d *disturbance[S]) lead(t *testing.T, req *request[S], to S) {
	t.Helper()
	b := d.bench
	obs := b.observe(t, *req)
	var mirror S
	if err := json.Unmarshal(obs.Mirror, &mirror); err != nil {
		t.Fatalf("the mirror is not in the shape of the spec: %v", err)
	}
	announced := slices.ContainsFunc(b.preview(t, mirror, to, obs.Applied), interrupts)
	req.Spec, req.Applied = to, obs.Applied
	const rounds = 8
	for range rounds { // what can't be made is for other tests to tell
		if obs = b.observe(t, *req); obs.State == driver.Ready && len(obs.Changes) == 0 {
			return
		}
		changes := slices.DeleteFunc(slices.Clone(obs.Changes), func(c driver.Change) bool { return c.Effect == driver.Impossible || c.NeedsRunning })
		req.Applied, req.Operation = obs.Applied, obs.Operation
		if obs.State == driver.Ready && len(changes) > 0 {
			before := len(b.Disrupted())
			result, err := b.open(t).Update(t.Context(), *req, driver.Edit{Changes: changes})
			if err == nil {
				req.Operation = result.Operation
			}
			for _, what := range b.Disrupted()[before:] {
				d.seen++
				if asked := slices.ContainsFunc(changes, interrupts); !announced || !asked {
					t.Errorf("%s disturbs those who use it; the preview of the edit says so: %v; the changes that it was sent for say so: %v", what, announced, asked)
				}
			}
		}
		b.Finish(t)
	}
}

// interrupts reports whether a change says that it disturbs those who use the object.
func interrupts(c driver.Change) bool { return c.Effect.Disruptive() && c.Effect != driver.Impossible }
