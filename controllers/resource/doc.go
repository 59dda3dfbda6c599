// Package resource is the one reconciler of all cloud kinds. A Kind says how a kind reads. guard.go holds what must be true first, and observe.go
// observes; package plan decides what to do, purely; package execute does it; package report writes down what happened. Package outcome holds
// what they pass on.
package resource
