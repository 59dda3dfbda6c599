package s3

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/portable"
	"github.com/mooring-dev/mooring/providers/table"
)

// us-east-1 is S3's first region and has rules of its own for creating buckets.
const firstRegion = "us-east-1"

type request = table.Request[v1alpha1.BucketParameters]

// buckets manages S3 buckets.
type buckets struct {
	*session.Session
	s3 *s3.Client
	// tagger writes tags where s3 can't.
	tagger tagger
}

type adapter = table.Adapter[v1alpha1.BucketParameters, bucket, params]

// newBuckets returns what manages S3 buckets. The tags say in one read whether a bucket exists, whose it is, and what tags it has; S3 has a
// call of its own for each other aspect.
func newBuckets(s *session.Session) *adapter {
	b := &buckets{Session: s, s3: session.S3(s), tagger: newTagger(s)}
	a := aspects{s, b.s3}
	return &adapter{
		Table: rows, Lacks: bucketLacks, Noun: "bucket", ReadCall: "GetBucketTagging", Region: s.Region,
		Check: notDirectory, Read: b.read, State: b.state,
		Tags: func(p *params) *table.Delta { return &p.tags },
		Make: b.create, Taken: table.Names{"tags"},
		Creatable: func(req *request) error {
			return table.Together(slices.Concat(checkNotifications(&req.Spec, s.Region), checkInventories(&req.Spec, s.Region), checkNamed(&req.Spec), []error{checkRetention(&req.Spec), checkNewReplication(&req.Spec), checkLifecycle(&req.Spec), checkLockout(&req.Spec), checkPublicPolicy(&req.Spec, nil)})...)
		},
		Unsent: map[string]string{"location": "the connection is to one region"},
		New:    newBucket(),
		Parts: []table.Part[v1alpha1.BucketParameters, bucket, params]{
			{Fields: []string{"tags"}, Write: b.writeTags, Taken: table.Names{"tags"}},
			versioningPart(a),
			aspect("publicAccess", "publicAccess", a.readPublicAccess, a.writePublicAccess),
			encryptionPart(a),
			aspect("requesterPays", "requesterPays", a.readPayment, a.writePayment),
			aspect("cors", "cors", a.readCORS, a.writeCORS),
			websitePart(a),
			accessLogs(a).part(),
			policies(a).part(),
			retention(a).part(),
			lifecyclePart(a),
			aspect("aws.objectOwnership", "ownership", a.readOwnership, a.writeOwnership),
			aspect("aws.transferAcceleration", "acceleration", acceleration(a).read, acceleration(a).write),
			notifications(a).part(),
			replication(a).part(),
			metrics.part(a),
			tierings.part(a),
			analyses.part(a),
			inventories.part(a),
		},
		Whole:   func(err error) bool { return session.ErrorCode(err) == "NoSuchBucket" },
		Listing: &table.Listing[bucket]{Read: b.list, Lacks: []string{driver.FieldMark, "tags"}},
		Remove:  b.remove,
	}
}

// newBucket is what S3 makes of a new bucket, of which nothing needs to be read to be known.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
func newBucket() *bucket {
	versioning, access := v1alpha1.VersioningSuspended, v1alpha1.PublicAccessBlocked
	return &bucket{
		versioning:      &versioning,
		publicAccess:    &access,
		key:             new(""),
		bucketKey:       new(false),
		blocked:         blockedInNew,
		requesterPays:   new(false),
		cors:            &[]v1alpha1.CORSRule{},
		index:           new(""),
		errorDocument:   new(""),
		redirectTo:      new(""),
		objectLock:      new(false),
		retentionDays:   new(int32(0)),
		retentionLocked: new(false),
		logBucket:       new(""),
		logPrefix:       new(""),
		policy:          policyOf(nil),
		lifecycle:       &[]v1alpha1.LifecycleRule{},
		acceleration:    new(string(types.BucketAccelerateStatusSuspended)),
		ownership:       new(string(types.ObjectOwnershipBucketOwnerEnforced)),
		eventBridge:     new(false),
		queues:          &[]notified{},
		topics:          &[]notified{},
		functions:       &[]notified{},
		metrics:         &[]v1alpha1.BucketMetricsAWS{},
		tierings:        &[]tiering{},
		analyses:        &[]analysis{},
		inventories:     &[]inventory{},

		replicationRole:  new(""),
		replicationRules: &[]replicationRule{},
	}
}

