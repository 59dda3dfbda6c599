package s3_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type copying = v1alpha1.ReplicationRuleAWS

// copyRole and otherCopyRole are roles by which S3 may copy.
const (
	copyRole      = "arn:aws:iam::111111111111:role/shop-replication"
	otherCopyRole = "arn:aws:iam::111111111111:role/other-replication"
)

// replicating returns parameters of a bucket that copies.
func replicating(role string, rules ...copying) v1alpha1.BucketParameters {
	r := &v1alpha1.BucketReplicationAWS{Rules: rules}
	if role != "" {
		r.Role = &role
	}
	return v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled), AWS: &v1alpha1.BucketAWS{Replication: r}}
}

// copyTo is a rule that copies all objects.
func copyTo(name string, priority int32, bucket string) copying {
	return copying{Name: name, Priority: &priority, Bucket: bucket}
}

// theirRule is a rule that somebody else has in the document.
func theirRule(name string, priority int32) s3types.ReplicationRule {
	return s3types.ReplicationRule{
		ID: &name, Priority: &priority, Status: "Enabled", Filter: &s3types.ReplicationRuleFilter{Prefix: new("theirs/")},
		DeleteMarkerReplication: &s3types.DeleteMarkerReplication{Status: "Disabled"}, Destination: &s3types.Destination{Bucket: new("arn:aws:s3:::other-copies")},
	}
}

// Rules of others survive that ours are added, changed, removed and released.
func TestReplicationOfOthersStays(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-shared", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	theirs := theirRule("theirs", 7)
	awstest.PutReplication(t, w.S3, req.Name, copyRole, theirs)
	for _, step := range []struct {
		name string
		spec v1alpha1.BucketParameters
		want []string
	}{
		{"added", replicating(copyRole, copyTo("ours", 1, "shop-copies")), []string{"theirs", "ours"}},
		{"changed", replicating(copyRole, copyTo("ours", 1, "other-copies")), []string{"theirs", "ours"}},
		{"renamed", replicating(copyRole, copyTo("new", 1, "other-copies")), []string{"theirs", "new"}},
		{"removed, whatever role the spec has", replicating(otherCopyRole, []copying{}...), []string{"theirs"}},
		{"added again", replicating(copyRole, copyTo("ours", 1, "shop-copies")), []string{"theirs", "ours"}},
		{"released", v1alpha1.BucketParameters{}, []string{"theirs", "ours"}},
		{"none, where nothing is ours any more", replicating("", []copying{}...), []string{"theirs", "ours"}},
	} {
		req.Spec = step.spec
		if step.spec.AWS != nil && step.spec.AWS.Replication.Rules == nil {
			req.Spec.AWS.Replication.Rules = []copying{}
		}
		req.Applied = w.settleBucket(req).Applied
		var got []string
		for _, r := range awstest.ReplicationOf(t, w.S3, req.Name).Rules {
			got = append(got, *r.ID)
			if *r.ID == "theirs" && (*r.Filter.Prefix != "theirs/" || *r.Destination.Bucket != *theirs.Destination.Bucket) {
				t.Errorf("%s: what others set is %+v", step.name, r)
			}
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

// S3 has one role for all rules. What others set copies on by the role that it had, and ours never by another one than the spec has.
func TestOneRoleForAllRules(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-roles", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	awstest.PutReplication(t, w.S3, req.Name, otherCopyRole, theirRule("theirs", 7))
	req.Spec = replicating(copyRole, copyTo("ours", 1, "shop-copies"))
	req.Spec.Tags = map[string]v1alpha1.TagValue{"team": "shop"}
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 2 || result.Failed[0].Field != "aws.replication.role" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid ||
		!strings.Contains(result.Failed[0].Err.Error(), `rules that others set ("theirs") copy by `+otherCopyRole) {
		t.Fatalf("%v, failed %v; want aws.replication.role, and what to do", err, result.Failed)
	}
	if got := awstest.ReplicationOf(t, w.S3, req.Name); *got.Role != otherCopyRole || len(got.Rules) != 1 {
		t.Errorf("the bucket has %+v", got)
	}
	if changes := w.bucket(req).Changes; len(changes) != 2 {
		t.Errorf("the tags were not written: %v", changes)
	}
	req.Spec = replicating(otherCopyRole, copyTo("ours", 1, "shop-copies"))
	req.Applied = w.settleBucket(req).Applied
	awstest.PutReplication(t, w.S3, req.Name, otherCopyRole, awstest.ReplicationOf(t, w.S3, req.Name).Rules[1])
	req.Spec = replicating(copyRole, copyTo("new", 1, "shop-copies"))
	req.Applied = w.settleBucket(req).Applied
	if got := awstest.ReplicationOf(t, w.S3, req.Name); *got.Role != copyRole || len(got.Rules) != 1 || *got.Rules[0].ID != "new" {
		t.Errorf("where all rules are ours, the role changes with them: %+v", got)
	}
	// Somebody changes the role after it was observed.
	awstest.PutReplication(t, w.S3, req.Name, otherCopyRole, awstest.ReplicationOf(t, w.S3, req.Name).Rules...)
	req.Spec = replicating(copyRole, copyTo("new", 1, "other-copies"))
	result, err = drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "aws.replication.rules", Entries: true, Names: []string{"new"}}}})
	if err != nil || len(result.Failed) != 1 || driver.CodeOf(result.Failed[0].Err) != driver.Busy {
		t.Errorf("%v, failed %v; want Busy", err, result.Failed)
	}
	w.settleBucket(req)
	if got := awstest.ReplicationOf(t, w.S3, req.Name); *got.Role != copyRole || *got.Rules[0].Destination.Bucket != "arn:aws:s3:::other-copies" {
		t.Errorf("it is put right by the next look: %+v", got)
	}
}

