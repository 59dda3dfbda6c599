package s3_test

import (
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

// ruleOf returns the rule that a bucket encrypts by.
func (w *environment) ruleOf(name string) s3types.ServerSideEncryptionRule {
	return awstest.Do(w.T, w.S3.GetBucketEncryption, &s3.GetBucketEncryptionInput{Bucket: &name}).ServerSideEncryptionConfiguration.Rules[0]
}

func (w *environment) putRule(name string, rule s3types.ServerSideEncryptionRule) {
	awstest.Do(w.T, w.S3.PutBucketEncryption, &s3.PutBucketEncryptionInput{Bucket: &name,
		ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{Rules: []s3types.ServerSideEncryptionRule{rule}}})
}

// A change of one of the three keeps the other two, also where the spec does not have them.
func TestBucketEncryptionKeepsTheOtherFields(t *testing.T) {
	kms := &s3types.ServerSideEncryptionByDefault{SSEAlgorithm: s3types.ServerSideEncryptionAwsKmsDsse, KMSMasterKeyID: new("alias/theirs")}
	theirs := s3types.ServerSideEncryptionRule{
		ApplyServerSideEncryptionByDefault: kms, BucketKeyEnabled: new(true),
		BlockedEncryptionTypes: &s3types.BlockedEncryptionTypes{EncryptionType: []s3types.EncryptionType{s3types.EncryptionTypeSseC}},
	}
	for name, want := range map[string]struct {
		spec           v1alpha1.BucketParameters
		algorithm, key string
		bucketKey      bool
		blocked        s3types.EncryptionType
	}{
		"shop-own":     {spec: v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{}}, algorithm: "AES256", bucketKey: true, blocked: "SSE-C"},
		"shop-key":     {spec: v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("alias/ours")}}, algorithm: "aws:kms:dsse", key: "alias/ours", bucketKey: true, blocked: "SSE-C"},
		"shop-without": {spec: v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{BucketKey: new(false)}}, algorithm: "aws:kms:dsse", key: "alias/theirs", blocked: "SSE-C"},
		"shop-unblock": {spec: v1alpha1.BucketParameters{AWS: &v1alpha1.BucketAWS{BlockedEncryptionTypes: []string{}}}, algorithm: "aws:kms:dsse", key: "alias/theirs", bucketKey: true, blocked: "NONE"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			req := awstest.BucketOf(name, v1alpha1.BucketParameters{})
			w.settleBucket(req)
			w.putRule(name, theirs)
			req.Spec = want.spec
			w.settleBucket(req)
			rule := w.ruleOf(name)
			by := rule.ApplyServerSideEncryptionByDefault
			key := ""
			if by.KMSMasterKeyID != nil {
				key = *by.KMSMasterKeyID
			}
			got := []any{string(by.SSEAlgorithm), key, *rule.BucketKeyEnabled, rule.BlockedEncryptionTypes.EncryptionType}
			if diff := cmp.Diff([]any{want.algorithm, want.key, want.bucketKey, []s3types.EncryptionType{want.blocked}}, got); diff != "" {
				t.Errorf("the rule (-want +got):\n%s", diff)
			}
			req.Spec = v1alpha1.BucketParameters{}
			w.settleBucket(req)
			if diff := cmp.Diff(rule.BlockedEncryptionTypes.EncryptionType, w.ruleOf(name).BlockedEncryptionTypes.EncryptionType); diff != "" {
				t.Errorf("a field that is unset changed the rule:\n%s", diff)
			}
		})
	}
}

