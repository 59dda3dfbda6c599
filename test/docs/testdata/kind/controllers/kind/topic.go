package kind

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// +kubebuilder:rbac:groups=mooring.dev,resources=topics,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=mooring.dev,resources=topics/status,verbs=patch

// Topic returns the kind Topic.
func Topic() *Kind {
	return &Kind{
		Name: "Topic", Plural: "topics",
		New:            func() v1alpha1.ResourceObject { return &v1alpha1.Topic{} },
		NewList:        func() client.ObjectList { return &v1alpha1.TopicList{} },
		Fixed:          []string{"location"},
		DeletionPolicy: v1alpha1.DeletionDelete,
		WhenVanished:   v1alpha1.WhenVanishedRecreate,
		Binding:        topicBinding,
	}
}

func topicBinding(_ v1alpha1.ResourceObject, cloud *driver.Description, at driver.Endpoint, _ string) (corev1.SecretType, map[string][]byte) {
	return serviceBinding("topic", map[string]string{
		"type": "topic", "provider": cloud.Name, "topic": at.Name, "region": at.Region, "uri": at.URL,
	})
}