// namePatterns is what S3 asks of the name of a new bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
var namePatterns = []driver.NamePattern{
	{Match: `^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`,
		Rule: "S3 accepts names of 3 to 63 lower-case letters, digits, dots and hyphens that begin and end with a letter or digit"},
	{Never: `\.\.`, Rule: "S3 does not accept a name with two dots in a row"},
	{Never: `^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$`, Rule: "S3 does not accept a name that looks like an IP address"},
	{Never: `^(xn--|sthree-|amzn-s3-demo-)`, Rule: "S3 reserves names that begin with xn--, sthree- or amzn-s3-demo-"},
	{Never: `(-s3alias|--ol-s3|\.mrap|--x-s3|--xa-s3|--table-s3)$`, Rule: "S3 reserves names that end with -s3alias, --ol-s3, .mrap, --x-s3, --xa-s3 or --table-s3"},
	{Match: `([^n]|[^a]n|[^-]an|[a-z0-9.-]-[0-9]{12}-[a-z]{2,4}(-[a-z]+)+-[0-9]{1,2}-an)$`,
		Rule: "S3 keeps names that end with -an for buckets in the namespace of an account and a region: PREFIX-ACCOUNT-REGION-an, such as shop-123456789012-eu-central-1-an"},
}

// nameScope is the form of names in the namespace of an account and a region.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/gpbucketnamespaces.html
var nameScope = driver.NameScope{Setting: "bucketNamespace", Value: string(v1alpha1.BucketNamespaceAccountRegional), Suffix: "-{account}-{location}-an"}

// Buckets is what the driver has of buckets.
var Buckets = table.Kind[*session.Session]{
	Name: "Bucket",
	Resource: func() driver.Resource {
		return driver.Resource{
			Title: "Amazon S3", Name: driver.NameRule{MaxLength: 63, Patterns: namePatterns, Scope: &nameScope}, Fields: rows.Docs(),
			Lacks: bucketLacks, Known: driver.Known{Locations: session.Regions}, Consequences: consequences(),
			Capabilities: driver.Capabilities{Contents: true, List: true}, Ownership: driver.OwnedByTags,
			Connection: driver.Connection{Type: "s3", Scheme: "s3"},
			Reserved:   reserved,
			Exempt:     exempt,
		}
	},
	Preview: func(from, to json.RawMessage, applied driver.Applied) ([]driver.Change, error) {
		return table.PreviewOf(from, to, applied, preview)
	},
	Check:   checkDraft,
	Tags:    session.MostTags,
	Handler: func(s *session.Session) table.Handler { return table.Handle(newBuckets(s)) },
}

// preview is what driver.Driver says of a preview.
func preview(from, to v1alpha1.BucketParameters, applied driver.Applied) []driver.Change {
	if !replicates(&to) && replicationOf(&to).Role != nil { // which says nothing
		to = *to.DeepCopy()
		to.AWS.Replication.Role = nil
	}
	return rows.Preview(&from, &to, applied, &bucket{objectLock: new(aws.ToBool(creationLock(&from))), retentionLocked: portable.WantedRetentionLock(&from)})
}

// consequences says what people should know before they create or delete a bucket.
func consequences() driver.Consequences {
	return driver.Consequences{Noun: "S3 bucket", Contents: "all objects, their old versions and unfinished uploads"}
}

// notDirectory refuses directory buckets. They are another service: the SDK sends calls about such a name there, where no bucket has tags.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/directory-buckets-overview.html
func notDirectory(req *request) error {
	if strings.HasSuffix(req.Name, "--x-s3") || strings.HasSuffix(req.Name, "--xa-s3") {
		return session.Invalid("%q is the name of a directory bucket, which Mooring does not manage; choose another spec.externalName", req.Name)
	}
	return nil
}

