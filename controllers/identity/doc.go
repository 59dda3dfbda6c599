// Package identity turns a reference to a provider config into a connection to a cloud: it checks
// who may use what, reads credentials one Secret at a time, requests tokens of ServiceAccounts where there is no Secret,
// shares one connection among all objects of an identity and region, and retains what a deletion will need until the last object
// is gone.
//
// An identity is a config's; but where a platform's config signs in by tokens or roles, each namespace has its own.
package identity
