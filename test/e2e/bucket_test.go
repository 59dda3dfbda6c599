package e2e

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver/fieldpath"
	"github.com/mooring-dev/mooring/test/system"
)

// bucket returns a Bucket on a cloud.
func (w *fixture) bucket(c *system.Cloud, name string, parameters v1alpha1.BucketParameters) *v1alpha1.Bucket {
	b := &v1alpha1.Bucket{ObjectMeta: w.Meta(name)}
	b.Spec.ProviderConfigRef, b.Spec.BucketParameters = c.Ref(), parameters
	return b
}

// A change of one field: by a person in the spec, then by somebody else in the cloud.
type bucketChange struct {
	field string
	only  string // the cloud that has the field; empty for both
	edit  func(*system.Cloud, *v1alpha1.BucketSpec)
	// mirror is what status.observed shows from then on.
	mirror func(*system.Cloud) string
	// write is the write that the edit costs, and the one that the drift costs.
	write map[string]string
	drift func(*fixture, *system.Cloud, string)
}

func patched(aws string) map[string]string {
	return map[string]string{"aws": aws, "gcp": "buckets.patch"}
}

func text(s string) func(*system.Cloud) string { return func(*system.Cloud) string { return s } }

var bucketChanges = []bucketChange{
	{
		field: "aws.replication.role", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.Replication.Role = new(awsRoles + "other-replication")
		},
		mirror: text(`"` + awsRoles + `other-replication"`), write: patched("PutBucketReplication"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.replication.role", awsRoles+"shop-replication")
		},
	},
	{
		field: "aws.replication.rules", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.Replication.Rules[0].Bucket, s.AWS.Replication.Rules[0].DeleteMarkers = "other-copies", new(true)
		},
		mirror: text(`[{"bucket":"other-copies","deleteMarkers":true,"name":"photos","prefix":"photos/","priority":1}]`), write: patched("PutBucketReplication"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.replication.rules", "shop-copies")
		},
	},
	{ // S3 suspends no versioning beside them
		field: "aws.replication.rules", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.Replication.Rules = []v1alpha1.ReplicationRuleAWS{}
		},
		mirror: text(""), write: patched("DeleteBucketReplication"),
	},
	{
		field:  "versioning",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.Versioning = new(v1alpha1.VersioningSuspended) },
		mirror: text(`"Suspended"`), write: patched("PutBucketVersioning"),
		drift: func(w *fixture, c *system.Cloud, name string) { c.Buckets().SetVersioning(w.T, name, true) },
	},
	{
		field:  "publicAccess",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.PublicAccess = new(v1alpha1.PublicAccessAllowed) },
		mirror: text(`"Allowed"`), write: patched("PutPublicAccessBlock"),
		drift: func(w *fixture, c *system.Cloud, name string) { c.Buckets().SetPublic(w.T, name, false) },
	},
	{
		field:  "encryption.key",
		edit:   func(c *system.Cloud, s *v1alpha1.BucketSpec) { s.Encryption.Key = new(c.Key("b")) },
		mirror: func(c *system.Cloud) string { return `"` + c.Key("b") + `"` }, write: patched("PutBucketEncryption"),
		drift: func(w *fixture, c *system.Cloud, name string) { c.Buckets().SetEncryption(w.T, name, c.Key("a")) },
	},
	{
		field: "tags",
		edit: func(c *system.Cloud, s *v1alpha1.BucketSpec) {
			s.Tags = map[string]v1alpha1.TagValue{"team": "b", "cost": "1"}
			if c.Name == "aws" { // labels of Google Cloud can't hold that
				s.Tags = map[string]v1alpha1.TagValue{"team": "b", "CostCenter": "Team Shop"}
			}
		},
		mirror: func(c *system.Cloud) string {
			if c.Name == "aws" {
				return `{"CostCenter":"Team Shop","team":"b"}`
			}
			return `{"cost":"1","team":"b"}`
		},
		write: patched("PutBucketTagging"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Tag(w.T, name, map[string]string{"team": "z"})
		},
	},
	{
		field:  "website.errorDocument",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.Website.ErrorDocument = new("lost.html") },
		mirror: text(`"lost.html"`), write: patched("PutBucketWebsite"),
	},
	{
		field:  "website.indexDocument",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.Website.IndexDocument = new("home.html") },
		mirror: text(`"home.html"`), write: patched("PutBucketWebsite"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "website.indexDocument", "theirs.html")
		},
	},
	{
		field:  "logging.prefix",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.Logging.Prefix = new("pictures/") },
		mirror: text(`"pictures/"`), write: patched("PutBucketLogging"),
	},
	{
		field:  "logging.bucket",
		edit:   func(c *system.Cloud, s *v1alpha1.BucketSpec) { s.Logging.Bucket = new("audit-logs-" + c.Region()) },
		mirror: func(c *system.Cloud) string { return `"audit-logs-` + c.Region() + `"` }, write: patched("PutBucketLogging"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "logging.bucket", "access-logs-"+c.Region())
		},
	},
	{
		field: "website.redirectAllRequestsTo", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.Website = &v1alpha1.BucketWebsite{RedirectAllRequestsTo: new("https://a.example.com")}
		},
		mirror: text(`"https://a.example.com"`), write: patched("PutBucketWebsite"),
	},
	{
		field: "website.indexDocument",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.Website = &v1alpha1.BucketWebsite{IndexDocument: new("index.html")}
		},
		mirror: text(`"index.html"`), write: patched("PutBucketWebsite"),
	},
	{
		field: "cors",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.CORS = []v1alpha1.CORSRule{{AllowedOrigins: []string{"*"}, AllowedMethods: []string{"GET"}}}
		},
		mirror: text(`[{"allowedMethods":["GET"],"allowedOrigins":["*"]}]`), write: patched("PutBucketCors"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "cors", []v1alpha1.CORSRule{{AllowedOrigins: []string{"https://theirs"}, AllowedMethods: []string{"PUT"}}})
		},
	},
	{
		field: "lifecycle",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.Lifecycle = []v1alpha1.LifecycleRule{{Name: "rule-1", Prefix: new("tmp/"), AbortUploadsAfterDays: new(int32(3)), ExpireAfterDays: new(int32(30))}}
		},
		mirror: text(`[{"abortUploadsAfterDays":3,"expireAfterDays":30,"name":"rule-1","prefix":"tmp/"}]`), write: patched("PutBucketLifecycleConfiguration"),
	},
	{ // deletes nothing more, so that its drift is one that disturbs nobody
		field: "lifecycle",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.Lifecycle = []v1alpha1.LifecycleRule{{Name: "rule-1", AbortUploadsAfterDays: new(int32(14))}}
		},
		mirror: text(`[{"abortUploadsAfterDays":14,"name":"rule-1"}]`), write: patched("PutBucketLifecycleConfiguration"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "lifecycle", []v1alpha1.LifecycleRule{{Name: "theirs", Prefix: new("a"), AbortUploadsAfterDays: new(int32(1))}})
		},
	},
	{
		field:  "requesterPays",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.RequesterPays = new(true) },
		mirror: text("true"), write: patched("PutBucketRequestPayment"),
	},
	{ // back, so that its drift is one that disturbs nobody
		field:  "requesterPays",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.RequesterPays = new(false) },
		mirror: text("false"), write: patched("PutBucketRequestPayment"),
		drift: func(w *fixture, c *system.Cloud, name string) { c.Buckets().Set(w.T, name, "requesterPays", true) },
	},
	{
		field: "aws.objectOwnership", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.ObjectOwnership = new("BucketOwnerPreferred") },
		mirror: text(`"BucketOwnerPreferred"`), write: patched("PutBucketOwnershipControls"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.objectOwnership", "ObjectWriter")
		},
	},
	{
		field: "aws.transferAcceleration", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.TransferAcceleration = new("Enabled") },
		mirror: text(`"Enabled"`), write: patched("PutBucketAccelerateConfiguration"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.transferAcceleration", "Suspended")
		},
	},
	{
		field: "aws.notifications.queues", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.Notifications.Queues[0].Prefix = new("photos/")
		},
		mirror: func(c *system.Cloud) string {
			return `[{"arn":"arn:aws:sqs:` + c.Region() + `:111111111111:uploads","events":["s3:ObjectCreated:*"],"name":"uploads","prefix":"photos/"}]`
		}, write: patched("PutBucketNotificationConfiguration"),
	},
	{
		field: "aws.notifications.topics", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.Notifications.Topics = []v1alpha1.BucketNotificationAWS{}
		},
		mirror: text(""), write: patched("PutBucketNotificationConfiguration"),
	},
	{
		field: "aws.notifications.functions", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.Notifications.Functions[0].Events = []string{"s3:ObjectTagging:Put"}
		},
		mirror: func(c *system.Cloud) string {
			return `[{"arn":"arn:aws:lambda:` + c.Region() + `:111111111111:function:audit","events":["s3:ObjectTagging:Put"],"name":"tags"}]`
		}, write: patched("PutBucketNotificationConfiguration"),
	},
	{ // the last one, so that its drift is that of all
		field: "aws.notifications.eventBridge", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.Notifications.EventBridge = new(false) },
		mirror: text("false"), write: patched("PutBucketNotificationConfiguration"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.notifications.eventBridge", true)
		},
	},
	{
		field: "aws.metrics", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.Metrics[0].Prefix = new("raw/") },
		mirror: text(`[{"name":"ours","prefix":"raw/"}]`), write: patched("PutBucketMetricsConfiguration"),
		drift: func(w *fixture, c *system.Cloud, name string) { c.Buckets().Set(w.T, name, "aws.metrics", "ours") },
	},
	{
		field: "aws.intelligentTiering", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.IntelligentTiering[0].Status, s.AWS.IntelligentTiering[0].Tierings.DeepArchiveAccessDays = nil, new(int32(180))
		},
		mirror: text(`[{"name":"ours","prefix":"photos/","status":"Enabled","tierings":{"archiveAccessDays":90,"deepArchiveAccessDays":180}}]`),
		write:  patched("PutBucketIntelligentTieringConfiguration"),
	},
	{ // moves nothing more, so that its drift is one that disturbs nobody
		field: "aws.intelligentTiering", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.IntelligentTiering[0].Status = new("Disabled") },
		mirror: text(`[{"name":"ours","prefix":"photos/","status":"Disabled","tierings":{"archiveAccessDays":90,"deepArchiveAccessDays":180}}]`),
		write:  patched("PutBucketIntelligentTieringConfiguration"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.intelligentTiering", "ours")
		},
	},
	{
		field: "aws.analytics", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.Analytics[0].Export = nil },
		mirror: text(`[{"name":"ours","prefix":"photos/"}]`), write: patched("PutBucketAnalyticsConfiguration"),
		drift: func(w *fixture, c *system.Cloud, name string) { c.Buckets().Set(w.T, name, "aws.analytics", "ours") },
	},
	{
		field: "aws.inventory", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.Inventory[0].Frequency = "Daily" },
		mirror: func(c *system.Cloud) string {
			return `[{"destination":{"bucket":"access-logs-` + c.Region() + `","format":"CSV"},"enabled":true,"frequency":"Daily","includedObjectVersions":"All","name":"ours","prefix":"photos/"}]`
		}, write: patched("PutBucketInventoryConfiguration"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.inventory", system.FullBucket(c).AWS.Inventory[0])
		},
	},
	{
		field: "aws.policy", only: "aws",
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) {
			s.AWS.Policy = []v1alpha1.PolicyStatement{{
				Sid: "LetReportsRead", Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"222222222222"}}, Actions: []string{"s3:GetObject"}, Resources: []string{"/reports/*"},
			}}
		},
		mirror: text(`[{"actions":["s3:GetObject"],"effect":"Allow","principals":{"aws":["arn:aws:iam::222222222222:root"]},"resources":["/reports/*"],"sid":"LetReportsRead"}]`),
		write:  patched("PutBucketPolicy"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.policy", `{"Version":"2012-10-17","Statement":{"Sid":"LetReportsRead","Effect":"Allow","Principal":{"AWS":"333333333333"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::`+name+`/*"}}`)
		},
	},
	{
		field: "aws.policyMode", only: "aws", // no field of the cloud; Exact needs a class that sets it
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.PolicyMode = new("Merge") },
	},
	{
		field: "aws.confirmRemoveSelfBucketAccess", only: "aws", // no field of the cloud
		edit: func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.ConfirmRemoveSelfBucketAccess = new(false) },
	},
	{
		field: "aws.bucketKey", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.BucketKey = new(true) },
		mirror: text("true"), write: patched("PutBucketEncryption"),
	},
	{
		field: "aws.bucketKey", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.BucketKey = new(false) },
		mirror: text("false"), write: patched("PutBucketEncryption"),
		drift: func(w *fixture, c *system.Cloud, name string) { c.Buckets().Set(w.T, name, "aws.bucketKey", true) },
	},
	{
		field: "aws.blockedEncryptionTypes", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.BlockedEncryptionTypes = []string{"SSE-C"} },
		mirror: text(`["SSE-C"]`), write: patched("PutBucketEncryption"),
	},
	{ // back, so that its drift is one that disturbs nobody
		field: "aws.blockedEncryptionTypes", only: "aws",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.AWS.BlockedEncryptionTypes = []string{} },
		mirror: text(""), write: patched("PutBucketEncryption"),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "aws.blockedEncryptionTypes", []string{"SSE-C"})
		},
	},
	{
		field: "gcp.storageClass", only: "gcp",
		edit:   func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.GCP.StorageClass = new("NEARLINE") },
		mirror: text(`"NEARLINE"`), write: patched(""),
		drift: func(w *fixture, c *system.Cloud, name string) {
			c.Buckets().Set(w.T, name, "gcp.storageClass", "ARCHIVE")
		},
	},
	{
		field: "forceDestroy", // no field of the cloud
		edit:  func(_ *system.Cloud, s *v1alpha1.BucketSpec) { s.ForceDestroy = new(true) },
	},
}

func TestEveryFieldOfABucketIsTested(t *testing.T) {
	for _, leaf := range fieldpath.Leaves(reflect.TypeFor[v1alpha1.BucketParameters]()) {
		tested := slices.ContainsFunc(bucketChanges, func(c bucketChange) bool { return c.field == leaf })
		_, elsewhere := storageElsewhere[leaf]
		if !tested && !elsewhere && leaf != "location" { // can't change
			t.Errorf("no change of %s is tested", leaf)
		}
	}
}

func TestBucketLife(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		b := throughOpenClass(w, c, w.bucket(c, "photos", system.FullBucket(c)))
		w.create(b)
		name := w.ready(b).Status.ExternalName
		w.run("create", func(w *fixture) {
			want := map[string][]string{
				"aws": {"CreateBucket", "PutBucketAnalyticsConfiguration", "PutBucketCors", "PutBucketEncryption", "PutBucketIntelligentTieringConfiguration", "PutBucketInventoryConfiguration", "PutBucketLifecycleConfiguration", "PutBucketLogging", "PutBucketMetricsConfiguration", "PutBucketNotificationConfiguration", "PutBucketReplication", "PutBucketVersioning", "PutBucketWebsite"}, "gcp": {"buckets.insert", "buckets.patch", "notifications.insert"},
			}[c.Name]
			got := slices.Sorted(slices.Values(c.Writes(name)))
			w.equal("writes", got, want)
			w.equal("transitions", w.Transitions("Bucket", b.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})
		})
		for _, change := range bucketChanges {
			if change.only != "" && change.only != c.Name || !w.changes(change.field) {
				continue
			}
			w.run("edit "+change.field, func(w *fixture) {
				mark := len(c.Writes(name))
				since := edit(w, b, func(b *v1alpha1.Bucket) { change.edit(c, &b.Spec) })
				if change.write == nil {
					w.ready(b)
					w.expectWrites(c, name, mark)
					return
				}
				w.mirrors(b, change.field, change.mirror(c))
				w.expectWrites(c, name, mark, change.write[c.Name])
				w.equal("transitions", w.Transitions("Bucket", b.Name, since), []string{"InProgress Ready", "InProgress Updating", "Current Ready"})
			})
			if change.drift == nil {
				continue
			}
			w.run("drift of "+change.field, func(w *fixture) {
				mark, since := len(c.Writes(name)), len(w.States("Bucket", b.Name, 0))
				change.drift(w, c, name)
				w.Eventually("the drift is put right", func() bool { return len(c.Writes(name)) > mark+1 })
				w.observedAgain(c, name, 2) // the mirror has moved, and moved back
				w.mirrors(b, change.field, change.mirror(c))
				w.expectWrites(c, name, mark, change.write[c.Name], change.write[c.Name])
				w.equal("transitions", w.Transitions("Bucket", b.Name, since), []string{"Current Ready"}) // the mirror alone moves
			})
		}
		w.run("drift of what nobody declared", func(w *fixture) {
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Versioning, b.Spec.Encryption, b.Spec.Tags = nil, nil, nil })
			w.ready(b)
			c.Buckets().SetVersioning(w.T, name, true)
			c.Buckets().SetEncryption(w.T, name, c.Key("c"))
			c.Buckets().Tag(w.T, name, map[string]string{"theirs": "1"})
			mark := len(c.Writes(name))
			w.observedAgain(c, name, 1)
			w.expectWrites(c, name, mark)
			w.equal("tags of others", c.Buckets().Tags(w.T, name)["theirs"], "1")
		})
		w.run("what lets others in goes with its field", func(w *fixture) {
			write := map[string]string{"aws": "DeleteBucketPolicy", "gcp": "buckets.setIamPolicy"}[c.Name]
			if field := map[string]string{"aws": "aws.policy", "gcp": "gcp.iamBindings"}[c.Name]; field == "" || !w.changes(field) { // nobody was let in
				return
			}
			mark := len(c.Writes(name))
			edit(w, b, func(b *v1alpha1.Bucket) {
				if b.Spec.AWS != nil {
					b.Spec.AWS.Policy, b.Spec.AWS.PolicyMode = nil, nil
				} else {
					b.Spec.GCP.IAMBindings = nil
				}
			})
			w.ready(b)
			w.expectWrites(c, name, mark, write)
		})
		w.run("public access returns to what is safe", func(w *fixture) {
			mark := len(c.Writes(name))
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.PublicAccess = nil })
			w.ready(b)
			w.expectWrites(c, name, mark, patched("PutPublicAccessBlock")[c.Name])
		})
		w.run("edit of what can't change", func(w *fixture) {
			refused(w, b, "spec.location can't change", func(b *v1alpha1.Bucket) { b.Spec.Location = new("eu-west-1") })
			refused(w, b, "spec.externalName can't change", func(b *v1alpha1.Bucket) { b.Spec.ExternalName = "another" })
		})
		w.run("delete", func(w *fixture) {
			w.delete(b)
			w.awaitDeleted(b)
			w.equal("transitions", w.Ending("Bucket", b.Name), []string{"Terminating Ready", "Terminating Deleting", "deleted"})
			if c.Buckets().Tags(w.T, name) != nil {
				w.Error("the bucket is still there")
			}
		})
	})
}

// mirrors waits until an object is ready and status.observed shows a field with a value.
func (w *fixture) mirrors(o client.Object, field, value string) {
	w.Helper()
	w.state(o, "showing "+field+" as "+value, func(s system.Snapshot) bool { return s.IsReady(o) && s.Value(field) == value })
}

func (w *fixture) equal(what string, got, want any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// An empty encryption is the way back from a customer's key, and none is left alone.
func TestTheWayBackFromACustomersKey(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		b := throughOpenClass(w, c, w.bucket(c, "photos", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new(c.Key("a"))}}))
		w.create(b)
		name := w.ready(b).Status.ExternalName
		write := system.TargetOf("Bucket", c.Name).Mark
		if c.Name == "aws" { // S3 has a call for each aspect
			write = "PutBucketEncryption"
		}
		own := func() {
			w.Helper()
			w.state(b, "the cloud's own key", func(s system.Snapshot) bool { return s.IsReady(b) && s.Value("encryption.key") == "" })
		}
		mark := len(c.Writes(name))
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Encryption = &v1alpha1.Encryption{} })
		own()
		w.expectWrites(c, name, mark, write)

		w.Disturb()
		c.Buckets().SetEncryption(w.T, name, c.Key("b"))
		w.Eventually("the drift is put right", func() bool { return len(c.Writes(name)) > mark+2 })
		own()
		w.expectWrites(c, name, mark, write, write, write)

		mark = len(c.Writes(name))
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Encryption = nil })
		w.ready(b)
		c.Buckets().SetEncryption(w.T, name, c.Key("b"))
		w.expectWrites(c, name, mark, write) // the test's own
	})
}