// read returns a bucket with its tags and none of its aspects.
func (b *buckets) read(ctx context.Context, req *request, _ *driver.Observation) (*bucket, error) {
	tags, err := b.tags(ctx, req.Name)
	if session.ErrorCode(err) == "NoSuchBucket" {
		return nil, nil
	}
	if b.S3Compatible() && driver.CodeOf(err) == driver.Unsupported {
		return inStore{b}.readUntagged(ctx, req.Name)
	}
	if err != nil {
		return nil, err
	}
	return &bucket{region: b.Region, tags: tags}, nil
}

// state is what is known of every bucket that is there. It takes no context: resolving an endpoint calls nobody.
func (b *buckets) state(req *request, have *bucket, o *driver.Observation) {
	o.State, o.Available = driver.Ready, true
	o.Mark, o.Location = driver.MarkFrom(have.tags), have.region
	o.Endpoint = driver.Endpoint{Name: req.Name, Region: have.region, URL: b.url(context.Background())}
}

// url returns the endpoint that serves the bucket's region.
func (b *buckets) url(ctx context.Context) string {
	if custom := b.s3.Options().BaseEndpoint; custom != nil {
		return *custom
	}
	endpoint, err := s3.NewDefaultEndpointResolverV2().ResolveEndpoint(ctx, s3.EndpointParameters{Region: &b.Region})
	if err != nil {
		return ""
	}
	return endpoint.URI.String()
}

