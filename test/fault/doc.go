// Package fault holds Mooring to its promises while things go wrong: each write to Kubernetes or a cloud
// is lost on its way there, lost on its way back, refused as a conflict, or is the last thing that the process did.
//
// A lifecycle is one object from its creation to its end. Each lifecycle has a namespace, a provider config and a
// cloud account of its own, named alike, so that a fault hits that object only and hundreds of lifecycles run at once. A
// lifecycle without faults first records which writes there are; see write_test.go.
package fault
