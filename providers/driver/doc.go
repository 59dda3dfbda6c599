// Package driver is the contract between Mooring and a cloud: what a provider plugin implements,
// and what it may rely on. All its messages are data that survives JSON, which the conformance suite proves for
// each driver; in one process they are passed as they are. Beside the messages are the secrets, in types that
// show nothing, and the Host: what a driver may ask of its caller. Nothing here knows Kubernetes clients: a driver
// sees a request and its cloud.
//
// An Observation has a core, which every kind has, and facets: Login, Replication, Succession, Backup, Actions, Support, SnapshotDetails. A facet is
// nil for a kind whose Capabilities lack it, so that a reader of buckets meets no database. Its getters may be called on nil.
//
// What belongs here is a message, and what says whether a message is valid. What a portable field of a spec means in every cloud is in package
// providers/portable, and this package does not import it. Texts for people are shaped in prose, paths of fields are followed in fieldpath,
// and tokens are cached in token: packages below this one that know no message.
//
// Package providers/mem is the reference implementation; providers/table is what drivers are made of; and
// providers/drivertest holds the suite that every driver must pass.
package driver
