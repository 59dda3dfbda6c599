package kind

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/mem"
)

func TestBucketBindingIsTheCloudsOwn(t *testing.T) {
	for cloud, want := range map[string]struct{ kind, uri string }{"aws": {"s3", "s3://photos"}, "gcp": {"gcs", "gs://photos"}} {
		d := mem.Describe(cloud)
		kind, data := Bucket().Binding(&v1alpha1.Bucket{}, &d, driver.Endpoint{Name: "photos"}, "")
		if string(kind) != "servicebinding.io/"+want.kind || string(data["type"]) != want.kind || string(data["uri"]) != want.uri || string(data["provider"]) != cloud {
			t.Errorf("%s: type %s, data %s", cloud, kind, data)
		}
	}
}
