package table

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/providers/driver"
)

// An Adapter implements one kind of cloud object. S is the parameters of the spec, H what the cloud reports, and P the
// parameters of its calls, which the table's rows fill. Set all functions before the first use, except those that may
// be nil. After that an Adapter does not change, and it is safe for concurrent use.
type Adapter[S, H, P any] struct {
	Table Table[S, H, P]
	// Noun is what messages call an object, for example bucket. ReadCall is the cloud's name of the call that Read
	// makes.
	Noun, ReadCall string
	// Region is where the session works. A request for another region is refused. It is empty if the session works
	// everywhere.
	Region string
	// Check refuses requests that the cloud would interpret differently. It may be nil.
	Check func(req *Request[S]) error

	// Read returns what the cloud reports of an object; nil if the cloud says that it does not exist. It may leave out
	// fields that a Part reads. It may set OperationError in the observation.
	Read func(ctx context.Context, req *Request[S], o *driver.Observation) (*H, error)
	// Learn reads what is needed only to determine the effects of changes. If it can't be read, the observation goes
	// on, and effects are the possible ones. It is called for observations that compare a spec, not for a Deletion. It
	// may be nil.
	Learn func(ctx context.Context, req *Request[S], have *H)
	// Remains looks for what an object leaves behind in the cloud, after the object itself does not exist any more, and
	// that has to be deleted too. While there is something, the observation for a Deletion says that the object exists.
	// It may be nil.
	Remains func(ctx context.Context, req *Request[S], o *driver.Observation) error
	// Release marks what belongs to a released object and stays in the cloud with it, and describes that in a sentence;
	// left is empty if there is nothing. have is nil if the object itself does not exist. It may be nil.
	Release func(ctx context.Context, req *Request[S], have *H) (left string, err error)
	// State sets the fields of the observation that are not in the table: state, ID, mark, location and others.
	State func(req *Request[S], have *H, o *driver.Observation)
	// Support returns the end-of-support dates of an object. It may call the cloud. If the call fails, it sets Unread,
	// and the observation goes on. It is not called for a Deletion, nor for an object that is being deleted. It is nil
	// for kinds without such dates.
	Support func(ctx context.Context, have *H) *driver.Support
	// Login compares the administrator's login with the spec. It sets Changes, Applied and Fixed in the observation. It
	// makes no call for a Deletion. It is nil for kinds without a login.
	Login func(ctx context.Context, req *Request[S], have *H, o *driver.Observation) error
	// Review corrects the state and the changes after the comparison, for example if the cloud can't make some changes
	// now. It may be nil.
	Review func(req *Request[S], have *H, o *driver.Observation)
	// Sayable changes a mirror so that it is a valid spec. If two fields with the same meaning exclude each other, it
	// keeps the one that the spec sets. It removes values that no spec may have, if they have no effect. It is nil if
	// every row's value is valid in a spec.
	Sayable func(spec, mirror *S)
	// Snapshot observes the final snapshot that the Deletion names. It returns the snapshot's state and, if it failed,
	// why. It is nil for kinds without final snapshots.
	Snapshot func(ctx context.Context, req *Request[S]) (state driver.State, problem string, err error)
	// Restorable returns what can be restored of the object in Request.Vanished. It is nil for kinds that can't be
	// restored.
	Restorable func(ctx context.Context, req *Request[S]) (*driver.Restorable, error)
	// Following implements read replicas; nil for kinds without Capabilities.Replicas.
	Following *Following[S, H]
	// Beside implements blue/green deployments; nil for kinds without Capabilities.Beside.
	Beside *Succession[S, H, P]
	// Fixed: observations report which fields can't be changed any more.
	Fixed bool

	// Tags returns the tags in the parameters of a call, or the part of them that goes into the registry. The mark is
	// stored together with them. It is nil for a kind that is OwnedByParent, which has no mark in the cloud.
	Tags func(params *P) *Delta
	// Password sets the administrator's password in the parameters of a call. It is nil if a part sends the password
	// itself.
	Password func(params *P, password string)
	// Manage sets, in the parameters of a call, whether the cloud manages the administrator's password. It is nil for a
	// kind without ManagedPassword.
	Manage func(params *P, managed bool)
	// Lacks are the fields and values that the description says the cloud does not support. Create refuses a spec that
	// has one.
	Lacks []driver.Lack
	// Creatable refuses a creation that the cloud would refuse with an unclear message. It returns all refusals at
	// once, by Together. It may be nil.
	Creatable func(req *Request[S]) error
	// Make creates the object with everything that the call takes, including tags and the mark.
	Make func(ctx context.Context, req *Request[S], params *P) (driver.Result, error)
	// Taken says which parameters Make's call takes. Unsent are the rows that fill no parameter, and why.
	Taken  Taker
	Unsent map[string]string
	// New is the state of an object right after Make, for the parts that are written immediately after it; nil if there
	// are none.
	New *H
	// Parts are the separate calls that change an object, in the order in which they are made.
	Parts []Part[S, H, P]
	// Guarded: each write carries the version of the object that was read, so the object is read again before each
	// write.
	Guarded bool
	// OneOperation is the error of changes that are not sent because an earlier call of the update started an
	// operation. If it is nil, such changes are sent.
	OneOperation error
	// Whole reports whether an error is about the object or the account as a whole, not about a change. Update returns
	// such an error. It may be nil.
	Whole func(error) bool

	// Refusals map the cloud's messages about invalid values to fields of the spec.
	Refusals Refusals

	// Actions returns the state of each action that the kind supports. It makes no call. It is nil for a kind without
	// actions.
	Actions func(req *Request[S], have *H, o *driver.Observation) map[driver.Action]driver.ActionState
	// Act carries out an action, by one call that is not repeated. It returns the operation that the call started, if
	// any. It is nil for a kind without actions.
	Act func(ctx context.Context, req *Request[S], have *H, action driver.Action) (operation string, err error)

	// Listing lists objects; nil if the cloud can't list them.
	Listing *Listing[H]

	// Remove asks the cloud to delete the object.
	Remove func(ctx context.Context, req *Request[S]) (driver.Result, error)

	// reads are what was read last, for the updates that follow.
	reads reads[H]
}

