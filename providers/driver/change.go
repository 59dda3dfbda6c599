package driver

import (
	"fmt"
	"strings"
)

// Redacted is shown in place of a secret value.
const Redacted = "(secret)"

// A Change is the difference in one field: from what the cloud has, to what the spec declares. From and To are texts
// for people, and identify a change. Drivers send the values from the spec, not from a Change.
type Change struct {
	// Field is the path of the field in the spec.
	Field string
	// From is the value in the cloud; empty if the cloud has none.
	From string
	// To is the value that the spec declares; empty if the field is to have none.
	To string
	// Effect is what the change does to the users of the object.
	Effect Effect
	// Why says why the change is Impossible, or what it causes, and what to do instead.
	Why string
	// Release: the spec does not have the field any more, and the field returns to its safe default.
	Release bool
	// Entries: the field is a map or a list, in which others may own entries.
	Entries bool
	// Remove are the entries that Mooring set earlier, and that are to be removed.
	Remove []string
	// Names are the entries that change, sorted. An update changes only these. If Names is empty, the update changes
	// all entries that differ.
	Names []string
	// Edited are the entries of Names that the spec changed since they were applied. Drifted are the entries that were
	// applied as the spec declares, and that others changed since. An entry is in neither if it is not known what was
	// applied. Both are empty for fields whose changes have no effect on users.
	Edited, Drifted []string
	// Foreign are the entries of Names that others set to another value. From, To, Effect and Why do not include them.
	// An update leaves them as they are. It makes the rest of the change, and then returns Conflict for the field.
	//
	// Entries that others set to the declared value are in no change. They count as applied by Mooring, except entries
	// that protect the one who set them, which remain foreign.
	Foreign []string `json:",omitempty"`
	// Adds are the entries of Names that the cloud object did not have when it was observed. It is empty for fields
	// whose changes may disturb users.
	Adds []string `json:",omitempty"`
	// NeedsRunning: the object is stopped, and the cloud makes the change only while it runs.
	NeedsRunning bool `json:",omitempty"`
	// BackupFirst: the change is part of an irreversible upgrade, and the cloud has no earlier backup and takes none.
	// The caller takes a snapshot first.
	BackupFirst bool `json:",omitempty"`
}

// StaysTheirs returns, for a message, why the Foreign entries are not changed. It does not say how to take them over,
// because they may protect the one who set them.
func (c Change) StaysTheirs() string {
	return fmt.Sprintf("the cloud object has entries that are not known as this object's, and that say something else than spec.%s has by their names: %s. Somebody else set them, or "+
		"this object did before its spec gave up the field. Give those of the spec other names, or have whoever looks after the cloud object delete those that are there", c.Field, strings.Join(c.Foreign, ", "))
}

// Names returns the fields of changes, in their order.
func Names(changes []Change) []string {
	names := make([]string, 0, len(changes))
	for _, c := range changes {
		names = append(names, c.Field)
	}
	return names
}

// Applied records what Mooring set in a cloud object. The key is the field. The value is a list: of a plain field it
// has the value as text; of a map or list it has the sorted names of the entries.
//
// If a change of an entry may disturb users, name=value records the value of the entry. name? records that the entry is
// about to be set for the first time.
type Applied map[string][]string

// Clone returns a deep copy.
func (a Applied) Clone() Applied {
	out := make(Applied, len(a))
	for k, v := range a {
		out[k] = append([]string{}, v...)
	}
	return out
}
