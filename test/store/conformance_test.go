package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/fieldedit"
	"github.com/mooring-dev/mooring/test/store"
)

// The driver of AWS holds its obligations in a real store of another maker: of what that has by its deeds, of what it lacks by its field.
func TestConformance(t *testing.T) {
	h, tried := harness(t, "us-east-1"), map[string]bool{}
	for _, check := range h.Checks() {
		t.Run(check.Name, func(t *testing.T) {
			if why := differs[check.Name]; why != "" {
				tried[check.Name] = true
				t.Skip("not shown: " + why)
			}
			check.Run(t)
		})
	}
	for name := range differs {
		if !tried[name] {
			t.Errorf("the suite has no check %q", name)
		}
	}
}

// differs are the checks that versitygw does not allow, and why.
var differs = map[string]string{
	"Bucket/list/a token that the cloud does not know is PageExpired, and never an empty page": "versitygw takes any token for a name to go on from, and begins after it",
	"Bucket/list/objects of other locations are there only if the page says so":                "versitygw has one region",
}

// A store may call its region something else. Then creations name it.
func TestConformanceInAnotherRegion(t *testing.T) {
	h := harness(t, "eu-central-1")
	for _, check := range h.Checks() {
		if strings.HasPrefix(check.Name, "Bucket/Create") || strings.HasPrefix(check.Name, "Bucket/what was made") {
			t.Run(check.Name, func(t *testing.T) { check.Run(t) })
		}
	}
}

func harness(t *testing.T, region string) drivertest.Harness {
	s := store.Start(t, store.Options{Region: region})
	front := store.NewFront(t, s)
	b := &backdoor{Front: front, s3: s.Client(store.Tenant)}
	open := func(owner string) driver.Opening {
		return driver.Opening{Config: driver.Config{Account: s.Account(), Location: region, Endpoint: front.Endpoint}, Credentials: s.Keys(owner)}
	}
	other, empty := open(store.Other), open(store.Empty)
	return drivertest.Harness{
		Driver:  aws.New(aws.Options{CallTimeout: 2 * time.Minute}),
		Config:  open(store.Tenant),
		Account: driver.AccountID(store.AccountOf(front.Endpoint, store.Tenant)),
		Other:   &other, Empty: &empty,
		Secrets: []string{store.Tenant, string(s.Keys(store.Tenant)[v1alpha1.SecretKeyAWSSecretAccessKey])},
		Calls:   b.count, Fail: b.fail,
		Kinds: []drivertest.Trial{bucketKind(b, region)}, Lacking: []string{"Database", "DatabaseSnapshot"},
	}
}

// lacking are the fields that versitygw lacks.
var lacking = []drivertest.Field{
	{Name: "publicAccess", To: "Blocked"},
	{Name: "encryption.key", To: "arn:aws:kms:us-east-1:111111111111:key/0d9f3a7e-1111-4222-8333-944455556666"},
	{Name: "aws.bucketKey", To: true},
	{Name: "aws.blockedEncryptionTypes", To: []string{"SSE-C"}},
	{Name: "requesterPays", To: true},
	{Name: "logging.bucket", To: "access-logs"},
	{Name: "logging.prefix", To: "photos/"},
	{Name: "lifecycle", To: []v1alpha1.LifecycleRule{{Name: "old", ExpireAfterDays: new(int32(30))}}},
	{Name: "aws.transferAcceleration", To: "Enabled"},
	{Name: "aws.metrics", To: []v1alpha1.BucketMetricsAWS{{Name: "EntireBucket"}}},
	{Name: "aws.intelligentTiering", To: []v1alpha1.BucketIntelligentTieringAWS{{Name: "old", Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: new(int32(90))}}}},
	{Name: "aws.analytics", To: []v1alpha1.BucketAnalyticsAWS{{Name: "all"}}},
	{Name: "aws.inventory", To: []v1alpha1.BucketInventoryAWS{{Name: "all", Frequency: "Daily", IncludedObjectVersions: "All",
		Destination: v1alpha1.BucketInventoryDestinationAWS{Bucket: "reports", Format: "CSV"}}}},
	{Name: "aws.notifications.eventBridge", To: true},
	{Name: "aws.notifications.queues", To: notified("arn:aws:sqs:us-east-1:111111111111:uploads")},
	{Name: "aws.notifications.topics", To: notified("arn:aws:sns:us-east-1:111111111111:uploads")},
	{Name: "aws.notifications.functions", To: notified("arn:aws:lambda:us-east-1:111111111111:function:uploads")},
	{Name: "aws.replication.role", To: "arn:aws:iam::111111111111:role/shop-replication"},
}

