package e2e

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/field"
)

// bucket returns a Bucket on a cloud.
func (w *world) bucket(c *cloud, name string, parameters v1alpha1.BucketParameters) *v1alpha1.Bucket {
	b := &v1alpha1.Bucket{ObjectMeta: w.meta(name)}
	b.Spec.ProviderConfigRef, b.Spec.BucketParameters = c.ref(), parameters
	return b
}

// fullBucket declares all that a bucket can have.
func fullBucket(c *cloud) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{
		Location:     new(map[string]string{"aws": "eu-central-1", "gcp": "europe-west3"}[c.name]),
		Versioning:   new(v1alpha1.VersioningEnabled),
		PublicAccess: new(v1alpha1.PublicAccessBlocked),
		Encryption:   &v1alpha1.BucketEncryption{Key: new(c.key("a"))},
		Tags:         map[string]v1alpha1.TagValue{"team": "a", "env": "test"},
		ForceDestroy: new(false),
	}
}

// A change of one field: by a person in the spec, then by somebody else in the cloud.
type bucketChange struct {
	field string
	edit  func(*cloud, *v1alpha1.BucketSpec)
	// mirror is what status.observed shows from then on.
	mirror func(*cloud) string
	// write is the write that the edit costs, and the one that the drift costs.
	write map[string]string
	drift func(*world, *cloud, string)
}

func patched(aws string) map[string]string {
	return map[string]string{"aws": aws, "gcp": "buckets.patch"}
}

func text(s string) func(*cloud) string { return func(*cloud) string { return s } }

var bucketChanges = []bucketChange{
	{
		field:  "versioning",
		edit:   func(_ *cloud, s *v1alpha1.BucketSpec) { s.Versioning = new(v1alpha1.VersioningSuspended) },
		mirror: text(`"Suspended"`), write: patched("PutBucketVersioning"),
		drift: func(w *world, c *cloud, name string) { c.version(w.T, name, true) },
	},
	{
		field:  "publicAccess",
		edit:   func(_ *cloud, s *v1alpha1.BucketSpec) { s.PublicAccess = new(v1alpha1.PublicAccessAllowed) },
		mirror: text(`"Allowed"`), write: patched("PutPublicAccessBlock"),
		drift: func(w *world, c *cloud, name string) { c.publish(w.T, name, false) },
	},
	{
		field:  "encryption.key",
		edit:   func(c *cloud, s *v1alpha1.BucketSpec) { s.Encryption.Key = new(c.key("b")) },
		mirror: func(c *cloud) string { return `"` + c.key("b") + `"` }, write: patched("PutBucketEncryption"),
		drift: func(w *world, c *cloud, name string) { c.encrypt(w.T, name, c.key("a")) },
	},
	{
		field: "tags",
		edit: func(_ *cloud, s *v1alpha1.BucketSpec) {
			s.Tags = map[string]v1alpha1.TagValue{"team": "b", "cost": "1"}
		},
		mirror: text(`{"cost":"1","team":"b"}`), write: patched("PutBucketTagging"),
		drift: func(w *world, c *cloud, name string) { c.tagBucket(w.T, name, map[string]string{"team": "z"}) },
	},
	{
		field: "forceDestroy", // no field of the cloud
		edit:  func(_ *cloud, s *v1alpha1.BucketSpec) { s.ForceDestroy = new(true) },
	},
}

func TestEveryFieldOfABucketIsTested(t *testing.T) {
	for _, leaf := range field.Leaves(reflect.TypeFor[v1alpha1.BucketParameters]()) {
		tested := slices.ContainsFunc(bucketChanges, func(c bucketChange) bool { return c.field == leaf })
		if !tested && leaf != "location" { // can't change
			t.Errorf("no change of %s is tested", leaf)
		}
	}
}

