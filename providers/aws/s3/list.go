package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// bucketsPerPage is how many buckets a page has. S3 gives up to 10,000, and refuses lists without pages to accounts with more.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html
const bucketsPerPage = 1000

// list returns a page of the account's buckets in the session's region, by their names: S3 lists neither tags nor any other aspect, and
// can't find buckets by a tag. It asks the region's own endpoint for that region, because S3 supports no other combination. The
// permission is s3:ListAllMyBuckets, which takes no resource.
func (b *buckets) list(ctx context.Context, req driver.ListRequest) ([]table.Found[bucket], string, error) {
	out, err := session.Call(ctx, b.Session, "ListBuckets", b.s3.ListBuckets, &s3.ListBucketsInput{
		BucketRegion: &b.Region, MaxBuckets: aws.Int32(bucketsPerPage), ContinuationToken: session.Page(req),
	})
	if err != nil {
		return nil, "", err
	}
	found := make([]table.Found[bucket], 0, len(out.Buckets))
	for _, listed := range out.Buckets {
		region := aws.ToString(listed.BucketRegion)
		if region == "" { // a server that knows no regions has all its buckets where it is
			region = b.Region
		}
		found = append(found, table.Found[bucket]{Name: aws.ToString(listed.Name), Have: &bucket{region: region}})
	}
	return found, aws.ToString(out.ContinuationToken), nil
}
