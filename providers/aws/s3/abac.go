package s3

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	s3types "github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/aws-sdk-go-v2/service/s3control"
	"github.com/aws/aws-sdk-go-v2/service/s3control/types"
	smithyendpoints "github.com/aws/smithy-go/endpoints"

	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
)

// A tagger writes tags of buckets with attribute-based access control, whose tags say who may do what with them: S3 takes those by its control API alone, tag by tag.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/buckets-tagging-enable-abac.html
type tagger struct {
	*session.Session
	s3control *s3control.Client
}

func newTagger(s *session.Session) tagger {
	return tagger{s, s3control.NewFromConfig(s.Config, func(o *s3control.Options) {
		if s.Custom && s.Config.BaseEndpoint != nil { // the account is in a header; in front of a host that somebody chose it would be another host
			o.EndpointResolverV2 = fixedHost(*s.Config.BaseEndpoint)
		}
	})}
}

// A fixedHost is the host of all calls, which are signed as they are elsewhere.
type fixedHost string

// ResolveEndpoint implements s3control.EndpointResolverV2.
func (h fixedHost) ResolveEndpoint(ctx context.Context, p s3control.EndpointParameters) (smithyendpoints.Endpoint, error) {
	endpoint, err := s3control.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx, p)
	if err != nil {
		return endpoint, err
	}
	host, err := url.Parse(string(h))
	if err == nil {
		endpoint.URI.Scheme, endpoint.URI.Host = host.Scheme, host.Host
	}
	return endpoint, err
}

// mayBeABAC reports whether S3 may have refused tags because of attribute-based access control, and whether that is sure. Its documentation names no code for that, so the bucket is asked, unless the refusal is about the
// tags themselves. Where that can't be asked, a refusal that is no denial may be one: what is then tried needs rights of its own.
func (b *buckets) mayBeABAC(ctx context.Context, name string, refused error) (may, sure bool) {
	code := driver.CodeOf(refused)
	if code != driver.Invalid && code != driver.Denied || slices.Contains([]string{"InvalidTag", "MalformedXML", "BadRequest"}, session.ErrorCode(refused)) {
		return false, false
	}
	out, err := session.Call(ctx, b.Session, "GetBucketAbac", b.s3.GetBucketAbac, &s3.GetBucketAbacInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if err != nil {
		return code == driver.Invalid, false
	}
	sure = out.AbacStatus != nil && out.AbacStatus.Status == s3types.BucketAbacStatusEnabled
	return sure, sure
}

// write makes the tags of a bucket those that are wanted. Where a bucket has no room for both, what goes makes room first; otherwise it goes last, as the mark demands it. refused is why
// PutBucketTagging did not; it is told if this does not either, unless it is sure that the bucket has attribute-based access control.
func (t tagger) write(ctx context.Context, name, arn string, wanted, have map[string]string, refused error, sure bool) error {
	set, gone := map[string]string{}, []string{}
	for k, v := range wanted {
		if was, is := have[k]; !is || was != v {
			set[k] = v
		}
	}
	for k := range have {
		if _, stays := wanted[k]; !stays && !strings.HasPrefix(k, session.SystemPrefix) {
			gone = append(gone, k)
		}
	}
	if t.Owner() == nil {
		if _, err := t.Identity(ctx); err != nil {
			return err
		}
	}
	both := maps.Clone(have)
	maps.Copy(both, set)
	slices.Sort(gone)
	steps := []func() error{
		func() error { return t.tag(ctx, arn, set) },
		func() error { return t.untag(ctx, arn, gone) },
	}
	var unset []string // if the second step fails
	if len(both) > session.MostTags {
		slices.Reverse(steps)
		unset = slices.Sorted(maps.Keys(set))
	}
	if err := steps[0](); err != nil {
		return t.explain(name, err, refused, sure)
	}
	if err := steps[1](); err != nil {
		return &table.Unset{Err: t.explain(name, err, refused, true), Names: unset}
	}
	return nil
}

func (t tagger) tag(ctx context.Context, arn string, set map[string]string) error {
	if len(set) == 0 {
		return nil
	}
	_, err := session.Call(ctx, t.Session, "TagResource", t.s3control.TagResource, &s3control.TagResourceInput{AccountId: t.Owner(), ResourceArn: &arn, Tags: controlTags(set)})
	return err
}

func (t tagger) untag(ctx context.Context, arn string, gone []string) error {
	if len(gone) == 0 {
		return nil
	}
	_, err := session.Call(ctx, t.Session, "UntagResource", t.s3control.UntagResource, &s3control.UntagResourceInput{AccountId: t.Owner(), ResourceArn: &arn, TagKeys: gone})
	return err
}

// explain returns what is told of tags that the control API does not write.
func (t tagger) explain(name string, err, refused error, sure bool) error {
	switch code := driver.CodeOf(err); {
	case code == driver.Denied && (sure || driver.CodeOf(refused) != driver.Denied):
		e := *session.AsError(err)
		e.Message = "the bucket " + name + " has attribute-based access control, so its tags are written by s3:TagResource and s3:UntagResource: allow both to this identity. Amazon S3 says: " + e.Message
		return &e
	case !sure && (code == driver.Denied || code == driver.Invalid || code == driver.Unsupported):
		return refused
	}
	return err
}

func controlTags(tags map[string]string) []types.Tag {
	set := make([]types.Tag, 0, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		set = append(set, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return set
}
