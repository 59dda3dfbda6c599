package driver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Driver describes one cloud, and opens sessions with it.
type Driver interface {
	// Describe returns the description of the cloud. It makes no call, and always returns the same value. The caller
	// must not change it.
	Describe() Description
	// Preview returns the changes between two specs of a kind, and the effect of each. They are the changes that
	// Observe would report for an object in the state from, with the spec to. from and to are JSON of the kind's
	// parameters; from may be a mirror. applied is as in Request. Preview must not call the cloud.
	Preview(kind string, from, to json.RawMessage, applied Applied) ([]Change, error)
	// Check returns why the cloud would refuse a draft, as far as that is certain without a call. It returns what
	// Create or Update would refuse before their first call, and what the cloud is known to refuse. It ignores what
	// Lacks describes, and fields that only a creation needs, because the object may exist already. It must not call
	// the cloud.
	Check(kind string, draft Draft) ([]Refusal, error)
	// Open returns a session for one identity. It must not call the cloud. It returns an error if no session can be
	// opened: with the Code NotFound if the cloud has no such location, and Invalid otherwise.
	Open(ctx context.Context, with Opening) (Session, error)
}

// Config says which account to open, at which location, and with which identity.
type Config struct {
	// Account is the cloud account, as the provider config names it.
	Account v1alpha1.Account
	// Location is the region of the session. It is never empty for AWS.
	Location string
	// Endpoint replaces the cloud's public endpoints; empty for the public ones.
	Endpoint string
	// Ambient: the identity of the process itself is the base of the session's identity.
	Ambient bool
	// Chain are the steps from the base identity to the session's identity, for example roles to assume.
	Chain v1alpha1.IdentityChain
	// Tenant is the namespace whose objects use the session.
	Tenant Tenant
}

// A Tenant is the namespace for which a session is opened. Where the cloud supports it, the session is named and tagged
// with it.
type Tenant struct {
	// Namespace is the namespace whose objects use the session. NamespaceUID is its uid, which is also the default
	// external id when roles are assumed.
	Namespace    string
	NamespaceUID string
	// ProviderConfig is the name of the provider config.
	ProviderConfig string
}

// AccountID identifies an account: an AWS account id, or a Google Cloud project id.
type AccountID string

// A Session calls one cloud with one identity in one region. It is shared by all objects of one account and region, and
// has the clients, the rate budgets and the inventory of lists. It is safe for concurrent use.
//
// Each method takes the kind of the object, by its name in the API. For a kind that the cloud lacks, it returns the
// error NoKind. Methods are idempotent, do not wait for an operation in the cloud to complete, return before ctx ends,
// and return errors with a Code.
//
// Secrets accompany each message about one object. Secrets.Parent is set in every call for a kind within a parent that
// has a login, and Secrets.Own where the method says so.
type Session interface {
	// Identity asks the cloud to which account the credentials lead.
	Identity(ctx context.Context) (AccountID, error)
	// Observe reads the state of an object, and never writes. An object that does not exist is Absent, which is not an
	// error. If the driver can't find out whether it exists, that is an error. Fields of an existing object that can't
	// be read are in Unreadable.
	//
	// For a Deletion only State, ID, Mark, Protected, the changes that turn off the protection, and the Impossible
	// changes are needed. No call is made for anything else.
	Observe(ctx context.Context, kind string, req Request, secrets Secrets) (Observation, error)
	// List returns one page of the objects of a kind in the session's account, by a read call. If the cloud's sessions
	// work in one region, it lists that region. It lists all objects, with and without marks. An object that is missing
	// from a list may exist: see Page. For a kind whose Capabilities lack List, it returns NoList without a call.
	List(ctx context.Context, kind string, req ListRequest) (Page, error)
	// Create creates the object, with its mark from the beginning. If an object of that name exists, it returns
	// Conflict without an effect. Secrets.Own is set for kinds with a login. It is empty if the cloud is to manage the
	// password, and for a Restore.
	Create(ctx context.Context, kind string, req Request, secrets Secrets) (Result, error)
	// Update makes exactly the edit, in as few calls as the cloud allows. If one change fails, the others are still
	// made. Failed changes are in Result.Failed, and the error of the password is in Result.PasswordFailed. Everything
	// that is no difference between spec and cloud is a Command.
	//
	// Secrets.Own is set if PasswordChange.Sets, and for FieldUsername in a cloud that creates users by separate calls.
	// It is empty otherwise.
	Update(ctx context.Context, kind string, req Request, edit Edit, secrets Secrets) (Result, error)
	// Do carries out one command, in as few calls as the cloud allows. It returns an error if the cloud refused the
	// command, or if it is not known whether it was carried out. If the cloud refuses a mark, Result.Failed has
	// FieldMark. For a command that the kind's Capabilities lack, it returns Unsupported without a call.
	Do(ctx context.Context, kind string, req Request, command Command, secrets Secrets) (Result, error)
	// Delete asks the cloud to delete the object, as req.Deletion says. The caller has just observed the object, and
	// verified its mark and ID. If the object does not exist, Delete succeeds.
	Delete(ctx context.Context, kind string, req Request, secrets Secrets) (Result, error)
}

// Names of fields in messages that are not fields of the spec, or that a driver treats in its own way.
const (
	// FieldMark names the ownership mark in errors and lists: it could not be read, is not listed, or was refused. Only
	// the command WriteMark writes the mark. A driver never reports it as a change.
	FieldMark = "mark"
	// FieldUsername is the name of the administrator. If the cloud accepts it only at creation, a difference is
	// Impossible. If the cloud creates users by separate calls, the driver reports a change until Applied has the
	// username.
	FieldUsername = "credentials.username"
	// FieldStrategy says how the version is upgraded. A driver reports a change of it while a blue/green deployment is
	// prepared that the request no longer wants. The command DropStaged removes it.
	FieldStrategy = "updates.strategy"
)

