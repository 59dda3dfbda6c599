// Package table holds field tables, and makes a driver of them. A table has one row for each field of a cloud object, which says
// how the spec says it, how the cloud reports it, how it is sent, when two values mean the same, and what changing it does. From a
// table follow the difference between spec and cloud, the patch of exactly the named fields, the mirror in status, and the
// reference's line on what changing a field does. A new field of a cloud object is one row.
//
// Three types run through it: S is the spec's parameters, H what the cloud reports (have), and P the driver's own parameters of a
// call, filled by rows. A nil value from want means unmanaged; a nil value from have means that the cloud reports none.
//
// An Adapter has the table of one kind, and a few functions of the cloud: one
// reads an object, one says in which state it is, one creates it, one deletes it, and each Part has a call that changes
// something. What is the same for all clouds is here, once: the difference between spec and object, what is applied, the mirror,
// fields that could not be read, changes that are impossible, tags and mark, one call for all changes and then one for each if
// the cloud refuses a value, and the redaction of secrets.
//
// Rows of a table fill one struct of parameters. A Copier makes the parameters of a call from it, by their names. Problems says
// what a table fills and no call takes; a test of each driver demands that there are none.
//
// Around the tables is what every driver does alike with messages: it decodes previews and drafts, says why a connection failed, and chooses
// the newest of several backups. What a field means whatever the driver is in package portable.
//
// An Adapter is the External of one kind: it works on the kind's own parameters. NewSession makes one driver.Session, whose requests hold
// any kind's spec, of all of them.
package table
