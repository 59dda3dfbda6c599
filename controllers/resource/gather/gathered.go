package gather

import (
	"errors"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/account"
	"github.com/mooring-dev/mooring/controllers/class"
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/controllers/password"
	"github.com/mooring-dev/mooring/controllers/resource/credential"
	"github.com/mooring-dev/mooring/controllers/resource/outcome"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/providers/driver"
)

// Gathered is what is known of an object once it was gathered, as far as that went.
type Gathered struct {
	outcome.Facts
	// Stored is the object as the API server has it, and Object what its status is to be like. Want is the object with its class merged in.
	Stored, Object, Want v1alpha1.ResourceObject
	// News is what people did since the last reconciliation.
	News News
	// Before are the conditions as they were found. WasReady: the object had been usable before.
	Before   []metav1.Condition
	WasReady bool
	// Removed: the CustomResourceDefinition of the kind is being deleted.
	Removed bool
	// NamespaceUID is the uid of the object's namespace. Recovers: it may have what any namespace of its name made.
	NamespaceUID string
	Recovers     bool
	// Children names objects within this one that keep it from being deleted.
	Children []string
	// Held: an object is being made of this one, which does not expire meanwhile.
	Held bool
	// Parent is what is known of the object within which this one is.
	Parent Parent
	// Primary is what is known of the object that this one follows, or is to follow. Follows: the object is to be created so.
	Primary Primary
	Follows bool
	// Followers are the objects that follow this one, which is being deleted.
	Followers Followers
	// Snapshot is that of which the object is to be made, once it is to be created; nil if it is to be empty.
	Snapshot *Snapshot
	// Rival is the strongest claim of another object to the cloud object, where no mark says whose it is; nil if there is none. Taken: it
	// is stronger than this object's.
	Rival *plan.Claim
	Taken bool
	// Problem is what keeps the class from being applied to the object, or what the cloud lacks of an object without a class; nil if nothing
	// is in the way.
	Problem *class.Problem
	// Connection leads to the account; nil as long as there is none. Session makes its calls.
	Connection *identity.Connection
	Session    driver.Session
	// Described is what the cloud says of the kind. Supported: the cloud has the kind.
	Described driver.Resource
	Supported bool
	Slot      Slot
	// Asks is where the spec asks the cloud object to be.
	Asks plan.Place
	// OperationError is why an operation that the cloud had begun failed; nil if none did.
	OperationError error
	// Notes are Events that tell what was found.
	Notes []outcome.Note
	// PasswordSecret is the password Secret as it was read; nil if it was not. Password is what is decided about the password.
	PasswordSecret *password.Secret
	Password       plan.PasswordPlan
	// Obsolete is the password Secret, as it was read, of a server whose password the cloud manages; nil if it is known that there is none.
	Obsolete *password.Secret
	// Connections are the connection Secrets that an action concerns.
	Connections credential.Connections
	// PublishError is why the Secrets could not be read that it takes to bring connection Secrets up to date; nil if nothing kept them from it.
	PublishError error
	// PasswordUnknown is why the connection Secret of a read replica is not written before a person acts; nil if nothing keeps it.
	PasswordUnknown *identity.ValidationError
	// PasswordChanges: the password of the primary is being changed, and nothing tells when it has come true.
	PasswordChanges bool
	// RotationRefused is why a password whose period has passed is not changed before a person acts; nil if nothing keeps it.
	RotationRefused error
	// Unmade: something that the connection Secret names may not be in the cloud yet.
	Unmade bool
	// KeepsCertificates: the authorities of the server are not known, because what the provider config says of them is missing or wrong.
	KeepsCertificates bool
	// CallError is the error of the last call to the cloud; nil if it answered.
	CallError error
	// Secrets are values that must never be shown.
	Secrets []string
	// Memory is what is remembered for the next gathering, Cloud what is remembered of the cloud object, and Published what is remembered of the
	// connection Secret.
	Memory    Memory
	Cloud     plan.Memory
	Published credential.Memory
}

// A Slot says whether the object has a slot of its account.
type Slot struct {
	// Queued: it waits for one. Degraded: the account does not answer. Moves: others get theirs meanwhile. Account is how messages name the account.
	Queued, Degraded, Moves bool
	Account                 string
	// Postponed is how long the object waits because its namespace asked for many reconciliations.
	Postponed time.Duration
	slot      *account.Slot
}

// Release gives the slot of the account back, if the object has one, and notes what the error of the last call says about the account as
// a whole.
func (g Gathered) Release(callError error) {
	code := driver.CodeOf(callError)
	if callError != nil && code == driver.Denied {
		g.Connection.Recheck()
	}
	if g.Slot.slot == nil {
		return
	}
	if cloud, ok := errors.AsType[*driver.Error](callError); ok && cloud != nil {
		g.Slot.slot.RetryAfter(cloud.RetryAfter)
	}
	g.Slot.slot.Release(callError == nil || code != driver.Unavailable)
}

// Paced reports whether the cloud refused a call because the account made too many, of those that the account's limiter counts: then the limiter
// says when the object's turn is.
func (s Slot) Paced() bool { return s.slot != nil && s.slot.Paced() }

// Redactor returns what cuts secret values out of a message, others included. Drivers promise that there are none; this is the second lock.
func (g Gathered) Redactor(others ...string) func(message string) string {
	secrets := slices.Concat(g.Secrets, others)
	return func(message string) string {
		if g.Connection != nil {
			return g.Connection.Redact(message, secrets...) // what it is now: tokens come and go in a reconciliation
		}
		return driver.Redact(message, secrets...)
	}
}

func (g Gathered) status() *v1alpha1.ResourceStatus { return g.Object.GetResourceStatus() }

func (g Gathered) bound() bool { return g.status().ExternalName != "" }

// subject is what is bound to a cloud and an account: the object, or the parent of one that is not bound yet.
func subject(g Gathered) string {
	if g.bound() || g.Parent.Named == "" {
		return "it"
	}
	return g.Parent.Named
}

// neverCreated reports whether it is sure that nothing was created for the object. Copies take long to be made: one that was asked for without an answer may still come.
func neverCreated(g Gathered) bool {
	_, copies := g.Kind.CopyOf(g.Object)
	return plan.NeverCreated(g.status(), g.Cloud) && (!copies || !g.Cloud.CreationUnclear)
}

// knows adds values that must never be shown.
func (g *Gathered) knows(secrets ...string) { g.Secrets = append(g.Secrets, secrets...) }
