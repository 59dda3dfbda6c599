package e2e

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
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
	for _, leaf := range driver.Leaves(reflect.TypeFor[v1alpha1.BucketParameters]()) {
		tested := slices.ContainsFunc(bucketChanges, func(c bucketChange) bool { return c.field == leaf })
		if !tested && leaf != "location" { // can't change
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
				"aws": {"CreateBucket", "PutBucketCors", "PutBucketEncryption", "PutBucketVersioning", "PutBucketWebsite"}, "gcp": {"buckets.insert"},
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
			since := len(w.States("Bucket", b.Name, 0))
			w.delete(b)
			w.awaitDeleted(b)
			w.equal("transitions", w.Transitions("Bucket", b.Name, since), []string{"Terminating Ready", "Terminating Deleting", "deleted"})
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
