package aws_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/test/awstest"
)

// editEncryption edits one field of a bucket's rule, and keeps the others.
func (b *backdoor) editEncryption(t testing.TB, name, f string, value any) {
	rule := awstest.Do(t, b.S3.GetBucketEncryption, &s3.GetBucketEncryptionInput{Bucket: &name}).ServerSideEncryptionConfiguration.Rules[0]
	switch f {
	case "encryption.key":
		rule.ApplyServerSideEncryptionByDefault = &s3types.ServerSideEncryptionByDefault{SSEAlgorithm: s3types.ServerSideEncryptionAwsKms, KMSMasterKeyID: new(value.(string))}
	case "aws.bucketKey":
		rule.BucketKeyEnabled = new(value.(bool))
	case "aws.blockedEncryptionTypes":
		rule.BlockedEncryptionTypes = &s3types.BlockedEncryptionTypes{EncryptionType: []s3types.EncryptionType{s3types.EncryptionTypeNone}}
		if len(value.([]string)) > 0 {
			rule.BlockedEncryptionTypes.EncryptionType = []s3types.EncryptionType{s3types.EncryptionTypeSseC}
		}
	}
	awstest.Do(t, b.S3.PutBucketEncryption, &s3.PutBucketEncryptionInput{Bucket: &name,
		ServerSideEncryptionConfiguration: &s3types.ServerSideEncryptionConfiguration{Rules: []s3types.ServerSideEncryptionRule{rule}}})
}

// editLifecycle is how somebody else sets rules: with one condition of a filter in an element that may hold several, and classes by S3's own names.
func (b *backdoor) editLifecycle(t testing.TB, name string, want []v1alpha1.LifecycleRule) {
	exact := func(c v1alpha1.LifecycleStorageClass) s3types.TransitionStorageClass {
		if own := map[v1alpha1.LifecycleStorageClass]s3types.TransitionStorageClass{"Infrequent": "STANDARD_IA", "Cold": "GLACIER_IR", "Archive": "GLACIER"}[c]; own != "" {
			return own
		}
		return s3types.TransitionStorageClass(c)
	}
	rules := []s3types.LifecycleRule{}
	for _, r := range want {
		rule := s3types.LifecycleRule{ID: &r.Name, Status: "Enabled", Filter: &s3types.LifecycleRuleFilter{}}
		if r.Prefix != nil {
			rule.Filter.And = &s3types.LifecycleRuleAndOperator{Prefix: r.Prefix}
		}
		if r.ExpireAfterDays != nil {
			rule.Expiration = &s3types.LifecycleExpiration{Days: r.ExpireAfterDays}
		}
		for _, m := range r.Transitions {
			rule.Transitions = append(rule.Transitions, s3types.Transition{Days: m.AfterDays, StorageClass: exact(m.StorageClass)})
		}
		if old := r.NoncurrentVersions; old != nil {
			if old.ExpireAfterDays != nil {
				rule.NoncurrentVersionExpiration = &s3types.NoncurrentVersionExpiration{NoncurrentDays: old.ExpireAfterDays, NewerNoncurrentVersions: old.Keep}
			}
			for _, m := range old.Transitions {
				rule.NoncurrentVersionTransitions = append(rule.NoncurrentVersionTransitions, s3types.NoncurrentVersionTransition{NoncurrentDays: m.AfterDays, StorageClass: exact(m.StorageClass)})
			}
		}
		if r.AbortUploadsAfterDays != nil {
			rule.AbortIncompleteMultipartUpload = &s3types.AbortIncompleteMultipartUpload{DaysAfterInitiation: r.AbortUploadsAfterDays}
		}
		rules = append(rules, rule)
	}
	awstest.Do(t, b.S3.PutBucketLifecycleConfiguration, &s3.PutBucketLifecycleConfigurationInput{Bucket: &name,
		LifecycleConfiguration: &s3types.BucketLifecycleConfiguration{Rules: rules}})
}

// editLogging edits one field of where the logs go, and keeps the other.
func (b *backdoor) editLogging(t testing.TB, name, f, value string) {
	logs := &s3types.LoggingEnabled{TargetBucket: new("access-logs-" + awstest.Region), TargetPrefix: new("")}
	if was := awstest.Do(t, b.S3.GetBucketLogging, &s3.GetBucketLoggingInput{Bucket: &name}).LoggingEnabled; was != nil {
		logs = was
	}
	if f == "logging.bucket" {
		logs.TargetBucket = &value
	} else {
		logs.TargetPrefix = &value
	}
	awstest.Do(t, b.S3.PutBucketLogging, &s3.PutBucketLoggingInput{Bucket: &name, BucketLoggingStatus: &s3types.BucketLoggingStatus{LoggingEnabled: logs}})
}

// editNamed makes the configurations of a sort what somebody else wants, one by one.
func (b *backdoor) editNamed(t testing.TB, name, f string, value any) {
	t.Helper()
	var names []string
	for _, entry := range reflect.ValueOf(value).Seq2() {
		names = append(names, entry.FieldByName("Name").String())
		awstest.NamedSorts[f].Put(t, b.S3, name, entry.Interface())
	}
	for _, there := range awstest.NamedSorts[f].List(t, b.S3, name) {
		if !slices.Contains(names, there) {
			awstest.NamedSorts[f].Remove(t, b.S3, name, there)
		}
	}
}