// tags returns all tags of a bucket, AWS's own included.
func (b *buckets) tags(ctx context.Context, name string) (map[string]string, error) {
	out, err := session.Call(ctx, b.Session, "GetBucketTagging", b.s3.GetBucketTagging,
		&s3.GetBucketTaggingInput{Bucket: &name, ExpectedBucketOwner: b.Owner()})
	if session.ErrorCode(err) == "NoSuchTagSet" {
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
	if session.ErrorCode(err) != "AccessDenied" && session.ErrorCode(err) != "Forbidden" {
		return err
	}
	e := *session.AsError(err)
	e.Message = fmt.Sprintf("access to bucket %q is denied: it belongs to another account, or the credentials may not make this call", name)
	return &e
}

// create makes a bucket. Mark and tags are on it from its first moment; the other aspects have calls of their own, which follow at once.
func (b *buckets) create(ctx context.Context, req *request, params *params) (driver.Result, error) {
	configuration := &types.CreateBucketConfiguration{Tags: s3Tags(params.tags.Set)}
	if b.Region != firstRegion {
		configuration.LocationConstraint = types.BucketLocationConstraint(b.Region)
	}
	in := &s3.CreateBucketInput{Bucket: &req.Name, CreateBucketConfiguration: configuration, ObjectLockEnabledForBucket: creationLock(&req.Spec)}
	if b.S3Compatible() {
		return driver.Result{}, inStore{b}.create(ctx, req, in)
	}
	if err := b.inAccountNamespace(ctx, in); err != nil {
		return driver.Result{}, err
	}
	if err := b.lookFirst(ctx, req.Name); err != nil {
		return driver.Result{}, err
	}
	_, err := session.Call(ctx, b.Session, "CreateBucket", b.s3.CreateBucket, in, onceS3)
	return driver.Result{}, err
}

// inAccountNamespace asks for a bucket in the namespace of the session's account and region if its name is one of that. Nobody else can have such a name, and some organizations allow no other.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/gpbucketnamespaces.html
func (b *buckets) inAccountNamespace(ctx context.Context, in *s3.CreateBucketInput) error {
	if !strings.HasSuffix(*in.Bucket, "-an") {
		return nil
	}
	if b.Owner() == nil {
		if _, err := b.Identity(ctx); err != nil {
			return err
		}
	}
	suffix := nameScope.In(driver.AccountID(aws.ToString(b.Owner())), b.Region)
	if !strings.HasSuffix(*in.Bucket, suffix) {
		return session.Invalid("spec.externalName: S3 creates %s only in the account and the region that it names, and this object leads to another: end the name with %s", *in.Bucket, suffix)
	}
	in.BucketNamespace = types.BucketNamespaceAccountRegional
	return nil
}

// lookFirst refuses to create a bucket that exists, where S3 itself would not: in us-east-1 the creation
// of a bucket that one owns succeeds, and resets its access control list.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html (BucketAlreadyOwnedByYou)
func (b *buckets) lookFirst(ctx context.Context, name string) error {
	if b.Region != firstRegion {
		return nil
	}
	_, err := session.Call(ctx, b.Session, "HeadBucket", b.s3.HeadBucket, &s3.HeadBucketInput{Bucket: &name})
	switch driver.CodeOf(err) {
	case driver.NotFound:
		return nil
	case driver.Denied: // there is one, whosever it is: S3 says 404 of those that are not there
		e := *session.AsError(err)
		e.Code = driver.Conflict
		e.Message = "a bucket of that name exists and can't be observed: it belongs to another account, or the credentials lack s3:ListBucket"
		return &e
	}
	if err == nil {
		return &driver.Error{Code: driver.Conflict, Op: "CreateBucket", Message: Errors["BucketAlreadyOwnedByYou"].Message}
	}
	return err
}

// writeTags changes tags and mark in one write. S3 replaces the whole set, so what is there was just read.
func (b *buckets) writeTags(ctx context.Context, req *request, have *bucket, params *params, _ []driver.Change) (string, error) {
	if have.untagged { // what is not known can't be kept
		return "", noTags(&driver.Error{Code: driver.Unsupported, Op: "GetBucketTagging", Message: "it can't be asked for them"})
	}
	tags := maps.Clone(have.tags)
	maps.Copy(tags, params.tags.Set)
	for _, k := range params.tags.Remove {
		delete(tags, k)
	}
	if len(session.OwnTags(tags))+len(driver.MarkFrom(tags).Labels()) > session.MostTags { // a mark without that is one, too, and what the spec asks for is not refused for it
		delete(tags, driver.LabelNamespaceUID)
	}
	if maps.Equal(tags, have.tags) {
		return "", nil
	}
	err := b.putTags(ctx, req.Name, tags)
	if b.S3Compatible() || err == nil {
		return "", err
	}
	if may, sure := b.mayBeABAC(ctx, req.Name, err); may {
		err = b.tagger.write(ctx, req.Name, policies{Session: b.Session}.arn(req.Name), tags, have.tags, err, sure)
	}
	return "", err
}

// putTags replaces the tags of a bucket. Tags of AWS's own are left out, as its documentation wants it; should S3 take
// that for their removal, as it has done since 2018, they are sent as they are.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketTagging.html (InvalidTag)
func (b *buckets) putTags(ctx context.Context, name string, tags map[string]string) error {
	others := maps.Clone(tags)
	maps.DeleteFunc(others, func(k, _ string) bool { return strings.HasPrefix(k, session.SystemPrefix) })
	put := func(set map[string]string) error {
		_, err := session.Call(ctx, b.Session, "PutBucketTagging", b.s3.PutBucketTagging, &s3.PutBucketTaggingInput{
			Bucket: &name, ExpectedBucketOwner: b.Owner(), Tagging: &types.Tagging{TagSet: s3Tags(set)},
		})
		return err
	}
	err := put(others)
	if session.ErrorCode(err) == "InvalidTag" && len(others) < len(tags) {
		err = put(tags)
	}
	return err
}

func s3Tags(tags map[string]string) []types.Tag {
	set := make([]types.Tag, 0, len(tags))
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		set = append(set, types.Tag{Key: aws.String(k), Value: aws.String(tags[k])})
	}
	return set
}

// specTags returns tags of S3 as a spec says them; nil if there are none.
func specTags(tags []types.Tag) map[string]v1alpha1.TagValue {
	if len(tags) == 0 {
		return nil
	}
	out := make(map[string]v1alpha1.TagValue, len(tags))
	for _, t := range tags {
		out[aws.ToString(t.Key)] = v1alpha1.TagValue(aws.ToString(t.Value))
	}
	return out
}

// onceS3 keeps the SDK from sending a write twice: after a lost response the second try would say that something is in the way, which only
// a fresh look can judge.
func onceS3(o *s3.Options) { o.RetryMaxAttempts, o.Retryer = 1, aws.NopRetryer{} }
