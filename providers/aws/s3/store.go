package s3

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// inStore are the buckets of a store of another maker.
type inStore struct{ on *buckets }

// create makes a bucket. Some stores answer that all is well where the bucket exists already, and some take no tags
// with the creation, or ignore them. So it looks before and after, and writes the mark where it is missing.
func (i inStore) create(ctx context.Context, req *request, in *s3.CreateBucketInput) error {
	switch _, err := i.on.tags(ctx, req.Name); {
	case err == nil:
		return &driver.Error{Code: driver.Conflict, Op: "CreateBucket", Message: Errors["BucketAlreadyOwnedByYou"].Message}
	case driver.CodeOf(err) == driver.Unsupported:
		return noTags(err)
	case driver.CodeOf(err) == driver.Denied: // there is one, whosever it is: a store says 404 of those that are not there
		e := *session.AsError(err)
		e.Code = driver.Conflict
		return &e
	case session.ErrorCode(err) != "NoSuchBucket":
		return err
	}
	want := in.CreateBucketConfiguration.Tags
	err := i.createPlainer(ctx, in)
	if err != nil {
		return err
	}
	if err := i.ensureMark(ctx, req, want); err != nil {
		// No code that says that nothing was created.
		return &driver.Error{Code: driver.Internal, Op: "CreateBucket", Err: err, Message: fmt.Sprintf(
			"the store has created bucket %q, but Mooring can't mark it as its own: delete the bucket, or set spec.adoption to IfExists once tags can be written: %s", req.Name, err)}
	}
	return nil
}

// createPlainer makes a bucket, without what the store refuses in a creation: first without tags, then also without Object Lock. A store may name neither.
// What is declared is set later, or refused by its field.
func (i inStore) createPlainer(ctx context.Context, in *s3.CreateBucketInput) error {
	create := func() error {
		_, err := session.Call(ctx, i.on.Session, "CreateBucket", i.on.s3.CreateBucket, in, onceS3)
		return err
	}
	refused := func(err error) bool {
		return driver.CodeOf(err) == driver.Invalid || driver.CodeOf(err) == driver.Unsupported
	}
	first := create()
	if !refused(first) {
		return first
	}
	in.CreateBucketConfiguration = &types.CreateBucketConfiguration{LocationConstraint: in.CreateBucketConfiguration.LocationConstraint}
	if in.CreateBucketConfiguration.LocationConstraint == "" {
		in.CreateBucketConfiguration = nil
	}
	err := create()
	if refused(err) && in.ObjectLockEnabledForBucket != nil {
		in.ObjectLockEnabledForBucket = nil
		err = create()
	}
	if refused(err) {
		return first
	}
	return err
}

// ensureMark writes the tags of a new bucket where the creation did not, and looks whether they are there then: a store may take tags and keep none.
func (i inStore) ensureMark(ctx context.Context, req *request, want []types.Tag) error {
	for range 2 {
		have, err := i.on.tags(ctx, req.Name)
		if err != nil || driver.MarkFrom(have).Is(req.Mark) {
			return err
		}
		if len(have) > 0 {
			return &driver.Error{Code: driver.Conflict, Op: "CreateBucket", Message: "somebody else has marked it"}
		}
		_, err = session.Call(ctx, i.on.Session, "PutBucketTagging", i.on.s3.PutBucketTagging, &s3.PutBucketTaggingInput{
			Bucket: &req.Name, ExpectedBucketOwner: i.on.Owner(), Tagging: &types.Tagging{TagSet: want},
		})
		if err != nil {
			return err
		}
	}
	return &driver.Error{Code: driver.Unsupported, Op: "PutBucketTagging", Message: "the store takes tags of buckets and keeps none"}
}

// readUntagged observes a bucket in a store that keeps no tags: nobody's mark is on it, so it can be observed and is not managed. Whether it is there says
// a list of uploads, which stores have: unlike that of HeadBucket its answer has a body, which no proxy makes up.
func (i inStore) readUntagged(ctx context.Context, name string) (*bucket, error) {
	_, err := session.Call(ctx, i.on.Session, "ListMultipartUploads", i.on.s3.ListMultipartUploads,
		&s3.ListMultipartUploadsInput{Bucket: &name, ExpectedBucketOwner: i.on.Owner(), MaxUploads: new(int32(1))})
	if session.ErrorCode(err) == "NoSuchBucket" {
		return nil, nil
	}
	if err != nil {
		return nil, explainDenied(name, err)
	}
	return &bucket{region: i.on.Region, tags: map[string]string{}, untagged: true}, nil
}

// noTags says why a bucket can't be managed in a store without tags.
func noTags(err error) error {
	e := *session.AsError(err)
	e.Message = "this S3-compatible store keeps no tags of buckets, and Mooring marks what it manages by tags: use another store, or let somebody else make the bucket and " +
		"set spec.management to Observe; " + session.StoreAnswer(err)
	return &e
}
