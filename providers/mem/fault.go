package mem

import (
	"context"
	"slices"

	"github.com/mooring-dev/mooring/providers/driver"
)

// A FaultKind is a way for a call to go wrong.
type FaultKind string

// The kinds of faults.
const (
	// Refused: the call is answered with an error of Fault.Code, and nothing is done.
	Refused FaultKind = "refused"
	// RequestLost: the call never arrives. The error's code is Unavailable.
	RequestLost FaultKind = "request-lost"
	// ResponseLost: the call is carried out, and then answered with Unavailable.
	ResponseLost FaultKind = "response-lost"
	// Hang: no answer until the caller gives up; nothing is done.
	Hang FaultKind = "hang"
	// Held: no answer until Fault.Until is closed or the caller gives up; then it goes on as usual.
	Held FaultKind = "held"
	// Stale: an observation shows the object as it was before the last write.
	Stale FaultKind = "stale"
	// FailLate: a database's create, update or delete is accepted, and the operation it starts ends in an error.
	FailLate FaultKind = "fail-late"
	// Unreadable: an observation can't read Fault.Field, for the reason Fault.Code.
	Unreadable FaultKind = "unreadable"
	// FieldRefused: an update of Fault.Field fails with Fault.Code; other fields are changed.
	FieldRefused FaultKind = "field-refused"
)

// A Fault makes the calls that its Filter selects go wrong. If several select a call, the one put in force first
// decides, except that faults of fields add up.
type Fault struct {
	Filter
	Kind  FaultKind
	Code  driver.Code // of the error; Internal is the zero value
	Field string      // for Unreadable and FieldRefused
	Until <-chan struct{}
	Times int        // how many calls it hits; 0 means until lifted
	Skip  int        // how many calls it lets pass first
	Hook  func(Call) // called on the caller's goroutine when it hit, at the end of the call
}

// Fail puts a fault in force and returns the function that lifts it.
func (c *Cloud) Fail(fault Fault) (lift func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f := &fault
	if f.Times == 0 {
		f.Times = -1
	}
	c.faults = append(c.faults, f)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.faults = slices.DeleteFunc(c.faults, func(other *Fault) bool { return other == f })
	}
}

// Heal lifts all faults.
func (c *Cloud) Heal() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = nil
}

// hits are the faults that hit one call.
type hits struct {
	main   Fault // its Kind is empty if there is none
	fields []Fault
}

// take returns the faults that hit call, and counts them down.
func (c *Cloud) take(call Call) hits {
	c.mu.Lock()
	defer c.mu.Unlock()
	var h hits
	for _, f := range c.faults {
		ofField := f.Kind == Unreadable || f.Kind == FieldRefused
		if f.Times == 0 || !f.matches(call) || !ofField && h.main.Kind != "" {
			continue
		}
		if f.Skip > 0 {
			f.Skip--
			continue
		}
		if f.Times > 0 {
			f.Times--
		}
		if ofField {
			h.fields = append(h.fields, *f)
		} else {
			h.main = *f
		}
	}
	return h
}

// field returns the error of a fault of that kind and field, or nil.
func (h hits) field(kind FaultKind, field string, call *Call) error {
	for _, f := range h.fields {
		if f.Kind == kind && f.Field == field {
			return fail(call, f.Code, "%s of %s", kind, field)
		}
	}
	return nil
}

// unreadable returns the fields that can't be read.
func (h hits) unreadable(call *Call) []driver.FieldError {
	var out []driver.FieldError
	for _, f := range h.fields {
		if f.Kind == Unreadable {
			out = append(out, driver.FieldError{Field: f.Field, Err: driver.ErrorOf(h.field(Unreadable, f.Field, call))})
		}
	}
	return out
}

// call takes one call through faults and ledger. act runs under the cloud's lock.
func (c *Cloud) call(ctx context.Context, call Call, act func(call *Call, h hits) error) error {
	call.Time, call.Write = c.opts.Now(), call.Op.Write()
	if err := ctx.Err(); err != nil {
		return lost(&call, err) // it never left
	}
	h := c.take(call)
	call.Fault = h.main.Kind
	switch h.main.Kind {
	case Refused:
		call.Err = fail(&call, h.main.Code, "refused by a fault")
	case RequestLost:
		call.Err = lost(&call, nil)
	case Hang:
		<-ctx.Done()
		call.Err = lost(&call, ctx.Err())
	case Held:
		select {
		case <-h.main.Until:
		case <-ctx.Done():
			call.Err = lost(&call, ctx.Err())
		}
	}
	c.finish(&call, h, act)
	for _, f := range append([]Fault{h.main}, h.fields...) {
		if f.Hook != nil {
			f.Hook(call)
		}
	}
	return call.Err
}

// finish carries out a call that arrived, and enters it in the ledger.
func (c *Cloud) finish(call *Call, h hits, act func(call *Call, h hits) error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if call.Err == nil {
		call.Err = act(call, h)
		if h.main.Kind == ResponseLost {
			call.Err = lost(call, nil)
		}
	}
	c.calls = append(c.calls, *call)
}
