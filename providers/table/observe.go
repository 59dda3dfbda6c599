package table

import (
	"context"
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
	if err != nil {
		return driver.Observation{}, err
	}
	if o.State == driver.Deleting {
		o.Changes = nil
	}
	return o, nil
}

// absent completes the observation of no object: a creation sets all that is declared but what is set later. Parts that follow the
// creation at once are announced too, or the caller would have to store them in between.
func (a *Adapter[S, H, P]) absent(ctx context.Context, req *Request[S], o *driver.Observation) error {
	var later []driver.Change
	for _, part := range a.Parts {
		for _, name := range part.Fields {
			if part.Later {
				later = append(later, driver.Change{Field: name})
			}
		}
	}
	o.State, o.Applied = driver.Absent, a.Table.Applied(&req.Spec, nil, later)
	if a.Remains != nil {
		if err := a.Remains(ctx, req, o); err != nil || o.State != driver.Absent {
			return err
		}
	}
	if a.Snapshot == nil || req.Deletion == nil || req.Deletion.Snapshot == "" {
		return nil
	}
	return a.Snapshot(ctx, req, o)
}

// compare fills in the differences between spec and object, what is applied, what is fixed, and the mirror.
//
// For a deletion, and of an object that the cloud is deleting, no more is read than what is there already. If that leaves a field
// open, only the changes of the others are reported.
func (a *Adapter[S, H, P]) compare(ctx context.Context, req *Request[S], have *H, o *driver.Observation) error {
	parts, skipped := a.unread(req, have), []*Part[S, H, P](nil)
	if o.State == driver.Deleting || req.Deletion != nil {
		parts, skipped = nil, parts
	}
	if err := a.readParts(ctx, req, have, parts, o); err != nil {
		return err
	}
	unseen := func(name string) bool {
		return slices.Contains(namesOf(o.Unreadable), name) ||
			slices.ContainsFunc(skipped, func(part *Part[S, H, P]) bool { return part.has(name) })
	}
	if a.Learn != nil && o.State != driver.Deleting && req.Deletion == nil {
		a.Learn(ctx, req, have)
	}
	o.Changes = a.Table.Diff(&req.Spec, have, req.Applied, unseen)
	applied := a.Table.Applied
	if o.State == driver.Pending {
		applied = a.Table.AppliedAtWork
	}
	o.Applied = applied(&req.Spec, req.Applied, o.Changes, namesOf(o.Unreadable)...)
	seen := slices.DeleteFunc(slices.Clone(a.Table), func(row Row[S, H, P]) bool { return unseen(row.Name()) })
	o.Fixed = seen.Fixed(have)
	var err error
	if o.Mirror, err = seen.Mirror(have); err != nil {
		return &driver.Error{Code: driver.Internal, Message: "mirror: " + err.Error()}
	}
	if a.Login != nil {
		if err := a.Login(ctx, req, have, o); err != nil {
			return err
		}
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

// readParts reads parts, all at once, and notes what could not be read.
func (a *Adapter[S, H, P]) readParts(ctx context.Context, req *Request[S], into *H, parts []*Part[S, H, P], o *driver.Observation) error {
	errs := make([]error, len(parts))
	var reads sync.WaitGroup
	for i, part := range parts {
		reads.Go(func() { errs[i] = part.Read(ctx, req, into) })
	}
	reads.Wait()
	for i, err := range errs {
		if err == nil {
			continue
		}
		if vital := parts[i].Vital; vital != nil && vital(err) {
			return err
		}
		for _, name := range parts[i].Fields {
			o.Unreadable = append(o.Unreadable, driver.FieldError{Field: name, Err: driver.ErrorOf(err)})
		}
	}
	return nil
}

// namesOf returns the fields that could not be read.
func namesOf(unreadable []driver.FieldError) []string {
	var names []string
	for _, u := range unreadable {
		names = append(names, u.Field)
	}
	return names
}
