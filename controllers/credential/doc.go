// Package credential turns a reference to a provider config into a connection to a cloud: it checks
// who may use what, reads credentials one Secret at a time, shares one connection among all
// objects of a config and region and one gate among all of an account, and keeps what a deletion will need until
// the last object is gone.
package credential
