package storage

import (
	"cmp"

	"cloud.google.com/go/storage"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp/resource"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// loggingRows are where the usage and storage logs of a bucket go. Cloud Storage names them after the bucket where there is no other prefix.
// https://cloud.google.com/storage/docs/access-logs
var loggingRows = table.Table[v1alpha1.BucketParameters, bucket, parameters]{
	table.Field("logging.bucket", portable.WantedLogBucket,
		func(b *bucket) *string { return &logsOf(b).LogBucket },
		func(p *parameters, v string) { p.LogBucket = &v },
	).Reported(func(b *bucket) *string { return resource.Present(logsOf(b).LogBucket) }).
		Equal(func(want, have string) bool { return want == have }, "`logging: {}` is no logs").
		Refers(driver.ReferenceBucket),

	table.Field("logging.prefix", portable.WantedLogPrefix,
		func(b *bucket) *string { return &logsOf(b).LogObjectPrefix },
		func(p *parameters, v string) { p.LogObjectPrefix = &v },
	).Reported(func(b *bucket) *string { return resource.Present(logsOf(b).LogObjectPrefix) }),
}

// logsOf returns where the logs of a bucket go; nowhere if it has none.
func logsOf(b *bucket) *storage.BucketLogging {
	return cmp.Or(b.Logging, &storage.BucketLogging{})
}

// changedLogs is what a patch says of the logs: what it leaves out stays, and an empty one ends them.
func changedLogs(p *parameters) *storage.BucketLogging {
	logs := &storage.BucketLogging{}
	if p.LogBucket != nil {
		logs.LogBucket = *p.LogBucket
	}
	if p.LogObjectPrefix != nil {
		logs.LogObjectPrefix = *p.LogObjectPrefix
	}
	return logs
}

// newLogs is what a creation says of the logs: nothing if there are to be none.
func newLogs(p *parameters) *storage.BucketLogging {
	if logs := changedLogs(p); *logs != (storage.BucketLogging{}) {
		return logs
	}
	return nil
}
