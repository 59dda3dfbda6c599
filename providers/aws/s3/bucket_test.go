package s3_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

type request = table.Request[v1alpha1.BucketParameters]

// settleBucket observes, creates and updates until nothing differs.
func (w *environment) settleBucket(req request) driver.Observation {
	w.T.Helper()
	for range 5 {
		seen := w.bucket(req)
		switch {
		case seen.State == driver.Absent:
			if _, err := drivertest.Buckets(w.Session).Create(w.T.Context(), req); err != nil {
				w.T.Fatal(err)
			}
		case len(seen.Changes) > 0:
			w.updateBucket(req, seen.Changes...)
		default:
			return seen
		}
	}
	w.T.Fatalf("bucket %q does not settle", req.Name)
	return driver.Observation{}
}

func (w *environment) bucket(req request) driver.Observation {
	w.T.Helper()
	seen, err := drivertest.Buckets(w.Session).Observe(w.T.Context(), req)
	if err != nil {
		w.T.Fatal(err)
	}
	return seen
}

func (w *environment) updateBucket(req request, changes ...driver.Change) {
	w.T.Helper()
	result, err := drivertest.Buckets(w.Session).Update(w.T.Context(), req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) > 0 {
		w.T.Fatalf("update: %v, failed %v", err, result.Failed)
	}
}

func (w *environment) bucketTags(name string) map[string]string {
	w.T.Helper()
	tags := map[string]string{}
	for _, t := range awstest.Do(w.T, w.S3.GetBucketTagging, &s3.GetBucketTaggingInput{Bucket: &name}).TagSet {
		tags[*t.Key] = *t.Value
	}
	return tags
}

var fullBucket = v1alpha1.BucketParameters{
	Versioning:   new(v1alpha1.VersioningEnabled),
	PublicAccess: new(v1alpha1.PublicAccessBlocked),
	Encryption:   &v1alpha1.Encryption{Key: new("arn:aws:kms:eu-central-1:111111111111:key/0d9f3a7e-1111-4222-8333-944455556666")},
	Tags:         map[string]v1alpha1.TagValue{"team": "shop"},
}

func TestBucketConverges(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	for name, tc := range map[string]struct {
		spec  v1alpha1.BucketParameters
		reads int
	}{
		"plain":      {v1alpha1.BucketParameters{}, 1},
		"versioning": {v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}, 2},
		"full":       {fullBucket, 4},
	} {
		t.Run(name, func(t *testing.T) {
			req := awstest.BucketOf("shop-"+name, tc.spec)
			seen := w.settleBucket(req)
			if seen.Mark != awstest.Mark {
				t.Errorf("mark %v, want %v", seen.Mark, awstest.Mark)
			}
			w.Ledger.Reset()
			req.Applied = seen.Applied
			if again := w.bucket(req); !cmp.Equal(again, seen) {
				t.Errorf("a second look differs: %s", cmp.Diff(seen, again))
			}
			if calls := w.Operations(); len(calls) != tc.reads || w.Writes() != 0 {
				t.Errorf("a look at a converged bucket made the calls %v, want %d reads", calls, tc.reads)
			}
		})
	}
}

// A creation says what it sent after it in the words in which a read that does not show it yet tells the difference, so that nothing is
// sent again because of that.
func TestCreateReturnsWhatItSent(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	created, err := drivertest.Buckets(w.Session).Create(t.Context(), awstest.BucketOf("shop-sent", fullBucket))
	if err != nil {
		t.Fatal(err)
	}
	w.settleBucket(awstest.BucketOf("shop-unset", v1alpha1.BucketParameters{Tags: fullBucket.Tags}))
	differs := w.bucket(awstest.BucketOf("shop-unset", fullBucket)).Changes
	if len(differs) != 2 || !cmp.Equal(created.Sent, differs, cmpopts.SortSlices(func(a, b driver.Change) bool { return a.Field < b.Field })) {
		t.Errorf("the creation sent %v, and without that %v differs", created.Sent, differs)
	}
}

