package e2e

import (
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/system"
)

// A target is a kind as far as whose a cloud object is and when it goes are concerned, which is the
// same for all kinds.
type target struct {
	kind    string
	declare func(w *fixture, c *system.Cloud, name string) client.Object
	make    func(c *system.Cloud, t *testing.T, name string, tags map[string]string)
	tags    func(c *system.Cloud, t *testing.T, name string) map[string]string
	tag     func(c *system.Cloud, t *testing.T, name string, tags map[string]string)
	drop    func(c *system.Cloud, t *testing.T, name string)
	// marking and making are the writes that a mark and a creation cost.
	marking, making map[string]string
	// mirror is a field that status.observed shows of what make makes, and its value.
	field  string
	mirror string
}

var targets = []target{
	{
		kind: "Bucket",
		declare: func(w *fixture, c *system.Cloud, name string) client.Object {
			return w.bucket(c, name, v1alpha1.BucketParameters{})
		},
		make:    func(c *system.Cloud, t *testing.T, name string, tags map[string]string) { c.MakeBucket(t, name, tags) },
		tags:    func(c *system.Cloud, t *testing.T, name string) map[string]string { return c.BucketTags(t, name) },
		tag:     func(c *system.Cloud, t *testing.T, name string, tags map[string]string) { c.TagBucket(t, name, tags) },
		drop:    func(c *system.Cloud, t *testing.T, name string) { c.DeleteBucket(t, name) },
		marking: patched("PutBucketTagging"), making: map[string]string{"aws": "CreateBucket", "gcp": "buckets.insert"},
		field: "tags.theirs", mirror: `"1"`,
	},
	{
		kind: "Database",
		declare: func(w *fixture, c *system.Cloud, name string) client.Object {
			return w.database(c, name, smallDatabase(c))
		},
		make: func(c *system.Cloud, t *testing.T, name string, tags map[string]string) {
			c.MakeDatabase(t, name, tags)
		},
		tags:    func(c *system.Cloud, t *testing.T, name string) map[string]string { return c.DatabaseTags(t, name) },
		tag:     func(c *system.Cloud, t *testing.T, name string, tags map[string]string) { c.TagDatabase(t, name, tags) },
		drop:    func(c *system.Cloud, t *testing.T, name string) { c.DeleteDatabase(t, name) },
		marking: map[string]string{"aws": "AddTagsToResource", "gcp": "instances.patch"},
		making:  map[string]string{"aws": "CreateDBInstance", "gcp": "instances.insert"},
		field:   "engine", mirror: `"postgres"`,
	},
}

// onAll runs a test for each kind on each cloud.
func onAll(t *testing.T, test func(*fixture, *system.Cloud, target)) {
	t.Parallel()
	for _, kind := range targets {
		t.Run(kind.kind, func(t *testing.T) {
			onBoth(t, func(w *fixture, c *system.Cloud) { test(w, c, kind) })
		})
	}
}

// spec points to the part of a spec that all kinds share.
func spec(o client.Object) *v1alpha1.ResourceSpec {
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		return &o.Spec.ResourceSpec
	case *v1alpha1.Database:
		return &o.Spec.ResourceSpec
	}
	panic("no such kind")
}

// statusOf points to the part of a status that all kinds share.
func statusOf(o client.Object) *v1alpha1.ResourceStatus {
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		return &o.Status.ResourceStatus
	case *v1alpha1.Database:
		return &o.Status.ResourceStatus
	}
	panic("no such kind")
}

func setDeletion(o client.Object, policy v1alpha1.DeletionPolicy) {
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		o.Spec.DeletionPolicy = policy
	case *v1alpha1.Database:
		o.Spec.DeletionPolicy = policy
	}
}

func connect(o client.Object, secret string) {
	connection := &v1alpha1.Connection{SecretName: secret}
	switch o := o.(type) {
	case *v1alpha1.Bucket:
		o.Spec.Connection = connection
	case *v1alpha1.Database:
		o.Spec.Connection = connection
	}
}

// mark is the mark of this cluster on an object of that namespace and name.
func (w *fixture) mark(namespace, name string) driver.Mark {
	w.Helper()
	system := &corev1.Namespace{}
	w.must(w.Client.Get(w.Context(), client.ObjectKey{Name: "kube-system"}, system))
	return driver.Mark{Cluster: string(system.UID), Namespace: namespace, Name: name, UID: "of-an-earlier-life"}
}

// marked reports whether a cloud object bears the mark of an object, as it is now.
func (w *fixture) marked(c *system.Cloud, k target, name string, o client.Object) bool {
	w.Helper()
	want := w.mark(o.GetNamespace(), o.GetName())
	want.UID = string(o.GetUID())
	return driver.MarkFrom(k.tags(c, w.T, name)) == want
}

func (w *fixture) untouched(c *system.Cloud, name string, mark int, o client.Object) {
	w.Helper()
	w.expectWrites(c, name, mark)
	if s := w.States(kindOf(o), o.GetName(), 0); slices.Contains(s[len(s)-1].Finalizers, v1alpha1.FinalizerResource) {
		w.Error("an object that owns nothing has a finalizer")
	}
}
