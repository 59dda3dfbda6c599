// Package family has a kind with a parent, for tests of what holds of such kinds: a User is within a Database. The reference driver has it by
// an option, and no release has it. Its tests lead users and their databases through their lifecycles on a real API server.
package family
