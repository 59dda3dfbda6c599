package driver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Driver describes one cloud, and opens sessions with it.
type Driver interface {
	// Describe says what the cloud has. It calls and opens nothing, and always returns the same, which the caller must not change.
	Describe() Description
	// Preview returns what differs between an object of a kind that is as from says and the spec to, and what each change does: the
	// same as Observe would report for a request with that spec and that applied. Both are JSON of the kind's spec; from may be what
	// Observe mirrored. It must not call the cloud.
	Preview(kind string, from, to json.RawMessage, applied Applied) ([]Change, error)
	// Check returns what the cloud refuses of a draft of an object of a kind, as far as that is known without asking the cloud: what Create or
	// Update would refuse before any call, and what else is sure. It says nothing of what Lacks has, nor of what a creation needs and the draft
	// leaves out: an object may be there already. It must not call the cloud.
	Check(kind string, draft Draft) ([]Refusal, error)
	// Open returns what one identity can manage. It must not call the cloud. An error means that the opening
	// can't work: its Code is NotFound if the cloud has no such location, Invalid otherwise.
	Open(ctx context.Context, with Opening) (Session, error)
}

// Config says which account to open, where, and with what identity.
type Config struct {
	// Account is the cloud account, as the provider config names it.
	Account v1alpha1.Account
	// Location is the region to work in; never empty for AWS.
	Location string
	// Endpoint replaces the cloud's public endpoints; empty for those.
	Endpoint string
	// Ambient: the identity begins with the one that the process itself runs with.
	Ambient bool
	// Chain says by which steps the identity is reached from there.
	Chain v1alpha1.IdentityChain
	// Tenant is whom the connection is for.
	Tenant Tenant
}

// A Tenant is whom a connection is for. Clouds that can are told: sessions are named and tagged so.
type Tenant struct {
	// Namespace is whose objects use the connection, NamespaceUID its uid: the external id of roles that name none.
	Namespace    string
	NamespaceUID string
	// ProviderConfig is the name of the provider config.
	ProviderConfig string
}

// AccountID is what tells one account from another: an AWS account id, a Google Cloud project id.
type AccountID string

// A Session is one identity in one region of a cloud. It is safe for concurrent use, shared by all objects of one account and region,
// and the place for clients and rate budgets. Each call is about an object of one kind, by the kind's name in the API; a kind that
// the cloud lacks is the error NoKind. Methods are idempotent, never wait for the cloud to finish, return before ctx ends, and
// return errors that carry a Code.
type Session interface {
	// Identity asks the cloud which account the credentials lead to.
	Identity(ctx context.Context) (AccountID, error)
	// Observe reads, and never writes. A missing object is Absent, not an error; anything that kept the
	// driver from knowing is an error, never Absent. What could not be read of an object that is there
	// goes into Unreadable. For a Deletion only State, ID, Mark, Protected, what lifts the protection and the
	// changes that are Impossible have to be there: no call is made for more.
	Observe(ctx context.Context, kind string, req Request) (Observation, error)
	// List returns one page of the objects of a kind that are in the session's account, by a call that reads. In a cloud whose sessions
	// work in one region it has those of the session's region. It shows everybody's objects, with and without marks. Missing from a list
	// is not Absent: Page says why. For a kind whose Capabilities lack List it is the error NoList, without a call.
	List(ctx context.Context, kind string, req ListRequest) (Page, error)
	// Create makes the object with its mark on it from the first moment. If an object of that name
	// exists the error's Code is Conflict, and nothing was changed.
	// Secrets.Own is there for kinds with a login; it is empty if the cloud is to manage the password, and for a Restore.
	Create(ctx context.Context, kind string, req Request, secrets Secrets) (Result, error)
	// Update makes exactly the edit, in as few calls as the cloud allows. What one aspect refuses must not keep the others from being
	// applied: it goes into Result.Failed, and a refused password into Result.PasswordFailed. All else that is no difference
	// is a command of Do.
	// Secrets.Own is there for what PasswordChange.Sets says, and for FieldUsername where a cloud makes users by calls of their own. It is
	// empty if none is to be touched.
	Update(ctx context.Context, kind string, req Request, edit Edit, secrets Secrets) (Result, error)
	// Do carries out one command, in as few calls as the cloud allows. It returns an error if the cloud refused the command, or
	// if nobody knows whether it was done. A mark that the cloud refuses goes into Result.Failed, named by
	// FieldMark. A command that the kind's Capabilities lack is the error Unsupported, without a call.
	Do(ctx context.Context, kind string, req Request, command Command, secrets Secrets) (Result, error)
	// Delete asks the cloud to delete the object, as req.Deletion says. The caller has just observed
	// it and seen its mark and id. An object that is gone already is no error.
	Delete(ctx context.Context, kind string, req Request) (Result, error)
}

// Fields of a change that are not fields of the spec.
const (
	// FieldMark names the ownership mark where it could not be read, is not listed, or was refused. The command WriteMark
	// writes it; no Update does, and a driver never reports it as a change.
	FieldMark = "mark"
	// FieldUsername is the administrator. A cloud that takes it at creation only reports a
	// difference as Impossible; one that makes users by calls of their own reports a change until
	// Applied says that the user was made.
	FieldUsername = "credentials.username"
	// FieldStrategy says how the version is changed. A driver reports a change of it while there is a server that an Update
	// prepared to take this one's place, and that the request no longer wants. The command DropStaged makes that change.
	FieldStrategy = "updates.strategy"
)