// editNotifications edits one field, and keeps the others. It writes the names of filters in lower case, as some tools do.
func (b *backdoor) editNotifications(t testing.TB, name, f string, value any) {
	document := awstest.NotificationsOf(t, b.S3, name)
	if f == "aws.notifications.eventBridge" {
		if document.EventBridgeConfiguration = nil; value.(bool) {
			document.EventBridgeConfiguration = &s3types.EventBridgeConfiguration{}
		}
		awstest.PutNotifications(t, b.S3, name, document)
		return
	}
	var queues []s3types.QueueConfiguration
	var topics []s3types.TopicConfiguration
	var functions []s3types.LambdaFunctionConfiguration
	for _, n := range value.([]v1alpha1.BucketNotificationAWS) {
		filter := &s3types.NotificationConfigurationFilter{Key: &s3types.S3KeyFilter{}}
		for rule, value := range map[s3types.FilterRuleName]*string{"prefix": n.Prefix, "suffix": n.Suffix} {
			if value != nil {
				filter.Key.FilterRules = append(filter.Key.FilterRules, s3types.FilterRule{Name: rule, Value: value})
			}
		}
		var events []s3types.Event
		for _, event := range n.Events {
			events = append(events, s3types.Event(event))
		}
		queues = append(queues, s3types.QueueConfiguration{Id: &n.Name, QueueArn: &n.ARN, Events: events, Filter: filter})
		topics = append(topics, s3types.TopicConfiguration{Id: &n.Name, TopicArn: &n.ARN, Events: events, Filter: filter})
		functions = append(functions, s3types.LambdaFunctionConfiguration{Id: &n.Name, LambdaFunctionArn: &n.ARN, Events: events, Filter: filter})
	}
	switch f {
	case "aws.notifications.queues":
		document.QueueConfigurations = queues
	case "aws.notifications.topics":
		document.TopicConfigurations = topics
	default:
		document.LambdaFunctionConfigurations = functions
	}
	awstest.PutNotifications(t, b.S3, name, document)
}

// editReplication edits one field, and keeps the other. It says all that S3 has a default for, as the console does.
func (b *backdoor) editReplication(t testing.TB, name, f string, value any) {
	document := awstest.ReplicationOf(t, b.S3, name)
	if f == "aws.replication.role" {
		awstest.PutReplication(t, b.S3, name, value.(string), document.Rules...)
		return
	}
	var rules []s3types.ReplicationRule
	on := func(is *bool) string {
		if is != nil && *is {
			return "Enabled"
		}
		return "Disabled"
	}
	for _, r := range value.([]v1alpha1.ReplicationRuleAWS) {
		to := &s3types.Destination{Bucket: new("arn:aws:s3:::" + r.Bucket), Account: r.AccountID, Metrics: &s3types.Metrics{Status: s3types.MetricsStatus(on(r.Metrics))}}
		rule := s3types.ReplicationRule{ID: &r.Name, Priority: r.Priority, Status: "Enabled", Filter: &s3types.ReplicationRuleFilter{}, Destination: to,
			DeleteMarkerReplication: &s3types.DeleteMarkerReplication{Status: s3types.DeleteMarkerReplicationStatus(on(r.DeleteMarkers))},
			SourceSelectionCriteria: &s3types.SourceSelectionCriteria{ReplicaModifications: &s3types.ReplicaModifications{Status: s3types.ReplicaModificationsStatus(on(r.ReplicaModifications))}}}
		if r.Enabled != nil {
			rule.Status = s3types.ReplicationRuleStatus(on(r.Enabled))
		}
		if r.StorageClass != nil {
			to.StorageClass = s3types.StorageClass(*r.StorageClass)
		}
		if r.EncryptionKey != nil {
			to.EncryptionConfiguration = &s3types.EncryptionConfiguration{ReplicaKmsKeyID: r.EncryptionKey}
			rule.SourceSelectionCriteria.SseKmsEncryptedObjects = &s3types.SseKmsEncryptedObjects{Status: s3types.SseKmsEncryptedObjectsStatus(on(r.KMSEncryptedObjects))}
		}
		if r.OwnerOverride != nil && *r.OwnerOverride {
			to.AccessControlTranslation = &s3types.AccessControlTranslation{Owner: "Destination"}
		}
		if r.ReplicationTime != nil && *r.ReplicationTime {
			minutes := &s3types.ReplicationTimeValue{Minutes: new(int32(15))}
			to.ReplicationTime, to.Metrics = &s3types.ReplicationTime{Status: "Enabled", Time: minutes}, &s3types.Metrics{Status: "Enabled", EventThreshold: minutes}
		}
		var tags []s3types.Tag
		for key, value := range r.Tags {
			tags = append(tags, s3types.Tag{Key: &key, Value: new(string(value))})
		}
		switch {
		case len(tags) > 0:
			rule.Filter.And = &s3types.ReplicationRuleAndOperator{Prefix: new(""), Tags: tags}
			if r.Prefix != nil {
				rule.Filter.And.Prefix = r.Prefix
			}
		default:
			rule.Filter.Prefix = r.Prefix
		}
		rules = append(rules, rule)
	}
	awstest.PutReplication(t, b.S3, name, *document.Role, rules...)
}

// editRetention edits one field of the default retention, and keeps the other.
func (b *backdoor) editRetention(t testing.TB, name, f string, value any) {
	rule := s3types.DefaultRetention{Mode: "GOVERNANCE", Days: new(int32(7))}
	if was := awstest.LockRule(t, b.S3, name); was != nil {
		rule = *was
	}
	switch v := value.(type) {
	case bool:
		rule.Mode = map[bool]s3types.ObjectLockRetentionMode{true: "COMPLIANCE", false: "GOVERNANCE"}[v]
	case int:
		rule.Days = new(int32(v))
	default:
		t.Fatalf("%s: %T", f, value)
	}
	awstest.Do(t, b.S3.PutObjectLockConfiguration, &s3.PutObjectLockConfigurationInput{Bucket: &name, ObjectLockConfiguration: &s3types.ObjectLockConfiguration{
		ObjectLockEnabled: "Enabled", Rule: &s3types.ObjectLockRule{DefaultRetention: &rule},
	}})
}
