// Package portable says what the portable fields of a spec mean in every cloud: what a lifecycle deletes, which CORS rules are alike, what
// `retention: {}` asks for, which version serves another, how far a disk grows, what it does to users that a server stops.
//
// What belongs here is a rule that two clouds must not answer differently, and that the API's own types can't say. A function takes values
// of the spec, and returns what they ask for, whether two of them mean the same, or what a change of them does. It calls no cloud.
//
// Messages between the controllers and a driver are in package driver. How a driver compares and sends its fields is in package table.
// Fields in the blocks of one cloud are that cloud's own. Drivers import this package, and so do the controllers where they check
// the same rule before a driver does, such as the version of a restored server.
package portable
