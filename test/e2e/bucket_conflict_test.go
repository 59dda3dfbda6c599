package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// An entry of others by a name that the spec wants is told at once, although the rest of the field waits for approval. What is approved is made, and the other one stays.
func TestAnEntryOfOthersIsToldBesideWhatWaits(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	archiving := func(name string, days int32) v1alpha1.BucketIntelligentTieringAWS {
		return v1alpha1.BucketIntelligentTieringAWS{Name: name, Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: &days}}
	}
	b := w.bucket(c, "photos", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{IntelligentTiering: []v1alpha1.BucketIntelligentTieringAWS{archiving("theirs", 90)}}})
	w.create(b)
	name := w.ready(b).Status.ExternalName
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS = nil }) // from then on that one is nobody's
	w.ready(b)
	mark := len(c.Writes(name))

	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.Updates = &v1alpha1.Updates{Disruptive: v1alpha1.DisruptiveOnApproval}
		b.Spec.AWS = &v1alpha1.BucketAWS{IntelligentTiering: []v1alpha1.BucketIntelligentTieringAWS{archiving("theirs", 120), archiving("ours", 90)}}
	})
	s := w.stalled(b, v1alpha1.ReasonConflict, "aws.intelligentTiering: the cloud object has entries that are not known as this object's", "theirs", "waiting for approval: aws.intelligentTiering")
	w.expectWrites(c, name, mark)

	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Annotations = map[string]string{v1alpha1.AnnotationApprove: s.Status.Plan.Hash}
	})
	w.state(b, "with what was approved", func(s system.Snapshot) bool { return len(c.Writes(name)) == mark+1 })
	w.stalled(b, v1alpha1.ReasonConflict, "theirs")
	w.expectWrites(c, name, mark, "PutBucketIntelligentTieringConfiguration")
}
