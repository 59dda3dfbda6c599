package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

type analysis = v1alpha1.BucketAnalyticsAWS

// analyses watch how objects are read.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_AnalyticsConfiguration.html
var analyses = namedSort[analysis, types.AnalyticsConfiguration]{
	field: "aws.analytics", param: "analyses",
	want:   func(s v1alpha1.BucketAWS) []analysis { return s.Analytics },
	have:   func(b *bucket) **[]analysis { return &b.analyses },
	change: func(p *params) *table.Members[analysis] { return &p.analyses },
	name:   func(a analysis) string { return a.Name },
	alike:  alikeAnalysis,
	from:   analysisFrom,
	list: func(ctx context.Context, b aspects, bucket string, token *string) ([]types.AnalyticsConfiguration, *string, error) {
		out, err := session.Call(ctx, b.Session, "ListBucketAnalyticsConfigurations", b.s3.ListBucketAnalyticsConfigurations,
			&s3.ListBucketAnalyticsConfigurationsInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return out.AnalyticsConfigurationList, more(out.IsTruncated, out.NextContinuationToken), nil
	},
	put: func(ctx context.Context, b aspects, bucket string, a analysis) error {
		_, err := session.Call(ctx, b.Session, "PutBucketAnalyticsConfiguration", b.s3.PutBucketAnalyticsConfiguration, &s3.PutBucketAnalyticsConfigurationInput{
			Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &a.Name, AnalyticsConfiguration: analysisTo(a, policies(b).arn),
		})
		return err
	},
	remove: func(ctx context.Context, b aspects, bucket, name string) error {
		_, err := session.Call(ctx, b.Session, "DeleteBucketAnalyticsConfiguration", b.s3.DeleteBucketAnalyticsConfiguration,
			&s3.DeleteBucketAnalyticsConfigurationInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &name})
		return err
	},
	advice: destinationAdvice,
}

var analysisRow = analyses.row().RefersIn("export.bucket", driver.ReferenceBucket)

// destinationAdvice says what S3 asks of a bucket that it writes files to.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/example-bucket-policies.html#example-bucket-policies-s3-inventory-1
const destinationAdvice = ": its bucket has to exist in the region of this one, and its policy to let s3.amazonaws.com put objects"

func alikeAnalysis(a analysis) analysis {
	a.BucketObjectFilterAWS = alikeFilter(a.BucketObjectFilterAWS)
	if a.Export != nil {
		export := *a.Export
		export.AccountID, export.Prefix = session.NonEmpty(export.AccountID), session.NonEmpty(export.Prefix)
		a.Export = &export
	}
	return a
}

// analysisTo returns an entry as S3 takes it, with the ARN of its bucket. There is one format and one version of the schema.
func analysisTo(a analysis, arn func(bucket string) string) *types.AnalyticsConfiguration {
	a = alikeAnalysis(a)
	c := &types.AnalyticsConfiguration{Id: &a.Name, StorageClassAnalysis: &types.StorageClassAnalysis{}}
	if e := a.Export; e != nil {
		c.StorageClassAnalysis.DataExport = &types.StorageClassAnalysisDataExport{
			OutputSchemaVersion: types.StorageClassAnalysisSchemaVersionV1,
			Destination: &types.AnalyticsExportDestination{S3BucketDestination: &types.AnalyticsS3BucketDestination{
				Bucket: new(arn(e.Bucket)), BucketAccountId: e.AccountID, Prefix: e.Prefix, Format: types.AnalyticsS3ExportFileFormatCsv,
			}},
		}
	}
	switch tags := s3Tags(session.WantTags(a.Tags)); {
	case a.Prefix == nil && len(tags) == 0:
	case len(tags) == 0:
		c.Filter = &types.AnalyticsFilterMemberPrefix{Value: *a.Prefix}
	case a.Prefix == nil && len(tags) == 1:
		c.Filter = &types.AnalyticsFilterMemberTag{Value: tags[0]}
	default:
		c.Filter = &types.AnalyticsFilterMemberAnd{Value: types.AnalyticsAndOperator{Prefix: a.Prefix, Tags: tags}}
	}
	return c
}

// analysisFrom returns an entry as a spec says it.
func analysisFrom(c types.AnalyticsConfiguration) analysis {
	a := analysis{Name: aws.ToString(c.Id)}
	switch f := c.Filter.(type) {
	case *types.AnalyticsFilterMemberPrefix:
		a.BucketObjectFilterAWS = filterOf(&f.Value)
	case *types.AnalyticsFilterMemberTag:
		a.BucketObjectFilterAWS = filterOf(nil, f.Value)
	case *types.AnalyticsFilterMemberAnd:
		a.BucketObjectFilterAWS = filterOf(f.Value.Prefix, f.Value.Tags...)
	}
	if s := c.StorageClassAnalysis; s != nil && s.DataExport != nil && s.DataExport.Destination != nil && s.DataExport.Destination.S3BucketDestination != nil {
		to := s.DataExport.Destination.S3BucketDestination
		a.Export = &v1alpha1.BucketAnalyticsExportAWS{Bucket: in(to.Bucket), AccountID: session.NonEmpty(to.BucketAccountId), Prefix: session.NonEmpty(to.Prefix)}
	}
	return a
}
