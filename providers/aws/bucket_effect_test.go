package aws

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfBuckets(t *testing.T) {
	tabletest.Effects(t, bucketTable, []tabletest.Example[v1alpha1.BucketParameters, bucket]{
		tabletest.Of("location", v1alpha1.BucketParameters{Location: new("eu-west-1")}, bucket{region: "eu-central-1"}, driver.Impossible),
		tabletest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, bucket{}, driver.Online),
		tabletest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessAllowed)},
			bucket{publicAccess: new(v1alpha1.PublicAccessBlocked)}, driver.Online),
		tabletest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("arn:aws:kms:eu-central-1:1:key/a")}},
			bucket{key: new("")}, driver.Online),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(true)}, bucket{requesterPays: new(false)}, driver.Interrupts),
		tabletest.Of("requesterPays", v1alpha1.BucketParameters{RequesterPays: new(false)}, bucket{requesterPays: new(true)}, driver.Online),
		tabletest.Of("aws.objectOwnership", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectOwnership: new("ObjectWriter")}},
			bucket{ownership: new("BucketOwnerEnforced")}, driver.Online),
		tabletest.Of("aws.objectOwnership", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{ObjectOwnership: new("BucketOwnerEnforced")}},
			bucket{ownership: new("BucketOwnerPreferred")}, driver.Interrupts),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("i")}}, bucket{}, driver.Online),
		tabletest.Of("website.errorDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{ErrorDocument: new("e")}}, bucket{}, driver.Online),
		tabletest.Of("cors", v1alpha1.BucketParameters{CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}}, bucket{}, driver.Online),
		tabletest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, bucket{}, driver.Online),
	})
}
