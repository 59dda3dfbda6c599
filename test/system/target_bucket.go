package system

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

func init() {
	Targets = append(Targets,
		BucketTarget("aws", "s3", newAWSBuckets, Operations{
			Observe: "GetBucketTagging", Create: "CreateBucket", CreateMore: []string{"CreateBucket", "PutBucketVersioning"},
			Mark: "PutBucketTagging", Delete: "DeleteBucket", ObserveMore: []string{"GetBucketVersioning", "GetPublicAccessBlock", "GetBucketEncryption", "GetBucketOwnershipControls", "GetBucketRequestPayment", "GetBucketCors", "GetBucketWebsite"},
		}, "s3"),
		BucketTarget("gcp", "storage", newGCPBuckets, Operations{
			Observe: "buckets.get", Create: "buckets.insert", CreateMore: []string{"buckets.insert"},
			Mark: "buckets.patch", Delete: "buckets.delete",
		}, "gcs"))
}

// FullBucket declares all that a bucket can have.
func FullBucket(c *Cloud) v1alpha1.BucketParameters {
	full := v1alpha1.BucketParameters{
		Location:      new(c.Region()),
		Versioning:    new(v1alpha1.VersioningEnabled),
		PublicAccess:  new(v1alpha1.PublicAccessBlocked),
		Encryption:    &v1alpha1.Encryption{Key: new(c.Key("a"))},
		Tags:          map[string]v1alpha1.TagValue{"team": "a", "env": "test"},
		ForceDestroy:  new(false),
		RequesterPays: new(false),
		Website:       &v1alpha1.BucketWebsite{IndexDocument: new("index.html"), ErrorDocument: new("error.html")},
		CORS:          []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://a.example.com"}, AllowedMethods: []string{"GET"}}},
	}
	switch c.Name {
	case "aws":
		full.AWS = &v1alpha1.BucketAWS{ObjectOwnership: new("BucketOwnerEnforced")}
	case "gcp":
		full.GCP = &v1alpha1.BucketGCP{StorageClass: new("STANDARD")}
	}
	return full
}

// BucketTarget is the kind Bucket in a cloud, whose connection Secrets are of a type.
func BucketTarget(cloud, service string, console func(*Cloud) Console, operations Operations, secret string) Target {
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
		SecretType: corev1.SecretType("servicebinding.io/" + secret),
		SetDeletionPolicy: func(o client.Object, p v1alpha1.DeletionPolicy) {
			o.(*v1alpha1.Bucket).Spec.DeletionPolicy = p
		},
		SetTags: func(o client.Object, tags map[string]v1alpha1.TagValue) { o.(*v1alpha1.Bucket).Spec.Tags = tags },
		More:    func(o client.Object) { o.(*v1alpha1.Bucket).Spec.Versioning = new(v1alpha1.VersioningEnabled) },
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
