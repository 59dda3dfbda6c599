package e2e

import (
	"testing"

	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// S3 takes tags of a bucket with attribute-based access control by its control API alone: those of the spec, the mark, its release and what takes the bucket back.
func TestTagsOfABucketWithAttributeBasedAccessControl(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	tags := map[string]v1alpha1.TagValue{"team": "shop", "cost": "1"}
	declared := func() *v1alpha1.Bucket {
		b := w.bucket(c, "abac", v1alpha1.BucketParameters{Tags: tags})
		b.Spec.DeletionPolicy = v1alpha1.DeletionRetain
		return b
	}
	b := declared()
	w.create(b)
	name := w.ready(b).Status.ExternalName
	c.Buckets().Tag(w.T, name, map[string]string{"theirs": "1"})
	c.Buckets().Set(w.T, name, "abac", s3types.BucketAbacStatusEnabled)

	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Tags = map[string]v1alpha1.TagValue{"team": "pay"} })
	w.ready(b)
	is := c.Buckets().Tags(w.T, name)
	if is["team"] != "pay" || is["cost"] != "" || is["theirs"] != "1" || driver.MarkFrom(is).UID != string(b.UID) {
		w.Errorf("the tags are %v", is)
	}
	for _, operation := range []string{"TagResource", "UntagResource"} {
		if calls := w.Cloud.Ledger.Calls(localcloud.Filter{Operation: operation, Resource: name}); len(calls) != 1 {
			w.Errorf("%d times %s", len(calls), operation)
		}
	}

	w.delete(b)
	w.awaitDeleted(b)
	if mark := driver.MarkFrom(c.Buckets().Tags(w.T, name)); !mark.Released {
		w.Errorf("the mark is %+v, want it released", mark)
	}
	back := declared()
	back.Spec.Adoption = v1alpha1.AdoptionIfExists
	w.create(back)
	w.ready(back)
	if mark := driver.MarkFrom(c.Buckets().Tags(w.T, name)); mark.Released || mark.UID != string(back.UID) {
		w.Errorf("the mark is %+v, want that of the new object", mark)
	}
}
