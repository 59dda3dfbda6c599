// Package snapshot shows in the status of a DatabaseSnapshot what the cloud says of the snapshot: its engine, its size, its key, and when it was taken.
package snapshot
