// Package condition turns what happened in a reconcile into conditions. The table in state.go is the
// only place that says which condition has which status in which state; kstatus, kubectl wait and
// alerts read them, so that no tool needs a plugin to know how an object is.
package condition
