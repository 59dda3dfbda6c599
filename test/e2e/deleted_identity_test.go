package e2e

import (
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/system"
)

// S3 takes no policy with a role that was deleted, whoever named it. What is told names the statement of others that does, nothing in the spec is called wrong, all else is changed, and once
// that statement is gone the rest follows by itself.
func TestStatementOfOthersNamesADeletedRole(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("aws")
	const gone, id = "arn:aws:iam::123456789012:role/gone-of-others", "AROAEXAMPLEEXAMPLEEX1"
	w.Cleanup(func() { w.Cloud.DeletePrincipal(gone, "") })
	b := throughOpenClass(w, c, w.bucket(c, "merged", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: letting("222222222222")}}))
	w.create(b)
	name := w.ready(b).Status.ExternalName
	ours := `{"Sid":"Reports","Effect":"Allow","Principal":{"AWS":"222222222222"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::` + name + `/*"}`
	other := `{"Sid":"Other","Effect":"Deny","Principal":{"AWS":"` + gone + `"},"Action":"s3:GetObject","Resource":"arn:aws:s3:::` + name + `/*"}`
	c.Buckets().Set(w.T, name, "aws.policy", `{"Version":"2012-10-17","Statement":[`+ours+`,`+other+`]}`)
	w.Cloud.DeletePrincipal(gone, id)

	edit(w, b, func(b *v1alpha1.Bucket) {
		b.Spec.AWS.Policy, b.Spec.Tags = letting("333333333333"), map[string]v1alpha1.TagValue{"team": "shop"}
		mine := letting("333333333333")[0]
		mine.Sid = "Mine"
		b.Spec.AWS.Policy = append(b.Spec.AWS.Policy, mine)
	})
	w.stalled(b, v1alpha1.ReasonConflict, "Other (Deny, which is "+id+")", "put-bucket-policy", "policyMode")
	w.Refresh(b)
	for _, c := range b.Status.Conditions {
		if strings.Contains(c.Message, "correct spec.aws.policy") {
			w.Errorf("%s says %q", c.Type, c.Message)
		}
	}
	w.state(b, "what S3 refused is nobody's", func(s system.Snapshot) bool { return !slices.Contains(s.Status.Applied["aws.policy"], "Mine") })
	w.equal("the tag", c.Buckets().Tags(w.T, name)["team"], "shop")

	c.Buckets().Set(w.T, name, "aws.policy", `{"Version":"2012-10-17","Statement":[`+ours+`]}`)
	edit(w, b, func(b *v1alpha1.Bucket) { b.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "now"} })
	w.ready(b)
}

// Cloud Storage takes no policy with a member that does not exist. All others are granted, and what is told names the one. Once an identity of that name is there again it is granted, and what the one before had
// is taken away. What others granted to an identity that was deleted stays.
func TestMemberThatWasDeleted(t *testing.T) {
	w := newFixture(t)
	c := w.cloud("gcp")
	const role, theirs = "roles/storage.objectViewer", "deleted:serviceAccount:reader-9@shop-project.iam.gserviceaccount.com?uid=9"
	reader := func(n string) string { return "serviceAccount:reader-" + n + "@shop-project.iam.gserviceaccount.com" }
	w.Cleanup(func() { w.Cloud.DeleteMember(reader("1"), "") })
	binding := func(numbers ...string) []v1alpha1.BucketIAMBinding {
		b := v1alpha1.BucketIAMBinding{Role: role}
		for _, n := range numbers {
			b.Members = append(b.Members, reader(n))
		}
		return []v1alpha1.BucketIAMBinding{b}
	}
	b := throughOpenClass(w, c, w.bucket(c, "bound", v1alpha1.BucketParameters{GCP: &v1alpha1.BucketGCP{IAMBindings: binding("1", "2")}}))
	w.create(b)
	name := w.ready(b).Status.ExternalName
	w.Disturb()
	c.Buckets().Set(w.T, name, "gcp.iamBindings", append(binding("1", "2"), v1alpha1.BucketIAMBinding{Role: "roles/storage.objectAdmin", Members: []string{theirs}}))
	w.Cloud.DeleteMember(reader("1"), "123456789012345678901")

	edit(w, b, func(b *v1alpha1.Bucket) { b.Spec.GCP.IAMBindings = binding("1", "2", "3") })
	w.stalled(b, v1alpha1.ReasonInvalid, "spec.gcp.iamBindings names members that do not exist: "+reader("1")+"; Mooring grants the others")
	granted := func(to string, want ...string) {
		w.AwaitObject(b, "granted to "+strings.Join(want, " and "), func() bool {
			for _, binding := range b.Status.Observed.GCP.IAMBindings {
				if binding.Role == to {
					return slices.Equal(slices.Sorted(slices.Values(binding.Members)), want)
				}
			}
			return false
		})
	}
	granted(role, "deleted:"+reader("1")+"?uid=123456789012345678901", reader("2"), reader("3"))

	w.Cloud.DeleteMember(reader("1"), "")
	edit(w, b, func(b *v1alpha1.Bucket) { b.Annotations = map[string]string{v1alpha1.AnnotationReconcile: "now"} })
	w.ready(b)
	granted(role, reader("1"), reader("2"), reader("3"))
	granted("roles/storage.objectAdmin", theirs)
}
