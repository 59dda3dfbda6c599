// Package reconciliation holds the one value that passes through the phases of a reconciliation: State. The gatherer fills it, plan.Plan decides by what it says, the
// executor adds what was done, and the reporter records it. What is remembered of an object from one reconciliation to the next is its Memory.
//
// The package has no client: it reads nothing and writes nothing.
package reconciliation
