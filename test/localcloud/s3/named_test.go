package s3_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// TestS3NamedPages lists more than a page of configurations, and no more than S3 takes.
func TestS3NamedPages(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "measured"
	sdk.MakeBucket(t, client, name)
	put := func(id string) error {
		_, err := client.PutBucketMetricsConfiguration(ctx, &s3.PutBucketMetricsConfigurationInput{Bucket: &name, Id: &id, MetricsConfiguration: &types.MetricsConfiguration{Id: &id}})
		return err
	}
	for i := range 1000 {
		sdk.WantCode(t, put(fmt.Sprintf("m-%03d", i)), "")
	}
	sdk.WantCode(t, put("one-more"), "TooManyConfigurations")
	sdk.WantCode(t, put("m-007"), "")
	var ids []string
	pages := 0
	for token := (*string)(nil); ; pages++ {
		page := check.Need(client.ListBucketMetricsConfigurations(ctx, &s3.ListBucketMetricsConfigurationsInput{Bucket: &name, ContinuationToken: token}))(t)
		for _, m := range page.MetricsConfigurationList {
			ids = append(ids, *m.Id)
		}
		if token = page.NextContinuationToken; !*page.IsTruncated {
			break
		}
	}
	if len(ids) != 1000 || ids[0] != "m-000" || ids[999] != "m-999" || pages != 9 {
		t.Errorf("%d ids in %d pages", len(ids), pages+1)
	}
	_, err := client.ListBucketMetricsConfigurations(ctx, &s3.ListBucketMetricsConfigurationsInput{Bucket: &name, ContinuationToken: new("theirs")})
	sdk.WantCode(t, err, "InvalidArgument")
}

func TestS3Metrics(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "measured"
	sdk.MakeBucket(t, client, name)
	one, other := types.Tag{Key: new("a"), Value: new("b")}, types.Tag{Key: new("c"), Value: new("d")}
	and := func(prefix *string, tags ...types.Tag) types.MetricsFilter {
		return &types.MetricsFilterMemberAnd{Value: types.MetricsAndOperator{Prefix: prefix, Tags: tags}}
	}
	point := func(arn string) types.MetricsFilter { return &types.MetricsFilterMemberAccessPointArn{Value: arn} }
	for title, tt := range map[string]struct {
		id, body string
		filter   types.MetricsFilter
		code     string
	}{
		"all objects":                {"all", "all", nil, ""},
		"a prefix":                   {"prefix", "prefix", &types.MetricsFilterMemberPrefix{Value: "a/"}, ""},
		"a tag":                      {"tag", "tag", &types.MetricsFilterMemberTag{Value: one}, ""},
		"two tags":                   {"tags", "tags", and(nil, one, other), ""},
		"a prefix and a tag":         {"both", "both", and(new("a/"), one), ""},
		"an access point":            {"point", "point", point("arn:aws:s3:eu-west-1:111111111111:accesspoint/reports"), ""},
		"an access point far away":   {"point", "point", point("arn:aws:s3:eu-west-2:111111111111:accesspoint/reports"), "InvalidArgument"},
		"one condition together":     {"a", "a", and(nil, one), "MalformedXML"},
		"no condition together":      {"a", "a", and(nil), "MalformedXML"},
		"a tag twice":                {"a", "a", and(nil, one, one), "InvalidTag"},
		"another id in the document": {"a", "b", nil, "MalformedXML"},
		"a space in the id":          {"a b", "a b", nil, "InvalidConfigurationId"},
	} {
		_, err := client.PutBucketMetricsConfiguration(ctx, &s3.PutBucketMetricsConfigurationInput{
			Bucket: &name, Id: &tt.id, MetricsConfiguration: &types.MetricsConfiguration{Id: &tt.body, Filter: tt.filter}})
		t.Log(title)
		sdk.WantCode(t, err, tt.code)
	}
	get := func(id string) (*s3.GetBucketMetricsConfigurationOutput, error) {
		return client.GetBucketMetricsConfiguration(ctx, &s3.GetBucketMetricsConfigurationInput{Bucket: &name, Id: &id})
	}
	if f, ok := check.Need(get("both"))(t).MetricsConfiguration.Filter.(*types.MetricsFilterMemberAnd); !ok || *f.Value.Prefix != "a/" || len(f.Value.Tags) != 1 {
		t.Errorf("got the filter %+v", f)
	}
	remove := func(id string) error {
		_, err := client.DeleteBucketMetricsConfiguration(ctx, &s3.DeleteBucketMetricsConfigurationInput{Bucket: &name, Id: &id})
		return err
	}
	sdk.WantCode(t, remove("both"), "")
	sdk.WantCode(t, remove("both"), "NoSuchConfiguration")
	_, err := get("both")
	sdk.WantCode(t, err, "NoSuchConfiguration")
	if all := check.Need(client.ListBucketMetricsConfigurations(ctx, &s3.ListBucketMetricsConfigurationsInput{Bucket: &name}))(t); len(all.MetricsConfigurationList) != 5 {
		t.Errorf("%d are left", len(all.MetricsConfigurationList))
	}
}

