package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/test/system"
)

func TestDeletionOfADatabase(t *testing.T) {
	t.Parallel()
	for _, policy := range []v1alpha1.DeletionPolicy{v1alpha1.DeletionSnapshot, v1alpha1.DeletionDelete} {
		t.Run(string(policy), func(t *testing.T) {
			onEach(t, func(w *fixture, c *system.Cloud) {
				d := w.database(c, "orders", system.MinimalDatabase(c))
				system.Connect(d, "orders-db")
				if d.Spec.DeletionPolicy = policy; policy == v1alpha1.DeletionSnapshot {
					d.Spec.DeletionPolicy = "" // the default
				}
				w.create(d)
				name := w.ready(d).Status.ExternalName
				mark := len(c.Writes(name))
				w.delete(d)
				w.awaitDeleted(d)
				if c.Databases().Tags(w.T, name) != nil {
					w.Error("the instance is still there")
				}
				var want []string
				if policy == v1alpha1.DeletionSnapshot {
					want = []string{plan.SnapshotName(name, string(d.UID))}
				}
				w.equal("snapshots that are available when the object goes", c.Databases().Snapshots(w.T, name), want)
				w.equal("writes", c.Writes(name)[mark:], []string{system.TargetOf("Database", c.Name).Delete})
				w.equal("transitions", w.Ending("Database", d.Name), []string{"Terminating Ready", "Terminating Deleting", "deleted"})
				if w.Secret("orders-db") != nil {
					w.Error("the connection Secret is still there")
				}
			})
		})
	}
}

func TestDeletionProtection(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		d := w.database(c, "orders", system.MinimalDatabase(c))
		d.Spec.DeletionProtection = new(true)
		w.create(d)
		name := w.ready(d).Status.ExternalName
		mark := len(c.Writes(name))
		w.delete(d)
		w.stalled(d, v1alpha1.ReasonDeletionProtected, "set spec.deletionProtection: false")
		w.expectWrites(c, name, mark)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.DeletionProtection = nil })
		w.stalled(d, v1alpha1.ReasonDeletionProtected) // only what was said in as many words lifts it
		w.expectWrites(c, name, mark)
		edit(w, d, func(d *v1alpha1.Database) { d.Spec.DeletionProtection = new(false) })
		w.awaitDeleted(d)
		k := system.TargetOf("Database", c.Name)
		w.equal("writes", c.Writes(name)[mark:], []string{k.Operations.Disrupt, k.Delete})
	})
}

func TestDeletionOfABucketThatIsNotEmpty(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		mend func(*fixture, *system.Cloud, *v1alpha1.Bucket, string)
	}{
		{"emptied", func(w *fixture, c *system.Cloud, _ *v1alpha1.Bucket, name string) {
			c.Buckets().DeleteObject(w.T, name, "object")
		}},
		{"forced", func(w *fixture, _ *system.Cloud, b *v1alpha1.Bucket, _ string) {
			edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.ForceDestroy = new(true) })
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onEach(t, func(w *fixture, c *system.Cloud) {
				b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
				system.Connect(b, "photos")
				w.create(b)
				name := w.ready(b).Status.ExternalName
				c.Buckets().PutObject(w.T, name, "object")
				w.delete(b)
				w.stalled(b, v1alpha1.ReasonNotEmpty, "forceDestroy")
				if w.Secret("photos") == nil {
					w.Error("the connection Secret went before the bucket")
				}
				w.Disturb()
				test.mend(w, c, b, name)
				w.awaitDeleted(b)
				if c.Buckets().Tags(w.T, name) != nil || w.Secret("photos") != nil {
					w.Error("the bucket or its Secret is still there")
				}
			})
		})
	}
}

func TestForceDestroy(t *testing.T) {
	onEach(t, func(w *fixture, c *system.Cloud) {
		b := w.bucket(c, "photos", v1alpha1.BucketParameters{ForceDestroy: new(true), Versioning: new(v1alpha1.VersioningEnabled)})
		w.create(b)
		name := w.ready(b).Status.ExternalName
		for range 2 { // an old version, and a marker of what was deleted
			c.Buckets().PutObject(w.T, name, "object")
		}
		c.Buckets().DeleteObject(w.T, name, "object")
		w.delete(b)
		w.awaitDeleted(b)
		if c.Buckets().Tags(w.T, name) != nil {
			w.Error("the bucket is still there")
		}
	})
}
