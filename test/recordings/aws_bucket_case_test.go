package recordings

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

// An s3Call is one call of a recorded case. The requests are not recorded. They are written here after the names of the steps and
// the tests of those who recorded them.
type s3Call struct {
	step   string // the name of the recorded answer; empty for a call that only prepares the next
	in     any    // the input of the SDK, whose type names the call
	region string // the region of the endpoint; us-east-1 unless said
}

// A prepared call is one that was made and not recorded.
func prepared(in any) s3Call { return s3Call{in: in} }

var (
	own  = new("recorded-bucket")
	none = new("recorded-no-bucket")
)

func createIn(region types.BucketLocationConstraint) *s3.CreateBucketInput {
	return &s3.CreateBucketInput{Bucket: own, CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: region}}
}

func createTagged(tags ...types.Tag) *s3.CreateBucketInput {
	return &s3.CreateBucketInput{Bucket: own, CreateBucketConfiguration: &types.CreateBucketConfiguration{Tags: append([]types.Tag{}, tags...)}}
}

func tag(key, value string) types.Tag { return types.Tag{Key: &key, Value: &value} }

func putVersioning(bucket *string, status types.BucketVersioningStatus) *s3.PutBucketVersioningInput {
	return &s3.PutBucketVersioningInput{Bucket: bucket, VersioningConfiguration: &types.VersioningConfiguration{Status: status}}
}

func putEncryption(bucket *string, rules ...types.ServerSideEncryptionRule) *s3.PutBucketEncryptionInput {
	return &s3.PutBucketEncryptionInput{Bucket: bucket,
		ServerSideEncryptionConfiguration: &types.ServerSideEncryptionConfiguration{Rules: append([]types.ServerSideEncryptionRule{}, rules...)}}
}

func encrypt(algorithm types.ServerSideEncryption, key *string, bucketKey *bool) types.ServerSideEncryptionRule {
	return types.ServerSideEncryptionRule{
		ApplyServerSideEncryptionByDefault: &types.ServerSideEncryptionByDefault{SSEAlgorithm: algorithm, KMSMasterKeyID: key}, BucketKeyEnabled: bucketKey,
	}
}

func putOwnership(rules ...types.ObjectOwnership) *s3.PutBucketOwnershipControlsInput {
	controls := &types.OwnershipControls{Rules: []types.OwnershipControlsRule{}}
	for _, r := range rules {
		controls.Rules = append(controls.Rules, types.OwnershipControlsRule{ObjectOwnership: r})
	}
	return &s3.PutBucketOwnershipControlsInput{Bucket: own, OwnershipControls: controls}
}

func putCORS(rules ...types.CORSRule) *s3.PutBucketCorsInput {
	return &s3.PutBucketCorsInput{Bucket: own, CORSConfiguration: &types.CORSConfiguration{CORSRules: rules}}
}

var (
	getCORS    = &s3.GetBucketCorsInput{Bucket: own}
	deleteCORS = &s3.DeleteBucketCorsInput{Bucket: own}
)

func createNamed(name string, region types.BucketLocationConstraint) *s3.CreateBucketInput {
	return &s3.CreateBucketInput{Bucket: &name, CreateBucketConfiguration: &types.CreateBucketConfiguration{LocationConstraint: region}}
}

func putLogging(name, target string) *s3.PutBucketLoggingInput {
	return &s3.PutBucketLoggingInput{Bucket: &name, BucketLoggingStatus: &types.BucketLoggingStatus{
		LoggingEnabled: &types.LoggingEnabled{TargetBucket: &target, TargetPrefix: new("log")},
	}}
}

var getAcceleration = &s3.GetBucketAccelerateConfigurationInput{Bucket: own}

func putAcceleration(status types.BucketAccelerateStatus) *s3.PutBucketAccelerateConfigurationInput {
	return &s3.PutBucketAccelerateConfigurationInput{Bucket: own, AccelerateConfiguration: &types.AccelerateConfiguration{Status: status}}
}

