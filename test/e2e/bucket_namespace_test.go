package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/controllers/resource/plan"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// lose makes the API server forget an object whose cloud object stays, as the loss of a cluster does, and creates it again.
func (w *fixture) lose(b *v1alpha1.Bucket) *v1alpha1.Bucket {
	w.Helper()
	again := &v1alpha1.Bucket{ObjectMeta: w.Meta(b.Name), Spec: *b.Spec.DeepCopy()}
	edit(w, b, func(b *v1alpha1.Bucket) { b.Annotations = map[string]string{v1alpha1.AnnotationPaused: "true"} })
	w.state(b, "paused", func(s system.Snapshot) bool {
		synced := s.Condition(v1alpha1.ConditionSynced)
		return synced != nil && synced.Reason == string(v1alpha1.ReasonPaused)
	})
	w.delete(b)
	edit(w, b, func(b *v1alpha1.Bucket) { b.Finalizers = nil })
	w.AwaitDeleted(b)
	w.create(again)
	return again
}

// Where a provider config says so, new Buckets have names in the namespace of their account and region. They are found again under these, and no edit of the config renames any.
func TestBucketsInTheNamespaceOfAnAccount(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	w.lend(c, w.Namespace)
	in := func(namespace v1alpha1.BucketNamespace) {
		w.Disturb()
		w.editConfig(c, func(s *v1alpha1.ClusterProviderConfigSpec) { s.AWS.BucketNamespace = namespace })
	}
	has := func(b *v1alpha1.Bucket, name string, writes ...string) {
		w.Helper()
		if s := w.ready(b); s.Status.ExternalName != name || !w.marked(c, system.TargetOf("Bucket", c.Name), name, b) {
			w.Fatalf("the bucket is %s, want %s; its tags are %v", s.Status.ExternalName, name, c.Buckets().Tags(w.T, name))
		}
		w.expectWrites(c, name, 0, writes...)
	}
	cluster := w.mark(w.Namespace, "").Cluster
	plain := plan.ExternalName(cluster, w.Namespace, "former", 63)
	scoped := plan.ScopedName(cluster, w.Namespace, "photos", 63, "-"+c.Account+"-"+c.Region()+"-an")

	former, photos := w.bucket(c, "former", v1alpha1.BucketParameters{}), w.bucket(c, "photos", v1alpha1.BucketParameters{})
	w.create(former)
	has(former, plain, "CreateBucket")

	in(v1alpha1.BucketNamespaceAccountRegional)
	w.Cleanup(c.Faults.Add(localcloud.Fault{
		Filter: localcloud.Filter{Operation: "CreateBucket", Resource: scoped}, Kind: localcloud.ResponseLost, Times: 1,
	}))
	w.create(photos)
	has(photos, scoped, "CreateBucket")
	edit(w, former, func(b *v1alpha1.Bucket) { b.Spec.Tags = map[string]v1alpha1.TagValue{"edited": "yes"} })
	w.mirrors(former, "tags.edited", `"yes"`)
	has(former, plain, "CreateBucket", "PutBucketTagging")
	former = w.lose(former)
	has(former, plain, "CreateBucket", "PutBucketTagging", "PutBucketTagging")

	in(v1alpha1.BucketNamespaceGlobal)
	edit(w, photos, func(b *v1alpha1.Bucket) { b.Spec.Tags = map[string]v1alpha1.TagValue{"edited": "yes"} })
	w.mirrors(photos, "tags.edited", `"yes"`)
	photos = w.lose(photos)
	has(photos, scoped, "CreateBucket", "PutBucketTagging", "PutBucketTagging")
	for _, b := range []*v1alpha1.Bucket{former, photos} {
		w.delete(b)
		w.awaitDeleted(b)
	}
}

// What the cloud refuses to create under a name of the first form gets one of the other once the provider config asks for that: an organization that allows no others is often met so.
func TestARefusedNameIsChangedByTheConfig(t *testing.T) {
	w := newFixture(t)
	c := w.alone("aws")
	cluster := w.mark(w.Namespace, "").Cluster
	plain := plan.ExternalName(cluster, w.Namespace, "photos", 63)
	w.Cleanup(c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "CreateBucket", Resource: plain}, Kind: localcloud.Denied}))
	b := w.bucket(c, "photos", v1alpha1.BucketParameters{})
	w.create(b)
	w.stalled(b, v1alpha1.ReasonDenied)
	w.Disturb()
	w.editConfig(c, func(s *v1alpha1.ClusterProviderConfigSpec) {
		s.AWS.BucketNamespace = v1alpha1.BucketNamespaceAccountRegional
	})
	if name := w.ready(b).Status.ExternalName; name != plan.ScopedName(cluster, w.Namespace, "photos", 63, "-"+c.Account+"-"+c.Region()+"-an") {
		w.Errorf("the bucket is %s", name)
	}
	w.delete(b)
	w.awaitDeleted(b)
}

// The name that Mooring makes for an object of another namespace is left to that object in this form, too.
func TestScopedNamesOfOtherNamespacesAreLeftToThem(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	theirs := plan.ScopedName(w.mark(w.Namespace, "orders").Cluster, "another-"+w.Namespace, "orders", 63, "-"+c.Account+"-"+c.Region()+"-an")
	b := w.bucket(c, "orders", v1alpha1.BucketParameters{})
	b.Spec.ExternalName = theirs
	w.create(b)
	w.stalled(b, v1alpha1.ReasonInvalid, "the name that Mooring makes for an object of another namespace; choose another spec.externalName")
	w.delete(b)
	w.awaitDeleted(b)
}
