package s3

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// A forced deletion deletes what Object Lock does not keep. It bypasses no GOVERNANCE, releases no legal hold, and waits for what is left.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html

// maxLookPages is how many pages one call looks at to find what can be deleted.
const maxLookPages = 10

// A versionSweep deletes versions of objects, and looks past those that Object Lock keeps.
type versionSweep struct {
	on      *buckets
	bucket  string
	key     *string // where the next page begins; nil for the beginning
	version *string
	removed int
	kept    int
	more    bool
}

// run deletes some pages. It looks at more of them while everything is kept.
func (s *versionSweep) run(ctx context.Context) error {
	full := 0
	for looked := 0; looked == 0 || s.more && full < maxSweepPages && looked < maxLookPages; looked++ {
		before := s.removed
		if err := s.page(ctx); err != nil {
			return err
		}
		if s.removed > before {
			full++
		}
	}
	return nil
}

// page deletes a page. What it deletes is not listed again; what is kept stays behind the place where the next page begins.
func (s *versionSweep) page(ctx context.Context) error {
	list, err := session.Call(ctx, s.on.Session, "ListObjectVersions", s.on.s3.ListObjectVersions, &s3.ListObjectVersionsInput{
		Bucket: &s.bucket, ExpectedBucketOwner: s.on.Owner(), KeyMarker: s.key, VersionIdMarker: s.version,
	})
	if err != nil {
		return err
	}
	s.more = aws.ToBool(list.IsTruncated)
	if s.more {
		s.key, s.version = list.NextKeyMarker, list.NextVersionIdMarker
	}
	objects := make([]types.ObjectIdentifier, 0, len(list.Versions)+len(list.DeleteMarkers))
	for _, v := range list.Versions {
		objects = append(objects, types.ObjectIdentifier{Key: v.Key, VersionId: v.VersionId})
	}
	for _, m := range list.DeleteMarkers {
		objects = append(objects, types.ObjectIdentifier{Key: m.Key, VersionId: m.VersionId})
	}
	if len(objects) == 0 {
		return nil
	}
	out, err := session.Call(ctx, s.on.Session, "DeleteObjects", s.on.s3.DeleteObjects, &s3.DeleteObjectsInput{
		Bucket: &s.bucket, ExpectedBucketOwner: s.on.Owner(),
		Delete: &types.Delete{Objects: objects, Quiet: aws.Bool(true)},
	})
	if err != nil {
		return err
	}
	for _, refused := range out.Errors {
		if !keptByLock(refused) {
			return s.on.refusedObject(refused)
		}
	}
	s.kept += len(out.Errors)
	s.removed += len(objects) - len(out.Errors)
	return nil
}

// keptByLock reports whether Object Lock keeps an object: S3 has one code for all that it denies, and says so in its words, as
// test_object_lock_extend_duration has them.
func keptByLock(refused types.Error) bool {
	return aws.ToString(refused.Code) == "AccessDenied" && strings.Contains(strings.ToLower(aws.ToString(refused.Message)), "object lock")
}

// problem says what is kept, once nothing else is left to delete; nil if nothing is. S3 does not tell until when, unless it is asked for each object.
func (s *versionSweep) problem() error {
	if s.kept == 0 || s.removed > 0 {
		return nil
	}
	text := fmt.Sprintf("%d object versions are", s.kept)
	if s.kept == 1 {
		text = "1 object version is"
	}
	if s.more {
		text = "at least " + text
	}
	return &driver.Error{Code: driver.Protected, Op: "DeleteObjects", Message: text + " kept by Object Lock, under a retention, a legal hold or an event hold, and can't be deleted " +
		"before that ends: HeadObject says until when; release the holds, and Mooring deletes the rest then"}
}

// refusedObject explains why an object stays: policies of buckets are beyond forceDestroy. The object is not named: which one comes first may
// change with every try.
func (b *buckets) refusedObject(refused types.Error) error {
	code := aws.ToString(refused.Code)
	return &driver.Error{
		Code: b.MeaningOf(code), Op: "DeleteObjects",
		Message: fmt.Sprintf("S3 refuses to delete some of the objects (%s): look for an object lock, or a policy that denies it", code),
	}
}
