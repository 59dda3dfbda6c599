package e2e

import (
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// copying are parameters of a bucket that copies all objects to another.
func copying(role, to string) v1alpha1.BucketParameters {
	return v1alpha1.BucketParameters{
		Versioning: new(v1alpha1.VersioningEnabled), Tags: map[string]v1alpha1.TagValue{"team": "shop"},
		AWS: &v1alpha1.BucketAWS{Replication: &v1alpha1.BucketReplicationAWS{
			Role: &role, Rules: []v1alpha1.ReplicationRuleAWS{{Name: "all", Priority: new(int32(1)), Bucket: to}},
		}},
	}
}

// A bucket that copies to one that is not there says so by its field, has all else, and is Ready without an edit once the other one comes with versioning. A
// role that S3 may not have is refused, and going back restores Ready. No bucket's versioning is suspended before it has stopped to copy.
func TestReplicationWaitsForItsTarget(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	target := w.Namespace + "-copies"
	const role = awsRoles + "shop-replication"
	b := throughOpenClass(w, c, w.bucket(c, "photos", copying(role, target)))
	w.create(b)
	name := w.stalled(b, v1alpha1.ReasonInvalid, "each bucket in spec.aws.replication.rules has to exist, to have versioning Enabled").Status.ExternalName
	w.equal("tags of the bucket", c.Buckets().Tags(w.T, name)["team"], "shop")

	other := w.bucket(c, "copies", v1alpha1.BucketParameters{})
	other.Spec.ExternalName = target
	w.create(other)
	w.ready(other)
	w.stalled(b, v1alpha1.ReasonInvalid, "to have versioning Enabled") // which a new bucket does not have
	w.Disturb()                                                        // from here on S3 takes the rules, as soon as somebody asks it
	edit(w, other, func(b *v1alpha1.Bucket) { b.Spec.Versioning = new(v1alpha1.VersioningEnabled) })
	w.ready(other)
	w.mirrors(b, "aws.replication.rules", `[{"bucket":"`+target+`","name":"all","priority":1}]`)

	mark := len(c.Writes(name))
	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.AWS.Replication.Role = new(awsRoles + "audit-replication")
		b.Spec.RequesterPays = new(true)
	})
	w.stalled(b, v1alpha1.ReasonDenied, "iam:PassRole on the role in spec.aws.replication.role")
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS.Replication.Role = new(role) })
	w.mirrors(b, "requesterPays", "true")
	w.equal("what was taken was written once", c.Writes(name)[mark], "PutBucketRequestPayment")

	mark = len(c.Writes(name))
	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.Versioning, b.Spec.AWS.Replication.Rules = new(v1alpha1.VersioningSuspended), []v1alpha1.ReplicationRuleAWS{}
	})
	w.mirrors(b, "versioning", `"Suspended"`)
	w.expectWrites(c, name, mark, "DeleteBucketReplication", "PutBucketVersioning")
}
