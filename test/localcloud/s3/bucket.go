package s3

import (
	"cmp"
	"encoding/xml"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// An s3Bucket is one bucket's configuration. It is never changed in place; its objects live beside it.
type s3Bucket struct {
	name       string
	account    string
	region     string
	constraint string // the region as its creator named it: EU is eu-west-1
	created    time.Time
	versioning string // "", Enabled or Suspended
	objectLock bool
	lockRule   *objectLockRule // nil is none
	tags       []s3Tag         // nil is no tag set
	abac       bool
	encryption encryptionRule
	blocks     *publicAccessBlock // nil is none
	unblocked  time.Time          // until when S3 goes on to refuse what a block refused that is lifted
	ownership  string             // "" is none
	policy     *s3Policy          // nil is none
	acl        string
	payer      string

	acceleration string          // "" is never set
	logging      *loggingEnabled // nil is none

	cors      []corsRule
	website   *websiteConfiguration // nil is none
	objects   *objectStore
	lifecycle *lifecycleConfiguration

	notifications notificationConfiguration
	replication   *replicationConfiguration                // nil is none
	named         map[string]map[string]namedConfiguration // by sort and id
}

const bucketOwnerEnforced = "BucketOwnerEnforced"

// expectOwner refuses a call that expects the bucket to be somebody else's.
func (c *call) expectOwner(account string) error {
	expected := c.r.Header.Get("X-Amz-Expected-Bucket-Owner")
	switch {
	case expected == "" || expected == account:
		return nil
	case !amazon.AccountID.MatchString(expected):
		return amazon.Err(http.StatusBadRequest, "InvalidBucketOwnerAWSAccountID",
			"The value of the expected bucket owner parameter must be an AWS Account ID... ["+expected+"]")
	default:
		return accessDenied()
	}
}

// bucket returns the bucket of the call, if the caller may use it from where it calls.
func (c *call) bucket() (*s3Bucket, error) {
	b := c.buckets[c.name].Read(c.stale)
	if b == nil {
		return nil, c.about(amazon.Err(http.StatusNotFound, "NoSuchBucket", "The specified bucket does not exist"))
	}
	at := http.Header{"X-Amz-Bucket-Region": {b.region}}
	if b.region != c.caller.Region {
		e := amazon.Err(http.StatusMovedPermanently, "PermanentRedirect",
			"The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.")
		e.Header, e.Detail = at, [][2]string{{"Endpoint", "s3." + b.region + ".amazonaws.com"}, {"Bucket", b.name}}
		return nil, e
	}
	err := c.expectOwner(b.account)
	if err == nil && b.account != c.caller.Account {
		err = accessDenied()
	}
	if err != nil {
		e := amazon.AsError(err)
		e.Header = at
		return nil, e
	}
	return b, nil
}

// store makes b the bucket of the call; nil deletes it.
func (c *call) store(b *s3Bucket) {
	if c.buckets[c.name] == nil {
		c.buckets[c.name] = &cloud.Past[s3Bucket]{}
	}
	if old := c.buckets[c.name].Now; old != nil {
		c.owned[old.account]--
	}
	if b != nil {
		c.owned[b.account]++
	}
	c.writes++
	c.buckets[c.name].Write(b, c.writes)
}

// change stores a changed copy of the bucket.
func (c *call) change(how func(b *s3Bucket) error) error {
	b, err := c.bucket()
	if err != nil {
		return err
	}
	next := *b
	if err := how(&next); err != nil {
		return err
	}
	c.store(&next)
	return nil
}

type createBucketConfiguration struct {
	XMLName            xml.Name   `xml:"CreateBucketConfiguration"`
	LocationConstraint string     `xml:"LocationConstraint"`
	Tags               *s3TagList `xml:"Tags"`
}

var objectOwnerships = []string{bucketOwnerEnforced, "BucketOwnerPreferred", "ObjectWriter"}

func (c *call) createBucket() (cloud.Reply, error) {
	var configuration createBucketConfiguration
	if len(c.body) > 0 {
		if err := c.parse(&configuration); err != nil {
			return cloud.Reply{}, err
		}
	}
	if !validS3Name(c.name) || c.inAccountNamespace() != strings.HasSuffix(c.name, "-an") {
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidBucketName", "The specified bucket is not valid.")
	}
	region, err := c.location(configuration.LocationConstraint)
	if err != nil {
		return cloud.Reply{}, err
	}
	made := &s3Bucket{
		name: c.name, account: c.caller.Account, region: region, constraint: configuration.LocationConstraint, created: c.now.UTC().Truncate(time.Second),
		encryption: sseS3(), blocks: &publicAccessBlock{true, true, true, true},
		ownership: bucketOwnerEnforced, acl: "private", payer: "BucketOwner", objects: newObjectStore(),
	}
	if err := c.createOptions(made, configuration.Tags); err != nil {
		return cloud.Reply{}, err
	}
	done := c.ok(nil)
	done.Header.Set("Location", "/"+c.name)
	if region != "us-east-1" {
		done.Header.Set("Location", "http://"+c.name+".s3.amazonaws.com/")
	}
	done.Header.Set("X-Amz-Bucket-Arn", "arn:aws:s3:::"+c.name)
	if existing := c.buckets[c.name].Read(false); existing != nil {
		return done, c.recreate(existing, len(made.tags) > 0)
	}
	if c.owned[c.caller.Account] >= c.bucketQuota {
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "TooManyBuckets", "You have attempted to create more buckets than allowed")
	}
	c.store(made)
	return done, nil
}

