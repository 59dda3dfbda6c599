package aws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/field"
)

// us-east-1 is S3's first region and has rules of its own for creating buckets.
const firstRegion = "us-east-1"

type bucketRequest = driver.Request[v1alpha1.BucketParameters]

// buckets manages S3 buckets.
type buckets struct{ *session }

var _ driver.External[v1alpha1.BucketParameters] = (*buckets)(nil)

// Name implements driver.External.
func (b *buckets) Name() driver.NameRule {
	return driver.NameRule{MaxLength: 63, Patterns: bucketNames}
}

// bucketNames is what S3 asks of the name of a new bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
var bucketNames = []driver.NamePattern{
	{Match: `^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`,
		Rule: "S3 accepts names of 3 to 63 lower-case letters, digits, dots and hyphens that begin and end with a letter or digit"},
	{Never: `\.\.`, Rule: "S3 does not accept a name with two dots in a row"},
	{Never: `^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$`, Rule: "S3 does not accept a name that looks like an IP address"},
	{Never: `^(xn--|sthree-|amzn-s3-demo-)`, Rule: "S3 reserves names that begin with xn--, sthree- or amzn-s3-demo-"},
	{Never: `(-s3alias|--ol-s3|\.mrap|--x-s3|--xa-s3|--table-s3|-an)$`, Rule: "S3 reserves names that end with -s3alias, --ol-s3, .mrap, --x-s3, --xa-s3, --table-s3 or -an"},
}

// Password implements driver.External.
func (b *buckets) Password(v1alpha1.BucketParameters) driver.PasswordRule {
	return driver.PasswordRule{}
}

// Preview is what driver.Driver says of a preview.
func (b *buckets) Preview(from, to v1alpha1.BucketParameters, applied field.Applied) []field.Change {
	return bucketTable.Preview(&from, &to, applied, &bucket{})
}

// bucketConsequences says what people should know before they create or delete a bucket.
func bucketConsequences() driver.Consequences {
	return driver.Consequences{Noun: "S3 bucket", Contents: "all objects, their old versions and unfinished uploads"}
}

// Docs returns what the reference says of each row.
func (b *buckets) Docs() []field.Doc { return bucketTable.Docs() }

// serves refuses a request that the session can't answer for. A directory bucket is another service: the SDK sends calls
// about such a name there, where no bucket has tags.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-buckets-overview.html
func (b *buckets) serves(req bucketRequest) error {
	if strings.HasSuffix(req.Name, "--x-s3") || strings.HasSuffix(req.Name, "--xa-s3") {
		return invalid("%q is the name of a directory bucket, which Mooring does not manage; choose another spec.externalName", req.Name)
	}
	return b.session.serves(req.Location)
}

// Observe implements driver.External. The tags say in one read whether the bucket exists, whose it
// is, and what tags it has.
func (b *buckets) Observe(ctx context.Context, req bucketRequest) (driver.Observation, error) {
	if err := b.serves(req); err != nil {
		return driver.Observation{}, err
	}
	tags, err := b.tags(ctx, req.Name)
	if apiCode(err) == "NoSuchBucket" {
		return b.absent(req), nil
	}
	if err != nil {
		return driver.Observation{}, err
	}
	have := bucket{region: b.region, tags: tags}
	if req.Deletion != nil { // it takes to know whose it is, and whether it is what the spec asks for: no aspect is read
		unread := func(f string) bool {
			return slices.ContainsFunc(bucketAspects, func(a aspect) bool { return a.field == f })
		}
		return driver.Observation{
			State: driver.Ready, Mark: driver.MarkFrom(tags), Location: b.region, Available: true,
			Changes: bucketTable.Diff(&req.Spec, &have, req.Applied, unread),
		}, nil
	}
	unreadable := b.readAspects(ctx, req, &have)
	unread := map[string]bool{}
	for _, u := range unreadable {
		unread[u.Field] = true
	}
	changes := bucketTable.Diff(&req.Spec, &have, req.Applied, func(f string) bool { return unread[f] })
	mirror, err := bucketTable.Mirror(&have)
	if err != nil {
		return driver.Observation{}, &driver.Error{Code: driver.Internal, Message: err.Error()}
	}
	return driver.Observation{
		State:      driver.Ready,
		Mark:       driver.MarkFrom(tags),
		Location:   b.region,
		Available:  true,
		Changes:    changes,
		Applied:    bucketTable.Applied(&req.Spec, req.Applied, append(notRead(unreadable), changes...)),
		Mirror:     mirror,
		Unreadable: unreadable,
		Endpoint:   driver.Endpoint{Bucket: req.Name, Region: b.region, URL: b.url(ctx)},
	}, nil
}

