package awstest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
)

// A NamedSort is how somebody else uses a sort of configurations that S3 keeps by their names.
type NamedSort struct {
	Call   string // what the calls are named by
	Put    func(t testing.TB, c *s3.Client, bucket string, entry any)
	List   func(t testing.TB, c *s3.Client, bucket string) []string
	Remove func(t testing.TB, c *s3.Client, bucket, name string)
	// some are two entries of one name, and one that S3 refuses, as JSON.
	Ours, Changed, Refused string
}

// NamedSorts are the sorts of named documents that a bucket can have.
var NamedSorts = map[string]NamedSort{
	"aws.metrics": {
		"Metrics",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			m := entry.(v1alpha1.BucketMetricsAWS)
			Do(t, c.PutBucketMetricsConfiguration, &s3.PutBucketMetricsConfigurationInput{Bucket: &bucket, Id: &m.Name, MetricsConfiguration: theirMetrics(m)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, m := range Do(t, c.ListBucketMetricsConfigurations, &s3.ListBucketMetricsConfigurationsInput{Bucket: &bucket}).MetricsConfigurationList {
				names = append(names, *m.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			Do(t, c.DeleteBucketMetricsConfiguration, &s3.DeleteBucketMetricsConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours"}`, `{"name": "ours", "prefix": "a/"}`, `{"name": "bad", "accessPointARN": "arn:aws:s3:mars-1:111111111111:accesspoint/a"}`,
	},
	"aws.intelligentTiering": {
		"IntelligentTiering",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			e := entry.(v1alpha1.BucketIntelligentTieringAWS)
			Do(t, c.PutBucketIntelligentTieringConfiguration, &s3.PutBucketIntelligentTieringConfigurationInput{Bucket: &bucket, Id: &e.Name, IntelligentTieringConfiguration: theirTiering(e)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, e := range Do(t, c.ListBucketIntelligentTieringConfigurations, &s3.ListBucketIntelligentTieringConfigurationsInput{Bucket: &bucket}).IntelligentTieringConfigurationList {
				names = append(names, *e.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			Do(t, c.DeleteBucketIntelligentTieringConfiguration, &s3.DeleteBucketIntelligentTieringConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours", "tierings": {"archiveAccessDays": 90}}`, `{"name": "ours", "prefix": "a/", "tierings": {"archiveAccessDays": 90}}`,
		`{"name": "bad", "tierings": {"archiveAccessDays": 1}}`,
	},
}

func init() {
	NamedSorts["aws.analytics"] = NamedSort{
		"Analytics",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			e := entry.(v1alpha1.BucketAnalyticsAWS)
			Do(t, c.PutBucketAnalyticsConfiguration, &s3.PutBucketAnalyticsConfigurationInput{Bucket: &bucket, Id: &e.Name, AnalyticsConfiguration: theirAnalysis(e)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, e := range Do(t, c.ListBucketAnalyticsConfigurations, &s3.ListBucketAnalyticsConfigurationsInput{Bucket: &bucket}).AnalyticsConfigurationList {
				names = append(names, *e.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			Do(t, c.DeleteBucketAnalyticsConfiguration, &s3.DeleteBucketAnalyticsConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours"}`, `{"name": "ours", "prefix": "a/"}`, `{"name": "bad", "export": {"bucket": "no-such-bucket"}}`,
	}
	NamedSorts["aws.inventory"] = NamedSort{
		"Inventory",
		func(t testing.TB, c *s3.Client, bucket string, entry any) {
			e := entry.(v1alpha1.BucketInventoryAWS)
			Do(t, c.PutBucketInventoryConfiguration, &s3.PutBucketInventoryConfigurationInput{Bucket: &bucket, Id: &e.Name, InventoryConfiguration: theirInventory(e)})
		},
		func(t testing.TB, c *s3.Client, bucket string) (names []string) {
			for _, e := range Do(t, c.ListBucketInventoryConfigurations, &s3.ListBucketInventoryConfigurationsInput{Bucket: &bucket}).InventoryConfigurationList {
				names = append(names, *e.Id)
			}
			return names
		},
		func(t testing.TB, c *s3.Client, bucket, name string) {
			Do(t, c.DeleteBucketInventoryConfiguration, &s3.DeleteBucketInventoryConfigurationInput{Bucket: &bucket, Id: &name})
		},
		`{"name": "ours", "frequency": "Daily", "includedObjectVersions": "All", "destination": {"bucket": "audit-logs-` + Region + `", "format": "CSV"}}`,
		`{"name": "ours", "frequency": "Weekly", "includedObjectVersions": "All", "destination": {"bucket": "audit-logs-` + Region + `", "format": "CSV"}}`,
		`{"name": "bad", "frequency": "Daily", "includedObjectVersions": "All", "destination": {"bucket": "no-such-bucket", "format": "CSV"}}`,
	}
}

// theirMetrics writes what can be written in several ways in another one than the driver.
func theirMetrics(m v1alpha1.BucketMetricsAWS) *s3types.MetricsConfiguration {
	c := &s3types.MetricsConfiguration{Id: &m.Name}
	tags := theirTags(m.Tags)
	switch {
	case m.AccessPointARN != nil:
		c.Filter = &s3types.MetricsFilterMemberAccessPointArn{Value: *m.AccessPointARN}
	case len(tags) > 0:
		c.Filter = &s3types.MetricsFilterMemberAnd{Value: s3types.MetricsAndOperator{Prefix: m.Prefix, Tags: tags}}
	case m.Prefix == nil:
		c.Filter = &s3types.MetricsFilterMemberPrefix{} // all names begin with nothing
	default:
		c.Filter = &s3types.MetricsFilterMemberPrefix{Value: *m.Prefix}
	}
	return c
}

// theirTiering has the deeper tier first.
func theirTiering(e v1alpha1.BucketIntelligentTieringAWS) *s3types.IntelligentTieringConfiguration {
	c := &s3types.IntelligentTieringConfiguration{Id: &e.Name, Status: s3types.IntelligentTieringStatusEnabled}
	if e.Status != nil {
		c.Status = s3types.IntelligentTieringStatus(*e.Status)
	}
	if days := e.Tierings.DeepArchiveAccessDays; days != nil {
		c.Tierings = append(c.Tierings, s3types.Tiering{AccessTier: "DEEP_ARCHIVE_ACCESS", Days: days})
	}
	if days := e.Tierings.ArchiveAccessDays; days != nil {
		c.Tierings = append(c.Tierings, s3types.Tiering{AccessTier: "ARCHIVE_ACCESS", Days: days})
	}
	if tags := theirTags(e.Tags); len(tags) > 0 {
		c.Filter = &s3types.IntelligentTieringFilter{And: &s3types.IntelligentTieringAndOperator{Prefix: e.Prefix, Tags: tags}}
	} else if e.Prefix != nil {
		c.Filter = &s3types.IntelligentTieringFilter{Prefix: e.Prefix}
	}
	return c
}

func theirAnalysis(e v1alpha1.BucketAnalyticsAWS) *s3types.AnalyticsConfiguration {
	c := &s3types.AnalyticsConfiguration{Id: &e.Name, StorageClassAnalysis: &s3types.StorageClassAnalysis{}, Filter: &s3types.AnalyticsFilterMemberPrefix{}}
	if tags := theirTags(e.Tags); len(tags) > 0 {
		c.Filter = &s3types.AnalyticsFilterMemberAnd{Value: s3types.AnalyticsAndOperator{Prefix: e.Prefix, Tags: tags}}
	} else if e.Prefix != nil {
		c.Filter = &s3types.AnalyticsFilterMemberPrefix{Value: *e.Prefix}
	}
	if to := e.Export; to != nil {
		c.StorageClassAnalysis.DataExport = &s3types.StorageClassAnalysisDataExport{OutputSchemaVersion: "V_1", Destination: &s3types.AnalyticsExportDestination{
			S3BucketDestination: &s3types.AnalyticsS3BucketDestination{Bucket: new("arn:aws:s3:::" + to.Bucket), BucketAccountId: to.AccountID, Prefix: to.Prefix, Format: "CSV"}}}
	}
	return c
}

// theirInventory has the columns in the order in which they come.
func theirInventory(e v1alpha1.BucketInventoryAWS) *s3types.InventoryConfiguration {
	to := &s3types.InventoryS3BucketDestination{Bucket: new("arn:aws:s3:::" + e.Destination.Bucket), AccountId: e.Destination.AccountID, Prefix: e.Destination.Prefix,
		Format: s3types.InventoryFormat(e.Destination.Format)}
	if key := e.Destination.Encryption; key != nil && key.KeyARN != nil {
		to.Encryption = &s3types.InventoryEncryption{SSEKMS: &s3types.SSEKMS{KeyId: key.KeyARN}}
	} else if key != nil {
		to.Encryption = &s3types.InventoryEncryption{SSES3: &s3types.SSES3{}}
	}
	c := &s3types.InventoryConfiguration{
		Id: &e.Name, IsEnabled: new(e.Enabled == nil || *e.Enabled), IncludedObjectVersions: s3types.InventoryIncludedObjectVersions(e.IncludedObjectVersions),
		Schedule: &s3types.InventorySchedule{Frequency: s3types.InventoryFrequency(e.Frequency)}, Destination: &s3types.InventoryDestination{S3BucketDestination: to},
	}
	if e.Prefix != nil {
		c.Filter = &s3types.InventoryFilter{Prefix: e.Prefix}
	}
	for _, field := range e.OptionalFields {
		c.OptionalFields = append(c.OptionalFields, s3types.InventoryOptionalField(field))
	}
	return c
}

// NotificationsOf returns the document of a bucket.
func NotificationsOf(t testing.TB, client *s3.Client, name string) *s3types.NotificationConfiguration {
	t.Helper()
	out := Do(t, client.GetBucketNotificationConfiguration, &s3.GetBucketNotificationConfigurationInput{Bucket: &name})
	return &s3types.NotificationConfiguration{EventBridgeConfiguration: out.EventBridgeConfiguration, QueueConfigurations: out.QueueConfigurations,
		TopicConfigurations: out.TopicConfigurations, LambdaFunctionConfigurations: out.LambdaFunctionConfigurations}
}

// PutNotifications replaces the document of a bucket.
func PutNotifications(t testing.TB, client *s3.Client, name string, document *s3types.NotificationConfiguration) {
	t.Helper()
	Do(t, client.PutBucketNotificationConfiguration, &s3.PutBucketNotificationConfigurationInput{Bucket: &name, NotificationConfiguration: document})
}

// ReplicationOf returns the document of a bucket; nil if it has none.
func ReplicationOf(t testing.TB, client *s3.Client, name string) *s3types.ReplicationConfiguration {
	t.Helper()
	out, err := client.GetBucketReplication(t.Context(), &s3.GetBucketReplicationInput{Bucket: &name})
	if err != nil {
		return nil
	}
	return out.ReplicationConfiguration
}

// PutReplication replaces the document of a bucket by one with these rules.
func PutReplication(t testing.TB, client *s3.Client, name, role string, rules ...s3types.ReplicationRule) {
	t.Helper()
	Do(t, client.PutBucketReplication, &s3.PutBucketReplicationInput{Bucket: &name, ReplicationConfiguration: &s3types.ReplicationConfiguration{Role: &role, Rules: rules}})
}

// LockRule returns how long a bucket keeps new object versions by default; nil if it has no such rule.
func LockRule(t testing.TB, client *s3.Client, name string) *s3types.DefaultRetention {
	rule := Do(t, client.GetObjectLockConfiguration, &s3.GetObjectLockConfigurationInput{Bucket: &name}).ObjectLockConfiguration.Rule
	if rule == nil {
		return nil
	}
	return rule.DefaultRetention
}

func theirTags(tags map[string]v1alpha1.TagValue) (set []s3types.Tag) {
	for k, v := range tags {
		set = append(set, s3types.Tag{Key: &k, Value: new(string(v))})
	}
	return set
}
