// Package identity turns a reference to a provider config into a connection to a cloud: it checks
// who may use what, reads credentials one Secret at a time, requests tokens of ServiceAccounts where there is no Secret,
// shares one connection among all objects of an identity and region, and retains what a deletion will need until the last object
// is gone.
//
// An identity is a config's; but where a platform's config signs in by tokens or roles, each namespace has its own.
//
// Store is what others call. Behind it each type has one task and names what it needs, from the bottom up: resolver reads configs,
// namespaces finds out who a tenant is, secrets and serviceAccounts read what tenants bring along, tokenSource requests and caches
// tokens, and copies reads and writes the retained copies. protector makes and deletes these, and renewer keeps them up to
// date. credentials finds what an identity begins with, dialer opens sessions, and connector decides when a pooled connection is
// opened anew. verifier and Reconciler say of a config where it leads.
//
// Locks are taken in this order: a connection's entry, a config's protection. The others guard a map, and nothing is called under them.
package identity
