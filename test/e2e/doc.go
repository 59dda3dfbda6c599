// Package e2e holds tests of the whole: YAML's way through a real API server, the manager, the clouds' own SDKs
// and the local cloud, to real database servers. All share one environment and run side by side, each in a
// namespace of its own. They never sleep: they wait for what must come, up to a deadline.
//
// Mooring is who it is where its chart installs it, with the rights that it has there and no other: all namespaces', or in
// TestLimited those of a list. In the end the API servers' audit logs have to show that nothing was
// refused for want of a right, and that every right was used; see verifyRights.
//
// Every object of every test is watched from its first moment to its last. At the end of a test each
// state that it passed through is held against the design's table and against kstatus, as Flux computes it.
package e2e