// location says where a bucket goes that is asked for at this region's endpoint. The one of
// us-east-1 serves all regions; the others only their own, which must be named, and know of no other.
func (c *call) location(constraint string) (string, error) {
	region := constraint
	if constraint == "EU" {
		region = "eu-west-1"
	}
	switch {
	case c.caller.Region != "us-east-1" && region != c.caller.Region:
		return "", amazon.Err(http.StatusBadRequest, "IllegalLocationConstraintException", "The "+cmp.Or(constraint, "unspecified")+
			" location constraint is incompatible for the region specific endpoint this request was sent to.")
	case constraint == "":
		return "us-east-1", nil
	case region == "us-east-1" || !amazon.KnownRegion(region):
		e := amazon.Err(http.StatusBadRequest, "InvalidLocationConstraint", "The specified location-constraint is not valid")
		e.Detail = [][2]string{{"LocationConstraint", constraint}}
		return "", e
	}
	return region, nil
}

// createOptions applies what else CreateBucket can ask for.
func (c *call) createOptions(b *s3Bucket, tags *s3TagList) error {
	if tags != nil {
		if err := validTags(tags.Tag, `User-defined tag keys can't start with "aws:". This prefix is reserved for system tags. `+
			`Remove "aws:" from your tag keys and try again.`); err != nil {
			return err
		}
		b.tags = tags.Tag
	}
	if ownership := c.r.Header.Get("X-Amz-Object-Ownership"); ownership != "" {
		if !slices.Contains(objectOwnerships, ownership) {
			e := amazon.Err(http.StatusBadRequest, "InvalidArgument", "Invalid x-amz-object-ownership header: "+ownership)
			e.Detail = [][2]string{{"ArgumentName", "x-amz-object-ownership"}}
			return e
		}
		b.ownership = ownership
	}
	if strings.EqualFold(c.r.Header.Get("X-Amz-Bucket-Object-Lock-Enabled"), "true") {
		b.objectLock, b.versioning = true, "Enabled"
	}
	if acl := c.r.Header.Get("X-Amz-Acl"); acl != "" && acl != "private" {
		if b.ownership == bucketOwnerEnforced {
			return amazon.Err(http.StatusBadRequest, "InvalidBucketAclWithObjectOwnership", "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting")
		}
		return accessDenied() // public ACLs are blocked on a new bucket
	}
	return nil
}

// recreate answers a create of a bucket that is there. In us-east-1 the owner gets success, and loses the ACL, unless the
// call asks for tags, even if they are the same.
func (c *call) recreate(existing *s3Bucket, tagged bool) error {
	switch {
	case existing.account != c.caller.Account:
		return c.about(amazon.Err(http.StatusConflict, "BucketAlreadyExists",
			"The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again."))
	case existing.region == "us-east-1" && c.caller.Region == "us-east-1" && !tagged:
		reset := *existing
		reset.acl = "private"
		c.store(&reset)
		return nil
	default:
		return c.about(amazon.Err(http.StatusConflict, "BucketAlreadyOwnedByYou",
			"Your previous request to create the named bucket succeeded and you already own it."))
	}
}

// about adds the bucket to an error, where S3 does.
func (c *call) about(e *amazon.Error) *amazon.Error {
	e.Detail = append(e.Detail, [2]string{"BucketName", c.name})
	return e
}

var s3Name = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

