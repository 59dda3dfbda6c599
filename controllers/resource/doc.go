// Package resource is the one reconciler of all cloud kinds. A kind.Kind says how a kind reads. One value passes through the phases of a
// reconciliation, reconciliation.State: package gather finds out what is known, and its checks say whether to go on; package plan decides what to
// do, purely; package execute does it; package report writes down what happened. This package calls one after the other, and keeps the Memory of
// each object. Packages claim and outcome hold what the phases share.
package resource