// A rule of others by a name that the spec wants for another one is theirs: it copies on by their role.
func TestRoleOfARuleOfOthersByOneName(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-roles", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	awstest.PutReplication(t, w.S3, req.Name, otherCopyRole, theirRule("backup", 7))
	req.Spec = replicating(copyRole, copyTo("backup", 1, "shop-copies"), copyTo("ours", 2, "shop-copies"))
	for range 2 {
		failed := w.attempt(&req)
		if !slices.ContainsFunc(failed, func(f driver.FieldError) bool {
			return f.Field == "aws.replication.role" && strings.Contains(f.Err.Error(), `rules that others set ("backup") copy by `+otherCopyRole)
		}) {
			t.Errorf("failed %v, want the role", failed)
		}
	}
	if got := awstest.ReplicationOf(t, w.S3, req.Name); *got.Role != otherCopyRole || len(got.Rules) != 1 {
		t.Errorf("the bucket has %+v", got)
	}
}

// A rule of the first version of the schema has no priority and copies delete markers: none of a spec means the same.
func TestReplicationOfTheFirstSchema(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-first", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	first := func(name, prefix string) s3types.ReplicationRule {
		r := theirRule(name, 0)
		r.Filter, r.Priority, r.DeleteMarkerReplication, r.Prefix = nil, nil, nil, &prefix //nolint:staticcheck // deprecated, and there may be such rules
		return r
	}
	rule := first("a", "a/")
	rule.Destination.Bucket = new("arn:aws:s3:::shop-copies")
	awstest.PutReplication(t, w.S3, req.Name, copyRole, rule, first("b", "b/"))
	for _, markers := range []*bool{nil, new(true)} {
		ours := copyTo("a", 0, "shop-copies")
		ours.Prefix, ours.DeleteMarkers = new("a/"), markers
		req.Spec = replicating(copyRole, ours)
		seen := w.bucket(req)
		if len(seen.Changes) != 1 || !slices.Equal(seen.Changes[0].Foreign, []string{"a"}) {
			t.Errorf("with delete markers %v: %+v, want a rule that means something else", markers, seen.Changes)
		}
		if got := string(seen.Mirror); strings.Contains(got, `"priority":0`) || strings.Count(got, `"deleteMarkers":true`) != 2 {
			t.Errorf("the mirror is %s", got)
		}
	}
}