// putQueue has a queue that S3 may use get events of objects by a filter.
func putQueue(filter types.FilterRuleName) *s3.PutBucketNotificationConfigurationInput {
	return &s3.PutBucketNotificationConfigurationInput{Bucket: own, NotificationConfiguration: &types.NotificationConfiguration{QueueConfigurations: []types.QueueConfiguration{{
		Id: new("id0001"), QueueArn: new("arn:aws:sqs:us-east-1:111111111111:events"), Events: []types.Event{types.EventS3ObjectCreated},
		Filter: &types.NotificationConfigurationFilter{Key: &types.S3KeyFilter{FilterRules: []types.FilterRule{{Name: filter, Value: new("test")}}}},
	}}}}
}

func putMetrics(id, prefix string) *s3.PutBucketMetricsConfigurationInput {
	return &s3.PutBucketMetricsConfigurationInput{Bucket: own, Id: &id,
		MetricsConfiguration: &types.MetricsConfiguration{Id: &id, Filter: &types.MetricsFilterMemberPrefix{Value: prefix}}}
}

// twoPagesOfMetrics sets 102 of them, and lists the second page.
func twoPagesOfMetrics() []s3Call {
	calls := []s3Call{prepared(create)}
	for i := range 102 {
		calls = append(calls, prepared(putMetrics(fmt.Sprintf("metrics-%03d", i), "logs/prefix")))
	}
	token := base64.RawURLEncoding.EncodeToString([]byte("page:metrics-099")) // as the stand-in has it
	return append(calls, s3Call{step: "list_bucket_metrics_configurations_page_2", in: &s3.ListBucketMetricsConfigurationsInput{Bucket: own, ContinuationToken: &token}})
}

// reports is the bucket that files go to, and reportsARN its ARN.
const (
	reports    = "recorded-reports"
	reportsARN = "arn:aws:s3:::" + reports
)

// putInventory sets an inventory as most recordings have it, with a change.
func putInventory(id string, change func(*types.InventoryConfiguration)) *s3.PutBucketInventoryConfigurationInput {
	i := &types.InventoryConfiguration{Id: &id, IsEnabled: new(true), IncludedObjectVersions: "All", Schedule: &types.InventorySchedule{Frequency: "Daily"},
		Destination: &types.InventoryDestination{S3BucketDestination: &types.InventoryS3BucketDestination{Bucket: new(reportsARN), Format: "CSV"}}}
	if change != nil {
		change(i)
	}
	return &s3.PutBucketInventoryConfigurationInput{Bucket: own, Id: &id, InventoryConfiguration: i}
}

func withColumns(columns ...types.InventoryOptionalField) func(*types.InventoryConfiguration) {
	return func(i *types.InventoryConfiguration) { i.OptionalFields = columns }
}

func putAnalysis(id, inDocument, prefix string) *s3.PutBucketAnalyticsConfigurationInput {
	return &s3.PutBucketAnalyticsConfigurationInput{Bucket: own, Id: &id, AnalyticsConfiguration: &types.AnalyticsConfiguration{
		Id: &inDocument, Filter: &types.AnalyticsFilterMemberPrefix{Value: prefix},
		StorageClassAnalysis: &types.StorageClassAnalysis{DataExport: &types.StorageClassAnalysisDataExport{OutputSchemaVersion: "V_1", Destination: &types.AnalyticsExportDestination{
			S3BucketDestination: &types.AnalyticsS3BucketDestination{Format: "CSV", Bucket: new(reportsARN), Prefix: new("test")}}}}}}
}

func getAnalysis(id string) *s3.GetBucketAnalyticsConfigurationInput {
	return &s3.GetBucketAnalyticsConfigurationInput{Bucket: own, Id: &id}
}

func deleteAnalysis(id string) *s3.DeleteBucketAnalyticsConfigurationInput {
	return &s3.DeleteBucketAnalyticsConfigurationInput{Bucket: own, Id: &id}
}

func getInventory(id string) *s3.GetBucketInventoryConfigurationInput {
	return &s3.GetBucketInventoryConfigurationInput{Bucket: own, Id: &id}
}

func deleteInventory(id string) *s3.DeleteBucketInventoryConfigurationInput {
	return &s3.DeleteBucketInventoryConfigurationInput{Bucket: own, Id: &id}
}

var (
	listAnalyses    = &s3.ListBucketAnalyticsConfigurationsInput{Bucket: own}
	listInventories = &s3.ListBucketInventoryConfigurationsInput{Bucket: own}
)

