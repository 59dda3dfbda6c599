package table

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/mooring-dev/mooring/providers/driver"
)

// Observe implements External.
func (a *Adapter[S, H, P]) Observe(ctx context.Context, req Request[S]) (driver.Observation, error) {
	if err := a.serves(&req); err != nil {
		return driver.Observation{}, err
	}
	var o driver.Observation
	have, err := a.Read(ctx, &req, &o)
	if err == nil && have == nil {
		err = a.absent(ctx, &req, &o)
	} else if err == nil {
		a.State(&req, have, &o)
		err = a.compare(ctx, &req, have, &o)
	}
	if err == nil && a.Beside != nil {
		err = a.Beside.Observe(ctx, &req, have, &o)
	}
	if err != nil {
		return driver.Observation{}, driver.RedactError(err, a.secrets(&req)...)
	}
	a.redactFields(&req, o.Unreadable)
	o.OperationError = a.redact(&req, o.OperationError)
	if o.State == driver.Deleting {
		o.Changes = nil
	}
	if have == nil || o.State == driver.Deleting || req.Deletion != nil {
		return o, nil
	}
	if a.Guarded {
		o.Read = a.reads.keep(req.Parent.Name, req.Name, have)
	}
	if a.Actions != nil {
		o.Actions = a.Actions(&req, have, &o)
	}
	if a.Support != nil {
		o.Support = a.Support(ctx, have)
	}
	a.Following.lag(ctx, have, &o)
	return o, nil
}

// absent completes the observation of no object: a creation sets all that is declared but what is set later. Parts that follow the
// creation at once are announced too, or the caller would have to store them in between.
func (a *Adapter[S, H, P]) absent(ctx context.Context, req *Request[S], o *driver.Observation) (err error) {
	var later []driver.Change
	for _, part := range a.Parts {
		for _, name := range part.Fields {
			if part.Later {
				later = append(later, driver.Change{Field: name})
			}
		}
	}
	o.State, o.Applied = driver.Absent, a.Table.AppliedByCreation(&req.Spec, later)
	if a.Remains != nil {
		if err := a.Remains(ctx, req, o); err != nil || o.State != driver.Absent {
			return err
		}
	}
	if a.Restorable != nil && req.Vanished != nil {
		left, err := a.Restorable(ctx, req)
		if err != nil {
			return err
		}
		o.Backup = &driver.Backup{Restorable: left}
	}
	if a.Snapshot == nil || req.Deletion == nil || req.Deletion.Snapshot == "" {
		return nil
	}
	state, problem, err := a.Snapshot(ctx, req)
	if err != nil {
		return err
	}
	if problem != "" {
		o.Problem = problem
	}
	o.Backup = &driver.Backup{FinalSnapshot: state, Restorable: o.Backup.GetRestorable()}
	return nil
}

// compare fills in the differences between spec and object, what is applied, what is fixed, and the mirror.
//
// For a deletion, and of an object that the cloud is deleting, no more is read than what is there already. If that leaves a field
// open, only the changes of the others are reported. What a creation just set is not read: it is as the spec says.
func (a *Adapter[S, H, P]) compare(ctx context.Context, req *Request[S], have *H, o *driver.Observation) error {
	parts := a.unread(req, have)
	var skipped, set []*Part[S, H, P]
	switch {
	case o.State == driver.Deleting || req.Deletion != nil:
		parts, skipped = nil, parts
	default:
		parts, set = a.withoutJustSet(req, parts)
	}
	undeclared := a.without(parts, skipped, set)
	if !req.Whole || req.Deletion != nil {
		o.Unread = fieldsOf(undeclared)
		undeclared = nil
	}
	lacking, err := a.readParts(ctx, req, have, parts, undeclared, o)
	if err != nil {
		return err
	}
	addHidden(ctx, a, req, have, o)
	unseen := func(name string) bool {
		return slices.Contains(namesOf(o.Unreadable), name) || slices.Contains(lacking, name) || haveField(skipped, name) || haveField(set, name)
	}
	if a.Learn != nil && o.State != driver.Deleting && req.Deletion == nil {
		a.Learn(ctx, req, have)
	}
	o.Changes = a.Table.Diff(&req.Spec, have, req.Applied, unseen)
	applied := a.Table.Applied
	if o.State == driver.Pending {
		applied = a.Table.AppliedAtWork
	}
	// What the cloud says that it lacks stays remembered, too: that answer may be wrong, and what we let in has to be taken back once it is seen again.
	o.Applied = applied(&req.Spec, req.Applied, o.Changes, append(namesOf(o.Unreadable), lacking...)...)
	a.withhold(req, have, o)
	seen := slices.DeleteFunc(slices.Clone(a.Table), func(row Row[S, H, P]) bool { return unseen(row.Name()) })
	o.Fixed = seen.Fixed(have)
	if o.Mirror, err = seen.Mirror(have); err == nil && len(set) > 0 {
		o.Mirror, err = withDeclared(o.Mirror, &req.Spec, func(name string) bool { return haveField(set, name) }, a.Table.Declared(&req.Spec))
	}
	if o.Mirror, err = said(a.Sayable, o.Mirror, &req.Spec, err); err != nil {
		return &driver.Error{Code: driver.Internal, Message: "mirror: " + err.Error()}
	}
	if a.Login != nil {
		if err := a.Login(ctx, req, have, o); err != nil {
			return err
		}
		a.withhold(req, have, o)
	}
	if a.Review != nil {
		a.Review(req, have, o)
	}
	if len(skipped) > 0 {
		o.Applied, o.Mirror, o.Fixed = nil, nil, nil
	}
	if !a.Fixed {
		o.Fixed = nil
	}
	return nil
}

