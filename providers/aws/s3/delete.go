package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// How much one call of Delete empties: pages of object versions, and uploads that were never finished.
const (
	maxSweepPages   = 2 // of 1,000 versions, S3's own limit for a deletion of many
	maxSweepUploads = 100
)

// remove deletes a bucket. Contents go only if the request forces it, a bounded part at a time.
func (b *buckets) remove(ctx context.Context, req *request) (driver.Result, error) {
	err := b.deleteBucket(ctx, req.Name)
	if driver.CodeOf(err) != driver.NotEmpty || req.Deletion == nil || !req.Deletion.Force {
		return driver.Result{}, err
	}
	removed, empty, err := b.sweep(ctx, req.Name)
	if err != nil {
		return driver.Result{}, unlessNotFound(err)
	}
	unfinished := driver.Result{Unfinished: true, Removed: removed}
	if !empty {
		return unfinished, nil
	}
	err = b.deleteBucket(ctx, req.Name)
	if driver.CodeOf(err) == driver.NotEmpty {
		return unfinished, nil // someone wrote to it meanwhile: the next call sweeps again
	}
	return driver.Result{}, err
}

func (b *buckets) deleteBucket(ctx context.Context, name string) error {
	_, err := session.Call(ctx, b.Session, "DeleteBucket", b.s3.DeleteBucket,
		&s3.DeleteBucketInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err == nil {
		return nil
	}
	return explainDenied(name, unlessNotFound(err))
}

// sweep removes unfinished uploads, object versions and delete markers. It returns how many, and whether it saw the end of them.
func (b *buckets) sweep(ctx context.Context, name string) (removed int, empty bool, err error) {
	removed, more, err := b.sweepUploads(ctx, name)
	if err != nil || more {
		return removed, false, err
	}
	versions := &versionSweep{on: b, bucket: name}
	if err := versions.run(ctx); err != nil {
		return removed, false, err
	}
	removed += versions.removed
	if removed == 0 {
		err = versions.problem()
	}
	return removed, err == nil && !versions.more && versions.kept == 0, err
}

func (b *buckets) sweepUploads(ctx context.Context, name string) (removed int, more bool, err error) {
	list, err := session.Call(ctx, b.Session, "ListMultipartUploads", b.s3.ListMultipartUploads, &s3.ListMultipartUploadsInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), MaxUploads: aws.Int32(maxSweepUploads),
	})
	if err != nil {
		return 0, false, err
	}
	for _, upload := range list.Uploads {
		_, err := session.Call(ctx, b.Session, "AbortMultipartUpload", b.s3.AbortMultipartUpload, &s3.AbortMultipartUploadInput{
			Bucket: &name, ExpectedBucketOwner: b.Owner(), Key: upload.Key, UploadId: upload.UploadId,
		})
		if err != nil && session.ErrorCode(err) != "NoSuchUpload" {
			return removed, false, err
		}
		removed++
	}
	return removed, aws.ToBool(list.IsTruncated), nil
}

// unlessNotFound drops an error that says that a thing is not there, where that is what was wanted.
func unlessNotFound(err error) error {
	if driver.CodeOf(err) == driver.NotFound {
		return nil
	}
	return err
}
