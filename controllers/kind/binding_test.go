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

// A connection Secret names what clients verify in the server's certificate where that is another name than the host, and has no such key elsewhere.
func TestDatabaseBindingNamesTheServer(t *testing.T) {
	d := mem.Describe("gcp")
	for name, want := range map[string]string{"": "", "1a2b.3c4d.europe-west3.sql-psa.goog": "1a2b.3c4d.europe-west3.sql-psa.goog"} {
		_, data := Database().Binding(&v1alpha1.Database{}, &d, driver.Endpoint{Host: "10.0.0.3", Port: 5432, ServerName: name}, "secret")
		if said, has := data[KeyServerName]; string(said) != want || has != (want != "") || string(data["host"]) != "10.0.0.3" {
			t.Errorf("%q: the Secret names %q, and the host %q", name, said, data["host"])
		}
	}
}
