// Package login keeps the password of a server's administrator: it generates one or takes the one that the spec names, sends it until it is known to be in force, changes it
// when its time has come, and leaves it to the cloud where the spec says so. Package password is the state machine, which is pure; a Secret in Mooring's own namespace holds
// the truth.
package login