func TestS3IntelligentTiering(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "tiered"
	sdk.MakeBucket(t, client, name)
	tier := func(tier types.IntelligentTieringAccessTier, days int32) types.Tiering {
		return types.Tiering{AccessTier: tier, Days: &days}
	}
	for title, tt := range map[string]struct {
		status   types.IntelligentTieringStatus
		tierings []types.Tiering
		filter   *types.IntelligentTieringFilter
		code     string
	}{
		"one tier":                 {"Enabled", []types.Tiering{tier("ARCHIVE_ACCESS", 90)}, nil, ""},
		"both tiers":               {"Disabled", []types.Tiering{tier("DEEP_ARCHIVE_ACCESS", 730), tier("ARCHIVE_ACCESS", 100)}, &types.IntelligentTieringFilter{Prefix: new("a")}, ""},
		"too early":                {"Enabled", []types.Tiering{tier("ARCHIVE_ACCESS", 89)}, nil, "InvalidArgument"},
		"too early for the deep":   {"Enabled", []types.Tiering{tier("DEEP_ARCHIVE_ACCESS", 179)}, nil, "InvalidArgument"},
		"too late":                 {"Enabled", []types.Tiering{tier("ARCHIVE_ACCESS", 731)}, nil, "InvalidArgument"},
		"no tier":                  {"Enabled", []types.Tiering{}, nil, "MalformedXML"},
		"a tier twice":             {"Enabled", []types.Tiering{tier("ARCHIVE_ACCESS", 90), tier("ARCHIVE_ACCESS", 91)}, nil, "MalformedXML"},
		"another tier":             {"Enabled", []types.Tiering{tier("FREQUENT", 90)}, nil, "MalformedXML"},
		"another status":           {"Suspended", []types.Tiering{tier("ARCHIVE_ACCESS", 90)}, nil, "MalformedXML"},
		"one condition together":   {"Enabled", []types.Tiering{tier("ARCHIVE_ACCESS", 90)}, &types.IntelligentTieringFilter{And: &types.IntelligentTieringAndOperator{Prefix: new("a")}}, "MalformedXML"},
		"two conditions, one each": {"Enabled", []types.Tiering{tier("ARCHIVE_ACCESS", 90)}, &types.IntelligentTieringFilter{Prefix: new("a"), Tag: &types.Tag{Key: new("a"), Value: new("b")}}, "MalformedXML"},
	} {
		_, err := client.PutBucketIntelligentTieringConfiguration(ctx, &s3.PutBucketIntelligentTieringConfigurationInput{Bucket: &name, Id: new("a"),
			IntelligentTieringConfiguration: &types.IntelligentTieringConfiguration{Id: new("a"), Status: tt.status, Tierings: tt.tierings, Filter: tt.filter}})
		t.Log(title)
		sdk.WantCode(t, err, tt.code)
	}
}

