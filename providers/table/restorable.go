package table

import "github.com/mooring-dev/mooring/providers/driver"

// NewestOf returns, from the states of a vanished object, the newest one. A state that is not complete and has no time
// yet is the newest.
func NewestOf(vanished driver.ParentRef, states []driver.SavedState) *driver.Restorable {
	var newest, pending *driver.SavedState
	for i := range states {
		s := &states[i]
		switch {
		case s.Complete && (newest == nil || s.From.Time.After(newest.From.Time)):
			newest = s
		case !s.Complete && (pending == nil || s.From.Time.IsZero() || s.From.Time.After(pending.From.Time) && !pending.From.Time.IsZero()):
			pending = s
		}
	}
	r := &driver.Restorable{}
	if newest != nil {
		from := newest.From
		from.Source, from.Vanished = vanished, vanished.ID
		r.From, r.Details = &from, newest.Details
	}
	r.Pending = pending != nil && (newest == nil || pending.From.Time.IsZero() || pending.From.Time.After(newest.From.Time))
	return r
}
