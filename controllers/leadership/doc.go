// Package leadership reports to a process whether it still leads, and keeps one that does not from calling a cloud.
//
// A lease alone does not: a leader that hangs for longer than its lease, because its machine did, goes on where it was, with
// the calls that it was about to make, before it finds out that another leads. So each request to a cloud is
// made only while nobody else can have taken the lease.
package leadership
