package driver

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A Description says what a driver's cloud has, so that nobody else has to know any cloud by name. It is data: to make one
// opens and calls nothing, and it survives JSON. Validate says what is wrong with one.
type Description struct {
	// Contract is the version of the contract that the driver was built for: ContractVersion.
	Contract int
	// Name is the cloud's name, for example "aws". The driver is registered under it, and the cloud's blocks have it in the specs
	// of provider configs, classes and objects.
	Name string
	// Title is what people call the cloud, for example "AWS".
	Title   string
	Account AccountFields
	// Secret says what a credentials Secret holds.
	Secret SecretKeys
	// Audience says for whom the tokens of web identities are.
	Audience Audience
	Spans    SpanNames
	// Budgets are the classes in which the cloud counts the calls of an account, to limit their rate.
	Budgets []Budget `json:",omitempty"`
	// Resources are the kinds that the cloud has.
	Resources []Resource
}

// AccountFields names fields of the cloud's block in the spec of a provider config.
type AccountFields struct {
	// ID is the field that holds the account to which the credentials must lead. Where it is unset they may lead to any account.
	ID string
	// Region is the field that holds where objects are created that name no location.
	Region string
	// OwnRegions is the field that, where it is set, says that the account is of servers whose regions have names of
	// their own; empty if there is none.
	OwnRegions string `json:",omitempty"`
}

// SecretKeys are the keys of a credentials Secret. All values of the Secret are secret, whatever their keys.
type SecretKeys struct {
	// Required are the keys without which no identity can be used, Optional the others that the driver reads.
	Required, Optional []string
	// Public are the keys within a value that is JSON whose own values may be shown, such as the e-mail address of a service account.
	// Messages need them; all other strings in it are secret.
	Public []string
}

// All returns the keys that the driver reads.
func (k SecretKeys) All() []string { return slices.Concat(k.Required, k.Optional) }

// An Audience says for whom the tokens of web identities are: it is Fixed, or else the value of a field, after a prefix.
type Audience struct {
	Fixed string
	// Field is a field of credentials.webIdentity.
	Prefix, Field string
}

// Of returns the audience of the tokens of one web identity.
func (a Audience) Of(web *v1alpha1.WebIdentity) string {
	if a.Field == "" {
		return a.Fixed
	}
	return a.Prefix + web.Field(a.Field)
}

// SpanNames are what OpenTelemetry calls the cloud's API, and the ids that it gives to requests. Empty names mean that
// OpenTelemetry has none.
type SpanNames struct {
	// System is the value of rpc.system, RequestID an attribute's name.
	System, RequestID string
}

// A Resource is a kind of object in one cloud.
type Resource struct {
	// Kind is the kind's name in the API, for example "Bucket". Title is what people call it in this cloud, for example "Amazon S3".
	Kind, Title string
	// Ownership is how the cloud shows whose an object is.
	Ownership Ownership
	// Registry is where OwnedByRegistry keeps the marks, in words; empty for the other ownerships.
	Registry string `json:",omitempty"`
	// Parent is the kind within whose objects those of this kind are; empty for a kind without a parent. The driver describes that
	// kind too. Every Request about such an object has the Parent.
	//
	// An object within a parent that does not exist is Absent. To create or update one is the error NotFound and makes nothing; to
	// delete one is no error. To delete a parent deletes what is within it, or is refused with NotEmpty: nothing outlives its parent.
	Parent string `json:",omitempty"`
	// Source is the kind from whose objects those of this kind are made, as snapshots are made of databases; empty for a kind that is made of nothing
	// else. The driver describes that kind too. A kind has a Parent or a Source, or none of them.
	//
	// A Create needs Request.Parent, which names the source: without it, or if it does not exist, Create is the error NotFound and makes
	// nothing. All other calls go without: what was made outlives its source. Where the cloud would delete it with the source, the Delete of the source
	// sees to it first that the cloud does not.
	Source string `json:",omitempty"`
	// MarkIsFinal: the cloud takes the mark with the creation alone. Nothing can be written on what is left behind, so an observation shows such a mark
	// as Released to every other object than the one of its UID, but to one of the same namespace and name that Request.ID says has taken it over: to
	// that one, it shows the mark of the request. WriteMark writes nothing for the same owner, and is the error Unsupported for another.
	MarkIsFinal bool `json:",omitempty"`
	// Name says what names the cloud takes. They are unique within a parent, if there is one.
	Name NameRule
	// Passwords says what passwords the administrator may have, for kinds with a login.
	Passwords    []PasswordRule
	Capabilities Capabilities
	Connection   Connection
	Consequences Consequences
	// Restore says how somebody brings back an object that was deleted outside Mooring, if that is possible only while nobody has its name: what to
	// do, beginning with a verb in lower case, without a full stop or a name of an object. Then no new object is created in its place, unless
	// a spec asks for one. Empty where a new one takes nothing away.
	Restore string `json:",omitempty"`
	// Fields are the rows of the field table.
	Fields []Field
	// Lacks are fields of the spec, and values of them, that this cloud does not have.
	Lacks []Lack
	// Known is what this release knows of values of which the cloud gets more from time to time.
	Known Known `json:",omitzero"`
	// Reserved are values of fields that, through an account that namespaces share, only the platform team sets.
	Reserved []Reserved `json:",omitempty"`
	// Exempt are the fields of the spec that have no row, and why. Fields in the blocks of other clouds need no exemption, and a field that
	// the cloud lacks is in Lacks.
	Exempt map[string]string
}

// Capabilities are what a kind of object can do in one cloud.
type Capabilities struct {
	// Login: it has an administrator with a password.
	Login bool
	// ManagedPassword: the cloud can manage the administrator's password. A kind with a login and without it says so in Lacks, by CloudManagedLack.
	ManagedPassword bool
	// Snapshots: a final snapshot can be taken of it.
	Snapshots bool
	// Restores: a Create makes it of a snapshot, if the request says so, and an observation says what is left of one that vanished. The driver describes a kind
	// that has this one as its Source.
	Restores bool
	// PointInTime: a Create makes it of another object as that was at a time, if the request says so.
	PointInTime bool
	// RestoresDeleted: the cloud keeps backups of objects that were deleted, an observation says which and for which times, and a Create makes an object of them as
	// PointInTime says.
	RestoresDeleted bool `json:",omitempty"`
	// Copies: what a Create makes of another object is born as a copy of that, its mark included.
	Copies bool
	// Replicas: a Create makes it follow another object, if the request says so, an observation says who follows whom, and Promote ends it.
	Replicas bool
	// Beside: its version can be changed by a server that the cloud prepares beside it. A kind with versions and without it says so in Lacks.
	Beside bool
	// Contents: it may hold what the cloud deletes only by force.
	Contents bool
	// Stop: somebody can stop it, and start it again.
	Stop bool
	// List: the cloud can list the objects of the kind.
	List bool
	// Actions are what can be done to an object once, because a person asks for it. RotatePassword needs ManagedPassword.
	Actions []Action `json:",omitempty"`
}

// Connection is what a connection Secret says of the cloud's own protocol. It is empty for a kind that speaks another's, as a
// database does.
type Connection struct {
	// Type is what the Service Binding specification calls type, Scheme that of the URI.
	Type, Scheme string
}

// Resource returns a kind of the cloud; false says that the cloud lacks it.
func (d *Description) Resource(kind string) (Resource, bool) {
	for _, r := range d.Resources {
		if r.Kind == kind {
			return r, true
		}
	}
	return Resource{}, false
}
