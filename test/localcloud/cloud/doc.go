// Package cloud holds what all services of a local cloud share: options, the clock, the database servers, the ledger and the faults, names
// that are new or hold keys, page tokens, and the state before the last write, which a stale read sees (Past).
//
// Serve takes each call on its one way: the faults, then the service, then the ledger. A service gives a Reply, which goes out only once
// the faults have had their say. Services import this package, and it imports none of them.
package cloud