// A new bucket costs one write for all rules, after that of versioning, and none for none.
func TestReplicationOfANewBucket(t *testing.T) {
	for name, tt := range map[string]struct {
		spec v1alpha1.BucketParameters
		want []string
	}{
		"shop-some": {replicating(copyRole, copyTo("a", 1, "shop-copies"), copyTo("b", 2, "other-copies")), []string{"CreateBucket", "PutBucketVersioning", "PutBucketReplication"}},
		"shop-none": {v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{Replication: &v1alpha1.BucketReplicationAWS{Role: new(copyRole), Rules: []copying{}}}}, []string{"CreateBucket"}},
	} {
		w := newEnvironment(t, localcloud.Options{})
		if _, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf(name, tt.spec)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, w.Operations()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// S3 suspends no versioning while it copies, and copies nothing without versioning: both ways the calls have the one order that it takes.
func TestReplicationGoesWithVersioning(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-both", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = replicating(copyRole, copyTo("a", 1, "shop-copies"))
	req.Applied = w.settleBucket(req).Applied
	w.Operations()
	req.Spec = replicating("", []copying{}...)
	req.Spec.AWS.Replication.Rules, req.Spec.Versioning = []copying{}, new(v1alpha1.VersioningSuspended)
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 0 {
		t.Errorf("%v, failed %v", err, result.Failed)
	}
	if changes := w.bucket(req).Changes; len(changes) != 0 {
		t.Errorf("one update is not enough: %v", changes)
	}
	// Rules of others keep versioning, and are told of.
	req.Spec = v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}
	w.settleBucket(req)
	awstest.PutReplication(t, w.S3, req.Name, copyRole, theirRule("theirs", 7))
	req.Spec.Versioning = new(v1alpha1.VersioningSuspended)
	result, err = drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), "spec.aws.replication.rules to []") {
		t.Errorf("%v, failed %v; want advice about replication", err, result.Failed)
	}
}

// What S3 refuses is refused by its field, with advice, and the other fields are written.
func TestReplicationThatIsRefused(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-refused", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	for name, tt := range map[string]struct {
		spec   v1alpha1.BucketParameters
		field  string
		code   driver.Code
		advice string
		theirs []s3types.ReplicationRule
	}{
		"a bucket that is not there":  {replicating(copyRole, copyTo("a", 1, "none-there")), "aws.replication.rules", driver.Invalid, "has to exist, to have versioning Enabled", nil},
		"the bucket itself":           {replicating(copyRole, copyTo("a", 1, "shop-refused")), "aws.replication.rules", driver.Invalid, "another one than this", nil},
		"a role that can't be passed": {replicating("arn:aws:iam::111111111111:role/audit-replication", copyTo("a", 1, "shop-copies")), "aws.replication.role", driver.Denied, "iam:PassRole on the role", nil},
		"a role of another account":   {replicating("arn:aws:iam::222222222222:role/a", copyTo("a", 1, "shop-copies")), "aws.replication.role", driver.Denied, "of the account of the bucket", nil},
		"no role at all":              {replicating("arn:aws:iam::111111111111:user/a", copyTo("a", 1, "shop-copies")), "aws.replication.role", driver.Invalid, "set spec.aws.replication.role to the ARN", nil},
		"a priority that others have": {replicating(copyRole, copyTo("a", 7, "shop-copies")), "aws.replication.rules", driver.Invalid, "have one priority", []s3types.ReplicationRule{theirRule("theirs", 7)}},
		"rules of the first schema": {replicating(copyRole, copyTo("a", 1, "shop-copies")), "aws.replication.rules", driver.Invalid, "first version of S3's schema",
			[]s3types.ReplicationRule{{ID: new("old"), Status: "Enabled", Prefix: new(""), Destination: &s3types.Destination{Bucket: new("arn:aws:s3:::other-copies")}}}},
	} {
		if tt.theirs != nil {
			awstest.PutReplication(t, w.S3, req.Name, copyRole, tt.theirs...)
		}
		req.Spec = tt.spec
		req.Spec.RequesterPays = new(true)
		result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
		said := false
		for _, failed := range result.Failed {
			if failed.Field == tt.field {
				said = driver.CodeOf(failed.Err) == tt.code && strings.Contains(failed.Err.Error(), tt.advice) && strings.Contains(failed.Err.Error(), "Amazon S3 says: ")
			} else if !strings.Contains(failed.Err.Error(), "together with spec."+tt.field) {
				t.Errorf("%s: %s failed, too: %v", name, failed.Field, failed.Err)
			}
		}
		if err != nil || !said {
			t.Errorf("%s: %v, failed %v; want %s, %v, %q", name, err, result.Failed, tt.field, tt.code, tt.advice)
		}
		if left := w.bucket(req).Changes; len(left) > 2 {
			t.Errorf("%s: what has nothing to do with it was not written: %v", name, left)
		}
		awstest.Do(t, w.S3.DeleteBucketReplication, &s3.DeleteBucketReplicationInput{Bucket: &req.Name})
		req.Spec = v1alpha1.BucketParameters{RequesterPays: new(false)}
		w.settleBucket(req)
	}
}

