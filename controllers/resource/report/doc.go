// Package report writes down what a reconciliation came to, in the one place where that is done: conditions and status, Events, the log,
// metrics, and when to come back. It gets values and returns values; the status is patched at most once.
package report
