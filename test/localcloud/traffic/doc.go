// Package traffic holds the calls that reach a local cloud: the Ledger of those that came, and the Faults that make those to come go wrong.
// A Filter selects calls for both. It knows no service: a service names its calls, and answers a fault in its own dialect.
package traffic
