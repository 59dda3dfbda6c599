// Package session makes the calls of a connection to Google Cloud, for the packages of its services.
//
// A Session has the project, the identity and the endpoint of one connection. A service package says in an API what its calls are counted by and which answers
// are Google's, gets a Caller for it, makes its client with Caller.Options, and makes every call by Do: under a deadline, reported to the Host of the connection, and with
// errors that carry a driver.Code. The package knows no service: what the words of one service mean is said there.
//
// identity.go goes the steps to the identity whose token the calls have: a key, the identity of the process or a token of a Kubernetes ServiceAccount, and a
// service account to act as. token.go replaces tokens that Google no longer takes. errors.go says what refusals mean.
package session
