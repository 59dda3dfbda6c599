// Package gather finds out what is known of an object before anything is decided: its class, its account, what the cloud shows, and what
// features have to know. It writes nothing, neither to the cloud nor to Kubernetes.
//
// steps.go is the list of what is gathered, in order. After each step a check may end the reconciliation: what comes later is not read then.
// The checks in check.go are pure.
package gather
