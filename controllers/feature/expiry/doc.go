// Package expiry deletes objects whose time has passed, as spec.expiresAfter of a DatabaseSnapshot says. It deletes the Kubernetes object; what is done in the cloud then is what
// a deletion by a person would do. An object that something is being restored from stays until that is done.
package expiry
