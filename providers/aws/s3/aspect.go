package s3

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// aspects reads and writes what S3 has calls of its own for.
type aspects struct {
	*session.Session
	s3 *s3.Client
}

// aspect returns a part of a bucket's configuration that S3 has a call of its own to read and to write. Its field is the only one that
// these calls are about.
func aspect(name, param string, read func(context.Context, string, *bucket) error, write func(context.Context, string, *params) error) table.Part[v1alpha1.BucketParameters, bucket, params] {
	return table.Part[v1alpha1.BucketParameters, bucket, params]{
		Fields: []string{name}, Taken: table.Names{param}, Blind: true,
		Read: func(ctx context.Context, req *request, into *bucket) error { return read(ctx, req.Name, into) },
		Write: func(ctx context.Context, req *request, _ *bucket, params *params, _ []driver.Change) (string, error) {
			return "", write(ctx, req.Name, params)
		},
	}
}

// versioningPart reads and writes versioning. It is switched on before all that needs it, and suspended after all that is taken away which needed it.
func versioningPart(b aspects) table.Part[v1alpha1.BucketParameters, bucket, params] {
	part := aspect("versioning", "versioning", b.readVersioning, b.writeVersioning)
	part.Last = func(changes []driver.Change) bool { return changes[0].To == string(v1alpha1.VersioningSuspended) }
	return part
}

func (b aspects) readVersioning(ctx context.Context, name string, into *bucket) error {
	out, err := session.Call(ctx, b.Session, "GetBucketVersioning", b.s3.GetBucketVersioning,
		&s3.GetBucketVersioningInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil {
		return err
	}
	// A bucket that never was versioned reports nothing. It keeps no versions, as a suspended one.
	status := v1alpha1.VersioningSuspended
	if out.Status == types.BucketVersioningStatusEnabled {
		status = v1alpha1.VersioningEnabled
	}
	into.versioning = &status
	return nil
}

func (b aspects) writeVersioning(ctx context.Context, name string, p *params) error {
	_, err := session.Call(ctx, b.Session, "PutBucketVersioning", b.s3.PutBucketVersioning, &s3.PutBucketVersioningInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(),
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatus(*p.versioning)},
	})
	if strings.Contains(session.ErrorMessage(err), "replication") {
		return adviseState(err, "the bucket has rules of replication, which need versions: set spec.versioning to Enabled, or spec.aws.replication.rules to [] and have those that others set removed")
	}
	return adviseState(err, "the bucket has Object Lock, which nobody can switch off and which needs versions: set spec.versioning to Enabled")
}

// publicAccessPartial is what the mirror shows of a bucket that has some of the four blocks: neither of
// the values that a spec can ask for.
const publicAccessPartial v1alpha1.PublicAccess = "Partial"

func (b aspects) readPublicAccess(ctx context.Context, name string, into *bucket) error {
	out, err := session.Call(ctx, b.Session, "GetPublicAccessBlock", b.s3.GetPublicAccessBlock,
		&s3.GetPublicAccessBlockInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil && session.ErrorCode(err) != "NoSuchPublicAccessBlockConfiguration" {
		return err
	}
	access := v1alpha1.PublicAccessAllowed
	if err == nil {
		access = publicAccessOf(out.PublicAccessBlockConfiguration)
	}
	into.publicAccess = &access
	return nil
}

func publicAccessOf(blocks *types.PublicAccessBlockConfiguration) v1alpha1.PublicAccess {
	if blocks == nil {
		return v1alpha1.PublicAccessAllowed
	}
	on := 0
	for _, block := range []*bool{blocks.BlockPublicAcls, blocks.IgnorePublicAcls, blocks.BlockPublicPolicy, blocks.RestrictPublicBuckets} {
		if aws.ToBool(block) {
			on++
		}
	}
	switch on {
	case 0:
		return v1alpha1.PublicAccessAllowed
	case 4:
		return v1alpha1.PublicAccessBlocked
	}
	return publicAccessPartial
}

func (b aspects) writePublicAccess(ctx context.Context, name string, p *params) error {
	block := aws.Bool(*p.publicAccess == v1alpha1.PublicAccessBlocked)
	_, err := session.Call(ctx, b.Session, "PutPublicAccessBlock", b.s3.PutPublicAccessBlock, &s3.PutPublicAccessBlockInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(),
		PublicAccessBlockConfiguration: &types.PublicAccessBlockConfiguration{
			BlockPublicAcls: block, IgnorePublicAcls: block, BlockPublicPolicy: block, RestrictPublicBuckets: block,
		},
	})
	return err
}
