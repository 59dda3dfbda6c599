// Package resource is the one reconciler of all cloud kinds. A Kind says how a kind reads; package plan decides
// what to do, purely; guard.go holds what must be true first; act.go does it; record.go writes down
// what happened, in one place.
package resource