// Each aspect drifts on its own, and costs one write.
// A store may have other defaults than S3: what a creation left out, because S3 makes it so, is read, and put right.
func TestNewBucketOfAStoreWithOtherDefaults(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("photos", v1alpha1.BucketParameters{
		Versioning: new(v1alpha1.VersioningSuspended), Tags: map[string]v1alpha1.TagValue{"team": "shop"}, RequesterPays: new(true),
	})
	result, err := drivertest.Buckets(w.Session).Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	awstest.Do(t, w.S3.PutBucketVersioning, &s3.PutBucketVersioningInput{
		Bucket: &req.Name, VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatusEnabled},
	})
	req.JustSet = driver.Names(result.Sent)
	if diff := cmp.Diff([]string{"requesterPays"}, req.JustSet); diff != "" {
		t.Errorf("set by calls of their own (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"versioning"}, driver.Names(w.bucket(req).Changes)); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}

func TestBucketDrift(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	name := "shop-drift"
	req := awstest.BucketOf(name, fullBucket)
	req.Applied = w.settleBucket(req).Applied
	for fieldName, drift := range map[string]func(){
		"versioning": func() {
			awstest.Do(t, w.S3.PutBucketVersioning, &s3.PutBucketVersioningInput{Bucket: &name,
				VersioningConfiguration: &s3types.VersioningConfiguration{Status: s3types.BucketVersioningStatusSuspended}})
		},
		"publicAccess": func() {
			awstest.Do(t, w.S3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{Bucket: &name,
				PublicAccessBlockConfiguration: &s3types.PublicAccessBlockConfiguration{BlockPublicAcls: new(true)}})
		},
		"encryption.key": func() {
			awstest.Do(t, w.S3.DeleteBucketEncryption, &s3.DeleteBucketEncryptionInput{Bucket: &name})
		},
		"tags": func() {
			awstest.Do(t, w.S3.PutBucketTagging, &s3.PutBucketTaggingInput{Bucket: &name, Tagging: &s3types.Tagging{TagSet: []s3types.Tag{
				{Key: new("team"), Value: new("sales")}, {Key: new("cost"), Value: new("42")},
				{Key: new(driver.LabelCluster), Value: new("c1")},
			}}})
		},
	} {
		t.Run(fieldName, func(t *testing.T) {
			drift()
			w.Ledger.Reset()
			seen := w.bucket(req)
			if got := driver.Names(seen.Changes); !cmp.Equal(got, []string{fieldName}) {
				t.Fatalf("changes %v, want only %s", got, fieldName)
			}
			w.updateBucket(req, seen.Changes...)
			if w.Writes() != 1 {
				t.Errorf("calls %v, want one write", w.Operations())
			}
			if seen = w.bucket(req); len(seen.Changes) != 0 {
				t.Errorf("still differs: %v", seen.Changes)
			}
		})
	}
	if tags := w.bucketTags(name); tags["cost"] != "42" {
		t.Errorf("the tag of others is gone: %v", tags)
	}
}

// PublicAccess returns to Blocked when the spec no longer has it; versioning is left alone.
func TestBucketRelease(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-release", v1alpha1.BucketParameters{
		Versioning: new(v1alpha1.VersioningEnabled), PublicAccess: new(v1alpha1.PublicAccessAllowed),
	})
	req.Applied = w.settleBucket(req).Applied
	req.Spec = v1alpha1.BucketParameters{}
	seen := w.bucket(req)
	if got := driver.Names(seen.Changes); !cmp.Equal(got, []string{"publicAccess"}) || !seen.Changes[0].Release {
		t.Fatalf("changes %v, want the release of publicAccess", seen.Changes)
	}
	w.updateBucket(req, seen.Changes...)
	req.Applied = seen.Applied
	w.Ledger.Reset()
	seen = w.bucket(req)
	if len(seen.Changes) != 0 || len(seen.Applied) != 0 {
		t.Errorf("after the release: changes %v, applied %v", seen.Changes, seen.Applied)
	}
	req.Applied = seen.Applied
	w.Ledger.Reset()
	if w.bucket(req); len(w.Operations()) != 1 {
		t.Errorf("a released field is still read: %v", w.Operations())
	}
}

// The mark is written by a command, so the tags of the spec come by a write of their own.
func TestBucketMarkComesBeforeItsTags(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	name := "shop-mark"
	awstest.Do(t, w.S3.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: s3types.BucketLocationConstraint(awstest.Region), Tags: []s3types.Tag{{Key: new("cost"), Value: new("42")}},
	}})
	req := awstest.BucketOf(name, v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}})
	seen := w.bucket(req)
	if !seen.Mark.Zero() {
		t.Fatalf("mark %v on a bucket of others", seen.Mark)
	}
	w.Ledger.Reset()
	if result, err := drivertest.Buckets(w.Session).Do(t.Context(), req, driver.Command{Verb: driver.WriteMark}); err != nil || len(result.Failed) > 0 {
		t.Fatalf("the mark: %v, failed %v", err, result.Failed)
	}
	w.updateBucket(req, seen.Changes...)
	if w.Writes() != 2 {
		t.Errorf("calls %v, want one write of the mark and one of the tags", w.Operations())
	}
	want := awstest.Mark.Labels()
	want["cost"], want["team"] = "42", "shop"
	if got := w.bucketTags(name); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