// A Request identifies the object of a call, and says what is wanted. Drivers must not keep or change anything in it.
// Secrets are passed separately.
type Request struct {
	// Name is the object's name in the cloud, and Location its location.
	Name     string
	Location string
	// Parent is the parent or the source of the object, depending on whether the kind has Resource.Parent or
	// Resource.Source. It is zero for a kind without either.
	Parent ParentRef
	// ID is the cloud's immutable id of the object, once it is known.
	ID string
	// Mark is the ownership mark that the object has, or is to have.
	Mark Mark
	// Spec is the merged spec.
	Spec Spec
	// Username is the administrator's username, for kinds with a login; empty for the cloud's default.
	Username string
	// CloudManaged: the cloud is to manage the administrator's password. It is set only for kinds whose Capabilities
	// have ManagedPassword.
	CloudManaged bool
	// PasswordSet: the administrator's password was set by an earlier Create or Update.
	PasswordSet bool `json:",omitempty"`
	// Applied is what Mooring set in the cloud object earlier.
	Applied Applied
	// Operation is the name of an operation that an earlier Result returned. It is a hint: correctness does not depend
	// on it.
	Operation string
	// NotBefore is the earliest acceptable time of the observed state. A cached state that is older must not be used.
	NotBefore time.Time
	// AskedAt is when a user last requested an observation; zero if none did. Some state is read at a longer interval
	// of the driver's own. If the last such read was before AskedAt, it is read again. NotBefore does not cause that,
	// because it changes with each write.
	AskedAt time.Time `json:",omitzero"`
	// Read is Observation.Read of the observation that an Update is based on. The driver need not read that state
	// again, if the cloud refuses a write after a concurrent change. It is empty if the caller does not know it. A
	// driver that does not recognize it reads again.
	Read string `json:",omitempty"`
	// JustSet are the fields that Create set by separate calls, from its Result. It is set only for the first
	// observation after the creation. These fields need not be read, because the cloud has just confirmed them.
	JustSet []string
	// Whole: the mirror should also have the fields that the spec does not declare, even if each of them needs a call.
	Whole bool
	// Restore says from what Create restores the object; nil for an empty object. Only Create uses it.
	Restore *Restore `json:",omitempty"`
	// SentSince is the earliest time of a creation whose response was lost; zero if there is none. Only Create uses it,
	// in clouds that create another object for each call, whatever its name. Create makes no call if an object that was
	// created since then may be the lost one.
	SentSince time.Time `json:",omitzero"`
	// Vanished identifies an object that vanished. If the observation is Absent, it should say what can be restored of
	// that object. It is nil if that is not needed.
	//
	// Without an ID it stands for all objects that had the name or the mark VanishedMark, whatever its uid, if the kind
	// has RestoresDeleted. Then Restorable has only Backups.
	Vanished     *ParentRef `json:",omitempty"`
	VanishedMark Mark       `json:",omitzero"`
	// Beside: the version is to be upgraded by a blue/green deployment. The cloud prepares a new server next to this
	// one, which then takes its name and address. It is set only for kinds whose Capabilities have Beside.
	//
	// An Update with a change of the version starts the preparation, or switches over once the new server is ready.
	// Result.Operation names the deployment, and later requests have it. Other changes of the same Update are made
	// first, and then the change of the version fails with Busy. While a deployment exists, observations report only a
	// change of the version or of FieldStrategy; all other changes wait.
	Beside bool `json:",omitempty"`
	// Former is the server that this one replaced in a blue/green deployment. It is nil if there is none, or if it was
	// deleted.
	Former *ParentRef `json:",omitempty"`
	// Deletion is set while the object is being deleted. A server that was prepared to replace it is deleted too.
	Deletion *Deletion
}

// Deletion describes how an object is to be deleted.
type Deletion struct {
	// Snapshot is the name of the final snapshot to take; empty for none. No snapshot is taken of a read replica, if
	// the cloud does not support it.
	Snapshot string
	// Force: the contents are deleted too. Delete may delete a part of them and return. It is called again until the
	// object does not exist any more.
	Force bool
}

// A FieldError is the error of one field.
type FieldError struct {
	Field string
	Err   *Error
	// Unset are the entries of Change.Adds that the call did certainly not set, according to the cloud's response. If
	// such an entry exists later, somebody else set it. An entry that may have been set, for example because the
	// response was lost, is not in Unset.
	Unset []string `json:",omitempty"`
}

// A Result is the outcome of a call.
type Result struct {
	// Operation is the cloud's operation that the call started, if any. If all changes of an Update failed with Busy,
	// the operation is the preparation of these changes.
	Operation string
	// ID is the cloud's immutable id of the object, if the call returned it.
	ID string
	// Failed are the changes that were not made, with their errors. All others were made.
	Failed []FieldError
	// PasswordFailed is the error of Edit.Password; nil if the password was changed, or if the edit does not change it.
	PasswordFailed *Error `json:",omitempty"`
	// Sent are the changes that Create made by separate calls after the creation. Reads may not show them yet.
	Sent []Change
	// Unfinished: Delete has to be called again. It deleted a part of the contents, or did a step that comes before the
	// deletion.
	Unfinished bool
	// Did describes the step of an unfinished Delete that deleted nothing, as a sentence without a full stop. Users see
	// it if the deletion makes no progress.
	Did string
	// Removed is how many parts of the contents an unfinished Delete deleted, for example objects and their versions.
	Removed int
	// Left says what related to the object stays in the cloud, and why; empty if nothing does. Delete sets it, and
	// WriteMark with a Released mark.
	Left string
}
