package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "mooring.dev", Version: "v1alpha1"}

// registered are the kinds of this package and their lists. The file of each kind registers them.
var registered []runtime.Object

// register adds a kind, and its list, to what AddToScheme and ResourceObjects know.
func register(object, list runtime.Object) { registered = append(registered, object, list) }

// ResourceObjects returns a new object of each kind that stands for something in a cloud.
func ResourceObjects() (objects []ResourceObject) {
	for _, known := range registered {
		if object, stands := known.DeepCopyObject().(ResourceObject); stands {
			objects = append(objects, object)
		}
	}
	return objects
}

// AddToScheme adds the kinds of this package to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, registered...)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
