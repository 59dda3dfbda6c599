package system

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// setRule changes a field of the rule that a bucket encrypts by, and keeps the others.
func (a *awsBuckets) setRule(t testing.TB, name, field string, value any) {
	t.Helper()
	rule := call(t, a.s3.GetBucketEncryption, &s3.GetBucketEncryptionInput{Bucket: &name}).ServerSideEncryptionConfiguration.Rules[0]
	switch field {
	case "aws.bucketKey":
		rule.BucketKeyEnabled = new(value.(bool))
	case "aws.blockedEncryptionTypes":
		rule.BlockedEncryptionTypes = &s3types.BlockedEncryptionTypes{}
		for _, sort := range value.([]string) {
			rule.BlockedEncryptionTypes.EncryptionType = append(rule.BlockedEncryptionTypes.EncryptionType, s3types.EncryptionType(sort))
		}
	}
	call(t, a.s3.PutBucketEncryption, &s3.PutBucketEncryptionInput{
		Bucket: &name, ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{Rules: []s3types.ServerSideEncryptionRule{rule}},
	})
}
