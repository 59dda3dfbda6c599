package drivertest

import (
	"slices"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Harness is a driver under test and the cloud behind it. The cloud is the suite's own while it
// runs: it counts every call there and leaves objects behind. Their names begin with Prefix.
type Harness struct {
	// Driver is under test. Its retries of a failed call, if any, must be few and quick.
	Driver driver.Driver
	// Config opens the account that the suite works in, and Account is where it leads. Choose the
	// location where the cloud is oddest: us-east-1.
	Config  driver.Opening
	Account driver.AccountID
	// Other opens an account of somebody else in the same cloud; nil skips what needs one.
	Other *driver.Opening
	// Refused are configs that Open must refuse with Invalid, by what is wrong with them.
	Refused map[string]driver.Opening
	// Secrets are values in the configs that must not appear in errors, beside the logins' passwords.
	Secrets []string
	// Prefix of names; "conform" if empty.
	Prefix string

	// Now is the clock that requests are dated by; time.Now if nil.
	Now func() time.Time
	// Finish lets the cloud finish what it is at: by moving its clock, if it has one. nil if it needs no time.
	Finish func(t testing.TB)
	// Calls returns how many calls the cloud has seen since it began.
	Calls func() Calls
	// Disrupted returns what each call did at once to those who use a server, as a restart, in their order; nil if the cloud does not tell.
	Disrupted func() []string
	// Fail makes calls fail until lifted; nil skips all that needs it.
	Fail func(Fault) (lift func())
	// Empty opens an account without objects, in which the suite makes none; nil skips what needs one.
	Empty *driver.Opening
	// PageSize makes the cloud list at most n objects on a page until that is lifted; nil skips what needs several pages.
	PageSize func(n int) (lift func())
	// Patience is the deadline that calls get which the cloud leaves without an answer; 300 ms if 0.
	Patience time.Duration
	// Grace is by how much such calls may outlive their deadline, on a busy machine too; a minute if 0. A deadline of the
	// driver's own has to be longer, or nothing shows that it heeds that of its caller.
	Grace time.Duration

	// API has an object of each kind that there can be; those of v1alpha1.ResourceObjects if empty.
	API []v1alpha1.ResourceObject
	// Kinds are the kinds that the driver has: all that it describes, but for those of Lacking.
	Kinds []Trial
	// Lacking are kinds that the driver describes, and that the cloud of this account lacks: a session refuses them as Unsupported.
	Lacking []string
}

// A Trial is a Kind of whatever parameters.
type Trial interface {
	// kind returns the name of the kind in the API.
	kind() string
	checks(h *Harness) []Check
	sequences(t *testing.T, h *Harness, seeds []uint64) map[ending]int
	announced(t *testing.T, h *Harness)
}

// has reports whether the harness has a kind.
func (h *Harness) has(kind string) bool {
	return slices.ContainsFunc(h.Kinds, func(k Trial) bool { return k.kind() == kind })
}

// Calls counts calls that the cloud has seen.
type Calls struct{ Reads, Writes int }

// minus returns the calls since before.
func (c Calls) minus(before Calls) Calls {
	return Calls{Reads: c.Reads - before.Reads, Writes: c.Writes - before.Writes}
}

// A FaultKind is a way for a call to go wrong.
type FaultKind string

// The kinds of faults, and the code that the driver must make of each.
const (
	Denied       FaultKind = "denied"        // 403: Denied. Nothing is done
	Throttled    FaultKind = "throttled"     // 429, 503 SlowDown: Throttled. Nothing is done
	ServerError  FaultKind = "server-error"  // 500: Unavailable. Nothing is done
	Hang         FaultKind = "hang"          // no answer until the caller gives up: Unavailable. Nothing is done
	ResponseLost FaultKind = "response-lost" // done, then the connection is cut: Unavailable
	FailLate     FaultKind = "fail-late"     // accepted, then the operation ends in an error; databases only
	// Answers with the status of success that are none of the cloud's: Unavailable.
	Page        FaultKind = "page"         // a page of HTML, from a proxy on the way
	Blank       FaultKind = "blank"        // nothing
	ForeignXML  FaultKind = "foreign-xml"  // XML of something else
	ForeignJSON FaultKind = "foreign-json" // JSON of something else
	Cut         FaultKind = "cut"          // the first half of the cloud's own answer
)

// noAnswers are the kinds of faults in which an answer comes that is none.
var noAnswers = []FaultKind{Page, Blank, ForeignXML, ForeignJSON, Cut}

// code is what the driver must make of a fault.
func (k FaultKind) code() driver.Code {
	switch k {
	case Denied:
		return driver.Denied
	case Throttled:
		return driver.Throttled
	}
	return driver.Unavailable
}

// A Fault makes the calls to the cloud go wrong that it selects, whatever they are about.
type Fault struct {
	Kind FaultKind
	// Reads, Writes: which calls it hits.
	Reads, Writes bool
	// Skip is how many of those it lets pass first. All others are hit until the fault is lifted.
	Skip int
}

// A Kind says how to try one kind of object. S is its parameters.
type Kind[S any] struct {
	// Name is the kind's name in the API, for example Bucket.
	Name string
	// Full returns parameters that declare every field that the table has a row for, Minimal the least
	// that Create takes, with no tags. Each call returns new values.
	Full, Minimal func() S
	// Login is the administrator's login, for kinds that have one. Its password must be of no other use.
	Login driver.Login
	// ManagedPassword: the cloud can manage the administrator's password.
	ManagedPassword bool
	// Actions are what can be done to an object once, because a person asks for it.
	Actions []driver.Action
	// Fields has one entry for each row of the table, but for those of Lacking and Apart.
	Fields []Field
	// Lacking are rows that the cloud of this account lacks, each with a value for an object from Minimal: it is refused as Unsupported, by its field.
	Lacking []Field
	// Apart are rows that tests of their own try, by the name of the test.
	Apart map[string]string
	// Needed are fields that the cloud creates nothing without. Sequences does not take them out.
	Needed []string
	// RefusedNames are some that the cloud refuses for new objects, OddNames some that it takes although Mooring chooses none
	// like them.
	RefusedNames, OddNames []string
	// RefusedPasswords are some that the cloud refuses for an object made from Minimal.
	RefusedPasswords []string
	// Reads and MinimalReads are the most calls that a look at a converged object may cost that was
	// made from Full or from Minimal.
	Reads, MinimalReads int
	// SupportReads is how many calls more the first look of a session makes for Observation.Support. Later ones make none for it for hours.
	SupportReads int

	// Before is how many writes the creation of an object from Full makes before the object is there; Beside is how many other cloud objects belong to it,
	// which bear its mark too.
	Before, Beside int

	// Within makes an object of the kind of the parent, or of the source, with a new name in the suite's account, behind the driver's back, and returns which
	// one it is; nil for a kind without any. RemoveParent deletes such an object with all that is within it, at once.
	Within       func(t testing.TB) driver.ParentRef
	RemoveParent func(t testing.TB, parent driver.ParentRef)

	// HasID: the cloud has an immutable identity of its own for each object.
	HasID bool
	// IDAtOnce: Create tells that identity, so that it can be stored before anybody takes the name.
	IDAtOnce bool
	// GlobalNames: a name that another account has taken can't be used, and what is there can't be seen.
	GlobalNames bool
	// Snapshots: the kind can take a final snapshot.
	Snapshots bool
	// Restores: an object can be made of a snapshot.
	Restores bool
	// PointInTime: an object can be made of another one as that was at a time.
	PointInTime bool
	// RestoresDeleted: that other one may be one that was deleted with a final snapshot.
	RestoresDeleted bool
	// Copies: it is born as a copy of that one, its mark included.
	Copies bool
	// Replicas: an object can be made to follow another one. Primary returns parameters of one that others can follow; those of Full if it is nil.
	Replicas bool
	Primary  func() S
	// Upgrades: its version can be changed by an object that the cloud prepares beside it.
	Upgrades bool
	// Lists: the driver can list objects of the kind.
	Lists bool
	// Contents: an object that holds something is deleted only by force. Needs Cloud.Fill.
	Contents bool

	// Cloud is the way in behind the driver's back.
	Cloud Backdoor
}

func (k *Kind[S]) kind() string { return k.Name }

func (k *Kind[S]) checks(h *Harness) []Check { return newBench(h, k.Name, k).checks() }

// A Field is a row of the table, and values to try. Values are in the spec's own words: a string, an int, a
// bool, a []string for lists, of which Full has two entries at least, a list of structs for rules, and a map[string]string for maps.
type Field struct {
	// Name is the dotted path in the spec.
	Name string
	// To is a value that differs from the one in Full.
	To any
	// Worst: a preview can't know the effect, which depends on what the cloud says when it is asked. It announces one that is as bad at least.
	Worst bool
	// Effect of a change from the value in Full to To; empty for Online.
	Effect driver.Effect
	// Then is the effect of a second change of the field, which takes one write and follows the first one; empty if none follows. It is for what
	// takes effect in two steps that disturb users differently, as where a server takes a value at its next restart.
	Then driver.Effect
	// Given are other fields that have another value than in Full wherever this one is tried; nil takes one out. It is for values
	// that the cloud refuses beside those in Full. A field that itself is given is one that Full leaves out, because it excludes others.
	Given map[string]any
	// Along are other fields that an edit to To changes too, since the cloud takes them together only.
	Along map[string]any
	// Dependents are other fields that the cloud takes only beside this one, and Together those without which it does not take this one either.
	Dependents, Together []string
	// First is what it costs to set the field on an object that was made without it, if not what an edit costs.
	First First
	// ReadWith are the other fields that the same call reads, where that is not the one that reads the object.
	ReadWith []string
	// NamedBy is another field that the cloud takes this one along with, and that a refusal names in place of both.
	NamedBy string
	// With is another field without which this one says nothing.
	With string
	// Drift is a value that somebody else sets in the cloud; To if nil.
	Drift any
	// DriftEffect is the effect of putting drift right; Effect if empty.
	DriftEffect driver.Effect
	// NoDrift says why nobody can change the field behind our back. Fields whose Effect is
	// Impossible need not say it.
	NoDrift string
	// NoEmpty says why the cloud has no empty list in the field, which is a list.
	NoEmpty string
	// Single says why the field, which is a list, has one string at most: there is no other order of it.
	Single string
	// Member says what tells an object in a list, as JSON has it, from the others, of which others may own some; nil for a field that is no such list.
	Member func(object map[string]any) string
	// Same are values in the cloud that mean the same as the one in Full.
	Same []any
	// Means reports whether a value that the cloud has means the same as another one in the spec, such as where there is no way back. nil if only
	// those of Same do.
	Means func(want, have string) bool
	// Follows are other fields whose changes may change this one where the spec leaves it out, and why. Fields that nothing says that of are left
	// as they are.
	Follows map[string]string
	// Safe is the value that the field returns to when it is taken out of the spec; nil if it is left as it is.
	Safe any
	// Listed is set for a list of structs of which others may own entries, and Releases if those that we set go when the field is taken out of the spec.
	Listed   *Listed
	Releases bool
	// Later says that the field is no part of a creation: a call of its own sets it once the object is at rest,
	// and only then it counts as applied.
	Later bool
	// Alone: the field changes alone, and not beside others: changes that need an object to run are made before it is stopped.
	Alone bool
	// Stuck says why the cloud may refuse an edit of the field where a new object could have the value; empty if it does not.
	Stuck string
	// Checked: the cloud first looks whether the change can be made, by an operation that one write begins, and that changes nothing. The update that begins it has the change wait.
	Checked bool
	// Writes is how many writes a change costs, if not one: as where entries of a map are set and
	// removed by calls of their own.
	Writes int
}

// A Backdoor reaches objects of Harness.Config behind the driver's back, at once. What is nil skips the
// checks that need it.
type Backdoor struct {
	// Edit sets a field to a value, both in the spec's words. Not called for maps.
	Edit func(t testing.TB, name, field string, value any)
	// Labels returns all tags or labels that an object bears, the mark among them.
	Labels func(t testing.TB, name string) map[string]string
	// Relabel replaces them all.
	Relabel func(t testing.TB, name string, labels map[string]string)
	// Entries reach maps of the spec by their fields; "tags" need none.
	Entries map[string]Entries
	// Remove deletes an object with all that is in it, at once.
	Remove func(t testing.TB, name string)
	// Fill puts something into an object.
	Fill func(t testing.TB, name string)
	// Stop stops an object that can be stopped.
	Stop func(t testing.TB, name string)
	// Password returns the administrator's password.
	Password func(t testing.TB, name string) string
	// Support has the cloud report until when it supports what an object runs on, and returns what it reports; nil for a kind of which the cloud reports
	// nothing of the kind.
	Support func(t testing.TB, name string) driver.Support
	// Hide makes one field of the object unreadable (403), and those that are read with it, where fields are read by calls of their own. It
	// returns nil if that field can't be hidden, and not for all fields: Hide itself is nil then.
	Hide func(t testing.TB, name, field string) (lift func())
	// Refuse makes the cloud refuse (403) updates of one field of the object: a call of its own, or one that has its parameter, as by a condition of a
	// policy. It returns nil if that field can't be refused by itself, and not for all fields: Refuse itself is nil then.
	Refuse func(t testing.TB, name, field string) (lift func())
}
