// Package class merges the specs of objects with their classes, and validates them.
//
//   - tree.go merges specs.
//   - evaluate.go computes the effective spec of an object, and the problems that keep the class from being applied. It is pure.
//   - resolver.go finds the class of an object in the cluster.
//   - rollout.go applies a changed class to a few objects at a time.
//   - reconciler.go maintains the status of a class.
//
// The reconciler of resources and the admission webhook both use this package, so that they give the same answers.
package class
