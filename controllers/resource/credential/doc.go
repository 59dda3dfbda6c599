// Package credential reads the Secrets that the login of an object's server comes from and goes to: the password Secret, the Secret that
// the spec names, and the connection Secret. It writes nothing.
package credential