// absent is the observation of no bucket. A creation sets its tags and location, and the Update that follows
// the rest: all of it is announced now, or the controller would have to store it in between.
func (b *buckets) absent(req bucketRequest) driver.Observation {
	return driver.Observation{State: driver.Absent, Applied: bucketTable.Applied(&req.Spec, nil, nil)}
}

// url returns the endpoint that serves the bucket's region.
func (b *buckets) url(ctx context.Context) string {
	if custom := b.s3.Options().BaseEndpoint; custom != nil {
		return *custom
	}
	endpoint, err := s3.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx, s3.EndpointParameters{Region: &b.region})
	if err != nil {
		return ""
	}
	return endpoint.URI.String()
}

// tags returns all tags of a bucket, AWS's own included.
func (b *buckets) tags(ctx context.Context, name string) (map[string]string, error) {
	out, err := call(ctx, b.session, "GetBucketTagging", b.s3.GetBucketTagging,
		&s3.GetBucketTaggingInput{Bucket: &name, ExpectedBucketOwner: b.owner()})
	if apiCode(err) == "NoSuchTagSet" {
		return map[string]string{}, nil
	}
	if err != nil {
		return nil, explainDenied(name, err)
	}
	tags := make(map[string]string, len(out.TagSet))
	for _, t := range out.TagSet {
		tags[aws.ToString(t.Key)] = aws.ToString(t.Value)
	}
	return tags, nil
}

// explainDenied says the two things that a 403 can mean: S3 does not tell which.
func explainDenied(name string, err error) error {
	if apiCode(err) != "AccessDenied" && apiCode(err) != "Forbidden" {
		return err
	}
	e := *asError(err)
	e.Message = fmt.Sprintf("access to bucket %q is denied: it belongs to another account, or the credentials may not make this call", name)
	return &e
}

