package mem

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table/tabletest"
)

func TestEffectsOfBuckets(t *testing.T) {
	tabletest.Effects(t, bucketTable, []tabletest.Example[v1alpha1.BucketParameters, Bucket]{
		tabletest.Of("location", v1alpha1.BucketParameters{Location: new("b")}, Bucket{Spec: v1alpha1.BucketParameters{Location: new("a")}}, driver.Impossible),
		tabletest.Of("versioning", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, Bucket{}, driver.Online),
		tabletest.Of("publicAccess", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessAllowed)}, Bucket{Spec: v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessBlocked)}}, driver.Online),
		tabletest.Of("encryption.key", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("k")}}, Bucket{}, driver.Online),
		tabletest.Of("website.indexDocument", v1alpha1.BucketParameters{Website: &v1alpha1.BucketWebsite{IndexDocument: new("i")}}, Bucket{}, driver.Online),
		tabletest.Of("cors", v1alpha1.BucketParameters{CORS: []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}}}}, Bucket{}, driver.Online),
		tabletest.Of("tags", v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}}, Bucket{}, driver.Online),
	})
}
