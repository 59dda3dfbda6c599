// Package driver is the contract between Mooring and a cloud: what a provider's driver implements, and what it may rely
// on. A driver gets a request, and calls its cloud. It has no Kubernetes client.
//
// All messages of the contract are data that survives an encoding as JSON; the conformance suite proves that for each
// driver. Within one process, messages are passed without an encoding. Two things are no messages: secrets, whose types
// never print them, and the Host, by which a driver calls back.
//
// An Observation has a core, which every kind has, and facets: Login, Replication, Succession, Backup, Actions,
// Support, SnapshotDetails. A facet is nil for a kind whose Capabilities lack it, so the reader of a Bucket sees no
// field of a database. The getters of a facet may be called on nil.
//
// The package contains messages and their validation. Package providers/portable says what a portable field means in
// every cloud; it is not imported here. The packages below this one know no message: prose formats texts for people,
// fieldpath follows paths of fields, and token caches tokens.
//
// Package providers/mem is the reference implementation, providers/table helps to implement drivers, and
// providers/drivertest is the conformance suite.
package driver