// What S3 would refuse whatever else the bucket has is refused before any call, and as a draft where that is known.
func TestReplicationThatCannotBe(t *testing.T) {
	suspended := replicating(copyRole, copyTo("a", 1, "shop-copies"))
	suspended.Versioning = new(v1alpha1.VersioningSuspended)
	unset := replicating(copyRole, copyTo("a", 1, "shop-copies"))
	unset.Versioning = nil
	locked := replicating(copyRole, copyTo("a", 1, "shop-copies"))
	locked.Versioning, locked.Retention = nil, &v1alpha1.BucketRetention{Days: new(int32(1))}
	lockable := replicating(copyRole, copyTo("a", 1, "shop-copies"))
	lockable.Versioning, lockable.AWS.ObjectLock = nil, new(true)
	for name, tt := range map[string]struct {
		spec    v1alpha1.BucketParameters
		problem string // empty if there is none
		draft   bool
	}{
		"no role":                  {replicating("", copyTo("a", 1, "shop-copies")), "set spec.aws.replication.role", true},
		"versioning suspended":     {suspended, "set spec.versioning to Enabled, or spec.aws.replication.rules to []", true},
		"nothing said of versions": {unset, "set spec.versioning to Enabled", false},
		"Object Lock":              {locked, "", false},
		"Object Lock, no days":     {lockable, "", false},
		"as it should be":          {replicating(copyRole, copyTo("a", 1, "shop-copies")), "", false},
	} {
		w := newEnvironment(t, localcloud.Options{})
		_, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf("shop-never", tt.spec))
		refusals := refusedDrafts(t, tt.spec)
		if tt.problem == "" {
			if err != nil || len(refusals) != 0 {
				t.Errorf("%s: %v, refused: %v", name, err, refusals)
			}
			continue
		}
		if driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), tt.problem) || len(w.Operations()) != 0 {
			t.Errorf("%s: created with %v after %v", name, err, w.Operations())
		}
		if len(refusals) == 1 != tt.draft || tt.draft && !strings.Contains(refusals[0].Message, tt.problem) {
			t.Errorf("%s: the draft is refused by %v, want %q", name, refusals, tt.problem)
		}
	}
	// A role without rules says nothing, and rules that lost their role copy on, until they change.
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-role", replicating(copyRole, copyTo("a", 1, "shop-copies")))
	req.Applied = w.settleBucket(req).Applied
	req.Spec = replicating("", copyTo("a", 1, "shop-copies"))
	if changes := w.bucket(req).Changes; len(changes) != 0 {
		t.Errorf("without its role: %v", changes)
	}
	req.Spec = replicating("", copyTo("a", 1, "other-copies"))
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || !strings.Contains(result.Failed[0].Err.Error(), "set spec.aws.replication.role") {
		t.Errorf("another rule without a role: %v, %v", err, result.Failed)
	}
}
