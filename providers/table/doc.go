// Package table makes a driver of a field table. An Adapter has the table of one kind, and a few functions of the cloud: one
// reads an object, one says in which state it is, one creates it, one deletes it, and each Part has a call that changes
// something. What is the same for all clouds is here, once: the difference between spec and object, what is applied, the mirror,
// fields that could not be read, changes that are impossible, tags and mark, one call for all changes and then one for each if
// the cloud refuses a value, and the redaction of secrets.
//
// Rows of a table fill one struct of parameters. A Copier makes the parameters of a call from it, by their names. Problems says
// what a table fills and no call takes; a test of each driver demands that there are none.
//
// An Adapter is the External of one kind: it works on the kind's own parameters. NewSession makes one driver.Session, whose requests hold
// any kind's spec, of all of them.
package table
