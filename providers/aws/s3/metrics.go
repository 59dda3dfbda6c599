package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/table"
)

// metrics are what CloudWatch counts.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_MetricsConfiguration.html
var metrics = namedSort[v1alpha1.BucketMetricsAWS, types.MetricsConfiguration]{
	field: "aws.metrics", param: "metrics",
	want:   func(s v1alpha1.BucketAWS) []v1alpha1.BucketMetricsAWS { return s.Metrics },
	have:   func(b *bucket) **[]v1alpha1.BucketMetricsAWS { return &b.metrics },
	change: func(p *params) *table.Members[v1alpha1.BucketMetricsAWS] { return &p.metrics },
	name:   func(m v1alpha1.BucketMetricsAWS) string { return m.Name },
	alike:  alikeMetrics,
	from:   metricsFrom,
	list: func(ctx context.Context, b aspects, bucket string, token *string) ([]types.MetricsConfiguration, *string, error) {
		out, err := session.Call(ctx, b.Session, "ListBucketMetricsConfigurations", b.s3.ListBucketMetricsConfigurations,
			&s3.ListBucketMetricsConfigurationsInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), ContinuationToken: token})
		if err != nil {
			return nil, nil, err
		}
		return out.MetricsConfigurationList, more(out.IsTruncated, out.NextContinuationToken), nil
	},
	put: func(ctx context.Context, b aspects, bucket string, m v1alpha1.BucketMetricsAWS) error {
		_, err := session.Call(ctx, b.Session, "PutBucketMetricsConfiguration", b.s3.PutBucketMetricsConfiguration, &s3.PutBucketMetricsConfigurationInput{
			Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &m.Name, MetricsConfiguration: &types.MetricsConfiguration{Id: &m.Name, Filter: metricsFilter(m)},
		})
		return err
	},
	remove: func(ctx context.Context, b aspects, bucket, name string) error {
		_, err := session.Call(ctx, b.Session, "DeleteBucketMetricsConfiguration", b.s3.DeleteBucketMetricsConfiguration,
			&s3.DeleteBucketMetricsConfigurationInput{Bucket: &bucket, ExpectedBucketOwner: b.Owner(), Id: &name})
		return err
	},
}

func alikeMetrics(m v1alpha1.BucketMetricsAWS) v1alpha1.BucketMetricsAWS {
	m.BucketObjectFilterAWS, m.AccessPointARN = alikeFilter(m.BucketObjectFilterAWS), session.NonEmpty(m.AccessPointARN)
	return m
}

// metricsFilter returns the objects of an entry as S3 takes them: one condition alone, several together, and nothing for all objects.
func metricsFilter(m v1alpha1.BucketMetricsAWS) types.MetricsFilter {
	m = alikeMetrics(m)
	tags := s3Tags(session.WantTags(m.Tags))
	switch {
	case m.Prefix == nil && m.AccessPointARN == nil && len(tags) == 0:
		return nil
	case m.AccessPointARN == nil && len(tags) == 0:
		return &types.MetricsFilterMemberPrefix{Value: *m.Prefix}
	case m.Prefix == nil && len(tags) == 0:
		return &types.MetricsFilterMemberAccessPointArn{Value: *m.AccessPointARN}
	case m.Prefix == nil && m.AccessPointARN == nil && len(tags) == 1:
		return &types.MetricsFilterMemberTag{Value: tags[0]}
	}
	return &types.MetricsFilterMemberAnd{Value: types.MetricsAndOperator{Prefix: m.Prefix, AccessPointArn: m.AccessPointARN, Tags: tags}}
}

// metricsFrom returns an entry as a spec says it.
func metricsFrom(c types.MetricsConfiguration) v1alpha1.BucketMetricsAWS {
	m := v1alpha1.BucketMetricsAWS{Name: aws.ToString(c.Id)}
	switch f := c.Filter.(type) {
	case *types.MetricsFilterMemberPrefix:
		m.BucketObjectFilterAWS = filterOf(&f.Value)
	case *types.MetricsFilterMemberTag:
		m.BucketObjectFilterAWS = filterOf(nil, f.Value)
	case *types.MetricsFilterMemberAccessPointArn:
		m.AccessPointARN = session.NonEmpty(&f.Value)
	case *types.MetricsFilterMemberAnd:
		m.BucketObjectFilterAWS, m.AccessPointARN = filterOf(f.Value.Prefix, f.Value.Tags...), session.NonEmpty(f.Value.AccessPointArn)
	}
	return m
}