func TestBucketLife(t *testing.T) {
	onBoth(t, func(w *world, c *cloud) {
		b := w.bucket(c, "photos", fullBucket(c))
		w.create(b)
		name := w.ready(b).status.ExternalName
		w.run("create", func(w *world) {
			want := map[string][]string{
				"aws": {"CreateBucket", "PutBucketEncryption", "PutBucketVersioning"}, "gcp": {"buckets.insert"},
			}[c.name]
			got := slices.Sorted(slices.Values(c.writes(name)))
			w.equal("writes", got, want)
			w.equal("story", w.story("Bucket", b.Name, 0), []string{"InProgress", "InProgress Creating", "Current Ready"})
		})
		for _, change := range bucketChanges {
			w.run("edit "+change.field, func(w *world) {
				mark := len(c.writes(name))
				since := edit(w, b, func(b *v1alpha1.Bucket) { change.edit(c, &b.Spec) })
				if change.write == nil {
					w.ready(b)
					w.costs(c, name, mark)
					return
				}
				w.mirrors(b, change.field, change.mirror(c))
				w.costs(c, name, mark, change.write[c.name])
				w.equal("story", w.story("Bucket", b.Name, since), []string{"InProgress Ready", "InProgress Updating", "Current Ready"})
			})
			if change.drift == nil {
				continue
			}
			w.run("drift of "+change.field, func(w *world) {
				mark, since := len(c.writes(name)), len(w.of("Bucket", b.Name, 0))
				change.drift(w, c, name)
				w.eventually("the drift is put right", func() bool { return len(c.writes(name)) > mark+1 })
				w.looks(c, name, 2) // the mirror has moved, and moved back
				w.mirrors(b, change.field, change.mirror(c))
				w.costs(c, name, mark, change.write[c.name], change.write[c.name])
				w.equal("story", w.story("Bucket", b.Name, since), []string{"Current Ready"}) // the mirror alone moves
			})
		}
		w.run("drift of what nobody declared", func(w *world) {
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Versioning, b.Spec.Encryption, b.Spec.Tags = nil, nil, nil })
			w.ready(b)
			c.version(w.T, name, true)
			c.encrypt(w.T, name, c.key("c"))
			c.tagBucket(w.T, name, map[string]string{"theirs": "1"})
			mark := len(c.writes(name))
			w.looks(c, name, 1)
			w.costs(c, name, mark)
			w.equal("tags of others", c.bucketTags(w.T, name)["theirs"], "1")
		})
		w.run("public access returns to what is safe", func(w *world) {
			mark := len(c.writes(name))
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.PublicAccess = nil })
			w.ready(b)
			w.costs(c, name, mark, patched("PutPublicAccessBlock")[c.name])
		})
		w.run("edit of what can't change", func(w *world) {
			refused(w, b, "spec.location can't change", func(b *v1alpha1.Bucket) { b.Spec.Location = new("eu-west-1") })
			refused(w, b, "spec.externalName can't change", func(b *v1alpha1.Bucket) { b.Spec.ExternalName = "another" })
		})
		w.run("delete", func(w *world) {
			since := len(w.of("Bucket", b.Name, 0))
			w.delete(b)
			w.gone(b)
			w.equal("story", w.story("Bucket", b.Name, since), []string{"Terminating Ready", "Terminating Deleting", "gone"})
			if c.bucketTags(w.T, name) != nil {
				w.Error("the bucket is still there")
			}
		})
	})
}

// mirrors waits until an object is ready and status.observed shows a field with a value.
func (w *world) mirrors(o client.Object, field, value string) {
	w.Helper()
	w.state(o, "showing "+field+" as "+value, func(s snapshot) bool { return s.isReady(o) && s.value(field) == value })
}

func (w *world) equal(what string, got, want any) {
	w.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// An empty encryption is the way back from a customer's key, and none is left alone.
func TestTheWayBackFromACustomersKey(t *testing.T) {
	onBoth(t, func(w *world, c *cloud) {
		b := w.bucket(c, "photos", v1alpha1.BucketParameters{Encryption: &v1alpha1.BucketEncryption{Key: new(c.key("a"))}})
		w.create(b)
		name := w.ready(b).status.ExternalName
		write := map[string]string{"aws": "PutBucketEncryption", "gcp": "buckets.patch"}[c.name]
		own := func() {
			w.Helper()
			w.state(b, "the cloud's own key", func(s snapshot) bool { return s.isReady(b) && s.value("encryption.key") == "" })
		}
		mark := len(c.writes(name))
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Encryption = &v1alpha1.BucketEncryption{} })
		own()
		w.costs(c, name, mark, write)

		w.disturb()
		c.encrypt(w.T, name, c.key("b"))
		w.eventually("the drift is put right", func() bool { return len(c.writes(name)) > mark+2 })
		own()
		w.costs(c, name, mark, write, write, write)

		mark = len(c.writes(name))
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Encryption = nil })
		w.ready(b)
		c.encrypt(w.T, name, c.key("b"))
		w.costs(c, name, mark, write) // the test's own
	})
}
