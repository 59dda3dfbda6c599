package e2e

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/system"
)

// letting returns a statement by the sid Reports that lets principals read.
func letting(principals ...string) []v1alpha1.PolicyStatement {
	return []v1alpha1.PolicyStatement{{Sid: "Reports", Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: principals}, Actions: []string{"s3:GetObject"}, Resources: []string{"/*"}}}
}

// theirReports is the policy of a bucket to which somebody else added a statement by that sid.
func theirReports(bucket string) string {
	return `{"Version":"2012-10-17","Statement":{"Sid":"Reports","Effect":"Allow","Principal":{"AWS":"333333333333"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::` + bucket + `/*"}}`
}

// S3 goes on for seconds to refuse public policies of a bucket whose block was lifted. Whoever sets both in one apply waits for that, and is not told to correct a correct spec.
func TestPublicBucketInOneApply(t *testing.T) {
	onEachMade(t, func(w *fixture, c *system.Cloud, _ system.Made) {
		if c.Name != "aws" {
			return
		}
		w.Cloud.LagS3(c.Account, 3*time.Second)
		w.Cleanup(func() { w.Cloud.LagS3(c.Account, 0) })
		b := throughOpenClass(w, c, w.bucket(c, "site", v1alpha1.BucketParameters{PublicAccess: new(v1alpha1.PublicAccessAllowed), AWS: &v1alpha1.BucketAWS{Policy: letting("*")}}))
		w.create(b)
		name := w.ready(b).Status.ExternalName
		if refused := w.Cloud.Ledger.Calls(localcloud.Filter{Operation: "PutBucketPolicy", Resource: name}); len(refused) < 2 {
			w.Errorf("S3 refused nothing: %v", refused)
		}
		for _, transition := range w.Transitions("Bucket", b.Name, 0) {
			if strings.Contains(transition, "Failed") {
				w.Errorf("it went through %s", transition)
			}
		}
	})
}

// A statement that S3 refused was never set. So one by its sid that somebody adds later is theirs: it is neither changed by the correction of the spec nor removed with the field.
func TestAStatementThatS3RefusedIsNobodys(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	b := throughOpenClass(w, c, w.bucket(c, "photos", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{}}}))
	w.create(b)
	name := w.ready(b).Status.ExternalName

	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS.Policy = letting("arn:aws:iam::222222222222:group/auditors") })
	w.stalled(b, v1alpha1.ReasonInvalid, "aws.policy: ", "Invalid principal")
	w.state(b, "without the sid among what is applied", func(s system.Snapshot) bool { return !slices.Contains(s.Status.Applied["aws.policy"], "Reports") })

	c.Buckets().Set(w.T, name, "aws.policy", theirReports(name))
	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS.Policy = letting("222222222222") })
	w.stalled(b, v1alpha1.ReasonConflict, "aws.policy: ", "not known as this object's", "Reports")
	mark := len(c.Writes(name))
	for _, policy := range [][]v1alpha1.PolicyStatement{nil, letting("333333333333")} { // the second one says what is there
		edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.AWS.Policy = policy })
		w.ready(b)
	}
	w.expectWrites(c, name, mark)
}
