package table

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// An Adapter manages one kind of cloud object. S is the spec's parameters, H what the cloud has, P the parameters of its calls,
// which rows of the table fill. All functions but those that may be nil are set before its first use; after that it does not
// change, and is safe for concurrent use.
type Adapter[S, H, P any] struct {
	Table Table[S, H, P]
	// Noun is what messages call an object: bucket. ReadCall is the cloud's name of the call that Read makes.
	Noun, ReadCall string
	// Region is where the session works; a request for another one is refused. Empty if the session works everywhere.
	Region string
	// Check refuses requests that the cloud would misunderstand. It may be nil.
	Check func(req *Request[S]) error

	// Read returns what the cloud has of an object, nil if it says that there is none. What has a Part with a Read of its own may
	// be missing. Of the observation it may fill in why an operation failed.
	Read func(ctx context.Context, req *Request[S], o *driver.Observation) (*H, error)
	// Learn reads what only the effects of changes look at. What it can't read must not keep the object from being observed: effects then
	// say what may happen. It is called for observations that compare, and not for a Deletion. It may be nil.
	Learn func(ctx context.Context, req *Request[S], have *H)
	// Remains completes the observation of an object that is not there: what of it is left in the cloud beside it has to be deleted, too, and
	// while that is there a Deletion observes the object as there. It may be nil.
	Remains func(ctx context.Context, req *Request[S], o *driver.Observation) error
	// Release marks what is left in the cloud beside an object that is released, and returns what that is, in a sentence; empty if nothing is. have is
	// nil if the object itself is gone. It may be nil.
	Release func(ctx context.Context, req *Request[S], have *H) (left string, err error)
	// State fills in what the object itself says: its state, id, mark, location and whatever else is no field.
	State func(req *Request[S], have *H, o *driver.Observation)
	// Support returns until when the cloud supports what an object runs on. It may call the cloud, and must not make the observation fail: what can't be
	// read is Unread. It is not called for a Deletion, nor for an object that the cloud is deleting. nil for kinds of which the cloud says nothing.
	Support func(ctx context.Context, have *H) *driver.Support
	// Login compares the administrator: it adds to the changes, to what is applied and to what is fixed. It makes no call for a
	// Deletion. nil for kinds without a login.
	Login func(ctx context.Context, req *Request[S], have *H, o *driver.Observation) error
	// Review corrects state and changes once these are known: a cloud may be unable to take some of them now. It may be nil.
	Review func(req *Request[S], have *H, o *driver.Observation)
	// Sayable makes of a mirror what a spec can say. Of two fields that say the same and exclude each other it leaves the one that the spec has; what no spec
	// may say is left out where it means nothing. It may be nil: then each row says what a spec can.
	Sayable func(spec, mirror *S)
	// Snapshot looks for the final snapshot that the Deletion names. It returns its state and, for one that failed, why. nil for kinds that
	// have none.
	Snapshot func(ctx context.Context, req *Request[S]) (state driver.State, problem string, err error)
	// Restorable returns what the cloud still has of the object that the request's Vanished names. nil for kinds that can't be restored.
	Restorable func(ctx context.Context, req *Request[S]) (*driver.Restorable, error)
	// Following is how objects follow others; nil for kinds without Replicas.
	Following *Following[S, H]
	// Beside is how an object gets another version by one that takes its place; nil for kinds without Capabilities.Beside.
	Beside *Succession[S, H, P]
	// Fixed: observations say which fields can't change any more.
	Fixed bool

	// Tags returns the tags in a call's parameters, or what of them goes into the registry. The mark goes where they go. nil for a kind
	// that is OwnedByParent: its mark goes nowhere, and a change of it is made without a call.
	Tags func(params *P) *Delta
	// Password puts the administrator's password into a call's parameters. nil where Login's part sends it.
	Password func(params *P, password string)
	// Manage puts into a call's parameters whether the cloud manages the administrator's password. nil for a kind without ManagedPassword.
	Manage func(params *P, managed bool)
	// Lacks are what the description says that the cloud does not have. The creation refuses what asks for one.
	Lacks []driver.Lack
	// Creatable refuses what can't be created, before the cloud does in words that do not help: all of it, by Together. It may be nil.
	Creatable func(req *Request[S]) error
	// Make creates the object with all that the call takes, tags and mark among them.
	Make func(ctx context.Context, req *Request[S], params *P) (driver.Result, error)
	// Taken is what the call takes. Unsent are the rows that fill no parameter, and why.
	Taken  Taker
	Unsent map[string]string
	// New is an object as Make leaves it, where parts follow at once by calls of their own; nil where none do.
	New *H
	// Parts are what the cloud changes by separate calls, in the order of the calls.
	Parts []Part[S, H, P]
	// Guarded: every write is guarded by a version of what was read, so that it needs a read of its own.
	Guarded bool
	// OneOperation, unless nil, is why no other call is made once a call has started an operation.
	OneOperation error
	// Whole reports whether an error concerns the object or the account as a whole, and no change of it: Update returns it. nil if
	// none does.
	Whole func(error) bool

	// Refusals say what the cloud's words are about when it refuses a value.
	Refusals Refusals

	// Actions says of each action that objects of the kind can have what there is to say of it now. It makes no call. Act has the cloud do one, by one
	// call that is not repeated, and returns the operation that it started, if any. Both are nil for a kind without actions.
	Actions func(req *Request[S], have *H, o *driver.Observation) map[driver.Action]driver.ActionState
	Act     func(ctx context.Context, req *Request[S], have *H, action driver.Action) (operation string, err error)

	// Listing lists objects; nil where the cloud can't.
	Listing *Listing[H]

	// Remove asks the cloud to delete the object.
	Remove func(ctx context.Context, req *Request[S]) (driver.Result, error)

	// reads are what was read last, for the updates that follow.
	reads reads[H]
}

