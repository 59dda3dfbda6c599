// Package window knows Mooring's own maintenance windows: an hour each week, in UTC, in which it sends changes that disturb the users of a
// cloud object, if spec.updates.timing says so. It is pure, and reads no clock.
//
// The clouds have windows of their own for what they do by themselves. They begin at the same time, but have their own lengths.
package window
