package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// loggingRows are where the logs of the access to a bucket go. S3 has one call for all of it.
var loggingRows = table.Table[v1alpha1.BucketParameters, bucket, params]{
	table.Field("logging.bucket", portable.WantedLogBucket,
		func(b *bucket) *string { return b.logBucket },
		func(p *params, v string) { p.logBucket = &v },
	).Reported(func(b *bucket) *string { return session.NonEmpty(b.logBucket) }).
		Equal(func(want, have string) bool { return want == have }, "`logging: {}` is no logs").
		Refers(driver.ReferenceBucket),

	table.Field("logging.prefix", portable.WantedLogPrefix,
		func(b *bucket) *string { return b.logPrefix },
		func(p *params, v string) { p.logPrefix = &v },
	).Reported(func(b *bucket) *string { return session.NonEmpty(b.logPrefix) }),
}

// accessLogs reads and writes where the logs go.
type accessLogs aspects

func (b accessLogs) part() table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{"logging.bucket", "logging.prefix"}, Taken: table.Names{"logBucket", "logPrefix"}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error {
			logs, err := b.read(ctx, req.Name)
			if err == nil {
				into.logBucket, into.logPrefix = new(aws.ToString(logs.TargetBucket)), new(aws.ToString(logs.TargetPrefix))
			}
			return err
		},
		Write: func(ctx context.Context, req *request, have *bucket, params *params, _ []driver.Change) (string, error) {
			return "", b.write(ctx, req.Name, have.logBucket != nil, params)
		},
	}
}

// read returns where the logs of a bucket go; nowhere if it has none.
func (b accessLogs) read(ctx context.Context, name string) (types.LoggingEnabled, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketLogging", b.s3.GetBucketLogging, &s3.GetBucketLoggingInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil || out.LoggingEnabled == nil {
		return types.LoggingEnabled{}, err
	}
	return *out.LoggingEnabled, nil
}

// write changes bucket and prefix, and keeps what is not in the spec: who else may read the logs, and the format of their names. A new bucket
// is known to have none, so it is not read. https://docs.aws.amazon.com/AmazonS3/latest/API/API_LoggingEnabled.html
func (b accessLogs) write(ctx context.Context, name string, isNew bool, p *params) error {
	status := &types.BucketLoggingStatus{}
	if p.logBucket == nil || *p.logBucket != "" {
		var logs types.LoggingEnabled
		if !isNew {
			var err error
			if logs, err = b.read(ctx, name); err != nil {
				return err
			}
		}
		if p.logBucket != nil {
			logs.TargetBucket = p.logBucket
		}
		if p.logPrefix != nil || logs.TargetPrefix == nil {
			logs.TargetPrefix = new(aws.ToString(p.logPrefix)) // S3 wants one, if only an empty one
		}
		status.LoggingEnabled = &logs
	}
	_, err := session.Call(ctx, b.Session, "PutBucketLogging", b.s3.PutBucketLogging, &s3.PutBucketLoggingInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), BucketLoggingStatus: status,
	})
	return err
}
