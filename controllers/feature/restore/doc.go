// Package restore is the feature of objects that are made of a snapshot, of another object as it was at a time, of the backups of a deleted server, or of what is left of a cloud object
// that vanished. It finds out of what one is to be made before it is created, and never lets an empty one be created in its place.
//
// Kinds that can be restored declare kind.Restoring. What the conditions say while a restore is unfinished, and what a copy inherits, the plan itself decides.
package restore
