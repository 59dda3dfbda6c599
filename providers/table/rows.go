package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A Row is one field of a Table. Field and Entries make rows.
type Row[S, H, P any] interface {
	// Name is the path of the field in the spec.
	Name() string
	// Doc returns the description of the field, which does not depend on an object.
	Doc() driver.Field

	declared(want *S) bool
	diff(want *S, have *H, applied driver.Applied) (driver.Change, bool)
	preview(from, to *S, applied driver.Applied, have *H) (driver.Change, bool)
	patch(want *S, have *H, change driver.Change, into *P) error
	mirror(have *H) (any, bool)
	fixed(have *H) (string, bool)
	applied(want *S, before []string, differing *driver.Change, at moment) ([]string, bool)
	secretIn(want *S) (string, bool)
	constant() bool
}

// A Table lists the fields of one kind of cloud object.
type Table[S, H, P any] []Row[S, H, P]

// Diff returns the differences between want and have, in the order of the table. A field that want does not declare
// differs only if it was applied before and has a safe default. Fields for which skip returns true, because they could
// not be read, are left out.
func (t Table[S, H, P]) Diff(want *S, have *H, applied driver.Applied, skip func(field string) bool) []driver.Change {
	var changes []driver.Change
	for _, row := range t {
		if skip != nil && skip(row.Name()) {
			continue
		}
		if c, differs := row.diff(want, have, applied); differs {
			changes = append(changes, c)
		}
	}
	return changes
}

// Preview returns the changes that Diff would return for an object in the state from, with the spec to, in the order of
// the table. from may be a mirror. have needs only the fields that the rows' effects use.
func (t Table[S, H, P]) Preview(from, to *S, applied driver.Applied, have *H) []driver.Change {
	var changes []driver.Change
	for _, row := range t {
		if c, differs := row.preview(from, to, applied, have); differs {
			changes = append(changes, c)
		}
	}
	return changes
}

// Patch fills into with exactly the fields in changes. It returns an error for a change without a row, and for an
// Impossible one.
func (t Table[S, H, P]) Patch(want *S, have *H, changes []driver.Change, into *P) error {
	for _, c := range changes {
		row, ok := t.row(c.Field)
		if !ok {
			return fmt.Errorf("patch: no field %q", c.Field)
		}
		if c.Effect == driver.Impossible {
			return fmt.Errorf("patch %s: %s", c.Field, c.Why)
		}
		if err := row.patch(want, have, c, into); err != nil {
			return fmt.Errorf("patch %s: %w", c.Field, err)
		}
	}
	return nil
}

// Fill fills into with every field that want declares, for a creation. Its error lists all fields that could not be
// filled.
func (t Table[S, H, P]) Fill(want *S, into *P) error {
	var problems []error
	for _, row := range t {
		if !row.declared(want) {
			continue
		}
		if err := row.patch(want, nil, driver.Change{Field: row.Name()}, into); err != nil {
			problems = append(problems, invalid("fill %s: %s", row.Name(), err))
		}
	}
	return Together(problems...)
}

// Mirror returns the state in the cloud as JSON of the spec's parameters. It leaves out secrets, and fields that the
// cloud does not report.
func (t Table[S, H, P]) Mirror(have *H) (json.RawMessage, error) {
	root := map[string]any{}
	for _, row := range t {
		if value, ok := row.mirror(have); ok {
			place(root, row.Name(), value)
		}
	}
	return json.Marshal(root)
}

// place sets the value of a field in an object of JSON.
func place(root map[string]any, name string, value any) {
	at, path := root, strings.Split(name, ".")
	for _, step := range path[:len(path)-1] {
		next, ok := at[step].(map[string]any)
		if !ok {
			next = map[string]any{}
			at[step] = next
		}
		at = next
	}
	at[path[len(path)-1]] = value
}

// withDeclared adds to a mirror what a spec says of those of its fields that take returns true for.
func withDeclared[S any](mirror json.RawMessage, spec *S, take func(field string) bool, declared []string) (json.RawMessage, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, err
	}
	var says, root map[string]any
	if err := errors.Join(json.Unmarshal(text, &says), json.Unmarshal(mirror, &root)); err != nil {
		return nil, err
	}
	for _, name := range declared {
		value, ok := valueAt(says, name)
		if list, isList := value.([]any); value == "" || isList && len(list) == 0 { // a mirror leaves out what is empty
			continue
		}
		if ok && take(name) {
			place(root, name, value)
		}
	}
	return json.Marshal(root)
}

