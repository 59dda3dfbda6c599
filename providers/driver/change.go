package driver

import (
	"fmt"
	"strings"
)

// Redacted is shown in place of a secret value.
const Redacted = "(secret)"

// A Change is one field that differs: from what the cloud has to what is wanted. From and To are for
// people and for comparing changes with each other; the values that are sent are read from the spec.
type Change struct {
	Field   string   // dotted path in the spec
	From    string   // "" if the cloud has none
	To      string   // "" if the field is to be emptied
	Effect  Effect   //
	Why     string   // why it is Impossible or what it brings about, and what to do instead
	Release bool     // the spec no longer has the field, and it returns to its safe default
	Entries bool     // a map or list, of which others may own entries
	Remove  []string // entries that we set earlier and that are to go
	// Names are all entries that change, sorted. An update changes these and no others. Empty if a driver does not say which: then it is all that differ.
	Names []string
	// Edited are the entries of Names for which the spec says something else than was applied, Drifted those that were applied as the spec
	// says and that others changed. An entry is in neither if it is not known what was applied. Both are empty for fields whose changes
	// disturb nobody.
	Edited, Drifted []string
	// Foreign, of which From, To, Effect and Why say nothing, are the entries of Names that are there, mean something else, and were set by others. An update leaves them as they are, and fails for the field
	// with the code Conflict once it has made the rest of the change. Entries that mean the same are in no change: they are applied, as if we had set them,
	// but for such as protect whoever set them, which stay theirs.
	Foreign []string `json:",omitempty"`
	// Adds are the entries of Names of which the cloud object had none when it was observed: nobody's, until they are set. Empty for fields whose changes may
	// disturb users.
	Adds []string `json:",omitempty"`
	// NeedsRunning: the object is stopped, and the cloud makes the change only once it runs.
	NeedsRunning bool `json:",omitempty"`
	// BackupFirst: the change is, or is sent with, an upgrade that can't be taken back, and the cloud has no backup from before it and takes none. The caller has a snapshot
	// taken first.
	BackupFirst bool `json:",omitempty"`
}

// StaysTheirs says why the entries of others are left alone. It names no way to make them ours: what others set may protect them.
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
// Where a change of an entry may disturb users, name=value records the value of the entry, and name? records that the
// entry is about to be set for the first time.
type Applied map[string][]string

// Clone returns a deep copy.
func (a Applied) Clone() Applied {
	out := make(Applied, len(a))
	for k, v := range a {
		out[k] = append([]string{}, v...)
	}
	return out
}
