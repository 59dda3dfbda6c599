package drivertest

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A rest is how an object came to rest.
type rest struct {
	end ending
	obs driver.Observation
	// cannot are the fields that still differ and that the driver named, with what it says of each.
	cannot map[string]string
}

// open returns the fields that still differ.
func (r rest) open() []string { return driver.Names(r.obs.Changes) }

// impossible reports whether a field can't change on the object.
func (r rest) impossible(field string) bool {
	return slices.ContainsFunc(r.obs.Changes, func(c driver.Change) bool { return c.Field == field && c.Effect == driver.Impossible })
}

// rounds looks at an object and applies what differs so many times, or until nothing does, and says where that ended. What can't change is
// tried beside the rest, which it must not keep waiting. In the end all that still differs has to be named.
func (q *sequences[S]) rounds(t testing.TB, req *request[S], n int) (at rest) {
	t.Helper()
	at.end = endFailed
	for i := range n {
		if i%3 == 2 { // before that, it is looked at while the cloud is at work
			q.b.Finish(t)
		}
		before := at.cannot
		at.obs, at.cannot = q.b.observe(t, *req), nil
		req.Applied, req.Operation, req.ID = at.obs.Applied, at.obs.Operation, at.obs.ID
		switch {
		case at.obs.State == driver.Pending:
			q.b.Finish(t)
			continue
		case at.obs.State != driver.Ready:
			t.Fatalf("the state is %v (%s)", at.obs.State, at.obs.Problem)
		case len(at.obs.Changes) == 0:
			q.b.checked(t, *req, at.obs.Mirror)
			at.end = endConverged
			return at
		}
		at.cannot = q.apply(t, req, at.obs)
		if i > 3 && len(at.cannot) == len(at.obs.Changes) && maps.Equal(before, at.cannot) {
			break
		}
	}
	if n < 12 {
		return at
	}
	at.end = endRefused
	if !slices.ContainsFunc(at.obs.Changes, func(c driver.Change) bool { return c.Effect != driver.Impossible }) {
		at.end = endStalled
	}
	for _, c := range at.obs.Changes {
		if at.cannot[c.Field] == "" {
			t.Errorf("%s differs (%q, want %q) and is not named as what can't be: it comes to no rest, or waits for what is: %v", c.Field, c.From, c.To, at.cannot)
		}
	}
	return at
}

// apply makes changes, and returns what is said of those that can't be made.
func (q *sequences[S]) apply(t testing.TB, req *request[S], obs driver.Observation) (cannot map[string]string) {
	t.Helper()
	cannot = map[string]string{}
	var sent []driver.Change
	for _, c := range obs.Changes {
		switch {
		case c.NeedsRunning && obs.Stopped: // until the spec or somebody starts it
			cannot[c.Field] = "it needs a server that runs"
			continue
		case c.Effect == driver.Impossible:
			cannot[c.Field] = c.Why
		}
		sent = append(sent, c)
	}
	if len(sent) == 0 {
		return cannot
	}
	result, err := q.b.open(t).Update(t.Context(), *req, driver.Edit{Changes: sent})
	switch code := driver.CodeOf(err); {
	case code == driver.Busy, code == driver.Conflict:
		q.b.Finish(t)
	case err != nil:
		q.refused(t, err, cannot)
	}
	var waits []driver.FieldError
	for _, f := range result.Failed {
		if code := driver.CodeOf(f.Err); code == driver.Busy || code == driver.Conflict {
			waits = append(waits, f)
			continue
		}
		cannot[f.Field] = f.Err.Error()
		for _, name := range namedIn(f.Err.Error(), q.b.kind.Fields) {
			cannot[name] = cmp.Or(cannot[name], f.Err.Error())
		}
	}
	for _, f := range waits { // for ever, if for a field that can't be
		q.b.Finish(t)
		for _, name := range namedIn(f.Err.Error(), q.b.kind.Fields) {
			if name != f.Field && cannot[name] != "" {
				cannot[f.Field] = f.Err.Error()
			}
		}
	}
	if err == nil {
		req.Operation = result.Operation
	}
	maps.DeleteFunc(cannot, func(name, _ string) bool { return !slices.Contains(driver.Names(obs.Changes), name) }) // what advice names
	return cannot
}

// refused adds the fields that a refusal names.
func (q *sequences[S]) refused(t testing.TB, err error, into map[string]string) {
	t.Helper()
	names := namedIn(err.Error(), q.b.kind.Fields)
	if len(names) == 0 {
		t.Errorf("a refusal names no field: %v", err)
	}
	for _, name := range names {
		into[name] = cmp.Or(into[name], err.Error())
	}
}

var (
	pathInText = regexp.MustCompile(`spec\.[A-Za-z.]*[A-Za-z]`)
	wordInText = regexp.MustCompile(`[A-Za-z]+`)
)

// namedIn returns the fields that a message names, by their paths, or by the path of what they are in and a word: spec.maintenance.window, and day.
func namedIn(message string, fields []Field) (names []string) {
	paths, words := pathInText.FindAllString(message, -1), wordInText.FindAllString(message, -1)
	for _, f := range fields {
		in, last, _ := cutLast("spec." + f.Name)
		if slices.Contains(paths, in+"."+last) || slices.Contains(paths, in) && slices.Contains(words, last) {
			names = append(names, f.Name)
		}
	}
	return names
}

// String returns what can't be, as somebody would tell it.
func (r rest) String() string { return fmt.Sprintf("%s: %v", r.end, r.cannot) }