// said returns a mirror as a spec can say it, unless there was an error in making it.
func said[S any](sayable func(spec, mirror *S), mirror json.RawMessage, spec *S, err error) (json.RawMessage, error) {
	if sayable == nil || err != nil {
		return mirror, err
	}
	var s S
	if err := json.Unmarshal(mirror, &s); err != nil {
		return nil, err
	}
	sayable(spec, &s)
	return json.Marshal(&s)
}

// withoutJustSet takes out of parts those of which a creation set all that the spec declares.
func (a *Adapter[S, H, P]) withoutJustSet(req *Request[S], parts []*Part[S, H, P]) (rest, set []*Part[S, H, P]) {
	declared := a.Table.Declared(&req.Spec)
	for _, part := range parts {
		open := func(name string) bool { return part.has(name) && !slices.Contains(req.JustSet, name) }
		if len(req.JustSet) == 0 || slices.ContainsFunc(declared, open) || !slices.ContainsFunc(req.JustSet, part.has) {
			rest = append(rest, part)
			continue
		}
		set = append(set, part)
	}
	return rest, set
}

// haveField reports whether one of the parts changes a field.
func haveField[S, H, P any](parts []*Part[S, H, P], name string) bool {
	return slices.ContainsFunc(parts, func(part *Part[S, H, P]) bool { return part.has(name) })
}

// unread returns the parts that have to be read: those of fields that the spec declares, or that have to return to their safe values.
// Against what was not read yet just those fields differ, from nothing.
func (a *Adapter[S, H, P]) unread(req *Request[S], have *H) []*Part[S, H, P] {
	var parts []*Part[S, H, P]
	for i := range a.Parts {
		part := &a.Parts[i]
		if part.Read == nil {
			continue
		}
		changes := a.Table.Diff(&req.Spec, have, req.Applied, func(name string) bool { return !part.has(name) })
		if slices.ContainsFunc(changes, func(c driver.Change) bool { return c.From == "" }) {
			parts = append(parts, part)
		}
	}
	return parts
}

// without returns the parts that have a read of their own and are in none of the lists. What is written later is read by the name in the spec.
func (a *Adapter[S, H, P]) without(lists ...[]*Part[S, H, P]) (rest []*Part[S, H, P]) {
	for i := range a.Parts {
		if part := &a.Parts[i]; part.Read != nil && !part.Later && !slices.Contains(slices.Concat(lists...), part) {
			rest = append(rest, part)
		}
	}
	return rest
}

// fieldsOf returns the fields of parts, in their order.
func fieldsOf[S, H, P any](parts []*Part[S, H, P]) (fields []string) {
	for _, part := range parts {
		fields = append(fields, part.Fields...)
	}
	return fields
}

// readParts reads parts, all at once, and notes what could not be read. What is undeclared is for the mirror alone: an error leaves it unread. It
// returns the fields that the cloud says that it lacks. Of these only such as the spec declares are Unreadable: as long as the cloud says so, nothing can return to a safe value.
func (a *Adapter[S, H, P]) readParts(ctx context.Context, req *Request[S], into *H, parts, undeclared []*Part[S, H, P], o *driver.Observation) (lacking []string, err error) {
	declared := a.Table.Declared(&req.Spec)
	all := slices.Concat(parts, undeclared)
	errs := make([]error, len(all))
	var reads sync.WaitGroup
	for i, part := range all {
		reads.Go(func() { errs[i] = part.Read(ctx, req, into) })
	}
	reads.Wait()
	for i, err := range errs {
		if err == nil {
			continue
		}
		if i >= len(parts) {
			o.Unread = append(o.Unread, all[i].Fields...)
			continue
		}
		if vital := parts[i].Vital; vital != nil && vital(err) {
			return nil, err
		}
		lacks := driver.CodeOf(err) == driver.Unsupported
		for _, name := range parts[i].Fields {
			if lacks {
				lacking = append(lacking, name)
			}
			if lacks && !slices.Contains(declared, name) {
				o.Unread = append(o.Unread, name)
				continue
			}
			o.Unreadable = append(o.Unreadable, driver.FieldError{Field: name, Err: driver.ErrorOf(err)})
		}
	}
	return lacking, nil
}

// addHidden adds to what could not be read the fields that the cloud may have kept back. An object that is to go is not compared.
func addHidden[S, H, P any](ctx context.Context, a *Adapter[S, H, P], req *Request[S], have *H, o *driver.Observation) {
	if o.State == driver.Deleting || req.Deletion != nil {
		return
	}
	declared := a.Table.Declared(&req.Spec)
	for i := range a.Parts {
		part := &a.Parts[i]
		if part.Hidden == nil || !slices.ContainsFunc(declared, part.has) {
			continue
		}
		if err := part.Hidden(ctx, req, have); err != nil {
			for _, name := range part.Fields {
				o.Unreadable = append(o.Unreadable, driver.FieldError{Field: name, Err: driver.ErrorOf(err)})
			}
		}
	}
}

// namesOf returns the fields that could not be read.
func namesOf(unreadable []driver.FieldError) []string {
	var names []string
	for _, u := range unreadable {
		names = append(names, u.Field)
	}
	return names
}
