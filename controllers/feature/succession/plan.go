package succession

import (
	"fmt"
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/controllers/resource/reconciliation"
	"github.com/mooring-dev/mooring/providers/driver"
)

// fieldFormer is how people see among the changes of an object what becomes of its former server. It is no field that a driver changes. fieldVersion is the field of the spec that a
// successor has another value of.
const (
	fieldFormer  = "formerServer"
	fieldVersion = "version"
)

// What the former server is to become, as people see it.
const (
	released = "Released"
	deleted  = "Deleted"
)

// former is what is known of the server that an object had before.
type former struct {
	// known is what the status says of it; nil if there is none. seen is what the cloud shows; nil if it shows none.
	known *driver.ParentRef
	seen  *driver.Former
	// gone: it has been absent for longer than the consistency window, so no stale read explains that.
	gone bool
}

// interpret says in the View what the plan goes by, and returns what is next for the former server.
func interpret(in *reconciliation.State) []driver.Change {
	o, v := in.Observation, &in.View
	if s := o.Succession; s.GetSucceeds() != "" && s.GetSucceeds() == in.Request.ID && s.GetFormer() != nil {
		in.Notes = append(in.Notes, outcome.Normal(v1alpha1.EventSwitchedOver,
			"another server took the name and the address of %s; the former one stays as %s until somebody approves its deletion", in.Request.Name, s.GetFormer().Name))
	}
	f := former{known: in.Request.Former, seen: o.Succession.GetFormer()}
	f.gone = isGone(in, f)
	changes := f.next(o)

	version := plan.Treatment{Gentler: "beside"} // to be without the server for minutes is more than to agree to a successor
	if isBeside(*in) {
		version = plan.Treatment{Way: "beside"}
	}
	v.Treat(fieldVersion, version)
	v.Treat(driver.FieldStrategy, plan.Treatment{Command: driver.DropStaged})
	if len(changes) > 0 {
		v.Treat(fieldFormer, treatment(changes[0]))
	}
	v.Halt = halted(*in)
	v.Companion = f.companion()
	return changes
}

// isGone reports whether the former server is gone for certain, and remembers since when it is missing.
func isGone(in *reconciliation.State, f former) bool {
	o, before := in.Observation, missing.In(in.Memory.Parts)
	since := plan.Since(before, f.known != nil && f.seen == nil && (o.State == driver.Ready || o.State == driver.Absent), in.Now)
	if since != before {
		missing.Set(&in.Memory.Parts, since)
	}
	return !since.IsZero() && in.Now.Sub(since) >= in.View.ConsistencyWindow
}

// treatment says how the plan treats a change about the former server: the spec is as it is applied, and no user of the object has anything of it.
func treatment(c driver.Change) plan.Treatment {
	t := plan.Treatment{Command: driver.DeleteFormer, Asks: true, Cause: v1alpha1.CauseDrift, Apart: true}
	if c.To == released {
		t.Command = driver.ReleaseFormer
	}
	return t
}

// next returns the change that is next for the former server: it is marked as left behind, and then deleted, once a person agrees. Once it is gone, what only it used goes. No driver
// knows it. What the status does not name yet is not touched.
func (f former) next(o driver.Observation) []driver.Change {
	switch {
	case f.known == nil || o.State != driver.Ready:
		return nil
	case f.seen == nil && !f.gone:
		return nil
	case f.seen == nil:
		return []driver.Change{{Field: fieldFormer, From: f.known.Name, To: deleted, Effect: driver.Online}}
	case f.seen.ID != f.known.ID || f.seen.Pending:
		return nil
	}
	c := driver.Change{Field: fieldFormer, From: f.seen.Name, To: released, Effect: driver.Online}
	if f.seen.Mark.Released {
		c.To, c.Effect = deleted, driver.Irreversible
		c.Why = fmt.Sprintf("%s is what the server was before its upgrade, with the data of that time; its automated backups go with it, and no snapshot of it is taken", f.seen.Name)
	}
	return []driver.Change{c}
}

// companion says what becomes of the former server when the object is deleted.
func (f former) companion() plan.Companion {
	if f.known == nil {
		return plan.Companion{}
	}
	return plan.Companion{
		Delete: f.deletion(), Release: f.release(),
		Stays: f.known.Name + ", which it was before its upgrade, stays in the cloud", StaysToo: f.known.Name + ", which the server was before its upgrade, stays too",
	}
}

// deletion is what a deletion ends with, once the cloud object is gone, as long as there is something of the former server.
func (f former) deletion() *plan.Action {
	c := driver.Change{Field: fieldFormer, From: f.known.Name, To: deleted, Effect: driver.Irreversible}
	a := plan.Action{Verb: plan.Wait, Reason: v1alpha1.ReasonDeleting}
	switch {
	case f.seen == nil && !f.gone:
		a.Message = "the cloud no longer shows " + f.known.Name + ", which the server was before its upgrade; checking again to be sure"
		return &a
	case f.seen != nil && f.seen.Pending:
		a.Message = "waiting for the cloud, which is at work on " + f.known.Name + ", which the server was before its upgrade"
		return &a
	case f.seen == nil:
		c.Effect = driver.Online // what only that used
	}
	a.Message = "Mooring is deleting " + f.known.Name + ", which the server was before its upgrade"
	a = a.Commanding(driver.DeleteFormer, c)
	return &a
}

// release is what the release of a cloud object begins with, if the former server does not have the mark of what was left behind yet; nil if there is nothing to do.
func (f former) release() *plan.Action {
	if f.seen == nil || f.seen.ID != f.known.ID || f.seen.Mark.Released {
		return nil
	}
	a := plan.Action{Verb: plan.Wait, Reason: v1alpha1.ReasonDeleting, Message: plan.MessageReleasing}
	if !f.seen.Pending {
		a = a.Commanding(driver.ReleaseFormer, driver.Change{Field: fieldFormer, From: f.seen.Name, To: released, Effect: driver.Online})
	}
	return &a
}

// halted says why the version is not changed: what the cloud prepared for it failed, or it found something in the way. It may take as long and end as well the next time, so a person has to
// ask for it. The parameters may be those of the new version. It is nothing if nothing failed, or if what failed is taken away.
func halted(in reconciliation.State) plan.Halt {
	o := in.Observation
	staged := slices.ContainsFunc(o.Changes, func(c driver.Change) bool { return c.Field == driver.FieldStrategy })
	if o.OperationError == nil || o.Operation == "" || staged || in.View.RetryRequested {
		return plan.Halt{}
	}
	return plan.Halt{Fields: []string{fieldVersion, "parameters"}, Why: o.OperationError.Error()}
}