// A Part is what the cloud has a call of its own for.
type Part[S, H, P any] struct {
	// Fields are what the call changes; nil for all that no other part has. The mark goes with field "tags".
	Fields []string
	// Read reads the fields, which are of the table, into what is there; nil if Adapter.Read does. Parts are read at the same time.
	Read func(ctx context.Context, req *Request[S], into *H) error
	// Hidden returns why Adapter.Read may not have shown the fields that are there; nil if what it did not show is not there. It is asked about an object of
	// whose fields the spec declares one, so that what may not be read is not taken for none. nil if Adapter.Read shows them or fails.
	Hidden func(ctx context.Context, req *Request[S], have *H) error
	// Vital reports whether an error of Read leaves the whole object unknown, and not just these fields. nil if none does.
	Vital func(error) bool
	// Password: the call sets the administrator's password. Without such a part, the one that has no Fields does.
	Password bool
	// Write makes the call, and returns the operation that it started, if any. params has what rows filled for the changes, and what
	// Adapter.Password and Adapter.Manage put into it for Request.Password. An error that is a FieldErrors or a Partial says
	// what was not made; all else was.
	Write func(ctx context.Context, req *Request[S], have *H, params *P, changes []driver.Change) (operation string, err error)
	// Taken is what the call takes.
	Taken Taker
	// Versioned: Write carries the version of what is there, so that the cloud refuses it if somebody else changed the object since. So the update that follows
	// an observation need not read the object again. It is for adapters that are Guarded.
	Versioned bool
	// Refuses reports whether an error may be about one value of several: then each change is tried alone. nil if none is.
	Refuses func(error) bool
	// Steps: Write makes several calls, of which some may be made when one is refused. So the object is read again for each change that is tried alone.
	Steps bool
	// Blind: Write needs nothing of what is there. The have that it gets is empty.
	Blind bool
	// Last reports whether the call is made after those of all other parts, as where they take away first what stands in its way. If one of those fails, it is
	// not made. nil if it never is.
	Last func(changes []driver.Change) bool
	// Later: it is written once the object is there, by an update. The creation says nothing of it.
	Later bool
	// Follows: the creation does not take it, and Adapter.Read reads it. It is written right after the creation, against Adapter.New.
	Follows bool
}

// FieldErrors is the error of a call that made some changes and not others: it has those that were not made.
type FieldErrors []driver.FieldError

// Error implements error.
func (e FieldErrors) Error() string {
	var b strings.Builder
	for i, failed := range e {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(failed.Field + ": " + failed.Err.Error())
	}
	return b.String()
}

// Partial is the error of a call that made a part of an edit: it has what was not made.
type Partial struct {
	Failed FieldErrors
	// Password is why the administrator's password was not changed; nil if it was, or if it was not to be.
	Password error
}

// Error implements error.
func (p Partial) Error() string {
	if p.Password == nil {
		return p.Failed.Error()
	}
	return strings.TrimPrefix(p.Failed.Error()+"; the password: "+p.Password.Error(), "; ")
}

// tagsField is the field of the table that holds the tags.
const tagsField = "tags"

// afterwards reports whether a part is written right after the creation.
func (p *Part[S, H, P]) afterwards() bool { return !p.Later && (p.Read != nil || p.Follows) }

// has reports whether a part changes a field; one without fields has all that no other part has.
func (p *Part[S, H, P]) has(name string) bool {
	if name == driver.FieldMark {
		name = tagsField
	}
	return slices.Contains(p.Fields, name)
}

// partOf returns the part that changes a field; nil if there is none.
func (a *Adapter[S, H, P]) partOf(name string) *Part[S, H, P] {
	var rest *Part[S, H, P]
	for i := range a.Parts {
		if a.Parts[i].has(name) {
			return &a.Parts[i]
		}
		if a.Parts[i].Fields == nil {
			rest = &a.Parts[i]
		}
	}
	return rest
}

// partOfPassword returns the part that changes the administrator's password; nil if there is none.
func (a *Adapter[S, H, P]) partOfPassword() (part *Part[S, H, P]) {
	for i := range a.Parts {
		if a.Parts[i].Password {
			return &a.Parts[i]
		}
		if a.Parts[i].Fields == nil {
			part = &a.Parts[i]
		}
	}
	return part
}

// isLast reports whether the call of a part is made after those of all others.
func (p *Part[S, H, P]) isLast(edit driver.Edit) bool { return p.Last != nil && p.Last(edit.Changes) }

// serves refuses a request that the session can't answer for: a cloud would say of another region that the object does not exist
// there, and that would be believed.
func (a *Adapter[S, H, P]) serves(req *Request[S]) error {
	if a.Check != nil {
		if err := a.Check(req); err != nil {
			return err
		}
	}
	if a.Region != "" && req.Location != "" && req.Location != a.Region {
		return invalid("the connection is to region %s, the request is for %s", a.Region, req.Location)
	}
	return nil
}

// secrets returns the values of a request that nothing may show.
func (a *Adapter[S, H, P]) secrets(req *Request[S]) []string {
	return append(a.Table.Secrets(&req.Spec), req.Login.Password, req.ParentLogin.Password)
}

// Delete implements External.
func (a *Adapter[S, H, P]) Delete(ctx context.Context, req Request[S]) (driver.Result, error) {
	if err := a.serves(&req); err != nil {
		return driver.Result{}, err
	}
	return a.Remove(ctx, &req)
}

// invalid refuses what no call has to be made for to know that it can't work.
func invalid(format string, args ...any) *driver.Error {
	return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf(format, args...)}
}
