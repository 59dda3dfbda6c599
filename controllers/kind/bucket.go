package kind

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// +kubebuilder:rbac:groups=mooring.dev,resources=buckets,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=mooring.dev,resources=buckets/status;bucketclasses/status,verbs=patch
// +kubebuilder:rbac:groups=mooring.dev,resources=bucketclasses,verbs=get;list;watch

// Bucket returns the kind Bucket.
func Bucket() *Kind {
	return &Kind{
		Name: "Bucket", Plural: "buckets",
		New:     func() v1alpha1.ResourceObject { return &v1alpha1.Bucket{} },
		NewList: func() client.ObjectList { return &v1alpha1.BucketList{} },
		Class: &Class{
			Name: "BucketClass", Plural: "bucketclasses",
			New:     func() v1alpha1.ClassObject { return &v1alpha1.BucketClass{} },
			NewList: func() client.ObjectList { return &v1alpha1.BucketClassList{} },
		},
		Fixed:            []string{"location"},
		KeptReferences:   []string{"encryption.key", "retention.locked", "retention.days"},
		DeletionPolicy:   v1alpha1.DeletionDelete,
		WhenVanished:     v1alpha1.WhenVanishedRecreate,
		CreationWarnings: bucketRegrets,
		Binding:          bucketBinding,
	}
}

func bucketRegrets(object v1alpha1.ResourceObject) (lines []string) {
	b := object.(*v1alpha1.Bucket)
	if b.GetForceDestroy() && b.Spec.DeletionPolicy != v1alpha1.DeletionRetain {
		lines = append(lines, "forceDestroy is true: when this object is deleted, everything in the bucket is deleted for good")
	}
	if p := b.Spec.PublicAccess; p != nil && *p == v1alpha1.PublicAccessAllowed {
		lines = append(lines, "publicAccess is Allowed: policies can make what is in the bucket public")
	}
	return lines
}

func bucketBinding(_ v1alpha1.ResourceObject, cloud *driver.Description, at driver.Endpoint, _ string) (corev1.SecretType, map[string][]byte) {
	described, _ := cloud.Resource("Bucket")
	protocol := described.Connection
	return serviceBinding(protocol.Type, map[string]string{
		"type": protocol.Type, "provider": cloud.Name, "bucket": at.Name, "region": at.Region,
		"endpoint": at.URL, "uri": protocol.Scheme + "://" + at.Name,
	})
}
