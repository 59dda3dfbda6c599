// Package plan decides what to do about an object, from values and nothing else: what is stored of it and what its class says (View), what
// the spec says about how to go about it (Policy), and what was observed in the cloud.
//
// It is pure. It calls no cloud and no API server, reads no clock, and never changes what it is given. The loop executes what Plan returns.
// Previews use the same functions, so that what they announce is what is done.
package plan
