package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// A statement of others by a sid that the spec wants keeps the field from being set, and nothing else. It is taken over by writing it as it is, and changed after that.
func TestAStatementOfOthersBySid(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	b := throughOpenClass(w, c, w.bucket(c, "photos", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{}}}))
	w.create(b)
	name := w.ready(b).Status.ExternalName
	c.Buckets().Set(w.T, name, "aws.policy", theirReports(name))
	mark := len(c.Writes(name))

	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.AWS.Policy, b.Spec.Versioning = letting("222222222222"), new(v1alpha1.VersioningEnabled)
	})
	w.stalled(b, v1alpha1.ReasonConflict, "aws.policy: ", "not known as this object's", "Reports", "Give those of the spec other names")
	w.state(b, "with all else applied", func(s system.Snapshot) bool { return s.Value("versioning") == `"Enabled"` })
	w.expectWrites(c, name, mark, "PutBucketVersioning")

	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS.Policy = letting("333333333333") })
	w.ready(b)
	w.expectWrites(c, name, mark, "PutBucketVersioning")

	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS.Policy = letting("222222222222") })
	w.ready(b)
	w.expectWrites(c, name, mark, "PutBucketVersioning", "PutBucketPolicy")

	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS.Policy = nil })
	w.ready(b)
	w.expectWrites(c, name, mark, "PutBucketVersioning", "PutBucketPolicy", "DeleteBucketPolicy")
}
