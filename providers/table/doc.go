// Package table implements drivers from field tables. A table has one row for each field of a cloud object. The row
// says how the spec declares the field, how the cloud reports it, how it is sent, when two values are equal, and which
// effect a change has. From the table follow the difference between spec and cloud, the patch of the changed fields,
// the mirror in status, and the reference of effects. A new field of a cloud object is one row.
//
// The type parameters are the same everywhere: S is the parameters of the spec, H is what the cloud reports (have), and
// P is the driver's parameters of a call, which rows fill. If want returns nil, the field is unmanaged. If have returns
// nil, the cloud reports no value.
//
// An Adapter has the table of one kind, and functions that call the cloud: to read an object, to find its state, to
// create it and to delete it. Each Part has a call that changes something. The Adapter does what is the same in all
// clouds: it compares spec and object, records what is applied, makes the mirror, handles fields that can't be read and
// impossible changes, tags and marks, and redacts secrets. It sends all changes in one call, and then one call for each
// change if the cloud refuses a value.
//
// The rows of a table fill one struct of parameters. A Copier copies it, field by field, to the SDK's struct of a call.
// Problems reports parameters that no call takes; a test of each driver requires that there are none.
//
// Other functions do what every driver does with messages: decode previews and drafts, describe connection errors, and
// choose the newest of several backups. Package portable says what a field means in every cloud.
//
// An Adapter implements External for one kind, with the kind's own type of spec. NewSession combines several of them
// into one driver.Session, whose requests have the spec of any kind.
package table