// Create implements driver.External. Mark and tags are on the bucket from its first moment; the other
// aspects have calls of their own, which follow at once.
func (b *buckets) Create(ctx context.Context, req bucketRequest) (driver.Result, error) {
	if err := b.serves(req); err != nil {
		return driver.Result{}, err
	}
	if err := b.lookFirst(ctx, req.Name); err != nil {
		return driver.Result{}, err
	}
	tags := wantTags(req.Spec.Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	maps.Copy(tags, req.Mark.Labels())
	configuration := &types.CreateBucketConfiguration{Tags: s3Tags(tags)}
	if b.region != firstRegion {
		configuration.LocationConstraint = types.BucketLocationConstraint(b.region)
	}
	_, err := call(ctx, b.session, "CreateBucket", b.s3.CreateBucket,
		&s3.CreateBucketInput{Bucket: &req.Name, CreateBucketConfiguration: configuration}, onceS3)
	if err != nil {
		return driver.Result{}, err
	}
	return driver.Result{Sent: b.configure(ctx, req)}, nil
}

// configure sets what differs from what S3 makes of a new bucket, which need not be read to be known, and returns what was set. What is
// refused or gets no answer differs when the bucket is next observed, and is told then.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
func (b *buckets) configure(ctx context.Context, req bucketRequest) (set []field.Change) {
	versioning, access := v1alpha1.VersioningSuspended, v1alpha1.PublicAccessBlocked
	made := bucket{versioning: &versioning, publicAccess: &access, key: new("")}
	for _, c := range bucketTable.Diff(&req.Spec, &made, nil, func(name string) bool { return name == "location" || name == "tags" }) {
		if b.writeAspect(ctx, req, &made, c) != nil {
			return set
		}
		set = append(set, c)
	}
	return set
}

// lookFirst refuses to create a bucket that exists, where S3 itself would not: in us-east-1 the creation
// of a bucket that one owns succeeds, and resets its access control list.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html (BucketAlreadyOwnedByYou)
func (b *buckets) lookFirst(ctx context.Context, name string) error {
	if b.region != firstRegion {
		return nil
	}
	_, err := call(ctx, b.session, "HeadBucket", b.s3.HeadBucket, &s3.HeadBucketInput{Bucket: &name})
	switch driver.CodeOf(err) {
	case driver.NotFound:
		return nil
	case driver.Denied: // there is one, whosever it is: S3 says 404 of those that are not there
		e := *asError(err)
		e.Code = driver.Conflict
		e.Message = "a bucket of that name exists and can't be observed: it belongs to another account, or the credentials lack s3:ListBucket"
		return &e
	}
	if err == nil {
		return &driver.Error{Code: driver.Conflict, Op: "CreateBucket", Message: messages["BucketAlreadyOwnedByYou"]}
	}
	return err
}

// Update implements driver.External: one write for the tags and the mark, one for each other aspect.
func (b *buckets) Update(ctx context.Context, req bucketRequest, changes []field.Change) (driver.Result, error) {
	if err := b.serves(req); err != nil {
		return driver.Result{}, err
	}
	var result driver.Result
	fail := func(err error, failed ...field.Change) {
		for _, c := range failed {
			result.Failed = append(result.Failed, driver.FieldError{Field: c.Field, Err: err})
		}
	}
	tagging, others := split(changes, func(c field.Change) bool { return c.Field == driver.FieldMark || c.Field == "tags" })
	if len(tagging) > 0 {
		present, err := b.tags(ctx, req.Name)
		if err != nil {
			return result, err
		}
		if err := b.writeTags(ctx, req, present, tagging); err != nil {
			fail(err, tagging...)
		}
	}
	for _, c := range others {
		err := b.writeAspect(ctx, req, &bucket{}, c)
		if apiCode(err) == "NoSuchBucket" {
			return result, err
		}
		if err != nil {
			fail(err, c)
		}
	}
	return result, nil
}

// split parts changes in two, in order.
func split(changes []field.Change, first func(field.Change) bool) (yes, no []field.Change) {
	for _, c := range changes {
		if first(c) {
			yes = append(yes, c)
		} else {
			no = append(no, c)
		}
	}
	return yes, no
}

// writeAspect makes the one call that a change of an aspect takes.
func (b *buckets) writeAspect(ctx context.Context, req bucketRequest, have *bucket, c field.Change) error {
	var params bucketParams
	if err := bucketTable.Patch(&req.Spec, have, []field.Change{c}, &params); err != nil {
		return invalid("%s", err)
	}
	for _, a := range bucketAspects {
		if a.field == c.Field {
			return a.write(b, ctx, req.Name, params)
		}
	}
	return invalid("%s: S3 has no call that changes it", c.Field)
}

// writeTags changes tags and mark in one write. S3 replaces the whole set, so present must be fresh.
func (b *buckets) writeTags(ctx context.Context, req bucketRequest, present map[string]string, changes []field.Change) error {
	tags := maps.Clone(present)
	for _, c := range changes {
		delta := field.Delta{}
		if c.Field == driver.FieldMark {
			delta.Set, delta.Remove = markDelta(req.Mark)
		} else {
			var params bucketParams
			if err := bucketTable.Patch(&req.Spec, &bucket{tags: present}, []field.Change{c}, &params); err != nil {
				return invalid("%s", err)
			}
			delta = *params.tags
		}
		maps.Copy(tags, delta.Set)
		for _, k := range delta.Remove {
			delete(tags, k)
		}
	}
	if maps.Equal(tags, present) {
		return nil
	}
	return b.putTags(ctx, req.Name, tags)
}

// putTags replaces the tags of a bucket. Tags of AWS's own are left out, as its documentation wants it; should S3 take
// that for their removal, as it has done since 2018, they are sent as they are.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html (InvalidTag)
func (b *buckets) putTags(ctx context.Context, name string, tags map[string]string) error {
	others := maps.Clone(tags)
	maps.DeleteFunc(others, func(k, _ string) bool { return strings.HasPrefix(k, systemPrefix) })
	put := func(set map[string]string) error {
		_, err := call(ctx, b.session, "PutBucketTagging", b.s3.PutBucketTagging, &s3.PutBucketTaggingInput{
			Bucket: &name, ExpectedBucketOwner: b.owner(), Tagging: &types.Tagging{TagSet: s3Tags(set)},
		})
		return err
	}
	err := put(others)
	if apiCode(err) == "InvalidTag" && len(others) < len(tags) {
		err = put(tags)
	}
	return err
}

func s3Tags(tags map[string]string) []types.Tag {
	set := make([]types.Tag, 0, len(tags))
	for _, k := range sortedKeys(tags) {
		set = append(set, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return set
}
