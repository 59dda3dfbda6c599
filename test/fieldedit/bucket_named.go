package fieldedit

import (
	"slices"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// filterAWS is a filter for objects.
func filterAWS(prefix string, tags map[string]v1alpha1.TagValue) v1alpha1.BucketObjectFilterAWS {
	f := v1alpha1.BucketObjectFilterAWS{Tags: tags}
	if prefix != "" {
		f.Prefix = &prefix
	}
	return f
}

// s3Named sets the configurations that S3 keeps by their names, each list in the order of the names.
func s3Named(region string, block *v1alpha1.BucketAWS) *v1alpha1.BucketAWS {
	block.Metrics = []v1alpha1.BucketMetricsAWS{{Name: "EntireBucket"}, {Name: "photos", BucketObjectFilterAWS: filterAWS("photos/", map[string]v1alpha1.TagValue{"team": "shop"})}}
	block.IntelligentTiering = []tiering{
		{Name: "old", Status: new("Enabled"), Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: new(int32(120)), DeepArchiveAccessDays: new(int32(240))}},
		{Name: "photos", BucketObjectFilterAWS: filterAWS("photos/", nil), Status: new("Enabled"), Tierings: v1alpha1.IntelligentTieringsAWS{DeepArchiveAccessDays: new(int32(180))}},
	}
	block.Analytics = []analysis{{Name: "all"}, {
		Name: "photos", BucketObjectFilterAWS: filterAWS("photos/", nil),
		Export: &v1alpha1.BucketAnalyticsExportAWS{Bucket: "access-logs-" + region, AccountID: new("111111111111"), Prefix: new("analytics/")},
	}}
	block.Inventory = []inventory{
		{Name: "all", Enabled: new(true), Frequency: "Daily", IncludedObjectVersions: "All", Destination: v1alpha1.BucketInventoryDestinationAWS{Bucket: "access-logs-" + region, Format: "CSV"}},
		{
			Name: "photos", Enabled: new(true), Prefix: new("photos/"), Frequency: "Weekly", IncludedObjectVersions: "Current", OptionalFields: []string{"ETag", "Size"},
			Destination: v1alpha1.BucketInventoryDestinationAWS{
				Bucket: "audit-logs-" + region, AccountID: new("111111111111"), Prefix: new("inventory/"), Format: "Parquet",
				Encryption: &v1alpha1.BucketInventoryEncryptionAWS{KeyARN: new("arn:aws:kms:" + region + ":111111111111:key/" + awsKey)},
			},
		},
	}
	return block
}

type (
	tiering   = v1alpha1.BucketIntelligentTieringAWS
	analysis  = v1alpha1.BucketAnalyticsAWS
	inventory = v1alpha1.BucketInventoryAWS
)

// s3TieringSteps are edits by which more objects move to archives, or fewer.
var s3TieringSteps = []Step{
	{Field: "aws.intelligentTiering", From: []tiering{}, To: archiveAfter("Enabled", 90), Effect: driver.Interrupts},
	{Field: "aws.intelligentTiering", From: archiveAfter("Enabled", 120), To: archiveAfter("Enabled", 90), Effect: driver.Interrupts},
	{Field: "aws.intelligentTiering", From: archiveAfter("Enabled", 90), To: archiveAfter("Enabled", 120), Effect: driver.Online},
	{Field: "aws.intelligentTiering", From: archiveAfter("Disabled", 90), To: archiveAfter("Enabled", 90), Effect: driver.Interrupts},
}

func archiveAfter(status string, days int32) []tiering {
	return []tiering{{Name: "old", Status: &status, Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: &days}}}
}

// s3NamedFields are the edits of them. Others may own entries, which have other names.
func s3NamedFields(region string) []drivertest.Field {
	full := s3Named(region, &v1alpha1.BucketAWS{})
	return []drivertest.Field{
		{Name: "aws.metrics", Member: nameOf, Writes: 3, To: []v1alpha1.BucketMetricsAWS{
			{Name: "photos", BucketObjectFilterAWS: filterAWS("", map[string]v1alpha1.TagValue{"team": "shop", "stage": "test"})},
			{Name: "through", AccessPointARN: new("arn:aws:s3:" + region + ":111111111111:accesspoint/reports")},
		}, Same: []any{reversed(full.Metrics)}},
		{Name: "aws.intelligentTiering", Member: nameOf, Writes: 3, DriftEffect: driver.Interrupts, To: []tiering{ // which moves nothing more
			{Name: "old", Status: new("Disabled"), Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: new(int32(730))}},
			{Name: "tagged", BucketObjectFilterAWS: filterAWS("", map[string]v1alpha1.TagValue{"team": "shop", "stage": "test"}), Status: new("Disabled"), Tierings: v1alpha1.IntelligentTieringsAWS{ArchiveAccessDays: new(int32(90))}},
		}, Same: []any{reversed(full.IntelligentTiering)}},
		{Name: "aws.analytics", Member: nameOf, Writes: 3, To: []analysis{
			{Name: "photos", BucketObjectFilterAWS: filterAWS("b/", map[string]v1alpha1.TagValue{"team": "shop"})},
			{Name: "tagged", BucketObjectFilterAWS: filterAWS("a/", map[string]v1alpha1.TagValue{"team": "shop", "stage": "test"}), Export: &v1alpha1.BucketAnalyticsExportAWS{Bucket: "audit-logs-" + region}},
		}, Same: []any{reversed(full.Analytics)}},
		{Name: "aws.inventory", Member: nameOf, Writes: 3, To: []inventory{
			{Name: "all", Enabled: new(false), Frequency: "Weekly", IncludedObjectVersions: "Current", Destination: v1alpha1.BucketInventoryDestinationAWS{Bucket: "audit-logs-" + region, Format: "ORC"}},
			{Name: "listed", Enabled: new(true), Frequency: "Daily", IncludedObjectVersions: "All", OptionalFields: []string{"ObjectOwner"}, Destination: v1alpha1.BucketInventoryDestinationAWS{
				Bucket: "access-logs-" + region, Format: "CSV", Encryption: &v1alpha1.BucketInventoryEncryptionAWS{}}},
		}, Same: []any{sameInventory(full.Inventory)}},
	}
}

func reversed[V any](list []V) []V {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// sameInventory are lists of the same columns in another order.
func sameInventory(list []inventory) []inventory {
	list = reversed(list)
	for i := range list {
		if list[i].OptionalFields != nil {
			list[i].OptionalFields = reversed(list[i].OptionalFields)
		}
	}
	return list
}