// One aspect that can't be read, or written, does not keep the others from it.
func TestBucketAspectsAreIndependent(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-aspects", fullBucket)
	req.Applied = w.settleBucket(req).Applied

	lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "GetBucketVersioning"}, Kind: localcloud.Denied})
	seen := w.bucket(req)
	if len(seen.Unreadable) != 1 || seen.Unreadable[0].Field != "versioning" || len(seen.Changes) != 0 {
		t.Errorf("unreadable %v, changes %v; want versioning unreadable and no changes", seen.Unreadable, seen.Changes)
	}
	if !cmp.Equal(seen.Applied, req.Applied) {
		t.Errorf("what was applied is forgotten: %s", cmp.Diff(req.Applied, seen.Applied))
	}
	lift()

	req.Spec.Versioning = new(v1alpha1.VersioningSuspended)
	req.Spec.PublicAccess = new(v1alpha1.PublicAccessAllowed)
	seen = w.bucket(req)
	lift = w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "PutBucketVersioning"}, Kind: localcloud.Denied})
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: seen.Changes})
	lift()
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "versioning" {
		t.Fatalf("update: %v, failed %v; want versioning to fail alone", err, result.Failed)
	}
	awstest.WantCode(t, result.Failed[0].Err, driver.Denied)
	if got := driver.Names(w.bucket(req).Changes); !cmp.Equal(got, []string{"versioning"}) {
		t.Errorf("still differs: %v, want versioning alone", got)
	}
}

// What is not clearly absent is an error, and never Absent.
func TestBucketDoubtIsNotAbsence(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-doubt", v1alpha1.BucketParameters{})
	for kind, want := range map[localcloud.FaultKind]driver.Code{
		localcloud.Denied: driver.Denied, localcloud.Throttled: driver.Throttled,
		localcloud.ServerError: driver.Unavailable, localcloud.RequestLost: driver.Unavailable,
	} {
		t.Run(string(kind), func(t *testing.T) {
			defer w.Faults.Add(localcloud.Fault{Kind: kind})()
			seen, err := drivertest.Buckets(w.Session).Observe(t.Context(), req)
			awstest.WantCode(t, err, want)
			if seen.State != driver.Unknown {
				t.Errorf("state %v of a bucket that could not be seen", seen.State)
			}
		})
	}
}

func TestBucketOfOthers(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	name := "shop-foreign"
	theirs, _ := w.Clients(awstest.Other, awstest.Region)
	awstest.Do(t, theirs.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: s3types.BucketLocationConstraint(awstest.Region)}})
	req := awstest.BucketOf(name, v1alpha1.BucketParameters{})
	_, err := drivertest.Buckets(w.Session).Observe(t.Context(), req)
	awstest.WantCode(t, err, driver.Denied)
	_, err = drivertest.Buckets(w.Session).Create(t.Context(), req)
	awstest.WantCode(t, err, driver.Conflict)
	_, err = drivertest.Buckets(w.Session).Delete(t.Context(), req)
	awstest.WantCode(t, err, driver.Denied)
}

func TestBucketInAnotherRegion(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	name := "shop-elsewhere"
	west, _ := w.Clients(awstest.Account, "eu-west-1")
	awstest.Do(t, west.CreateBucket, &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &s3types.CreateBucketConfiguration{
		LocationConstraint: "eu-west-1"}})
	_, err := drivertest.Buckets(w.Session).Observe(t.Context(), awstest.BucketOf(name, v1alpha1.BucketParameters{}))
	awstest.WantCode(t, err, driver.Conflict)
	if err == nil || !strings.Contains(err.Error(), "eu-west-1") {
		t.Errorf("error %v does not say where the bucket is", err)
	}
}

// In us-east-1 S3 accepts the creation of a bucket that one owns, and resets its access control list.
func TestBucketIsNotCreatedAgain(t *testing.T) {
	for _, region := range []string{"us-east-1", "eu-central-1"} {
		t.Run(region, func(t *testing.T) {
			w := newEnvironmentIn(t, region, localcloud.Options{})
			req := awstest.BucketOf("shop-again", v1alpha1.BucketParameters{})
			req.Location = region
			if _, err := drivertest.Buckets(w.Session).Create(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			w.Ledger.Reset()
			_, err := drivertest.Buckets(w.Session).Create(t.Context(), req)
			awstest.WantCode(t, err, driver.Conflict)
			if region == "us-east-1" && w.Writes() != 0 {
				t.Errorf("calls %v, want no write", w.Operations())
			}
		})
	}
}

// A creation whose response was lost is seen as done by the next look.
func TestBucketCreationWithLostResponse(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-lost", v1alpha1.BucketParameters{})
	w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "CreateBucket"}, Kind: localcloud.ResponseLost, Times: 1})
	_, err := drivertest.Buckets(w.Session).Create(t.Context(), req)
	awstest.WantCode(t, err, driver.Unavailable)
	if n := w.Ledger.Count(localcloud.Filter{Operation: "CreateBucket"}); n != 1 {
		t.Errorf("%d creations were sent, want one", n)
	}
	if seen := w.bucket(req); seen.State != driver.Ready || seen.Mark != awstest.Mark {
		t.Errorf("state %v, mark %v; want our bucket", seen.State, seen.Mark)
	}
}

