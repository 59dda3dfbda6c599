package aws

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/providers/driver"
)

// How much one call of Delete empties: pages of object versions, and uploads that were never finished.
const (
	maxSweepPages   = 2 // of 1,000 versions, S3's own limit for a deletion of many
	maxSweepUploads = 100
)

// remove deletes a bucket. Contents go only if the request forces it, a bounded part at a time.
func (b *buckets) remove(ctx context.Context, req *bucketRequest) (driver.Result, error) {
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
	_, err := call(ctx, b.session, "DeleteBucket", b.s3.DeleteBucket,
		&s3.DeleteBucketInput{Bucket: &name, ExpectedBucketOwner: b.owner()})
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
	for range maxSweepPages {
		versions, more, err := b.sweepVersions(ctx, name)
		removed += versions
		if err != nil || !more {
			return removed, !more, err
		}
	}
	return removed, false, nil
}

func (b *buckets) sweepUploads(ctx context.Context, name string) (removed int, more bool, err error) {
	list, err := call(ctx, b.session, "ListMultipartUploads", b.s3.ListMultipartUploads, &s3.ListMultipartUploadsInput{
		Bucket: &name, ExpectedBucketOwner: b.owner(), MaxUploads: aws.Int32(maxSweepUploads),
	})
	if err != nil {
		return 0, false, err
	}
	for _, upload := range list.Uploads {
		_, err := call(ctx, b.session, "AbortMultipartUpload", b.s3.AbortMultipartUpload, &s3.AbortMultipartUploadInput{
			Bucket: &name, ExpectedBucketOwner: b.owner(), Key: upload.Key, UploadId: upload.UploadId,
		})
		if err != nil && apiCode(err) != "NoSuchUpload" {
			return removed, false, err
		}
		removed++
	}
	return removed, aws.ToBool(list.IsTruncated), nil
}

// sweepVersions deletes one page from the beginning: what it deletes is not listed again.
func (b *buckets) sweepVersions(ctx context.Context, name string) (removed int, more bool, err error) {
	list, err := call(ctx, b.session, "ListObjectVersions", b.s3.ListObjectVersions,
		&s3.ListObjectVersionsInput{Bucket: &name, ExpectedBucketOwner: b.owner()})
	if err != nil {
		return 0, false, err
	}
	var objects []types.ObjectIdentifier
	for _, v := range list.Versions {
		objects = append(objects, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
	}
	for _, m := range list.DeleteMarkers {
		objects = append(objects, types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
	}
	if len(objects) == 0 {
		return 0, false, nil
	}
	out, err := call(ctx, b.session, "DeleteObjects", b.s3.DeleteObjects, &s3.DeleteObjectsInput{
		Bucket: &name, ExpectedBucketOwner: b.owner(),
		Delete: &types.Delete{Objects: objects, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return 0, false, err
	}
	if len(out.Errors) > 0 {
		return 0, false, refusedObject(out.Errors[0])
	}
	return len(objects), aws.ToBool(list.IsTruncated), nil
}

// refusedObject explains why an object stays: object lock and bucket policies are beyond forceDestroy. The object is
// not named: which one comes first may change with every try.
func refusedObject(refused types.Error) error {
	code := aws.ToString(refused.Code)
	return &driver.Error{
		Code: codeOf(code, 0), Op: "DeleteObjects",
		Message: fmt.Sprintf("S3 refuses to delete some of the objects (%s): look for an object lock, or a policy that denies it", code),
	}
}