func TestS3Reports(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	ctx, client, name := context.Background(), sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "reported"
	sdk.MakeBucket(t, client, name)
	sdk.MakeBucket(t, client, "reports")
	for title, tt := range map[string]struct {
		bucket  string
		account *string
		change  func(*types.InventoryConfiguration)
		code    string
	}{
		"the caller's":          {"arn:aws:s3:::reports", nil, nil, ""},
		"itself":                {"arn:aws:s3:::reported", new(sdk.OwnAccount), nil, ""},
		"somebody else's":       {"arn:aws:s3:::their-reports", new("222222222222"), nil, ""},
		"no bucket":             {"arn:aws:s3:::no-reports", nil, nil, "InvalidS3DestinationBucket"},
		"far away":              {"arn:aws:s3:::audit-logs-us-east-1", nil, nil, "InvalidS3DestinationBucket"},
		"a name":                {"reports", nil, nil, "InvalidS3DestinationBucket"},
		"an account in the ARN": {"arn:aws:s3::111111111111:reports", nil, nil, "InvalidS3DestinationBucket"},
		"by a key": {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) {
			i.Destination.S3BucketDestination.Encryption = &types.InventoryEncryption{SSEKMS: &types.SSEKMS{KeyId: new("arn")}}
		}, ""},
		"by the cloud's key": {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) {
			i.Destination.S3BucketDestination.Encryption = &types.InventoryEncryption{SSES3: &types.SSES3{}}
		}, ""},
		"by no key": {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) {
			i.Destination.S3BucketDestination.Encryption = &types.InventoryEncryption{}
		}, "MalformedXML"},
		"a column twice": {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) {
			i.OptionalFields = []types.InventoryOptionalField{"Size", "Size"}
		}, "MalformedXML"},
		"a column that is not":     {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) { i.OptionalFields = []types.InventoryOptionalField{"Color"} }, "MalformedXML"},
		"a filter":                 {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) { i.Filter = &types.InventoryFilter{Prefix: new("a/")} }, ""},
		"another id":               {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) { i.Id = new("b") }, "IdMismatch"},
		"another format":           {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) { i.Destination.S3BucketDestination.Format = "XML" }, "MalformedXML"},
		"versions that are not":    {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) { i.IncludedObjectVersions = "Old" }, "MalformedXML"},
		"as often as there is not": {"arn:aws:s3:::reports", nil, func(i *types.InventoryConfiguration) { i.Schedule.Frequency = "Hourly" }, "MalformedXML"},
	} {
		i := &types.InventoryConfiguration{Id: new("a"), IsEnabled: new(true), IncludedObjectVersions: "All", Schedule: &types.InventorySchedule{Frequency: "Daily"},
			Destination: &types.InventoryDestination{S3BucketDestination: &types.InventoryS3BucketDestination{Bucket: &tt.bucket, AccountId: tt.account, Format: "CSV"}}}
		if tt.change != nil {
			tt.change(i)
		}
		_, err := client.PutBucketInventoryConfiguration(ctx, &s3.PutBucketInventoryConfigurationInput{Bucket: &name, Id: new("a"), InventoryConfiguration: i})
		t.Log(title)
		sdk.WantCode(t, err, tt.code)
	}
	for title, tt := range map[string]struct {
		analysis *types.StorageClassAnalysis
		code     string
	}{
		"no export":         {&types.StorageClassAnalysis{}, ""},
		"an export":         {exporting("V_1", "CSV", "arn:aws:s3:::reports"), ""},
		"another version":   {exporting("V_2", "CSV", "arn:aws:s3:::reports"), "MalformedXML"},
		"another format":    {exporting("V_1", "ORC", "arn:aws:s3:::reports"), "MalformedXML"},
		"another's bucket":  {exporting("V_1", "CSV", "arn:aws:s3:::no-reports"), "InvalidS3DestinationBucket"},
		"the name of a one": {exporting("V_1", "CSV", "reports"), "InvalidS3DestinationBucket"},
	} {
		_, err := client.PutBucketAnalyticsConfiguration(ctx, &s3.PutBucketAnalyticsConfigurationInput{Bucket: &name, Id: new("a"), AnalyticsConfiguration: &types.AnalyticsConfiguration{
			Id: new("a"), StorageClassAnalysis: tt.analysis}})
		t.Log(title)
		sdk.WantCode(t, err, tt.code)
	}
}

// exporting is an analysis that is written to a bucket.
func exporting(version types.StorageClassAnalysisSchemaVersion, format types.AnalyticsS3ExportFileFormat, bucket string) *types.StorageClassAnalysis {
	return &types.StorageClassAnalysis{DataExport: &types.StorageClassAnalysisDataExport{OutputSchemaVersion: version, Destination: &types.AnalyticsExportDestination{
		S3BucketDestination: &types.AnalyticsS3BucketDestination{Bucket: &bucket, Format: format}}}}
}
