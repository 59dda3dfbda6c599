package v1alpha1

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// A ResourceObject is an object that stands for something in a cloud: a Bucket or a Database. Code that works for all of these
// kinds reads and writes them by these methods. Pointers lead into the object, except where a method says that it copies.
//
// +kubebuilder:object:generate=false
type ResourceObject interface {
	metav1.Object
	runtime.Object

	// GetSpec points to the whole spec.
	GetSpec() any
	// GetResourceSpec points to the part of the spec that all kinds share.
	GetResourceSpec() *ResourceSpec
	// GetResourceStatus points to the part of the status that all kinds share.
	GetResourceStatus() *ResourceStatus
	// GetConditions returns the conditions in the status.
	GetConditions() []metav1.Condition

	// GetParameters returns a copy of what the spec says about the cloud object: a pointer to BucketParameters, for example.
	GetParameters() any
	// GetLocation returns the location in the spec, empty if it is unset.
	GetLocation() string
	// GetConnection returns where the spec asks for a connection Secret, nil if it does not.
	GetConnection() *Connection
	// GetCredentials returns the administrator's login in the spec. It is nil if that is unset, or if the kind has no login.
	GetCredentials() *DatabaseCredentials
	// GetDeletionPolicy returns the deletion policy in the spec, empty if it is unset. The default depends on the kind.
	GetDeletionPolicy() DeletionPolicy
	// GetForceDestroy reports whether a deletion may remove contents.
	GetForceDestroy() bool

	// GetObserved returns the mirror of the cloud object in the status, as a pointer of the same type as GetParameters returns. It
	// is nil if there is no mirror.
	GetObserved() any
	// SetObserved replaces the mirror by what a driver reported, and keeps nothing of the former one. The JSON value null removes
	// the mirror. An empty message changes nothing.
	SetObserved(mirror json.RawMessage) error
}

// A ClassObject is a class of any kind: a BucketClass or a DatabaseClass. Pointers lead into the object.
//
// +kubebuilder:object:generate=false
type ClassObject interface {
	metav1.Object
	runtime.Object

	// GetClassSpec points to the part of the spec that all classes share.
	GetClassSpec() *ClassSpec
	// GetClassStatus points to the status.
	GetClassStatus() *ClassStatus
	// GetConditions returns the conditions in the status.
	GetConditions() []metav1.Condition
	// GetDefaults and GetEnforced return parameters of the kind, as a pointer of the type that ResourceObject.GetParameters
	// returns. It is a nil pointer if the class sets none.
	GetDefaults() any
	GetEnforced() any
	// GetDeletionPolicy returns the class's default for the deletion policy, empty if it is unset.
	GetDeletionPolicy() DeletionPolicy
	// GetFinalSnapshots returns what the class says by default of final snapshots, and what whatever objects set; nil for nothing.
	GetFinalSnapshots() (defaults, enforced *FinalSnapshot)
	// GetSizes returns the catalogue of sizes. It is empty for a kind that has no sizes.
	GetSizes() []ClassSize
	// GetDefaultSize returns the size of objects that set none, empty if it is unset.
	GetDefaultSize() string
}

// ClassSize is an entry of a class's catalogue, for a class of any kind. It is in no document.
//
// +kubebuilder:object:generate=false
type ClassSize struct {
	// Name is what an object sets in spec.size. Description and Cost are for people.
	Name, Description, Cost string `json:"-"`
	// Entry points to the entry itself. The blocks of clouds in it are what the size means.
	Entry any `json:"-"`
	// Bounds are the limits of numbers in the spec, by the path of the field without spec.
	Bounds map[string]SizeBounds `json:"-"`
}

// SizeBounds are the smallest and the largest value that a size allows; nil is no limit.
//
// +kubebuilder:object:generate=false
type SizeBounds struct {
	Min, Max *int32 `json:"-"`
}

// A ProviderConfigObject is a ProviderConfig or a ClusterProviderConfig. Pointers lead into the object.
//
// +kubebuilder:object:generate=false
type ProviderConfigObject interface {
	metav1.Object
	runtime.Object

	// GetAccount returns the cloud account in the spec.
	GetAccount() Account
	// GetProviderConfigStatus points to the status.
	GetProviderConfigStatus() *ProviderConfigStatus
	// GetConditions returns the conditions in the status.
	GetConditions() []metav1.Condition
}

// setObserved decodes a mirror into a fresh value.
func setObserved[P any](into **P, mirror json.RawMessage) error {
	if len(mirror) == 0 {
		return nil
	}
	var fresh *P
	if err := json.Unmarshal(mirror, &fresh); err != nil {
		return err
	}
	*into = fresh
	return nil
}

// value returns what p points to, or the zero value.
func value[V any](p *V) (v V) {
	if p != nil {
		v = *p
	}
	return v
}