func validS3Name(name string) bool {
	for _, prefix := range []string{"xn--", "sthree-", "amzn-s3-demo-"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	for _, suffix := range []string{"-s3alias", "--ol-s3", ".mrap", "--x-s3", "--table-s3"} {
		if strings.HasSuffix(name, suffix) {
			return false
		}
	}
	return s3Name.MatchString(name) && net.ParseIP(name) == nil &&
		!strings.Contains(name, "..") && !strings.Contains(name, ".-") && !strings.Contains(name, "-.")
}

// withoutAccountNamespace are the regions where accounts have no namespace of their own.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/gpbucketnamespaces.html
var withoutAccountNamespace = []string{"me-central-1", "me-south-1"}

// inAccountNamespace reports whether a new bucket is asked for in the namespace of the caller's account and region: by the header and by the name. No recording shows the refusals.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/gpbucketnamespaces.html
func (c *call) inAccountNamespace() bool {
	return !slices.Contains(withoutAccountNamespace, c.caller.Region) &&
		c.r.Header.Get("X-Amz-Bucket-Namespace") == "account-regional" &&
		strings.HasSuffix(c.name, "-"+c.caller.Account+"-"+c.caller.Region+"-an")
}

func (c *call) headBucket() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	done := c.ok(nil)
	done.Header.Set("X-Amz-Bucket-Region", b.region)
	done.Header.Set("X-Amz-Bucket-Arn", "arn:aws:s3:::"+b.name)
	done.Header.Set("X-Amz-Access-Point-Alias", "false")
	return done, nil
}

func (c *call) deleteBucket() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if !b.objects.empty() {
		message := "The bucket you tried to delete is not empty"
		if b.versioning != "" {
			message += ". You must delete all versions in the bucket."
		}
		return cloud.Reply{}, c.about(amazon.Err(http.StatusConflict, "BucketNotEmpty", message))
	}
	c.store(nil)
	return noContent(), nil
}

func (c *call) getLocation() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(struct {
		XMLName xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ LocationConstraint"`
		Value   string   `xml:",chardata"`
	}{Value: b.constraint}), nil
}

// own returns the caller's buckets by name.
func (c *call) own() []*s3Bucket {
	lagging := ""
	if c.stale {
		lagging, _ = cloud.Newest(c.buckets)
	}
	var owned []*s3Bucket
	for name, p := range c.buckets {
		if b := p.Read(c.stale && name == lagging); b != nil && b.account == c.caller.Account {
			owned = append(owned, b)
		}
	}
	slices.SortFunc(owned, func(a, b *s3Bucket) int { return strings.Compare(a.name, b.name) })
	return owned
}

type listedBucket struct {
	Name         string
	CreationDate string
	BucketRegion string `xml:",omitempty"`
	BucketArn    string
}

// listBuckets pages only if asked to, and only then says where each bucket is.
func (c *call) listBuckets() (cloud.Reply, error) {
	limit, err := mostBuckets(c.query)
	if err != nil {
		return cloud.Reply{}, err
	}
	limit = c.cloud.PageOfAtMost(limit)
	after, ours := cloud.ReadPageToken(c.query.Get("continuation-token"))
	if c.query.Has("continuation-token") && !ours {
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidArgument", "The continuation token provided is incorrect")
	}
	if region := c.query.Get("bucket-region"); region != "" && region != c.caller.Region {
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidArgument", "Argument bucket-region must be the Region of the endpoint")
	}
	var found []listedBucket
	token := ""
	for _, b := range c.own() {
		if !strings.HasPrefix(b.name, c.query.Get("prefix")) || b.name <= after {
			continue
		}
		if region := c.query.Get("bucket-region"); region != "" && region != b.region {
			continue
		}
		if len(found) == limit {
			token = cloud.PageToken(found[limit-1].Name)
			break
		}
		listed := listedBucket{Name: b.name, CreationDate: isoTime(b.created), BucketArn: "arn:aws:s3:::" + b.name}
		if len(c.query) > 1 || (len(c.query) == 1 && !c.query.Has("x-id")) {
			listed.BucketRegion = b.region
		}
		found = append(found, listed)
	}
	return c.ok(struct {
		XMLName           xml.Name       `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListAllMyBucketsResult"`
		Buckets           []listedBucket `xml:"Buckets>Bucket"`
		OwnerID           string         `xml:"Owner>ID"`
		Prefix            string         `xml:"Prefix,omitempty"`
		ContinuationToken string         `xml:"ContinuationToken,omitempty"`
	}{Buckets: found, OwnerID: canonicalUser(c.caller.Account), Prefix: c.query.Get("prefix"), ContinuationToken: token}), nil
}

// mostBuckets returns how many buckets a list asks for at most.
func mostBuckets(query url.Values) (int, error) {
	const most = 10000
	if !query.Has("max-buckets") {
		return most, nil
	}
	n, err := strconv.Atoi(query.Get("max-buckets"))
	if err != nil || n < 1 || n > most {
		return 0, amazon.Err(http.StatusBadRequest, "InvalidArgument", "Argument max-buckets must be an integer between 1 and 10000")
	}
	return n, nil
}

func isoTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