// notified sends all events of new objects to one place.
func notified(arn string) []v1alpha1.BucketNotificationAWS {
	return []v1alpha1.BucketNotificationAWS{{Name: "uploads", ARN: arn, Events: []string{"s3:ObjectCreated:*"}}}
}

// apart are fields that versitygw has for other values than AWS: its principals are its own users, and it knows no NotAction. Rules of replication come with a
// role alone, and it lacks both.
var apart = map[string]string{"aws.policy": "TestPolicyInAStore", "aws.replication.rules": "TestReplicationInAStore"}

func lacks(field string) bool {
	return slices.ContainsFunc(lacking, func(f drivertest.Field) bool { return f.Name == field })
}

func bucketKind(b *backdoor, region string) *drivertest.Kind[v1alpha1.BucketParameters] {
	all := fieldedit.AWSBucket(region)
	return &drivertest.Kind[v1alpha1.BucketParameters]{
		Name: "Bucket",
		RefusedNames: []string{
			"my", strings.Repeat("a", 64), "Photos", "photos_2026", "-photos", "photos-", "192.168.5.4",
		},
		OddNames: []string{"1photos", "photos--2026", "photos.example.com"},
		Full: func() v1alpha1.BucketParameters {
			full := all.Full()
			full.PublicAccess, full.Encryption, full.RequesterPays, full.Logging, full.Lifecycle = nil, nil, nil, nil, nil
			full.AWS = &v1alpha1.BucketAWS{ObjectOwnership: full.AWS.ObjectOwnership, ObjectLock: full.AWS.ObjectLock}
			return full
		},
		Minimal:      func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields:       slices.DeleteFunc(slices.Clone(all.Fields), func(f drivertest.Field) bool { return lacks(f.Name) || apart[f.Name] != "" }),
		Lacking:      lacking,
		Apart:        apart,
		Reads:        6, // one, and one for each aspect: versioning, cors, website, object ownership, Object Lock
		MinimalReads: 1,
		Lists:        true,
		GlobalNames:  true,
		Contents:     true,
		Cloud: drivertest.Backdoor{
			Edit: b.edit, Labels: b.labels, Relabel: b.relabel, Remove: b.remove, Fill: b.fill,
			Hide: func(_ testing.TB, name, f string) func() {
				return b.denied(store.Fault{Reads: true, Bucket: name, About: about[f]})
			},
			Refuse: func(_ testing.TB, name, f string) func() {
				return b.denied(store.Fault{Writes: true, Bucket: name, About: about[f]})
			},
		},
	}
}

// about are the calls of fields that have calls of their own.
var about = map[string]string{"versioning": "versioning", "cors": "cors", "retention.days": "object-lock", "retention.locked": "object-lock", "aws.objectLock": "object-lock", "aws.objectOwnership": "ownershipControls"}

// A backdoor is how the suite reaches the store behind the driver's back: past the front, so that it does not count.
type backdoor struct {
	*store.Front
	s3 *s3.Client
}

func (b *backdoor) count() (c drivertest.Calls) {
	for _, call := range b.Calls() {
		if call.Write() {
			c.Writes++
		} else {
			c.Reads++
		}
	}
	return c
}

func (b *backdoor) fail(f drivertest.Fault) (lift func()) {
	fault := store.Fault{Reads: f.Reads, Writes: f.Writes, Skip: f.Skip, Lost: f.Kind == drivertest.ResponseLost}
	switch f.Kind {
	case drivertest.Denied:
		fault.Status, fault.Code = 403, "AccessDenied"
	case drivertest.Throttled:
		fault.Status, fault.Code = 503, "SlowDown"
	case drivertest.ServerError:
		fault.Status, fault.Code = 500, "InternalError"
	case drivertest.Cut:
		fault.Cut = true
	case drivertest.Page:
		fault.ForeignAnswer = &store.ForeignAnswer{Type: "text/html", Says: "<!DOCTYPE html>\n<html><body>Log in<br></body></html>"}
	case drivertest.Blank:
		fault.ForeignAnswer = &store.ForeignAnswer{}
	case drivertest.ForeignXML:
		fault.ForeignAnswer = &store.ForeignAnswer{Type: "application/xml", Says: `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title></feed>`}
	case drivertest.ForeignJSON:
		fault.ForeignAnswer = &store.ForeignAnswer{Type: "application/json", Says: `{"status":"ok"}`}
	}
	return b.Fail(fault)
}

func (b *backdoor) denied(f store.Fault) (lift func()) {
	if f.About == "" {
		return nil
	}
	f.Status, f.Code = 403, "AccessDenied"
	return b.Fail(f)
}

