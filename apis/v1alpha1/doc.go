// Package v1alpha1 holds the kinds of mooring.dev/v1alpha1: what people write to get buckets and
// databases, and the accounts these live in. It has types, markers, constants
// and accessors, no behaviour.
//
// Three rules hold for every field of a spec: no controller ever writes it; unset means
// unmanaged; an empty list or object means "none, please". Units are in the name (GiB, Days).
//
// +kubebuilder:object:generate=true
// +groupName=mooring.dev
package v1alpha1
