// Package class brings classes and what developers write together. tree.go merges specs; evaluate.go says, purely, what an
// object of a class is to be and what keeps it from that; resolver.go finds the class of an object in the cluster; rollout.go
// lets a changed class reach its users a few at a time; reconciler.go keeps a class's own status. The reconciler of
// resources and the admission webhook ask the same questions here, so that they can't disagree.
package class
