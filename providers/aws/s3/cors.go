package s3

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// corsRow is which pages of other origins may use a bucket.
var corsRow = table.Rules("cors",
	func(s *v1alpha1.BucketParameters) []v1alpha1.CORSRule { return s.CORS },
	func(b *bucket) *[]v1alpha1.CORSRule { return b.cors },
	func(p *params, v []v1alpha1.CORSRule) { p.cors = v },
	portable.NormalizeCORS, "another order within a rule, and upper case in headers; ids of rules count for nothing")

func (b aspects) readCORS(ctx context.Context, name string, into *bucket) error {
	out, err := session.Call(ctx, b.Session, "GetBucketCors", b.s3.GetBucketCors, &s3.GetBucketCorsInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil && session.ErrorCode(err) != "NoSuchCORSConfiguration" {
		return err
	}
	rules := []v1alpha1.CORSRule{}
	if err == nil {
		for _, r := range out.CORSRules {
			rules = append(rules, v1alpha1.CORSRule{
				AllowedOrigins: r.AllowedOrigins, AllowedMethods: r.AllowedMethods, AllowedHeaders: r.AllowedHeaders, ExposeHeaders: r.ExposeHeaders,
				MaxAgeSeconds: r.MaxAgeSeconds,
			})
		}
	}
	into.cors = &rules
	return nil
}

// writeCORS replaces all rules. S3 takes no empty list: none is a call of its own.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html
func (b aspects) writeCORS(ctx context.Context, name string, p *params) error {
	if len(p.cors) == 0 {
		_, err := session.Call(ctx, b.Session, "DeleteBucketCors", b.s3.DeleteBucketCors, &s3.DeleteBucketCorsInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
		return err
	}
	rules := make([]types.CORSRule, 0, len(p.cors))
	for _, r := range p.cors {
		rules = append(rules, types.CORSRule{
			AllowedOrigins: r.AllowedOrigins, AllowedMethods: r.AllowedMethods, AllowedHeaders: r.AllowedHeaders, ExposeHeaders: r.ExposeHeaders,
			MaxAgeSeconds: r.MaxAgeSeconds,
		})
	}
	_, err := session.Call(ctx, b.Session, "PutBucketCors", b.s3.PutBucketCors, &s3.PutBucketCorsInput{
		Bucket: &name, ExpectedBucketOwner: b.Owner(), CORSConfiguration: &types.CORSConfiguration{CORSRules: rules},
	})
	return err
}
