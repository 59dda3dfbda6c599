package e2e

import (
	"slices"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// What Mooring set stays known as that while it only observes: once it manages the bucket again, it changes and removes its own statements, also those that deny. One that
// somebody removed meanwhile, and set anew, is theirs.
func TestStatementsOutliveAnObservation(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	denying := func(actions ...string) []v1alpha1.PolicyStatement {
		return []v1alpha1.PolicyStatement{{Sid: "Reports", Effect: "Deny", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{"333333333333"}}, Actions: actions, Resources: []string{"/*"}}}
	}
	manage := func(b *v1alpha1.Bucket, management v1alpha1.Management) {
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Management = management })
		w.ready(b)
	}
	b := throughOpenClass(w, c, w.bucket(c, "photos", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: denying("s3:GetObject")}}))
	b.Spec.ExternalName = w.Namespace + "-photos" // which an observation needs
	w.create(b)
	name := w.ready(b).Status.ExternalName
	mark := len(c.Writes(name))

	manage(b, v1alpha1.ManagementObserve)
	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.Management, b.Spec.AWS.Policy = v1alpha1.ManagementFull, denying("s3:GetObject", "s3:PutObject")
	})
	w.ready(b)
	w.expectWrites(c, name, mark, "PutBucketPolicy")

	manage(b, v1alpha1.ManagementObserve)
	w.Disturb()
	c.Buckets().Set(w.T, name, "aws.policy", "")
	w.state(b, "without the statement that is gone", func(s system.Snapshot) bool { return !slices.Contains(s.Status.Applied["aws.policy"], "Reports") })
	c.Buckets().Set(w.T, name, "aws.policy", theirReports(name))
	mark = len(c.Writes(name))
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.Management = v1alpha1.ManagementFull })
	w.stalled(b, v1alpha1.ReasonConflict, "aws.policy: ", "Reports")
	w.expectWrites(c, name, mark)
}
