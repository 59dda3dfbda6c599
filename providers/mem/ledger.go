package mem

import (
	"slices"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
)

// An Op is a kind of call.
type Op string

// The calls that the driver makes. Identity, Observe and ObserveSnapshot read, the others write.
const (
	OpIdentity Op = "Identity"
	OpObserve  Op = "Observe"
	OpSnapshot Op = "ObserveSnapshot"
	OpCreate   Op = "Create"
	OpUpdate   Op = "Update"
	OpDelete   Op = "Delete"
)

// Write reports whether calls of this kind change the cloud.
func (o Op) Write() bool { return o == OpCreate || o == OpUpdate || o == OpDelete || o == OpAct }

// A Kind is a kind of object, by its name in the API.
type Kind string

// Password and PasswordSource are what Call.Fields and Fault.Field call a new password, and a change of who manages it.
const (
	Password       = "password"
	PasswordSource = "password source"
)

var passwordNames = map[driver.PasswordChange]string{
	driver.SetPassword: Password, driver.HandOverPassword: PasswordSource, driver.TakeBackPassword: PasswordSource,
}

// A Call is one call that reached the cloud.
type Call struct {
	Time    time.Time
	Account driver.AccountID
	Op      Op
	Kind    Kind // empty for Identity
	Name    string
	Write   bool
	// Fields are those that an Update changed.
	Fields []string
	// Fault is the fault that hit the call, if any.
	Fault FaultKind
	// Err is what the caller was told; nil if it went well.
	Err error
}

// Access selects reads, writes or both.
type Access int

// The values of Access.
const (
	Any Access = iota
	Reads
	Writes
)

// A Filter selects calls. Fields that are zero select all.
type Filter struct {
	Account driver.AccountID
	Op      Op
	Kind    Kind
	Name    string
	Access  Access
}

func (f Filter) matches(c Call) bool {
	return (f.Account == "" || f.Account == c.Account) &&
		(f.Op == "" || f.Op == c.Op) &&
		(f.Kind == "" || f.Kind == c.Kind) &&
		(f.Name == "" || f.Name == c.Name) &&
		(f.Access == Any || (f.Access == Writes) == c.Write)
}

// Calls returns the calls that filter selects, oldest first. A call stands in the ledger once it has
// ended: one that hangs does not yet.
func (c *Cloud) Calls(filter Filter) []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Call
	for _, call := range c.calls {
		if filter.matches(call) {
			call.Fields = slices.Clone(call.Fields)
			out = append(out, call)
		}
	}
	return out
}

// Count returns how many calls filter selects.
func (c *Cloud) Count(filter Filter) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, call := range c.calls {
		if filter.matches(call) {
			n++
		}
	}
	return n
}

// ResetCalls empties the ledger.
func (c *Cloud) ResetCalls() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = nil
}
