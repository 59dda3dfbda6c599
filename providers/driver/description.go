package driver

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Description describes a driver's cloud as data, so that other packages depend on no cloud. Creating it makes no
// call. It survives an encoding as JSON. Validate says what is wrong with it.
type Description struct {
	// Contract is the value of ContractVersion for which the driver was built.
	Contract int
	// Name is the cloud's name, for example "aws". The driver is registered under it. It is also the name of the
	// cloud's blocks in the specs of provider configs, classes and objects.
	Name string
	// Title is what people call the cloud, for example "AWS".
	Title   string
	Account AccountFields
	// Secret describes the keys of a credentials Secret.
	Secret SecretKeys
	// Audience says how the audience of web identity tokens is found.
	Audience Audience
	Spans    SpanNames
	// Budgets are the classes of API calls for which the cloud limits the rate of an account.
	Budgets []Budget `json:",omitempty"`
	// Resources describe the kinds that the cloud supports.
	Resources []Resource
}

// AccountFields names the fields of a provider config that describe the account. They are fields of the cloud's own
// block in the config's spec.
type AccountFields struct {
	// ID is the field with the id of the expected account. If a config does not set it, the credentials may lead to any
	// account.
	ID string
	// Region is the field with the default location of new objects.
	Region string
	// OwnRegions is a field that is set for servers other than the cloud's own, which speak its protocol and name their
	// regions freely. It is empty if there is no such field.
	OwnRegions string `json:",omitempty"`
}

// SecretKeys describe the keys of a credentials Secret. All values of the Secret are secret, whatever their keys.
type SecretKeys struct {
	// Required are the keys that every identity needs. Optional are the other keys that the driver reads.
	Required, Optional []string
	// Public are keys within a JSON value of the Secret, whose values may be shown, such as the e-mail address of a
	// service account. Messages need them. All other strings in it are secret.
	Public []string
}

// All returns all keys that the driver reads.
func (k SecretKeys) All() []string { return slices.Concat(k.Required, k.Optional) }

// An Audience says how the audience of web identity tokens is found: it is Fixed, or else Prefix followed by the value
// of Field.
type Audience struct {
	Fixed string
	// Field is a field of credentials.webIdentity in a provider config.
	Prefix, Field string
}

// Of returns the audience for the tokens of a web identity.
func (a Audience) Of(web *v1alpha1.WebIdentity) string {
	if a.Field == "" {
		return a.Fixed
	}
	return a.Prefix + web.Field(a.Field)
}

// SpanNames are the names for the cloud in OpenTelemetry's semantic conventions. A name is empty if the conventions
// have none.
type SpanNames struct {
	// System is the value of the attribute rpc.system. RequestID is the attribute for the id of a request.
	System, RequestID string
}