// A Part is a group of fields that the cloud changes by a call of its own.
type Part[S, H, P any] struct {
	// Fields are the fields that the call changes. If it is nil, they are all fields that no other part has. The mark
	// is changed together with the field "tags".
	Fields []string
	// Read reads the part's fields into into; nil if Adapter.Read does that. The parts are read concurrently.
	Read func(ctx context.Context, req *Request[S], into *H) error
	// Hidden returns why Adapter.Read may have left out fields that are set, for example for lack of permission; nil if
	// a field that is left out is not set. It is called if the spec declares one of the part's fields. Hidden may be
	// nil if Adapter.Read returns these fields or fails.
	Hidden func(ctx context.Context, req *Request[S], have *H) error
	// Vital reports whether an error of Read makes the whole observation fail, and not just these fields. It may be
	// nil.
	Vital func(error) bool
	// Password: the call sets the administrator's password. If no part has Password, the part without Fields sets it.
	Password bool
	// Write makes the call, and returns the operation that it started, if any. params has the values that rows filled
	// for the changes, and what Adapter.Password and Adapter.Manage set for Request.Password. An error of type
	// FieldErrors or Partial says which changes were not made; all others were.
	Write func(ctx context.Context, req *Request[S], have *H, params *P, changes []driver.Change) (operation string, err error)
	// Taken says which parameters the call takes.
	Taken Taker
	// Versioned: Write carries the version of the object that was read, so the cloud refuses it after a concurrent
	// change. Therefore an update right after an observation does not read the object again. It is for adapters that
	// are Guarded.
	Versioned bool
	// Refuses reports whether an error may be about one of several values. If so, each change is sent again alone. It
	// may be nil.
	Refuses func(error) bool
	// Steps: Write makes several calls, and some of them may succeed before one is refused. So the object is read again
	// before each change that is sent alone.
	Steps bool
	// Blind: Write does not use the present object, and gets an empty have.
	Blind bool
	// Last reports whether the call has to be made after those of all other parts, for example because they remove an
	// obstacle. If one of them fails, the call is not made. Last may be nil.
	Last func(changes []driver.Change) bool
	// Later: the part is written by an update after the creation, and not by Create.
	Later bool
	// Follows: Make does not set the part, and Adapter.Read reads it. Create writes it right after Make, compared with
	// Adapter.New.
	Follows bool
}

// FieldErrors is the error of a call that made only some of its changes. It has the changes that were not made.
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

// Partial is the error of a call that made only a part of an edit. It has the changes that were not made.
type Partial struct {
	Failed FieldErrors
	// Password is why the administrator's password was not changed; nil if it was changed, or if the edit does not
	// change it.
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

// redact returns an error without the secrets of the request; nil for nil.
func (a *Adapter[S, H, P]) redact(req *Request[S], e *driver.Error) *driver.Error {
	if e == nil {
		return nil
	}
	return driver.ErrorOf(driver.RedactError(e, a.secrets(req)...))
}

// redactFields takes the secrets of the request out of errors about fields.
func (a *Adapter[S, H, P]) redactFields(req *Request[S], failed []driver.FieldError) {
	for i := range failed {
		failed[i].Err = a.redact(req, failed[i].Err)
	}
}

// Delete implements External.
func (a *Adapter[S, H, P]) Delete(ctx context.Context, req Request[S]) (driver.Result, error) {
	if err := a.serves(&req); err != nil {
		return driver.Result{}, err
	}
	result, err := a.Remove(ctx, &req)
	return result, driver.RedactError(err, a.secrets(&req)...)
}

// invalid refuses what no call has to be made for to know that it can't work.
func invalid(format string, args ...any) *driver.Error {
	return &driver.Error{Code: driver.Invalid, Message: fmt.Sprintf(format, args...)}
}