// valueAt returns the value of a field in an object of JSON.
func valueAt(root map[string]any, name string) (value any, ok bool) {
	value = root
	for step := range strings.SplitSeq(name, ".") {
		object, _ := value.(map[string]any)
		if value, ok = object[step]; !ok {
			return nil, false
		}
	}
	return value, true
}

// Fixed returns the fields of a present object that can't be changed any more, with their values. An empty value says
// that the field has none and can't get one.
func (t Table[S, H, P]) Fixed(have *H) map[string]string {
	out := map[string]string{}
	for _, row := range t {
		if value, ok := row.fixed(have); ok {
			out[row.Name()] = value
		}
	}
	return out
}

// Applied returns what Mooring has set in the cloud, from what was applied before and the fields that still differ.
//
// A field that differs keeps its old value. A map or list that differs has old and new names, because the new ones may
// be set already. A field that want does not declare any more is left out, unless it still has to return to its safe
// default. Fields in unseen could not be read, and keep what they had.
func (t Table[S, H, P]) Applied(want *S, before driver.Applied, differing []driver.Change, unseen ...string) driver.Applied {
	return t.remember(want, before, differing, rest, unseen)
}

// AppliedAtWork is Applied for an object with an operation in progress. The operation may still set values of an
// earlier spec, even if the present spec equals the present object. So entries that the spec does not have any more,
// and values that have to return to a safe default, are kept.
func (t Table[S, H, P]) AppliedAtWork(want *S, before driver.Applied, differing []driver.Change, unseen ...string) driver.Applied {
	return t.remember(want, before, differing, work, unseen)
}

// AppliedByCreation is Applied for an object that is about to be created: all declared fields, except those in later.
// The caller records it before the creation.
func (t Table[S, H, P]) AppliedByCreation(want *S, later []driver.Change) driver.Applied {
	return t.remember(want, nil, later, creation, nil)
}

// A moment is when it is asked what is applied.
type moment int

const (
	rest     moment = iota // the cloud has done what it was asked for
	work                   // the cloud is at work
	creation               // the object is to be created: nothing in it is somebody else's
)

func (t Table[S, H, P]) remember(want *S, before driver.Applied, differing []driver.Change, at moment, unseen []string) driver.Applied {
	differs := map[string]*driver.Change{}
	for i, c := range differing {
		differs[c.Field] = &differing[i]
	}
	out := driver.Applied{}
	for _, row := range t {
		name := row.Name()
		if slices.Contains(unseen, name) {
			if values, ok := before[name]; ok {
				out[name] = slices.Clone(values)
			}
			continue
		}
		if values, ok := row.applied(want, before[name], differs[name], at); ok {
			out[name] = values
		}
	}
	return out
}

// Declared returns the names of the fields that want declares, in the order of the table.
func (t Table[S, H, P]) Declared(want *S) []string {
	var names []string
	for _, row := range t {
		if row.declared(want) {
			names = append(names, row.Name())
		}
	}
	return names
}

// Secrets returns the values of the secret fields that want declares.
func (t Table[S, H, P]) Secrets(want *S) []string {
	var values []string
	for _, row := range t {
		if value, secret := row.secretIn(want); secret {
			values = append(values, value)
		}
	}
	return values
}

// Constant reports whether every change of a field has the same effect, the only one that its row lists.
func (t Table[S, H, P]) Constant(name string) bool {
	row, ok := t.row(name)
	return ok && row.constant()
}

// Docs returns the description of each row.
func (t Table[S, H, P]) Docs() []driver.Field {
	docs := make([]driver.Field, 0, len(t))
	for _, row := range t {
		docs = append(docs, row.Doc())
	}
	return docs
}

func (t Table[S, H, P]) row(name string) (Row[S, H, P], bool) {
	for _, row := range t {
		if row.Name() == name {
			return row, true
		}
	}
	return nil, false
}