// A Resource describes a kind of object in one cloud.
type Resource struct {
	// Kind is the kind's name in the API, for example "Bucket". Title is what people call it in this cloud, for example
	// "Amazon S3".
	Kind, Title string
	// Ownership says where the ownership of an object is recorded.
	Ownership Ownership
	// Registry says in words where OwnedByRegistry stores the marks; empty for other ownerships.
	Registry string `json:",omitempty"`
	// Parent is the kind of the parent, for example Database for users; empty for a kind without one. The driver
	// describes the parent kind too. Every Request for an object has Request.Parent.
	//
	// If the parent does not exist, the object is Absent, Create and Update return NotFound without an effect, and
	// Delete succeeds. The deletion of a parent deletes the objects within it, or fails with NotEmpty: no object
	// outlives its parent.
	Parent string `json:",omitempty"`
	// Source is the kind from which objects of this kind are created, as snapshots are from databases; empty for a kind
	// without one. The driver describes the source kind too. A kind has a Parent or a Source or neither.
	//
	// Create needs Request.Parent, which identifies the source. Without it, or if the source does not exist, Create
	// returns NotFound without an effect. No other call needs it: the objects outlive their source. If the cloud would
	// delete them with their source, the Delete of the source prevents that first.
	Source string `json:",omitempty"`
	// MarkIsFinal: the cloud accepts the mark only with the creation, so a retained object can't be marked as released.
	// Therefore an observation reports the mark as Released to every object except the one with the mark's UID. If
	// Request.ID says that an object of the same namespace and name has taken it over, that object gets the mark of its
	// request.
	//
	// WriteMark writes nothing for the same owner, and returns Unsupported for another one.
	MarkIsFinal bool `json:",omitempty"`
	// Name describes the names that the cloud accepts. They are unique within the parent, if there is one.
	Name NameRule
	// Passwords says what passwords the administrator may have, for kinds with a login.
	Passwords    []PasswordRule
	Capabilities Capabilities
	Connection   Connection
	Consequences Consequences
	// Restore says how a person brings back an object that was deleted outside Mooring, if that is possible only while
	// no other object has its name. It begins with a verb in lower case, without a full stop and without an object's
	// name. If it is set, no new object is created in place of a vanished one, unless a spec asks for it. It is empty
	// if a new object prevents nothing.
	Restore string `json:",omitempty"`
	// Fields are the rows of the field table.
	Fields []Field
	// Lacks are the fields and values of the spec that this cloud does not support.
	Lacks []Lack
	// Known are values that this release knows, of sets to which the cloud adds values over time.
	Known Known `json:",omitzero"`
	// Reserved are values that only the platform team may set in an account that several namespaces share.
	Reserved []Reserved `json:",omitempty"`
	// Exempt are the fields of the spec without a row in the field table, and why. Fields in the blocks of other
	// clouds, and fields in Lacks, need no exemption.
	Exempt map[string]string
}

// Capabilities are the features that a kind of object has in one cloud.
type Capabilities struct {
	// Login: an object has an administrator with a password.
	Login bool
	// ManagedPassword: the cloud can manage the administrator's password. A kind with a login and without it says so in
	// Lacks, by CloudManagedLack.
	ManagedPassword bool
	// Snapshots: a final snapshot can be taken when an object is deleted.
	Snapshots bool
	// Restores: Create can restore an object from a snapshot, and an observation says what can be restored of a
	// vanished object. Such a driver also describes a kind of snapshots, whose Source is this kind.
	Restores bool
	// PointInTime: Create can restore an object from the state that another object had at a point in time.
	PointInTime bool
	// RestoresDeleted: the cloud keeps backups of deleted objects. An observation lists them with their times, and
	// Create restores from them, as for PointInTime.
	RestoresDeleted bool `json:",omitempty"`
	// Copies: an object that Create restores from another object starts as a copy of it, including its ownership mark.
	Copies bool
	// Replicas: Create can make an object a read replica of another one, observations report replication, and Promote
	// ends it.
	Replicas bool
	// Beside: a version upgrade can be done by blue/green deployment: the cloud prepares a new server next to the
	// present one, and then switches over. A kind with versions that can't do so says that in Lacks.
	Beside bool
	// Contents: an object can have contents, such as objects in a bucket, that the cloud deletes only by force.
	Contents bool
	// Stop: an object can be stopped and started again.
	Stop bool
	// List: the cloud can list the objects of the kind.
	List bool
	// Actions are the actions that users can request. RotatePassword requires ManagedPassword.
	Actions []Action `json:",omitempty"`
}

// Connection describes the cloud's own protocol for a connection Secret. It is empty for a kind whose protocol is not
// the cloud's, such as a database.
type Connection struct {
	// Type is the type in the Service Binding specification, and Scheme the scheme of the URI.
	Type, Scheme string
}

// Resource returns the description of a kind; false if the cloud does not support it.
func (d *Description) Resource(kind string) (Resource, bool) {
	for _, r := range d.Resources {
		if r.Kind == kind {
			return r, true
		}
	}
	return Resource{}, false
}