func TestBucketDeletion(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	name := "shop-versions"
	req := awstest.BucketOf(name, v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	w.settleBucket(req)
	for range 3 {
		awstest.Do(t, w.S3.PutObject, &s3.PutObjectInput{Bucket: &name, Key: new("a"), Body: strings.NewReader("x")})
	}
	awstest.Do(t, w.S3.DeleteObject, &s3.DeleteObjectInput{Bucket: &name, Key: new("a")})
	awstest.Do(t, w.S3.CreateMultipartUpload, &s3.CreateMultipartUploadInput{Bucket: &name, Key: new("b")})

	req.Deletion = &driver.Deletion{}
	_, err := drivertest.Buckets(w.Session).Delete(t.Context(), req)
	awstest.WantCode(t, err, driver.NotEmpty)
	if seen := w.bucket(req); seen.State != driver.Ready {
		t.Fatalf("state %v after a refused deletion", seen.State)
	}
	req.Deletion.Force = true
	for range 3 {
		if _, err := drivertest.Buckets(w.Session).Delete(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if w.bucket(req).State == driver.Absent {
			break
		}
	}
	if seen := w.bucket(req); seen.State != driver.Absent {
		t.Errorf("state %v after a forced deletion", seen.State)
	}
	if _, err := drivertest.Buckets(w.Session).Delete(t.Context(), req); err != nil {
		t.Errorf("deleting what is gone: %v", err)
	}
}

// S3 takes any words for a key, and would then refuse every object.
func TestBucketKeyOfAnotherCloud(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-key", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec.Encryption = &v1alpha1.Encryption{Key: new("projects/p1/locations/eu/keyRings/r/cryptoKeys/k")}
	w.Ledger.Reset()
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "encryption.key" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Errorf("%v, failed %v; want encryption.key alone, Invalid", err, result.Failed)
	}
	if w.Writes() != 0 {
		t.Errorf("calls %v, want no write", w.Operations())
	}
}

// What a bucket's rule says beside the key stays: it is not in the spec. S3 blocks some kinds of encryption on new buckets, too.
func TestBucketEncryptionKeepsWhatIsNotInTheSpec(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	name := "shop-blocked"
	blocked := &s3types.BlockedEncryptionTypes{EncryptionType: []s3types.EncryptionType{s3types.EncryptionTypeSseC}}
	req := awstest.BucketOf(name, v1alpha1.BucketParameters{})
	w.settleBucket(req)
	awstest.Do(t, w.S3.PutBucketEncryption, &s3.PutBucketEncryptionInput{Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{
		Rules: []s3types.ServerSideEncryptionRule{{
			ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{SSEAlgorithm: s3types.ServerSideEncryptionAes256},
			BlockedEncryptionTypes:             blocked,
		}},
	}})
	for _, encryption := range []*v1alpha1.Encryption{fullBucket.Encryption, {}} {
		req.Spec.Encryption = encryption
		w.settleBucket(req)
		out := awstest.Do(t, w.S3.GetBucketEncryption, &s3.GetBucketEncryptionInput{Bucket: &name})
		if got := out.ServerSideEncryptionConfiguration.Rules[0].BlockedEncryptionTypes; !cmp.Equal(got, blocked, cmpopts.IgnoreUnexported(s3types.BlockedEncryptionTypes{})) {
			t.Errorf("with %+v the bucket blocks %+v", encryption, got)
		}
	}
}

// What contradicts the spec for good is seen in a deletion too, without a further call: such a bucket may not be the object's.
func TestBucketContradictionInADeletion(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-elsewhere", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = fullBucket
	req.Spec.Location = new("us-east-1")
	req.Deletion = &driver.Deletion{}
	w.Ledger.Reset()
	seen := w.bucket(req)
	i := slices.IndexFunc(seen.Changes, func(c driver.Change) bool { return c.Field == "location" })
	if i < 0 || seen.Changes[i].Effect != driver.Impossible {
		t.Errorf("changes %+v, want location among them, Impossible", seen.Changes)
	}
	if calls := w.Operations(); len(calls) != 1 {
		t.Errorf("calls %v, want one", calls)
	}
}