func putBlocks(on bool) *s3.PutPublicAccessBlockInput {
	return &s3.PutPublicAccessBlockInput{Bucket: own, PublicAccessBlockConfiguration: &types.PublicAccessBlockConfiguration{
		BlockPublicAcls: &on, BlockPublicPolicy: &on, IgnorePublicAcls: &on, RestrictPublicBuckets: &on,
	}}
}

func putPolicy(expectedOwner *string) *s3.PutBucketPolicyInput {
	return &s3.PutBucketPolicyInput{Bucket: own, ExpectedBucketOwner: expectedOwner, Policy: new(`{"Version": "2012-10-17", "Statement": [
		{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "s3:GetObject", "Resource": "arn:aws:s3:::recorded-bucket/*"}]}`)}
}

func getPolicy(expectedOwner *string) *s3.GetBucketPolicyInput {
	return &s3.GetBucketPolicyInput{Bucket: own, ExpectedBucketOwner: expectedOwner}
}

func put(key, text string) *s3.PutObjectInput {
	return &s3.PutObjectInput{Bucket: own, Key: &key, Body: strings.NewReader(text)}
}

func putText(text string) *s3.PutObjectInput { return put("test-delete-suspended", text) }

var create = &s3.CreateBucketInput{Bucket: own}

// kmsKey is the id of a customer's key.
const kmsKey = "0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"

