package gcp

import (
	"testing"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfBuckets(t *testing.T) {
	tabletest.Effects(t, bucketTable, []tabletest.Example[v1alpha1.BucketParameters, storage.BucketAttrs]{
		tabletest.Of("location", v1alpha1.BucketParameters{Location: new("europe-west4")}, storage.BucketAttrs{Location: "EUROPE-WEST3"}, driver.Impossible),
		tabletest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, storage.BucketAttrs{}, driver.Online),
		tabletest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessBlocked)}, storage.BucketAttrs{}, driver.Online),
		tabletest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("projects/p/locations/l/keyRings/r/cryptoKeys/k")}},
			storage.BucketAttrs{}, driver.Online),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(true)}, storage.BucketAttrs{}, driver.Interrupts),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(false)}, storage.BucketAttrs{RequesterPays: true}, driver.Online),
		tabletest.Of("gcp.storageClass", v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{StorageClass: new("ARCHIVE")}},
			storage.BucketAttrs{StorageClass: "STANDARD"}, driver.Online),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("i")}}, storage.BucketAttrs{}, driver.Online),
		tabletest.Of("website.errorDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{ErrorDocument: new("e")}}, storage.BucketAttrs{}, driver.Online),
		tabletest.Of("cors", v1alpha1.BucketParameters{CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}}, storage.BucketAttrs{}, driver.Online),
		tabletest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, storage.BucketAttrs{}, driver.Online),
	})
}
