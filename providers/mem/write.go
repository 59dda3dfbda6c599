package mem

import (
	"context"
	"maps"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/providers/table"
)

// A manager makes the calls that are the same for all kinds, for one session. S is the spec's parameters, H an object.
type manager[S, H any] struct {
	session
	objects *Objects[H]
	// spec returns where an object holds its fields.
	spec func(*H) *S
	// busy refuses an update of an object that takes none now; nil if each does at any time.
	busy func(call *Call, have *H) error
	// refuses refuses a change that an object does not take as it is; nil if each takes all.
	refuses func(call *Call, have *H, c driver.Change) error
	// entries makes a change of a map of the spec, set being what the call sets of it; nil for a kind without one beside the tags.
	entries func(next *H, req *table.Request[S], set *S, c driver.Change)
	// setPassword makes the change of the administrator's password that a request has, or refuses it; nil for a kind without a login.
	setPassword func(call *Call, req *table.Request[S], have, next *H) error
	// update puts the next state of an object in place of the present one, and returns the operation that this takes, if any.
	update func(have, next *H, faults hits) (operation string)
}

func (m *manager[S, H]) call(ctx context.Context, op Op, name string, act func(call *Call, h hits) error) error {
	return m.session.call(ctx, Call{Account: m.account, Op: op, Kind: m.objects.kind, Name: name}, act)
}

// own returns the object that a call is about; nil if there is none, and an error if it is another account's.
func (m *manager[S, H]) own(call *Call) (*H, error) {
	have := m.objects.find(m.account, call.Name)
	if have != nil && m.objects.object(have).Account != m.account {
		return nil, fail(call, driver.Denied, "the %s belongs to another account", noun(call.Kind))
	}
	return have, nil
}

// read is table.Adapter.Read.
func (m *manager[S, H]) read(ctx context.Context, req *table.Request[S], o *driver.Observation) (*H, error) {
	var have *H
	err := m.call(ctx, OpObserve, req.Name, func(call *Call, h hits) error {
		var err error
		if have, err = m.own(call); err != nil {
			return err
		}
		if h.main.Kind == Stale {
			have = m.objects.before(m.account, req.Name)
		}
		if have != nil {
			o.Unreadable = h.unreadable(call)
		}
		if req.Operation != "" {
			o.OperationError = m.cloud.failed[req.Operation]
		}
		return nil
	})
	return orZero(have, err)
}

// write is the table.Part.Write of all fields: this cloud has one call for everything, and answers for each field.
func (m *manager[S, H]) write(ctx context.Context, req *table.Request[S], _ *H, p *params[S], changes []driver.Change) (operation string, err error) {
	var failed table.Partial
	err = m.call(ctx, OpUpdate, req.Name, func(call *Call, h hits) error {
		have, err := m.own(call)
		switch {
		case err != nil:
			return err
		case have == nil:
			return fail(call, driver.NotFound, "no such %s", noun(call.Kind))
		case m.busy != nil:
			if err := m.busy(call, have); err != nil {
				return err
			}
		}
		next := m.objects.clone(have)
		for _, c := range changes {
			if err := m.takes(call, h, have, c); err != nil {
				failed.Failed = append(failed.Failed, driver.FieldError{Field: c.Field, Err: driver.ErrorOf(err)})
				continue
			}
			call.Fields = append(call.Fields, c.Field)
			m.change(next, req, p, c)
		}
		if req.Password != driver.PasswordStays {
			failed.Password = m.writePassword(call, h, req, have, next)
		}
		if len(call.Fields) > 0 {
			operation = m.update(have, next, h)
		}
		return nil
	})
	if err == nil && (len(failed.Failed) > 0 || failed.Password != nil) {
		return operation, failed
	}
	return orZero(operation, err)
}

// takes returns why one change is not made; nil if it is.
func (m *manager[S, H]) takes(call *Call, h hits, have *H, c driver.Change) error {
	if err := h.field(FieldRefused, c.Field, call); err != nil {
		return err
	}
	if m.refuses == nil {
		return nil
	}
	return m.refuses(call, have, c)
}

// writePassword makes the change of the administrator's password that a request has.
func (m *manager[S, H]) writePassword(call *Call, h hits, req *table.Request[S], have, next *H) error {
	name := passwordNames[req.Password]
	if err := h.field(FieldRefused, name, call); err != nil {
		return err
	}
	if err := m.setPassword(call, req, have, next); err != nil {
		return err
	}
	call.Fields = append(call.Fields, name)
	return nil
}

// change makes one change of an object.
func (m *manager[S, H]) change(next *H, req *table.Request[S], p *params[S], c driver.Change) {
	switch object := m.objects.object(next); {
	case c.Field == driver.FieldMark:
		object.Labels = marked(object.Labels, req.Mark)
	case c.Field == "tags":
		set := driver.WithoutMark(p.Tags.Set) // the mark is a change of its own, but for what it lacks
		if uid := p.Tags.Set[driver.LabelNamespaceUID]; uid != "" {
			set[driver.LabelNamespaceUID] = uid
		}
		object.Labels = merge(object.Labels, table.Delta{Set: set, Remove: p.Tags.Remove})
	case c.Entries:
		m.entries(next, req, &p.Spec, c)
	default:
		if v, ok := fieldpath.Get(&p.Spec, c.Field); ok {
			fieldpath.Set(m.spec(next), c.Field, v.Interface())
		}
	}
}

// marked writes a mark, and removes what is left of an earlier one.
func marked(labels map[string]string, mark driver.Mark) map[string]string {
	out := driver.WithoutMark(labels)
	maps.Copy(out, mark.Labels())
	return out
}
