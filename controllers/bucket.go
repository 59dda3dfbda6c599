package controllers

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource"
	"github.com/mooring-dev/mooring/providers/driver"
)

// bucketKind tells how a Bucket reads.
func bucketKind() *resource.Kind[*v1alpha1.Bucket, v1alpha1.BucketParameters] {
	return &resource.Kind[*v1alpha1.Bucket, v1alpha1.BucketParameters]{
		Name: "Bucket", Plural: "buckets",
		New:        func() *v1alpha1.Bucket { return &v1alpha1.Bucket{} },
		List:       func() client.ObjectList { return &v1alpha1.BucketList{} },
		Spec:       func(b *v1alpha1.Bucket) *v1alpha1.ResourceSpec { return &b.Spec.ResourceSpec },
		Status:     func(b *v1alpha1.Bucket) *v1alpha1.ResourceStatus { return &b.Status.ResourceStatus },
		Connection: func(b *v1alpha1.Bucket) *v1alpha1.Connection { return b.Spec.Connection },
		Parameters: func(b *v1alpha1.Bucket) (v1alpha1.BucketParameters, string) {
			p := b.Spec.BucketParameters.DeepCopy()
			return *p, deref(p.Location)
		},
		Observed: func(b *v1alpha1.Bucket, mirror json.RawMessage) error {
			return replace(&b.Status.Observed, mirror)
		},
		Mirror: func(b *v1alpha1.Bucket) *v1alpha1.BucketParameters { return b.Status.Observed },
		Deletion: func(b *v1alpha1.Bucket) (v1alpha1.DeletionPolicy, bool) {
			policy := b.Spec.DeletionPolicy
			if policy == "" {
				policy = v1alpha1.DeletionDelete
			}
			return policy, deref(b.Spec.ForceDestroy)
		},
		Regrets:      bucketRegrets,
		WhenVanished: v1alpha1.WhenVanishedRecreate,
		Binding:      bucketBinding,
	}
}

func bucketBinding(_ *v1alpha1.Bucket, cloud *driver.Description, at driver.Endpoint, _ string) (corev1.SecretType, map[string][]byte) {
	described, _ := cloud.Resource("Bucket")
	kind := described.Connection.Type
	return "servicebinding.io/" + corev1.SecretType(kind), filled(map[string]string{
		"type": kind, "provider": cloud.Name, "bucket": at.Bucket, "region": at.Region,
		"endpoint": at.URL, "uri": described.Connection.Scheme + "://" + at.Bucket,
	})
}

// bucketRegrets says what a user may regret of a new bucket.
func bucketRegrets(b *v1alpha1.Bucket) (lines []string) {
	if deref(b.Spec.ForceDestroy) && b.Spec.DeletionPolicy != v1alpha1.DeletionRetain {
		lines = append(lines, "forceDestroy is true: when this object is deleted, everything in the bucket is deleted for good")
	}
	if deref(b.Spec.PublicAccess) == v1alpha1.PublicAccessAllowed {
		lines = append(lines, "publicAccess is Allowed: policies can make what is in the bucket public")
	}
	return lines
}

// deref returns what p points to, or the zero value.
func deref[V any](p *V) (v V) {
	if p != nil {
		v = *p
	}
	return v
}

// replace decodes a mirror into a fresh value, so that nothing of the former one stays. The mirror null leaves none.
func replace[V any](into **V, mirror json.RawMessage) error {
	if len(mirror) == 0 {
		return nil
	}
	var fresh *V
	if err := json.Unmarshal(mirror, &fresh); err != nil {
		return err
	}
	*into = fresh
	return nil
}

// filled returns the entries that have a value, as a Secret's data.
func filled(entries map[string]string) map[string][]byte {
	data := map[string][]byte{}
	for k, v := range entries {
		if v != "" {
			data[k] = []byte(v)
		}
	}
	return data
}