// s3Cases are the recorded cases whose calls the stand-in knows.
var s3Cases = map[string][]s3Call{
	"test_bucket_does_not_exist": {{step: "list_object", in: &s3.ListObjectsV2Input{Bucket: none}}},
	"test_bucket_exists": {
		prepared(create), prepared(putCORS(types.CORSRule{AllowedMethods: []string{"GET", "POST", "PUT", "DELETE"}, AllowedOrigins: []string{"localhost"}})),
		{step: "get-bucket-cors", in: getCORS},
		{step: "get-bucket-acl", in: &s3.GetBucketAclInput{Bucket: own}},
		{step: "get-bucket-not-exists", in: &s3.GetBucketAclInput{Bucket: new("bucket-not-exists")}},
	},
	"test_put_bucket_logging_cross_locations": {
		prepared(create),
		{in: createNamed("recorded-logs", "eu-west-1"), region: "eu-west-1"},
		{step: "put-bucket-logging-cross-us-east-1", in: putLogging("recorded-bucket", "recorded-logs")},
		{in: createNamed("recorded-west", "us-west-2"), region: "us-west-2"},
		{step: "put-bucket-logging-different-regions", in: putLogging("recorded-west", "recorded-logs"), region: "us-west-2"},
	},
	"test_bucket_acceleration_configuration_crud": {
		prepared(create),
		{step: "get-bucket-default-accelerate-config", in: getAcceleration},
		{step: "put-bucket-accelerate-config-enabled", in: putAcceleration("Enabled")},
		{step: "get-bucket-accelerate-config-enabled", in: getAcceleration},
		{step: "put-bucket-accelerate-config-disabled", in: putAcceleration("Suspended")},
		{step: "get-bucket-accelerate-config-disabled", in: getAcceleration},
	},
	"test_bucket_notification_with_invalid_filter_rules": {
		prepared(create), {step: "invalid_filter_name", in: putQueue("INVALID")},
	},
	"test_get_bucket_metrics_configuration": {
		prepared(create), prepared(putMetrics("ours", "logs/")),
		{step: "get_bucket_metrics_configuration", in: &s3.GetBucketMetricsConfigurationInput{Bucket: own, Id: new("ours")}},
	},
	"test_s3_analytics_configurations": {
		prepared(create), prepared(createNamed(reports, "")),
		{step: "put_config_with_storage_analysis_err", in: putAnalysis("different-id", "config_with_storage_analysis_1", "test_ls")},
		{step: "get_config_with_storage_analysis_err", in: getAnalysis("different-id")},
		{step: "delete_config_with_storage_analysis_err", in: deleteAnalysis("different-id")},
		{step: "put_config_with_storage_analysis_1", in: putAnalysis("config_with_storage_analysis_1", "config_with_storage_analysis_1", "test_ls")},
		{step: "get_config_with_storage_analysis_1", in: getAnalysis("config_with_storage_analysis_1")},
		prepared(putAnalysis("config_with_storage_analysis_1", "config_with_storage_analysis_1", "test_ls_2")),
		{step: "get_config_with_storage_analysis_2", in: getAnalysis("config_with_storage_analysis_1")},
		prepared(putAnalysis("config_with_storage_analysis_2", "config_with_storage_analysis_2", "test_ls_3")),
		{step: "get_config_with_storage_analysis_3", in: getAnalysis("config_with_storage_analysis_2")},
		{step: "list_config_with_storage_analysis_1", in: listAnalyses},
		prepared(deleteAnalysis("config_with_storage_analysis_2")),
		{step: "list_config_with_storage_analysis_2", in: listAnalyses},
	},
	"test_put_bucket_inventory_config_order": {
		prepared(create), prepared(createNamed(reports, "")),
		prepared(putInventory("test-1", nil)), prepared(putInventory("z-test", nil)), prepared(putInventory("a-test", nil)),
		{step: "list-inventory-config", in: listInventories},
		{step: "del-inventory-config", in: deleteInventory("z-test")},
		{step: "list-inventory-config-after-del", in: listInventories},
	},
	"test_s3_inventory_report_crud": {
		prepared(create), prepared(createNamed(reports, "")),
		{step: "put-inventory-config", in: putInventory("test-inventory", withColumns("Size", "ETag"))},
		{step: "list-inventory-config", in: listInventories},
		{step: "get-inventory-config", in: getInventory("test-inventory")},
		{step: "del-inventory-config", in: deleteInventory("test-inventory")},
		{step: "list-inventory-config-after-del", in: listInventories},
		{step: "get-nonexistent-inv-config", in: getInventory("test-inventory")},
	},
	"test_s3_put_inventory_report_exceptions": {
		prepared(create), prepared(createNamed(reports, "")),
		{step: "wrong-id", in: putInventory("test-inventory", func(i *types.InventoryConfiguration) { i.Id = new("wrong") })},
		{step: "wrong-destination-arn", in: putInventory("test-inventory", func(i *types.InventoryConfiguration) { i.Destination.S3BucketDestination.Bucket = new(reports) })},
		{step: "wrong-destination-format", in: putInventory("test-inventory", func(i *types.InventoryConfiguration) { i.Destination.S3BucketDestination.Format = "WRONG" })},
		{step: "wrong-schedule-frequency", in: putInventory("test-inventory", func(i *types.InventoryConfiguration) { i.Schedule.Frequency = "Hourly" })},
		{step: "wrong-object-versions", in: putInventory("test-inventory", func(i *types.InventoryConfiguration) { i.IncludedObjectVersions = "Wrong" })},
		{step: "wrong-optional-field", in: putInventory("test-inventory", withColumns("Wrong"))},
	},
	"test_put_bucket_metrics_configuration": {
		prepared(create), {step: "put_bucket_metrics_configuration", in: putMetrics("ours", "logs/")},
		{step: "get_bucket_metrics_configuration", in: &s3.GetBucketMetricsConfigurationInput{Bucket: own, Id: new("ours")}},
	},
	"test_list_bucket_metrics_configurations_paginated": twoPagesOfMetrics(),
	"test_bucket_operation_between_regions": {
		prepared(create),
		{step: "put-website-config-region-1", in: &s3.PutBucketWebsiteInput{Bucket: own, WebsiteConfiguration: &types.WebsiteConfiguration{IndexDocument: &types.IndexDocument{Suffix: new("index.html")}}}},
		{step: "get-website-config-region-2", in: &s3.GetBucketWebsiteInput{Bucket: own}},
		{step: "put-cors-config-region-1", in: putCORS(types.CORSRule{AllowedMethods: []string{"GET"}, AllowedOrigins: []string{"*"}})},
		{step: "get-cors-config-region-2", in: getCORS},
	},
	"test_cors_match_headers": {
		prepared(create),
		prepared(putCORS(types.CORSRule{
			AllowedHeaders: []string{"x-amz-expected-bucket-owner", "x-amz-server-side-encryption-customer-algorithm", "x-AMZ-server-SIDE-encryption"},
			AllowedMethods: []string{"GET"}, AllowedOrigins: []string{"https://localhost:4200"}, MaxAgeSeconds: new(int32(3000)),
		})),
		{step: "get-bucket-cors-casing", in: getCORS},
	},
	"test_delete_cors": {
		prepared(create),
		{step: "delete-cors-before-set", in: deleteCORS},
		{step: "put-cors", in: putCORS(types.CORSRule{AllowedMethods: []string{"GET"}, AllowedOrigins: []string{"*"}})},
		{step: "get-cors", in: getCORS},
		{step: "delete-cors", in: deleteCORS},
		{step: "get-cors-deleted", in: getCORS},
	},
	"test_put_cors_empty_origin": {
		prepared(create), prepared(putCORS(types.CORSRule{AllowedMethods: []string{"GET", "PUT", "HEAD"}, AllowedOrigins: []string{""}})),
		{step: "get-cors-empty", in: getCORS},
	},
	"test_bucket_ownership_controls_exc": {
		prepared(create),
		{step: "default-ownership", in: &s3.GetBucketOwnershipControlsInput{Bucket: own}},
		{step: "put-ownership-multiple-rules", in: putOwnership("BucketOwnerPreferred", "ObjectWriter")},
		{step: "put-ownership-wrong-value", in: putOwnership("RandomValue")},
		{step: "put-ownership-empty-rule", in: putOwnership()},
		{step: "ownership-wrong-value-at-creation", in: &s3.CreateBucketInput{Bucket: none, ObjectOwnership: "RandomValue"}},
	},
	"test_bucket_policy_crud": {
		prepared(create), prepared(&s3.DeletePublicAccessBlockInput{Bucket: own}),
		{step: "get-bucket-default-policy", in: getPolicy(nil)},
		{step: "put-bucket-policy", in: putPolicy(nil)},
		{step: "get-bucket-policy", in: getPolicy(nil)},
		{step: "delete-bucket-policy", in: &s3.DeleteBucketPolicyInput{Bucket: own}},
		{step: "get-bucket-policy-after-delete", in: getPolicy(nil)},
		{step: "delete-bucket-policy-after-delete", in: &s3.DeleteBucketPolicyInput{Bucket: own}},
	},
	"test_bucket_tagging_exc": {
		{step: "get-no-bucket-tags", in: &s3.GetBucketTaggingInput{Bucket: none}},
		{step: "delete-no-bucket-tags", in: &s3.DeleteBucketTaggingInput{Bucket: none}},
		{step: "put-no-bucket-tags", in: &s3.PutBucketTaggingInput{Bucket: none, Tagging: &types.Tagging{TagSet: []types.Tag{}}}},
	},
	"test_bucket_versioning_crud": {
		prepared(create),
		{step: "get-versioning-before", in: &s3.GetBucketVersioningInput{Bucket: own}},
		{step: "put-versioning-suspended-before", in: putVersioning(own, "Suspended")},
		{step: "get-versioning-after-suspended", in: &s3.GetBucketVersioningInput{Bucket: own}},
		{step: "put-versioning-enabled-lowercase", in: putVersioning(own, "enabled")},
		{step: "put-versioning-enabled-capitalized", in: putVersioning(own, "Enabled")},
		{step: "get-versioning-after-enabled", in: &s3.GetBucketVersioningInput{Bucket: own}},
		{step: "put-versioning-suspended-after", in: putVersioning(own, "Suspended")},
		{step: "put-versioning-disabled", in: putVersioning(own, "Disabled")},
		{step: "put-versioning-empty", in: putVersioning(own, "")},
		{step: "put-versioning-no-bucket", in: putVersioning(none, "Suspended")},
		{step: "get-versioning-no-bucket", in: &s3.GetBucketVersioningInput{Bucket: none}},
	},
	"test_bucket_constraint_aws_global[us-west-1]": {{step: "aws-global-constraint", in: createIn("aws-global"), region: "us-west-1"}},
	"test_copy_in_place_with_bucket_encryption": {
		prepared(create),
		{step: "put-bucket-encryption", in: putEncryption(own, encrypt("aws:kms", nil, new(true)))},
	},
	"test_create_bucket_aws_global": {
		{step: "create-bucket-global", in: create},
		{step: "head-bucket-global", in: &s3.HeadBucketInput{Bucket: own}},
		{step: "get-location-1", in: &s3.GetBucketLocationInput{Bucket: own}},
		{step: "list-buckets", in: &s3.ListBucketsInput{Prefix: own}},
	},
	"test_create_bucket_head_bucket": {
		{step: "create_bucket", in: create},
		{step: "head_bucket", in: &s3.HeadBucketInput{Bucket: own}},
		prepared(&s3.DeleteBucketInput{Bucket: own}),
		{step: "create_bucket_location_constraint", in: createIn("us-west-1")},
		{step: "head_bucket_2", in: &s3.HeadBucketInput{Bucket: own}, region: "us-west-1"},
		{step: "head_bucket_not_exist", in: &s3.HeadBucketInput{Bucket: none}},
	},
	"test_create_bucket_with_empty_tags": {
		{step: "create-bucket-with-empty-tags", in: createTagged()},
		{step: "get-bucket-tags", in: &s3.GetBucketTaggingInput{Bucket: own}},
		{step: "create-bucket-with-none-tags", in: create},
	},
	"test_create_bucket_with_eu_location_constraint": {
		{in: createIn("EU"), region: "eu-west-1"},
		{step: "get-bucket-location", in: &s3.GetBucketLocationInput{Bucket: own}, region: "eu-west-1"},
		{step: "list-bucket-response", in: &s3.ListBucketsInput{Prefix: own}, region: "eu-west-1"},
	},
	"test_create_bucket_with_eu_location_constraint_raises": {{step: "eu-location-constraint-error", in: createIn("EU"), region: "us-east-2"}},
	"test_create_bucket_with_existing_name": {
		{in: createIn("us-west-1"), region: "us-west-1"},
		{step: "create-bucket-us-west-1", in: createIn("us-west-1"), region: "us-west-1"},
		{step: "create-bucket-us-east-2", in: createIn("us-east-2"), region: "us-east-2"},
	},
	"test_create_bucket_with_invalid_location_constraint[eu-west-1-bar]": {
		{step: "eu-west-1-location-constraint-bar-error", in: createIn("bar"), region: "eu-west-1"},
	},
	"test_create_bucket_with_invalid_location_constraint[us-east-1-foo]":       {{step: "us-east-1-location-constraint-foo-error", in: createIn("foo")}},
	"test_create_bucket_with_invalid_location_constraint[us-east-1-us-east-1]": {{step: "us-east-1-location-constraint-us-east-1-error", in: createIn("us-east-1")}},
	"test_create_bucket_with_tags": {
		{step: "create-bucket-with-tags", in: createTagged(tag("tag1", "value1"))},
		{step: "get-bucket-tags", in: &s3.GetBucketTaggingInput{Bucket: own}},
	},
	"test_create_bucket_with_tags_exc": {
		{step: "tags-key-none", in: createTagged(types.Tag{Value: new("value")})},
		{step: "tags-value-none", in: createTagged(types.Tag{Key: new("test")})},
		{step: "tags-key-aws-prefix", in: createTagged(tag("aws:test", "value"))},
		{step: "tags-key-aws-duplicated-key", in: createTagged(tag("test", "value"), tag("test", "value"))},
		{step: "tags-key-aws-bad-value", in: createTagged(tag("test", "value1,value2"))},
		{step: "tags-key-aws-bad-key", in: createTagged(tag("test,test2", "value1"))},
	},
	"test_create_bucket_with_tags_us_east_1_idempotency": {
		{step: "create-bucket-with-tags", in: createTagged(tag("tag1", "value1"))},
		{step: "get-bucket-tags", in: &s3.GetBucketTaggingInput{Bucket: own}},
		{step: "create-bucket-different-tags", in: createTagged(tag("tag2", "value2"))},
		{step: "create-bucket-with-no-tags", in: create},
		{step: "get-bucket-tags-after-re-create", in: &s3.GetBucketTaggingInput{Bucket: own}},
		{step: "create-bucket-with-same-tags", in: createTagged(tag("tag1", "value1"))},
		{step: "create-bucket-with-empty-tags", in: createTagged()},
		{step: "get-bucket-tags-after-create-empty", in: &s3.GetBucketTaggingInput{Bucket: own}},
	},
	"test_crud_public_access_block": {
		prepared(create),
		{step: "get-default-public-access-block", in: &s3.GetPublicAccessBlockInput{Bucket: own}},
		{step: "put-public-access-block", in: putBlocks(false)},
		{step: "get-public-access-block", in: &s3.GetPublicAccessBlockInput{Bucket: own}},
		{step: "delete-public-access-block", in: &s3.DeletePublicAccessBlockInput{Bucket: own}},
		{step: "get-public-access-block-after-delete", in: &s3.GetPublicAccessBlockInput{Bucket: own}},
		{step: "idempotent-delete-public-access-block", in: &s3.DeletePublicAccessBlockInput{Bucket: own}},
	},
	"test_delete_bucket_policy": {
		prepared(create), prepared(&s3.DeletePublicAccessBlockInput{Bucket: own}), prepared(putPolicy(nil)),
		{step: "delete-bucket-policy", in: &s3.DeleteBucketPolicyInput{Bucket: own}},
		{step: "get-bucket-policy-no-such-bucket-policy", in: getPolicy(nil)},
	},
	"test_delete_bucket_with_content": {
		prepared(create),
		{step: "list-buckets", in: &s3.ListBucketsInput{}},
	},
	"test_delete_bucket_with_objects": {
		prepared(create), prepared(put("test-delete", "test-delete")),
		{step: "delete-with-obj", in: &s3.DeleteBucketInput{Bucket: own}},
		{step: "delete-obj", in: &s3.DeleteObjectInput{Bucket: own, Key: new("test-delete")}},
		{step: "delete-bucket", in: &s3.DeleteBucketInput{Bucket: own}},
	},
	"test_delete_non_existing_keys_in_non_existing_bucket": {
		{step: "error-non-existent-bucket", in: &s3.DeleteObjectsInput{Bucket: none, Delete: &types.Delete{Objects: []types.ObjectIdentifier{{Key: new("dummy1")}, {Key: new("dummy2")}}}}},
	},
	"test_delete_object_on_suspended_bucket": {
		prepared(create), prepared(putVersioning(own, "Enabled")),
		{step: "put-object-0", in: putText("test-version-0")},
		{step: "put-object-1", in: putText("test-version-1")},
		prepared(putVersioning(own, "Suspended")),
		{step: "list-suspended", in: &s3.ListObjectVersionsInput{Bucket: own, EncodingType: "url"}},
		{step: "delete-object-no-version", in: &s3.DeleteObjectInput{Bucket: own, Key: new("test-delete-suspended")}},
		{step: "list-suspended-delete", in: &s3.ListObjectVersionsInput{Bucket: own, EncodingType: "url"}},
		{step: "put-object-suspended", in: putText("test-version-suspended-after-delete")},
		{step: "list-suspended-put", in: &s3.ListObjectVersionsInput{Bucket: own, EncodingType: "url"}},
		{step: "delete-object-no-version-after-put", in: &s3.DeleteObjectInput{Bucket: own, Key: new("test-delete-suspended")}},
		{step: "list-suspended-after-put", in: &s3.ListObjectVersionsInput{Bucket: own, EncodingType: "url"}},
	},
	"test_disable_versioning_on_locked_bucket": {
		prepared(&s3.CreateBucketInput{Bucket: own, ObjectLockEnabledForBucket: new(true)}),
		{step: "disable-versioning-on-locked-bucket", in: putVersioning(own, "Suspended")},
		{step: "enable-versioning-again-on-locked-bucket", in: putVersioning(own, "Enabled")},
	},
	"test_empty_bucket_fixture": {
		prepared(create),
		{step: "list-obj-after-empty", in: &s3.ListObjectsV2Input{Bucket: own, EncodingType: "url"}},
	},
	"test_get_bucket_policy_invalid_account_id[0000000000020]": {prepared(create), {step: "get-bucket-policy-invalid-bucket-owner", in: getPolicy(new("0000000000020"))}},
	"test_get_bucket_policy_invalid_account_id[abcd]":          {prepared(create), {step: "get-bucket-policy-invalid-bucket-owner", in: getPolicy(new("abcd"))}},
	"test_put_bucket_policy": {
		prepared(create), prepared(&s3.DeletePublicAccessBlockInput{Bucket: own}),
		{step: "put-bucket-policy", in: putPolicy(nil)},
		{step: "get-bucket-policy", in: getPolicy(nil)},
	},
	"test_put_bucket_policy_expected_bucket_owner": {
		prepared(create), prepared(&s3.DeletePublicAccessBlockInput{Bucket: own}),
		{step: "put-bucket-policy-with-expected-bucket-owner-error", in: putPolicy(new("000000000002"))},
		{step: "put-bucket-policy-with-expected-bucket-owner", in: putPolicy(new(recordedAccount))},
	},
	"test_put_bucket_policy_invalid_account_id[0000000000020]": {prepared(create), {step: "put-bucket-policy-invalid-bucket-owner", in: putPolicy(new("0000000000020"))}},
	"test_put_bucket_policy_invalid_account_id[0000]":          {prepared(create), {step: "put-bucket-policy-invalid-bucket-owner", in: putPolicy(new("0000"))}},
	"test_put_bucket_tagging_none_value": {
		prepared(create),
		{step: "put-bucket-tags-origin", in: &s3.PutBucketTaggingInput{Bucket: own, Tagging: &types.Tagging{TagSet: []types.Tag{tag("test", "value")}}}},
		{step: "put-none-tag-set", in: &s3.PutBucketTaggingInput{Bucket: own, Tagging: &types.Tagging{TagSet: []types.Tag{}}}},
		{step: "no-such-tag-set", in: &s3.GetBucketTaggingInput{Bucket: own}},
	},
	"test_s3_bucket_encryption_sse_kms": {
		prepared(create),
		{step: "put-bucket-enc", in: putEncryption(own, encrypt("aws:kms", new(kmsKey), new(true)))},
		{step: "get-bucket-enc", in: &s3.GetBucketEncryptionInput{Bucket: own}},
		{step: "put-bucket-enc-bucket-key-disabled", in: putEncryption(own, encrypt("aws:kms", new(kmsKey), new(false)))},
	},
	"test_s3_bucket_encryption_sse_kms_aws_managed_key": {
		prepared(create),
		{step: "put-bucket-enc", in: putEncryption(own, encrypt("aws:kms", nil, new(true)))},
		{step: "get-bucket-enc", in: &s3.GetBucketEncryptionInput{Bucket: own}},
	},
	"test_s3_default_bucket_encryption": {
		prepared(create),
		{step: "default-bucket-encryption", in: &s3.GetBucketEncryptionInput{Bucket: own}},
		{step: "delete-bucket-encryption", in: &s3.DeleteBucketEncryptionInput{Bucket: own}},
		{step: "delete-bucket-encryption-idempotent", in: &s3.DeleteBucketEncryptionInput{Bucket: own}},
		{step: "get-bucket-no-encryption", in: &s3.GetBucketVersioningInput{Bucket: own}}, // so it is, in spite of its name
	},
	"test_s3_default_bucket_encryption_exc": {
		prepared(create),
		{step: "get-bucket-enc-no-bucket", in: &s3.GetBucketEncryptionInput{Bucket: none}},
		{step: "delete-bucket-enc-no-bucket", in: &s3.DeleteBucketEncryptionInput{Bucket: none}},
		{step: "put-bucket-enc-no-bucket", in: putEncryption(none)},
		{step: "put-bucket-encryption-no-rules", in: putEncryption(own)},
		{step: "put-bucket-encryption-two-rules", in: putEncryption(own, encrypt("aws:kms", nil, new(true)), encrypt("AES256", nil, nil))},
		{step: "put-bucket-encryption-kms-with-aes", in: putEncryption(own, encrypt("AES256", new("randomkeyid"), nil))},
	},
	"test_s3_sse_bucket_key_default": {
		prepared(create),
		{step: "put-bucket-encryption", in: putEncryption(own, encrypt("aws:kms", new(kmsKey), new(true)))},
		{step: "get-bucket-encryption", in: &s3.GetBucketEncryptionInput{Bucket: own}},
	},
}
