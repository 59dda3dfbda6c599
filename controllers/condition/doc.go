// Package condition computes the conditions of an object from the outcome of a reconciliation. The table in state.go
// alone decides which condition has which status in which state. The conditions follow kstatus, so that kubectl wait,
// GitOps tools and alerts read them without a plugin.
package condition
