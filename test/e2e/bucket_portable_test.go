package e2e

import (
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// portable is all that a Bucket can have in every cloud, but for what is another object there: account, location and key. A retention is not among it: S3
// has none without versions, and Cloud Storage none beside them.
const portable = `
versioning: Enabled
publicAccess: Blocked
requesterPays: false
forceDestroy: true
tags: {team: shop, cost-center: "1234"}
cors:
  - allowedOrigins: ["https://shop.example.com"]
    allowedMethods: [GET, PUT]
    allowedHeaders: [Content-Type]
    exposeHeaders: [ETag]
    maxAgeSeconds: 600
logging: {bucket: audit-logs-eu-central-1, prefix: photos/}
website: {indexDocument: index.html, errorDocument: lost.html}
lifecycle:
  - name: photos
    prefix: photos/
    transitions:
      - {afterDays: 30, storageClass: Infrequent}
      - {afterDays: 90, storageClass: Cold}
      - {afterDays: 365, storageClass: Archive}
    expireAfterDays: 3650
  - name: old-versions
    noncurrentVersions: {expireAfterDays: 30, keep: 3}
  - name: uploads
    abortUploadsAfterDays: 7
`

// One YAML is Ready in each cloud, with all that it says.
func TestOneYAMLForEachCloud(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		var p v1alpha1.BucketParameters
		w.Must(yaml.UnmarshalStrict([]byte(portable), &p))
		p.Location, p.Encryption = new(c.Region()), &v1alpha1.Encryption{Key: new(c.Key("a"))}
		b := throughOpenClass(w, c, w.bucket(c, "portable", p))
		b.Spec.Connection = &v1alpha1.Connection{SecretName: "portable"}
		w.create(b)
		applied := w.ready(b).Status.Applied
		for _, field := range []string{
			"cors", "encryption.key", "lifecycle", "location", "logging.bucket", "logging.prefix", "publicAccess", "requesterPays", "tags", "versioning",
			"website.errorDocument", "website.indexDocument",
		} {
			if _, is := applied[field]; !is {
				w.Errorf("%s is not applied, only %v", field, slices.Sorted(maps.Keys(applied)))
			}
		}
		secret := &corev1.Secret{}
		w.Must(w.Client.Get(w.Context(), client.ObjectKeyFromObject(b), secret))
		for _, key := range []string{"type", "provider", "bucket", "region", "endpoint", "uri"} {
			if len(secret.Data[key]) == 0 {
				w.Errorf("the connection Secret has no %s", key)
			}
		}
	})
}
