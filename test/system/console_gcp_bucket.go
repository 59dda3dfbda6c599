package system

import (
	"strings"
	"testing"

	"google.golang.org/api/option"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// gcpBuckets are the buckets of Cloud Storage, as people use them beside Mooring.
type gcpBuckets struct {
	project string
	storage *storage.Service
}

func newGCPBuckets(c *Cloud) Console {
	ctx, client := gcpClient(c)
	service, err := storage.NewService(ctx, client, option.WithEndpoint(c.GCPEndpoint()+"/storage/v1/"))
	if err != nil {
		panic(err)
	}
	return &gcpBuckets{c.Account, service}
}

// Names implements Console.
func (g *gcpBuckets) Names(t testing.TB) (names []string) {
	t.Helper()
	buckets, err := g.storage.Buckets.List(g.project).Do()
	ok(t, err)
	for _, b := range buckets.Items {
		names = append(names, b.Name)
	}
	return names
}

// Make implements Console.
func (g *gcpBuckets) Make(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	_, err := g.storage.Buckets.Insert(g.project, &storage.Bucket{Name: name, Location: GCPRegion, Labels: tags}).Do()
	ok(t, err)
}

// MakeIn implements BucketConsole.
func (g *gcpBuckets) MakeIn(t testing.TB, name, location string) {
	t.Helper()
	_, err := g.storage.Buckets.Insert(g.project, &storage.Bucket{Name: name, Location: location}).Do()
	ok(t, err)
}

// Location implements BucketConsole.
func (g *gcpBuckets) Location(t testing.TB, name string) string {
	t.Helper()
	b, err := g.storage.Buckets.Get(name).UserProject(g.project).Do()
	ok(t, err)
	return b.Location
}

// Tags implements Console.
func (g *gcpBuckets) Tags(t testing.TB, name string) map[string]string {
	t.Helper()
	b, err := g.storage.Buckets.Get(name).UserProject(g.project).Do()
	if missing(err) {
		return nil
	}
	ok(t, err)
	if b.Labels == nil {
		return map[string]string{}
	}
	return b.Labels
}

func (g *gcpBuckets) patchBucket(t testing.TB, name string, patch *storage.Bucket) {
	t.Helper()
	_, err := g.storage.Buckets.Patch(name, patch).UserProject(g.project).Do()
	ok(t, err)
}

// Tag implements Console.
func (g *gcpBuckets) Tag(t testing.TB, name string, tags map[string]string) {
	t.Helper()
	patch := &storage.Bucket{Labels: map[string]string{}}
	for k, v := range tags {
		if v == "" {
			patch.NullFields = append(patch.NullFields, "Labels."+k)
		} else {
			patch.Labels[k] = v
		}
	}
	g.patchBucket(t, name, patch)
}

// SetVersioning implements BucketConsole.
func (g *gcpBuckets) SetVersioning(t testing.TB, name string, on bool) {
	t.Helper()
	g.patchBucket(t, name, &storage.Bucket{Versioning: &storage.BucketVersioning{Enabled: on, ForceSendFields: []string{"Enabled"}}})
}

// SetPublic implements BucketConsole.
func (g *gcpBuckets) SetPublic(t testing.TB, name string, on bool) {
	t.Helper()
	prevention := "enforced"
	if on {
		prevention = "inherited"
	}
	g.patchBucket(t, name, &storage.Bucket{IamConfiguration: &storage.BucketIamConfiguration{PublicAccessPrevention: prevention}})
}

// SetEncryption implements BucketConsole.
func (g *gcpBuckets) SetEncryption(t testing.TB, name, key string) {
	t.Helper()
	g.patchBucket(t, name, &storage.Bucket{Encryption: &storage.BucketEncryption{DefaultKmsKeyName: key}})
}

// Set implements BucketConsole.
func (g *gcpBuckets) Set(t testing.TB, name, field string, value any) {
	t.Helper()
	patch := &storage.Bucket{}
	switch field {
	case "website.indexDocument":
		patch.Website = &storage.BucketWebsite{MainPageSuffix: value.(string)}
	case "logging.bucket":
		patch.Logging = &storage.BucketLogging{LogBucket: value.(string)}
	case "lifecycle":
		patch.Lifecycle = &storage.BucketLifecycle{}
		for _, r := range value.([]v1alpha1.LifecycleRule) {
			condition := &storage.BucketLifecycleRuleCondition{Age: new(int64(*r.AbortUploadsAfterDays))}
			if r.Prefix != nil {
				condition.MatchesPrefix = []string{*r.Prefix}
			}
			patch.Lifecycle.Rule = append(patch.Lifecycle.Rule, &storage.BucketLifecycleRule{
				Action: &storage.BucketLifecycleRuleAction{Type: "AbortIncompleteMultipartUpload"}, Condition: condition,
			})
		}
	case "cors":
		for _, r := range value.([]v1alpha1.CORSRule) {
			patch.Cors = append(patch.Cors, &storage.BucketCors{Origin: r.AllowedOrigins, Method: r.AllowedMethods})
		}
	case "requesterPays":
		patch.Billing = &storage.BucketBilling{RequesterPays: value.(bool), ForceSendFields: []string{"RequesterPays"}}
	case "gcp.iamBindings":
		policy := &storage.Policy{}
		for _, b := range value.([]v1alpha1.BucketIAMBinding) {
			policy.Bindings = append(policy.Bindings, &storage.PolicyBindings{Role: b.Role, Members: b.Members})
		}
		if _, err := g.storage.Buckets.SetIamPolicy(name, policy).Context(t.Context()).Do(); err != nil {
			t.Fatal(err)
		}
		return
	case "gcp.storageClass":
		patch.StorageClass = value.(string)
	case "gcp.notifications":
		g.setNotifications(t, name, value.([]v1alpha1.BucketNotificationGCP))
		return
	default:
		setStorageOnly(t, patch, field, value)
	}
	g.patchBucket(t, name, patch)
}

// setNotifications leaves a bucket with notifications to these topics alone.
func (g *gcpBuckets) setNotifications(t testing.TB, name string, want []v1alpha1.BucketNotificationGCP) {
	t.Helper()
	there, err := g.storage.Notifications.List(name).UserProject(g.project).Do()
	ok(t, err)
	for _, n := range there.Items {
		ok(t, g.storage.Notifications.Delete(name, n.Id).UserProject(g.project).Do())
	}
	for _, n := range want {
		_, err := g.storage.Notifications.Insert(name, &storage.Notification{Topic: n.Topic, PayloadFormat: "JSON_API_V1"}).UserProject(g.project).Do()
		ok(t, err)
	}
}

// Delete implements Console.
func (g *gcpBuckets) Delete(t testing.TB, name string) {
	t.Helper()
	ok(t, g.storage.Buckets.Delete(name).UserProject(g.project).Do())
}

// PutObject implements BucketConsole.
func (g *gcpBuckets) PutObject(t testing.TB, bucket, key string) {
	t.Helper()
	_, err := g.storage.Objects.Insert(bucket, &storage.Object{Name: key}).Media(strings.NewReader("content")).UserProject(g.project).Do()
	ok(t, err)
}

// DeleteObject implements BucketConsole.
func (g *gcpBuckets) DeleteObject(t testing.TB, bucket, key string) {
	t.Helper()
	ok(t, g.storage.Objects.Delete(bucket, key).UserProject(g.project).Do())
}
