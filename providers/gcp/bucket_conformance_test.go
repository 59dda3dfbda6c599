package gcp_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/fieldedit"
)

func init() {
	trials = append(trials, func(c *cloud) drivertest.Trial { return bucketKind(c) })
}

func bucketKind(c *cloud) *drivertest.Kind[v1alpha1.BucketParameters] {
	return &drivertest.Kind[v1alpha1.BucketParameters]{
		Name: "Bucket",
		RefusedNames: []string{
			"my", strings.Repeat("a", 64), "Photos", "-photos", "photos-", "two..dots", "192.168.5.4", "goog-photos", "my-google-photos", "my-g00gle-photos",
			strings.Repeat("a", 64) + ".example.com",
		},
		OddNames:     []string{"1photos", "photos--2026", "photos_2026"},
		Full:         fieldedit.GCPBucket(location).Full,
		Minimal:      func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields:       fieldedit.GCPBucket(location).Fields,
		Reads:        3, // one, one for the bindings, and one for notifications
		MinimalReads: 1,
		HasID:        true, Lists: true, GlobalNames: true, Contents: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				text, _ := value.(string)
				patch := &storage.Bucket{}
				switch field {
				case "versioning":
					patch.Versioning = &storage.BucketVersioning{Enabled: text == "Enabled", ForceSendFields: []string{"Enabled"}}
				case "publicAccess":
					prevention := map[string]string{"Blocked": "enforced", "Allowed": "inherited"}[text]
					patch.IamConfiguration = &storage.BucketIamConfiguration{PublicAccessPrevention: prevention}
				case "encryption.key":
					patch.Encryption = &storage.BucketEncryption{DefaultKmsKeyName: text}
				case "website.indexDocument":
					patch.Website = &storage.BucketWebsite{MainPageSuffix: text}
				case "website.errorDocument":
					patch.Website = &storage.BucketWebsite{NotFoundPage: text}
				case "logging.bucket":
					patch.Logging = &storage.BucketLogging{LogBucket: text}
				case "retention.days":
					patch.RetentionPolicy = &storage.BucketRetentionPolicy{RetentionPeriod: int64(value.(int)) * day}
				case "retention.locked":
					c.lockBucket(t, name)
					return
				case "logging.prefix":
					patch.Logging = &storage.BucketLogging{LogObjectPrefix: text}
				case "lifecycle":
					patch.Lifecycle = rawLifecycle(value.([]v1alpha1.LifecycleRule))
				case "cors":
					patch.Cors = rawCORS(value.([]v1alpha1.CORSRule))
				case "requesterPays":
					patch.Billing = &storage.BucketBilling{RequesterPays: value.(bool), ForceSendFields: []string{"RequesterPays"}}
				case "gcp.notifications":
					c.editNotifications(t, name, value.([]notified))
					return
				case "gcp.storageClass":
					patch.StorageClass = text
					patch.Autoclass = &storage.BucketAutoclass{ForceSendFields: []string{"Enabled"}} // which takes no other class
				default:
					editStorageOnly(t, patch, field, value)
				}
				c.patchBucket(t, name, patch)
			},
			Labels: func(t testing.TB, name string) map[string]string { return c.bucket(t, name).Labels },
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				patch := &storage.Bucket{Labels: labels}
				for k := range c.bucket(t, name).Labels {
					if _, stays := labels[k]; !stays {
						patch.NullFields = append(patch.NullFields, "Labels."+k)
					}
				}
				c.patchBucket(t, name, patch)
			},
			Entries: map[string]drivertest.Entries{"gcp.iamBindings": c.bindingEntries()},
			Remove: func(t testing.TB, name string) {
				if err := c.storage.Buckets.Delete(name).UserProject(project).Do(); err != nil {
					t.Fatal(err)
				}
			},
			Fill: func(t testing.TB, name string) { c.fill(t, name, 3) },
			Hide: func(_ testing.TB, _, f string) func() {
				if f != "gcp.notifications" {
					return nil
				}
				return c.denied("notifications.list", "")
			},
			Refuse: func(_ testing.TB, _, f string) func() {
				if f == "gcp.iamBindings" {
					return c.denied("buckets.setIamPolicy", "bindings")
				}
				if strings.HasPrefix(f, "gcp.ipFilter.") {
					return c.denied("buckets.patch", "ipFilter")
				}
				return c.denied("buckets.patch", map[string]string{
					"versioning": "versioning", "publicAccess": "iamConfiguration", "encryption.key": "encryption", "tags": "labels",
				}[f])
			},
		},
	}
}

// rawCORS returns rules as people write them in Cloud Storage.
func rawCORS(rules []v1alpha1.CORSRule) (raw []*storage.BucketCors) {
	for _, r := range rules {
		rule := &storage.BucketCors{Origin: r.AllowedOrigins, Method: r.AllowedMethods, ResponseHeader: r.ExposeHeaders}
		if r.MaxAgeSeconds != nil {
			rule.MaxAgeSeconds = int64(*r.MaxAgeSeconds)
		}
		raw = append(raw, rule)
	}
	return raw
}

func (c *cloud) fill(t testing.TB, name string, objects int) {
	t.Helper()
	for i := range objects + 1 {
		object := &storage.Object{Name: fmt.Sprintf("object-%04d", min(i, objects-1))}
		if _, err := c.storage.Objects.Insert(name, object).Media(strings.NewReader("content")).UserProject(project).Do(); err != nil {
			t.Fatal(err)
		}
	}
}
