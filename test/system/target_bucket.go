package system

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func init() {
	Targets = append(Targets,
		bucketTarget("aws", "s3", newAWSBuckets, Operations{
			Observe: "GetBucketTagging", Create: "CreateBucket", Mark: "PutBucketTagging", Delete: "DeleteBucket",
		}),
		bucketTarget("gcp", "storage", newGCPBuckets, Operations{
			Observe: "buckets.get", Create: "buckets.insert", Mark: "buckets.patch", Delete: "buckets.delete",
		}))
}

// FullBucket declares all that a bucket can have.
func FullBucket(c *Cloud) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{
		Location:     new(map[string]string{"aws": "eu-central-1", "gcp": "europe-west3"}[c.Name]),
		Versioning:   new(v1alpha1.VersioningEnabled),
		PublicAccess: new(v1alpha1.PublicAccessBlocked),
		Encryption:   &v1alpha1.BucketEncryption{Key: new(c.Key("a"))},
		Tags:         map[string]v1alpha1.TagValue{"team": "a", "env": "test"},
		ForceDestroy: new(false),
	}
}

// bucketTarget is the kind Bucket in a cloud.
func bucketTarget(cloud, service string, console func(*Cloud) Console, operations Operations) Target {
	declare := func(parameters func(*Cloud) v1alpha1.BucketParameters) func(*Cloud, metav1.ObjectMeta) client.Object {
		return func(c *Cloud, at metav1.ObjectMeta) client.Object {
			b := &v1alpha1.Bucket{ObjectMeta: at}
			b.Spec.ProviderConfigRef, b.Spec.BucketParameters = c.Ref(), parameters(c)
			return b
		}
	}
	return Target{
		Kind: "Bucket", Cloud: cloud, Service: service, Operations: operations, Console: console,
		New:     func() v1alpha1.ResourceObject { return &v1alpha1.Bucket{} },
		Minimal: declare(func(*Cloud) v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} }),
		Typical: declare(typicalBucket), Full: declare(FullBucket),
		Connect: func(o client.Object, secret string) {
			o.(*v1alpha1.Bucket).Spec.Connection = &v1alpha1.Connection{SecretName: secret}
		},
		SetDeletionPolicy: func(o client.Object, p v1alpha1.DeletionPolicy) {
			o.(*v1alpha1.Bucket).Spec.DeletionPolicy = p
		},
		Edit: func(o client.Object) {
			b := o.(*v1alpha1.Bucket)
			b.Spec.Versioning = new(v1alpha1.VersioningSuspended)
			b.Spec.Tags = map[string]v1alpha1.TagValue{"team": "sales"}
		},
		Field: "tags.theirs", Mirror: `"1"`,
	}
}

func typicalBucket(*Cloud) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"team": "shop"}}
}
