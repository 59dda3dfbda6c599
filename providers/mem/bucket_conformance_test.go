package mem_test

import (
	"maps"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

func init() {
	trials = append(trials, func(cloud *mem.Cloud) drivertest.Trial { return bucketKind(cloud) })
}

func bucketKind(cloud *mem.Cloud) *drivertest.Kind[v1alpha1.BucketParameters] {
	edit := func(t testing.TB, name string, change func(*mem.Bucket)) {
		t.Helper()
		if !mem.Buckets(cloud).Edit(account, name, change) {
			t.Fatalf("no bucket %q", name)
		}
	}
	fault := func(kind mem.FaultKind) func(testing.TB, string, string) func() {
		return func(_ testing.TB, name, field string) func() {
			return cloud.Fail(mem.Fault{Filter: mem.Filter{Name: name}, Kind: kind, Field: field, Code: driver.Denied})
		}
	}
	kind := &drivertest.Kind[v1alpha1.BucketParameters]{
		Name: "Bucket",
		Full: func() v1alpha1.BucketParameters {
			return v1alpha1.BucketParameters{
				Location: new(region), Versioning: new(v1alpha1.VersioningEnabled), PublicAccess: new(v1alpha1.PublicAccessBlocked),
				Encryption: &v1alpha1.Encryption{Key: new("key-1")},
				Website:    &v1alpha1.BucketWebsite{IndexDocument: new("index.html")},
				CORS:       []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}},
				Tags:       map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
			}
		},
		Minimal: func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields: []drivertest.Field{
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
			{Name: "versioning", To: "Suspended"},
			{Name: "publicAccess", To: "Allowed", Safe: "Blocked"},
			{Name: "encryption.key", To: "key-2"},
			{Name: "website.indexDocument", To: "home.html", Dependents: []string{"website.errorDocument"}},
			{Name: "cors", To: []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://b"}, AllowedMethods: []string{"PUT"}}, {AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
		},
		Reads: 1, MinimalReads: 1,
		HasID: true, Lists: true, GlobalNames: true, Contents: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				edit(t, name, func(b *mem.Bucket) { drivertest.SetField(t, &b.Spec, field, value) })
			},
			Labels: func(t testing.TB, name string) (labels map[string]string) {
				edit(t, name, func(b *mem.Bucket) { labels = maps.Clone(b.Labels) })
				return labels
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				edit(t, name, func(b *mem.Bucket) { b.Labels = maps.Clone(labels) })
			},
			Remove: func(_ testing.TB, name string) { mem.Buckets(cloud).Remove(account, name) },
			Fill:   func(t testing.TB, name string) { edit(t, name, func(b *mem.Bucket) { b.Objects = 2500 }) },
			Hide:   fault(mem.Unreadable),
			Refuse: fault(mem.FieldRefused),
		},
	}
	return kind.PlainFields("forceDestroy")
}
