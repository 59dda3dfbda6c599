package rules_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/google"
	localrds "github.com/mooring-dev/mooring/test/localcloud/rds"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

func resourceOf(t *testing.T, d driver.Driver, kind string) driver.Resource {
	t.Helper()
	for _, r := range d.Describe().Resources {
		if r.Kind == kind {
			return r
		}
	}
	t.Fatalf("the driver has no %s", kind)
	return driver.Resource{}
}

// A location that one of them does not know is refused before a call, or by it.
func TestLocationsOfGoogleCloud(t *testing.T) {
	multi := []string{"asia", "asia1", "eu", "eur4", "eur5", "eur7", "eur8", "nam4", "us"}
	for kind, standIn := range map[string][]string{"Database": google.Regions, "Bucket": slices.Concat(google.Regions, multi)} {
		known := slices.Sorted(slices.Values(resourceOf(t, gcp.New(gcp.Options{}), kind).Known.Locations))
		if slices.Sort(standIn); !slices.Equal(known, standIn) {
			t.Errorf("%s: the driver knows %s, and the stand-in %s", kind, known, standIn)
		}
	}
	g := sdk.StartGCP(t, localcloud.Options{})
	for i, location := range resourceOf(t, gcp.New(gcp.Options{}), "Bucket").Known.Locations {
		body := fmt.Sprintf(`{"name":"acme-%d","location":%q}`, i, location)
		sdk.WantGCP(t, g.Send(t, http.MethodPost, "/storage/v1/b?project=acme", body, nil), 0, "")
	}
}

// The stand-in has servers of no version that the driver calls unknown. The driver knows more: the stand-in has some of each engine.
func TestVersionsOfRDS(t *testing.T) {
	known := resourceOf(t, aws.New(aws.Options{}), "Database").Known.Versions
	for engine, versions := range localrds.Versions {
		for _, version := range versions {
			if major := localrds.MajorVersion(engine, version); !slices.Contains(known[engine], major) {
				t.Errorf("the driver does not know %s %s", engine, major)
			}
		}
	}
}

// names are at, within and beyond the edges of what clouds take.
var names = []string{
	"ab", "abc", "a-b", "a--b", "-ab", "ab-", "abc.d", "a..b", "a.-b", "a_b", "Abc", "1ab", "192.168.5.4", "xn--abc", "sthree-abc", "abc-s3alias",
	"abc--ol-s3", "amzn-s3-demo-abc", "google-abc", "goog-abc", "g00gle-abc", "abc.mrap", "abc--x-s3", "äbc", "a b",
	strings.Repeat("a", 60), strings.Repeat("a", 63), strings.Repeat("a", 64), strings.Repeat("a", 92), strings.Repeat("a", 93), strings.Repeat("a", 94),
}

// A stand-in takes each name that the driver would send.
func TestNamesThatDriversSend(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	g := sdk.StartGCP(t, localcloud.Options{InstanceQuota: -1})
	amazon, gcloud := aws.New(aws.Options{}), gcp.New(gcp.Options{})
	buckets := s3.NewFromConfig(sdk.AWSConfig(cloud, sdk.OwnAccount, "eu-west-1"), func(o *s3.Options) { o.UsePathStyle = true })
	for _, test := range []struct {
		of     driver.Driver
		kind   string
		create func(name string) error
		// harsher are names that the driver takes, and the stand-in does not, because nobody is sure about the cloud.
		harsher []string
	}{
		{amazon, "Bucket", func(name string) error {
			_, err := buckets.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
				LocationConstraint: "eu-west-1",
			}})
			return err
			// AWS documented once that hyphens can't stand next to dots, and does not any more.
		}, []string{"a.-b"}},
		{amazon, "Database", func(name string) error {
			_, err := sdk.RDS(cloud, sdk.OwnAccount, "eu-west-1").CreateDBInstance(t.Context(), sdk.SomeInstance(name))
			return err
		}, nil},
		{gcloud, "Bucket", func(name string) error {
			return g.Send(t, http.MethodPost, "/storage/v1/b?project=acme", fmt.Sprintf(`{"name":%q}`, name), nil)
		}, nil},
		{gcloud, "Database", func(name string) error {
			return g.Send(t, http.MethodPost, "/v1/projects/acme/instances", fmt.Sprintf(
				`{"name":%q,"databaseVersion":"POSTGRES_15","settings":{"tier":"db-f1-micro"}}`, name), nil)
		}, nil},
	} {
		rule, sent := resourceOf(t, test.of, test.kind).Name, 0
		if test.of == gcloud {
			rule = rule.In("acme")
		}
		for _, name := range names {
			if len(name) > rule.MaxLength || rule.Refuses(name) != nil {
				continue
			}
			sent++
			if err := test.create(name); (err != nil) != slices.Contains(test.harsher, name) {
				t.Errorf("%s: the driver would send the name %q: %v", rule.Patterns[0].Rule, name, err)
			}
		}
		if sent < 3 || sent == len(names) {
			t.Errorf("%s: the driver takes %d of %d names", rule.Patterns[0].Rule, sent, len(names))
		}
	}
}