// AWS's own key of KMS is none of S3: whoever uses it needs a permission, and other accounts never have that. A rule that asks for KMS and names no key means it.
func TestManagedKeyIsNotS3s(t *testing.T) {
	for _, algorithm := range []s3types.ServerSideEncryption{s3types.ServerSideEncryptionAwsKms, s3types.ServerSideEncryptionAwsKmsDsse} {
		w := newEnvironment(t, localcloud.Options{})
		req := awstest.BucketOf("shop-managed", v1alpha1.BucketParameters{Encryption: &v1alpha1.Encryption{Key: new("alias/aws/s3")}})
		w.settleBucket(req)
		w.putRule(req.Name, s3types.ServerSideEncryptionRule{ApplyServerSideEncryptionByDefault: &s3types.ServerSideEncryptionByDefault{SSEAlgorithm: algorithm}})
		if changes := w.bucket(req).Changes; len(changes) > 0 {
			t.Errorf("%s, and the spec names the key: %+v", algorithm, changes)
		}
		req.Spec.Encryption = &v1alpha1.Encryption{}
		if changes := w.bucket(req).Changes; len(changes) != 1 || changes[0].From != "alias/aws/s3" {
			t.Errorf("%s, and the spec asks for S3's own: %+v", algorithm, changes)
		}
		w.settleBucket(req)
		if by := w.ruleOf(req.Name).ApplyServerSideEncryptionByDefault; by.SSEAlgorithm != s3types.ServerSideEncryptionAes256 {
			t.Errorf("the bucket encrypts by %s", by.SSEAlgorithm)
		}
	}
}

// A new bucket keeps what S3 blocks on it, whether the spec has the key alone or asks for just that block.
func TestNewBucketKeepsTheBlockedEncryption(t *testing.T) {
	for name, spec := range map[string]v1alpha1.BucketParameters{
		"shop-a": {Encryption: &v1alpha1.Encryption{Key: new("alias/ours")}},
		"shop-b": {AWS: &v1alpha1.BucketAWS{BucketKey: new(true)}},
		"shop-c": {AWS: &v1alpha1.BucketAWS{BlockedEncryptionTypes: []string{"SSE-C"}}},
	} {
		w := newEnvironment(t, localcloud.Options{})
		w.settleBucket(awstest.BucketOf(name, spec))
		if blocked := w.ruleOf(name).BlockedEncryptionTypes; blocked == nil || len(blocked.EncryptionType) != 1 || blocked.EncryptionType[0] != "SSE-C" {
			t.Errorf("%s blocks %+v", name, blocked)
		}
	}
}

// All of the rule is one read and one write; a new bucket of which all is known is not read.
func TestBucketEncryptionIsOneCall(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-one", v1alpha1.BucketParameters{
		Encryption: &v1alpha1.Encryption{Key: new("alias/ours")}, AWS: &v1alpha1.BucketAWS{BucketKey: new(true), BlockedEncryptionTypes: []string{}},
	})
	w.Ledger.Reset()
	if _, err := drivertest.Buckets(w.Session).Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"CreateBucket", "PutBucketEncryption"}, w.Operations()); diff != "" {
		t.Errorf("the creation (-want +got):\n%s", diff)
	}
	w.Ledger.Reset()
	if changes := w.bucket(req).Changes; len(changes) != 0 {
		t.Errorf("changes %v", changes)
	}
	if diff := cmp.Diff([]string{"GetBucketTagging", "GetBucketEncryption"}, w.Operations()); diff != "" {
		t.Errorf("the observation (-want +got):\n%s", diff)
	}
}

// A key that is refused keeps the other fields of the rule from nothing.
func TestBucketEncryptionRefusedByField(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	req := awstest.BucketOf("shop-refused", v1alpha1.BucketParameters{})
	w.settleBucket(req)
	req.Spec = v1alpha1.BucketParameters{
		Encryption: &v1alpha1.Encryption{Key: new("projects/p/locations/l/keyRings/r/cryptoKeys/k")}, AWS: &v1alpha1.BucketAWS{BucketKey: new(true), BlockedEncryptionTypes: []string{}},
	}
	result, err := drivertest.Buckets(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.bucket(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "encryption.key" || driver.CodeOf(result.Failed[0].Err) != driver.Invalid {
		t.Errorf("%v, failed %v; want encryption.key alone, Invalid", err, result.Failed)
	}
	if rule := w.ruleOf(req.Name); !*rule.BucketKeyEnabled || rule.BlockedEncryptionTypes.EncryptionType[0] != s3types.EncryptionTypeNone {
		t.Errorf("the rule is %+v", rule)
	}
}