func (b *backdoor) edit(t testing.TB, name, f string, value any) {
	switch f {
	case "versioning":
		store.Do(t, b.s3.PutBucketVersioning, &s3.PutBucketVersioningInput{Bucket: &name,
			VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatus(value.(string))}})
	case "website.redirectAllRequestsTo":
		b.putSite(t, name, &s3types.WebsiteConfiguration{RedirectAllRequestsTo: &s3types.RedirectAllRequestsTo{HostName: new(value.(string))}})
	case "website.indexDocument", "website.errorDocument":
		site := &s3types.WebsiteConfiguration{IndexDocument: &s3types.IndexDocument{Suffix: new("index.html")}}
		if have, err := b.s3.GetBucketWebsite(t.Context(), &s3.GetBucketWebsiteInput{Bucket: &name}); err == nil {
			site.IndexDocument, site.ErrorDocument = have.IndexDocument, have.ErrorDocument
		}
		if f == "website.indexDocument" {
			site.IndexDocument = &s3types.IndexDocument{Suffix: new(value.(string))}
		} else {
			site.ErrorDocument = &s3types.ErrorDocument{Key: new(value.(string))}
		}
		b.putSite(t, name, site)
	case "cors":
		rules := []s3types.CORSRule{}
		for _, r := range value.([]v1alpha1.CORSRule) {
			rules = append(rules, s3types.CORSRule{AllowedOrigins: r.AllowedOrigins, AllowedMethods: r.AllowedMethods, AllowedHeaders: r.AllowedHeaders, ExposeHeaders: r.ExposeHeaders, MaxAgeSeconds: r.MaxAgeSeconds})
		}
		store.Do(t, b.s3.PutBucketCors, &s3.PutBucketCorsInput{Bucket: &name, CORSConfiguration: &s3types.CORSConfiguration{CORSRules: rules}})
	case "retention.days", "retention.locked":
		b.editRetention(t, name, value)
	case "aws.objectOwnership":
		store.Do(t, b.s3.PutBucketOwnershipControls, &s3.PutBucketOwnershipControlsInput{Bucket: &name, OwnershipControls: &s3types.OwnershipControls{
			Rules: []s3types.OwnershipControlsRule{{ObjectOwnership: s3types.ObjectOwnership(value.(string))}}}})
	default:
		t.Fatalf("no way to edit %s", f)
	}
}

func (b *backdoor) putSite(t testing.TB, name string, site *s3types.WebsiteConfiguration) {
	store.Do(t, b.s3.PutBucketWebsite, &s3.PutBucketWebsiteInput{Bucket: &name, WebsiteConfiguration: site})
}

func (b *backdoor) editRetention(t testing.TB, name string, value any) {
	rule := s3types.DefaultRetention{Mode: "GOVERNANCE", Days: new(int32(7))}
	have := store.Do(t, b.s3.GetObjectLockConfiguration, &s3.GetObjectLockConfigurationInput{Bucket: &name}).ObjectLockConfiguration
	if have.Rule != nil && have.Rule.DefaultRetention != nil {
		rule = *have.Rule.DefaultRetention
	}
	switch v := value.(type) {
	case bool:
		rule.Mode = map[bool]s3types.ObjectLockRetentionMode{true: "COMPLIANCE", false: "GOVERNANCE"}[v]
	case int:
		rule.Days = new(int32(v))
	}
	store.Do(t, b.s3.PutObjectLockConfiguration, &s3.PutObjectLockConfigurationInput{Bucket: &name, ObjectLockConfiguration: &s3types.ObjectLockConfiguration{
		ObjectLockEnabled: "Enabled", Rule: &s3types.ObjectLockRule{DefaultRetention: &rule},
	}})
}

func (b *backdoor) labels(t testing.TB, name string) map[string]string {
	tags := map[string]string{}
	for _, tag := range store.Do(t, b.s3.GetBucketTagging, &s3.GetBucketTaggingInput{Bucket: &name}).TagSet {
		tags[*tag.Key] = *tag.Value
	}
	return tags
}

func (b *backdoor) relabel(t testing.TB, name string, labels map[string]string) {
	var set []s3types.Tag
	for k, v := range labels {
		set = append(set, s3types.Tag{Key: &k, Value: &v})
	}
	store.Do(t, b.s3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: set}})
}

func (b *backdoor) remove(t testing.TB, name string) {
	store.Do(t, b.s3.DeleteBucket, &s3.DeleteBucketInput{Bucket: &name})
}

func (b *backdoor) fill(t testing.TB, name string) {
	store.Do(t, b.s3.PutObject, &s3.PutObjectInput{Bucket: &name, Key: new("a"), Body: strings.NewReader("x")})
}
