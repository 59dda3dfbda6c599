package reconciliation

import (
	"github.com/mooring-dev/mooring/controllers/identity"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A Parent is what is known of the object within which an object is. It is zero for an object of a kind without a parent.
type Parent struct {
	// Named is how messages call it: Database orders.
	Named string
	// Found: there is such an object. Deleting: it is being deleted. Managed: its cloud object is Mooring's. Usable: that can be used now.
	Found, Deleting, Managed, Usable bool
	// State is the reason of its condition Ready; empty if it has none yet.
	State string
	// Ref is the parent in the cloud, and FinalSnapshot the name of the snapshot that its deletion takes.
	Ref           driver.ParentRef
	FinalSnapshot string
	// Config leads to the parent's account. Class is the parent's class, if that named it.
	Config identity.Key
	Class  string
	// Provider, Account and Location are where the parent is.
	Provider, Account, Location string
}

// Takes reports whether something can be created within the parent now.
func (p Parent) Takes() bool { return p.Managed && p.Usable && !p.Deleting }
