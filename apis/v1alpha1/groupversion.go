package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "mooring.dev", Version: "v1alpha1"}

// ResourceObjects returns a new object of each kind that stands for something in a cloud.
func ResourceObjects() []ResourceObject { return []ResourceObject{&Database{}, &Bucket{}} }

// AddToScheme adds the kinds of this package to a scheme.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Bucket{}, &BucketList{},
		&Database{}, &DatabaseList{},
		&BucketClass{}, &BucketClassList{},
		&DatabaseClass{}, &DatabaseClassList{},
		&ProviderConfig{}, &ProviderConfigList{},
		&ClusterProviderConfig{}, &ClusterProviderConfigList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
