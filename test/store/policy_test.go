package store_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/store"
)

// reads lets the other user of the store read.
func reads(sid, resource string) v1alpha1.PolicyStatement {
	return v1alpha1.PolicyStatement{
		Sid: sid, Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{store.Other}}, Actions: []string{"s3:GetObject"}, Resources: []string{resource},
	}
}

// ourselves lets Mooring go on: in versitygw a policy is all that anybody but the root user may do, the owner of the bucket included.
func ourselves() v1alpha1.PolicyStatement {
	return v1alpha1.PolicyStatement{Sid: "Ourselves", Effect: "Allow", Principals: &v1alpha1.PolicyPrincipals{AWS: []string{store.Tenant}}, Actions: []string{"s3:*"}}
}

// A policy names users of the store. It is set, changed and taken out by exactly one write, and the statement of somebody else stays.
func TestPolicyInAStore(t *testing.T) {
	w := newAltered(t, store.Options{})
	req := asked("photos", v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{ourselves(), reads("Reports", "/reports/*")}}})
	w.refuses(t, req)
	req.Spec.AWS.ConfirmRemoveSelfBucketAccess = new(true)
	w.settles(t, &req, []string{"aws.policy"})
	theirs := `{"Version":"2012-10-17","Statement":[` + ownStatement + `,{"Sid":"Theirs","Effect":"Allow","Principal":{"AWS":["` + store.Other + `"]},"Action":"s3:ListBucket","Resource":"arn:aws:s3:::photos"},` +
		`{"Sid":"Reports","Effect":"Allow","Principal":{"AWS":["` + store.Other + `"]},"Action":"s3:GetObject","Resource":"arn:aws:s3:::photos/reports/*"}]}`
	store.Do(t, w.Client(store.Tenant).PutBucketPolicy, &s3.PutBucketPolicyInput{Bucket: &req.Name, Policy: &theirs})
	w.settles(t, &req, nil)
	req.Spec.AWS.Policy = []v1alpha1.PolicyStatement{ourselves(), reads("Reports", "/public/*")}
	w.settles(t, &req, []string{"aws.policy"})
	if diff := cmp.Diff([]string{"Ourselves", "Reports", "Theirs"}, w.sids(t, req.Name)); diff != "" {
		t.Errorf("after a change (-want +got):\n%s", diff)
	}
	req.Spec.AWS.Policy = []v1alpha1.PolicyStatement{ourselves()}
	w.settles(t, &req, []string{"aws.policy"})
	if diff := cmp.Diff([]string{"Ourselves", "Theirs"}, w.sids(t, req.Name)); diff != "" {
		t.Errorf("after it was taken out (-want +got):\n%s", diff)
	}
}

// A store that once answered has what it was asked for. If it says otherwise in one bad minute, what is applied stays remembered, and it is seen and taken back with the next look.
func TestOneWrongAnswerForgetsNothing(t *testing.T) {
	w := newAltered(t, store.Options{})
	lets := v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Policy: []v1alpha1.PolicyStatement{ourselves(), reads("Reports", "/reports/*")}, ConfirmRemoveSelfBucketAccess: new(true)}}
	req := asked("photos", lets)
	if _, err := w.buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	look := func() driver.Observation {
		seen, err := w.buckets.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		req.Applied = seen.Applied
		return seen
	}
	if seen := look(); len(seen.Unreadable)+len(seen.Changes) > 0 || seen.Applied["aws.policy"] == nil {
		t.Fatalf("unreadable %v, differs %v, applied %v", seen.Unreadable, seen.Changes, seen.Applied)
	}
	for want, spec := range []v1alpha1.BucketParameters{{}, lets} { // taken out of the spec meanwhile, and declared
		req.Spec = spec
		heal := w.front.Fail(store.Fault{Reads: true, About: "policy", Status: 501, Code: "NotImplemented"})
		if seen := look(); len(seen.Unreadable) != want || seen.Applied["aws.policy"] == nil {
			t.Errorf("unreadable %v, applied %v", seen.Unreadable, seen.Applied)
		}
		heal()
	}
	req.Spec = v1alpha1.BucketParameters{}
	seen := look()
	if len(seen.Changes) != 1 || seen.Changes[0].Field != "aws.policy" || !seen.Changes[0].Release {
		t.Fatalf("once it is seen again, %+v differs", seen.Changes)
	}
	if done, err := w.buckets.Update(t.Context(), req, driver.Edit{Changes: seen.Changes}); err != nil || len(done.Failed) > 0 {
		t.Fatal(err, done.Failed)
	}
	if seen := look(); len(seen.Changes) > 0 || seen.Applied["aws.policy"] != nil {
		t.Errorf("then %+v differs, and %v is applied", seen.Changes, seen.Applied)
	}
}

// refuses demands that a bucket is made without its policy, which may lock Mooring out.
func (w *altered) refuses(t *testing.T, req request) {
	t.Helper()
	if _, err := w.buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	seen, err := w.buckets.Observe(t.Context(), req)
	if err != nil || !slices.Equal(driver.Names(seen.Changes), []string{"aws.policy"}) {
		t.Fatalf("differs in %v, %v", seen.Changes, err)
	}
	result, err := w.buckets.Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Invalid || !strings.Contains(result.Failed[0].Err.Error(), "confirmRemoveSelfBucketAccess") {
		t.Errorf("got %+v, %v", result.Failed, err)
	}
}

// ownStatement is what ourselves says, as another tool writes it.
const ownStatement = `{"Sid":"Ourselves","Effect":"Allow","Principal":{"AWS":"` + store.Tenant + `"},"Action":"s3:*","Resource":["arn:aws:s3:::photos","arn:aws:s3:::photos/*"]}`

// settles demands that what differs is of these fields, and that one write each puts it right.
func (w *altered) settles(t *testing.T, req *request, fields []string) {
	t.Helper()
	seen, err := w.buckets.Observe(t.Context(), *req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fields, driver.Names(seen.Changes), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("differs (-want +got):\n%s", diff)
	}
	req.Applied = seen.Applied
	if len(seen.Changes) == 0 {
		return
	}
	before := len(w.front.Calls())
	if result, err := w.buckets.Update(t.Context(), *req, driver.Edit{Changes: seen.Changes}); err != nil || len(result.Failed) > 0 {
		t.Fatalf("update: %v, failed %v", err, result.Failed)
	}
	writes := 0
	for _, c := range w.front.Calls()[before:] {
		if c.Write() {
			writes++
		}
	}
	if writes != 1 {
		t.Errorf("%d writes, want 1", writes)
	}
	w.settles(t, req, nil)
}

// sids returns the names of the statements in the policy of a bucket, sorted.
func (w *altered) sids(t *testing.T, bucket string) (names []string) {
	t.Helper()
	var policy struct{ Statement []struct{ Sid string } }
	text := store.Do(t, w.Client(store.Tenant).GetBucketPolicy, &s3.GetBucketPolicyInput{Bucket: &bucket}).Policy
	if err := json.Unmarshal([]byte(*text), &policy); err != nil {
		t.Fatal(err)
	}
	for _, s := range policy.Statement {
		names = append(names, s.Sid)
	}
	slices.Sort(names)
	return names
}
