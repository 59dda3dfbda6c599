// Package finalsnapshot makes the object that stands for the final snapshot of a deleted object, so that people find the snapshot, restore it and delete it in the cluster.
// Where there can be none, as in a namespace that is being deleted, an Event and the log say where the snapshot is.
package finalsnapshot
