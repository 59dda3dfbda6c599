// Package window implements Mooring's maintenance windows: one hour each week, in UTC. Mooring sends disruptive changes
// of a cloud object in it, if spec.updates.timing says so. The package is pure, and reads no clock.
//
// The clouds have maintenance windows for their own changes. They begin at the same time, but each cloud decides how
// long they are.
package window
