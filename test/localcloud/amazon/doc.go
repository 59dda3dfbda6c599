// Package amazon is the endpoint of AWS and what its services share: who calls (users, roles and sessions with their keys), the check of
// signatures, errors, and the protocols that several services speak (Query and CBOR, each by the SDK's own structs).
//
// A service is a Dialect: it names a call and says what answers it, and writes errors its own way. The endpoint finds it by the name in the
// signature, checks the signature, and refuses what is not the caller's.
package amazon