// A Request says what a call is about. It is data, and Secrets travel beside it: drivers must not keep or change anything in it.
type Request struct {
	// Name is the name in the cloud, Location where it is.
	Name     string
	Location string
	// Parent is the object within which this one is, or of which it is to be made: Resource.Parent and Resource.Source say which. It is zero for a
	// kind without any.
	Parent ParentRef
	// ID is the cloud's own immutable identity of the object, once it is known.
	ID string
	// Mark is the mark that the object bears, or is to bear.
	Mark Mark
	// Spec is the merged spec.
	Spec Spec
	// Username is the administrator's, for kinds that have a login; empty for the cloud's usual one.
	Username string
	// CloudManaged: the cloud is to manage the administrator's password. Only for kinds whose Capabilities have ManagedPassword.
	CloudManaged bool
	// PasswordSet: the administrator's password is one that came with an earlier Create or Update.
	PasswordSet bool `json:",omitempty"`
	// Applied is what we set in the cloud earlier.
	Applied Applied
	// Operation is the name of an operation that a former Result gave: a hint.
	Operation string
	// NotBefore is how fresh an observation must be; a cached one from before it must not be used.
	NotBefore time.Time
	// AskedAt is when a person last asked for an observation; zero if nobody did. What the driver looks at on a period of
	// its own, longer than that of observations, is looked at again if the last look was before. NotBefore asks for no
	// such look: it moves with each write.
	AskedAt time.Time `json:",omitzero"`
	// Read is the read that an Update goes by: what Observation.Read said of the observation that the changes are of. The driver need not read again what
	// that found, for a write that the cloud refuses if the object has another version since. It is empty if the caller does not know, and a driver that
	// does not know it reads again.
	Read string `json:",omitempty"`
	// JustSet are the fields that a Create of this spec set by calls of their own, as its Result says, if nobody observed the object since. They need
	// not be read: that they are as the spec says is what the cloud answered.
	JustSet []string
	// Whole: the mirror is to have what the spec does not declare, too, although that may take a call for each part.
	Whole bool
	// Restore says of what a Create makes the object; nil for an empty one. Only Create looks at it.
	Restore *Restore `json:",omitempty"`
	// SentSince is the earliest time at which a creation may have been sent of which nothing is known; zero if none was. Only Create looks at it, and only where the cloud
	// makes another object for each creation, whatever its name: it makes none if something that was made since may be the one.
	SentSince time.Time `json:",omitzero"`
	// Vanished is an object that is gone: an observation of Absent is to say what is left of it. It is nil if nobody asks for that. Without an ID it stands for all
	// objects of a kind with RestoresDeleted that had its name, or the mark VanishedMark, whose uid does not count: then Restorable has their Backups alone.
	Vanished     *ParentRef `json:",omitempty"`
	VanishedMark Mark       `json:",omitzero"`
	// Beside: the version is to be changed by a server that the cloud prepares beside this one, and that then takes its name and its address. Only for kinds whose
	// Capabilities have Beside. An Update with a change of the version begins that, or has the new server take over once it is ready; Result.Operation names it,
	// which is given to each call from then on. Other changes of the same Update are made first, and then that of the version fails as Busy. While a server is
	// prepared, and once it is, the version is the only change that an observation reports, or FieldStrategy: all else waits.
	Beside bool `json:",omitempty"`
	// Former is the object in whose place this one was put so. It is nil if there is none, or if it is gone.
	Former *ParentRef `json:",omitempty"`
	// Deletion is set while the object is being deleted. What was prepared to take its place is deleted with it.
	Deletion *Deletion
}

// Deletion says how an object is to be deleted.
type Deletion struct {
	// Snapshot is the name of the final snapshot to take; empty for none. Of an object that follows another one none is taken where the cloud takes none.
	Snapshot string
	// Force allows contents to be deleted with it. Delete may then do part of the work and return; it is called
	// again until the object is gone.
	Force bool
}

// A FieldError is what went wrong with one field.
type FieldError struct {
	Field string
	Err   *Error
	// Unset are those of Change.Adds of which the cloud's answer says that the call did not set them. Whoever sets entries by their names later is somebody
	// else. An entry that may have been set, as after an answer that was lost, is never among them.
	Unset []string `json:",omitempty"`
}

// A Result is what a call did.
type Result struct {
	// Operation is the cloud's operation that the call started, if any. An Update of which all changes failed as Busy began what the cloud does before it makes them.
	Operation string
	// ID is the cloud's own immutable identity, if the call revealed it.
	ID string
	// Failed are the changes that were not applied, and why; all others were.
	Failed []FieldError
	// PasswordFailed is why an Update did not make Edit.Password; nil if it did, or if there was none.
	PasswordFailed *Error `json:",omitempty"`
	// Sent are the changes that a Create made by calls of their own after the creation: reads may not show them yet.
	Sent []Change
	// Unfinished: a Delete took away a part of what the object holds, or did what has to come first, and is to be called again.
	Unfinished bool
	// Did is what an unfinished Delete did that took nothing away, in a sentence without an end: people are told it if it does not help.
	Did string
	// Removed is how many of the things that the object holds, such as objects and their versions, an unfinished Delete took away.
	Removed int
	// Left says what of the object stays in the cloud beside it, and why, if anything does: of a Delete, and of WriteMark with a mark that is Released.
	Left string
}
