// Package session holds what every service of AWS shares: one identity in one region, and how a call is made with it.
//
// A service gets a Session: its region, the SDK's configuration for a client of its own, the account that owns what it finds, and Call. Call makes
// each call of every service: it bounds its time, checks that the service itself answered, signs it anew where a session has ended, and turns what
// fails into one of the driver's errors, by the code tables of the services (Errors).
//
// session.go has clients and deadlines, identity.go and signer.go the steps to the identity that signs, answer.go how answers are known, errors.go
// what AWS's errors mean, store.go what S3-compatible stores of other makers lack, and watch.go the count of requests. Tags, keys and regions are those
// of all services. What only one service has is in the package of that service; this one imports neither.
package session
