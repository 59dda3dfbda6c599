package fieldedit

import (
	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

type s3Copy = v1alpha1.ReplicationRuleAWS

// Roles by which S3 copies.
const (
	copyRole      = "arn:aws:iam::111111111111:role/shop-replication"
	otherCopyRole = "arn:aws:iam::111111111111:role/other-replication"
	copyKey       = "arn:aws:kms:eu-west-1:111111111111:key/" + awsKey
)

// s3Copies are what S3 copies. Others may own rules, which have other names.
func s3Copies() []s3Copy {
	return []s3Copy{
		{Name: "photos", Priority: new(int32(1)), Prefix: new("photos/"), Bucket: "shop-copies", KMSEncryptedObjects: new(true), EncryptionKey: new(copyKey),
			DeleteMarkers: new(true), StorageClass: new("STANDARD_IA"), ReplicationTime: new(true)},
		{Name: "tagged", Priority: new(int32(2)), Tags: map[string]v1alpha1.TagValue{"keep": "yes", "team": "shop"}, Bucket: "other-copies",
			AccountID: new("222222222222"), OwnerOverride: new(true)},
	}
}

// s3ReplicationFields are the edits of what S3 copies. No bucket has its versioning suspended while it copies, so they have a document of their own.
func s3ReplicationFields() []drivertest.Field {
	given := map[string]any{"aws.replication.role": copyRole, "aws.replication.rules": s3Copies()}
	same := s3Copies()
	same[0].Enabled, same[0].Metrics, same[0].ReplicaModifications = new(true), new(true), new(false)
	same[1].DeleteMarkers, same[1].Metrics, same[1].KMSEncryptedObjects = new(false), new(false), new(false)
	return []drivertest.Field{
		{Name: "aws.replication.role", To: otherCopyRole, Given: given, With: "aws.replication.rules", Dependents: []string{"aws.replication.rules"}, ReadWith: []string{"aws.replication.rules"}},
		{Name: "aws.replication.rules", Given: given, Member: nameOf, Together: []string{"aws.replication.role"}, ReadWith: []string{"aws.replication.role"}, To: []s3Copy{
			{Name: "photos", Priority: new(int32(3)), Enabled: new(false), Bucket: "other-copies", ReplicaModifications: new(true), Metrics: new(true)},
			{Name: "tagged", Priority: new(int32(2)), Prefix: new("a/"), Tags: map[string]v1alpha1.TagValue{"keep": "yes"}, Bucket: "other-copies",
				KMSEncryptedObjects: new(false), EncryptionKey: new(copyKey)},
		}, Same: []any{same}},
	}
}
