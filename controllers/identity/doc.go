// Package identity turns a reference to a provider config into a connection to a cloud. It checks which namespaces may
// use a config. It reads credentials, one Secret at a time, and requests tokens of ServiceAccounts where there is no
// Secret. All objects of one identity and region share a connection. Before anything is created, it retains a copy of
// the credentials that the deletion will need.
//
// An identity belongs to a provider config. If a ClusterProviderConfig uses tokens or roles, each namespace has an
// identity of its own.
//
// Store is the entry point. Each type behind it has one task, from the bottom up:
//
//   - resolver reads configs, and namespaces finds the tenant of a namespace.
//   - secrets and serviceAccounts read what tenants provide; tokenSource requests and caches tokens.
//   - copies reads and writes the retained copies. protector creates and deletes them, and renewer keeps them up to date.
//   - credentials finds where an identity begins, dialer opens sessions, and connector decides when a connection of the pool is opened again.
//   - verifier and Reconciler find out to which account a config leads, and write it to the config's status.
//
// Locks are acquired in this order: a connection's entry, then a config's protection. Each other lock guards a map, and
// nothing is called while it is held.
package identity
