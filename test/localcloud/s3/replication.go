package s3

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

type replicationAnd struct {
	Prefix *string `xml:"Prefix"`
	Tags   []s3Tag `xml:"Tag"`
}

type replicationFilter struct {
	And    *replicationAnd `xml:"And"`
	Prefix *string         `xml:"Prefix"`
	Tag    *s3Tag          `xml:"Tag"`
}

type replicationStatus struct {
	Status string
}

type replicationMinutes struct {
	Minutes *int
}

type replicationMetrics struct {
	EventThreshold *replicationMinutes
	Status         string
}

type replicationTime struct {
	Status string
	Time   *replicationMinutes
}

type replicationEncryption struct {
	Key *string `xml:"ReplicaKmsKeyID"`
}

type replicationOwner struct {
	Owner string
}

type replicationDestination struct {
	Owner        *replicationOwner `xml:"AccessControlTranslation"`
	Account      string            `xml:"Account,omitempty"`
	Bucket       string
	Encryption   *replicationEncryption `xml:"EncryptionConfiguration"`
	Metrics      *replicationMetrics
	Time         *replicationTime `xml:"ReplicationTime"`
	StorageClass string           `xml:"StorageClass,omitempty"`
}

type replicationSource struct {
	Modifications *replicationStatus `xml:"ReplicaModifications"`
	Encrypted     *replicationStatus `xml:"SseKmsEncryptedObjects"`
}

type replicationRule struct {
	DeleteMarkers   *replicationStatus      `xml:"DeleteMarkerReplication"`
	Destination     *replicationDestination `xml:"Destination"`
	ExistingObjects *replicationStatus      `xml:"ExistingObjectReplication"`
	Filter          *replicationFilter      `xml:"Filter"`
	ID              string                  `xml:"ID"`
	Prefix          *string                 `xml:"Prefix"`
	Priority        *int                    `xml:"Priority"`
	Source          *replicationSource      `xml:"SourceSelectionCriteria"`
	Status          string                  `xml:"Status"`
}

type replicationConfiguration struct {
	XMLName   xml.Name          `xml:"ReplicationConfiguration"`
	Namespace string            `xml:"xmlns,attr,omitempty"`
	Role      *string           `xml:"Role"`
	Rules     []replicationRule `xml:"Rule"`
}

// roleNotCopied is a role of each account that nobody may hand to S3.
const roleNotCopied = "audit-replication"

// platformCopies are buckets with versioning that every account has: whoever set it up made them.
var platformCopies = regexp.MustCompile(`^(?:shop|other)-copies$`)

var (
	copyingRole       = regexp.MustCompile(`^arn:aws:iam::([0-9]{12}):(.+)$`)
	copiedBucket      = regexp.MustCompile(`^arn:aws:s3:::([a-z0-9._-]+)$`)
	copyKey           = regexp.MustCompile(`^arn:aws:kms:[a-z0-9-]+:[0-9]{12}:(?:key|alias)/.+$`)
	copyStorage       = []string{"", "STANDARD", "REDUCED_REDUNDANCY", "STANDARD_IA", "ONEZONE_IA", "INTELLIGENT_TIERING", "GLACIER", "DEEP_ARCHIVE", "GLACIER_IR"}
	replicationStates = []string{"Enabled", "Disabled"}
	mostReplication   = 1000
)

// replicationDocument: the recordings show what S3 says of a document without rules, and of versioning here and there. No recording shows
// the other refusals, whose words are those that people report, and those of other servers with the API of S3.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketReplication.html
var replicationDocument = &document[replicationConfiguration]{
	sub: "replication", noun: "BucketReplication",
	get: func(b *s3Bucket) *replicationConfiguration {
		if b.replication == nil {
			return nil
		}
		shown := *b.replication
		shown.Namespace = namespace
		return &shown
	},
	absent: absence{"ReplicationConfigurationNotFoundError", "The replication configuration was not found"},
	check:  validReplication,
	put:    func(_ *call, b *s3Bucket, asked *replicationConfiguration) { b.replication = asked },
	remove: func(_ *call, b *s3Bucket) { b.replication = nil },
}

// validReplication holds rules to S3's own rules, and gives one without an id an id.
func validReplication(c *call, b *s3Bucket, asked *replicationConfiguration) error {
	if asked.Role == nil || len(asked.Rules) == 0 {
		return malformedXML()
	}
	if err := c.mayPass(*asked.Role); err != nil {
		return err
	}
	if b.versioning != "Enabled" {
		return badReplication("Versioning must be 'Enabled' on the bucket to apply a replication configuration")
	}
	if err := asked.valid(); err != nil {
		return err
	}
	for _, rule := range asked.Rules {
		if err := c.canCopyTo(b.name, rule.Destination.Bucket); err != nil {
			return err
		}
	}
	return nil
}

func badReplication(format string, args ...any) error {
	return amazon.Err(http.StatusBadRequest, "InvalidRequest", fmt.Sprintf(format, args...))
}

func wrongReplication(name, value, why string) error {
	e := amazon.Err(http.StatusBadRequest, "InvalidArgument", why)
	e.Detail = [][2]string{{"ArgumentName", name}, {"ArgumentValue", value}}
	return e
}

// mayPass refuses roles that can't be handed to S3. That it does not look whether a role is there is what people report: such a rule copies nothing.
func (c *call) mayPass(role string) error {
	found := copyingRole.FindStringSubmatch(role)
	switch {
	case found == nil:
		return wrongReplication("Role", role, "Invalid Role specified in replication configuration")
	case !strings.HasPrefix(found[2], "role/"):
		return wrongReplication("Role", role, "The relative id should start with role")
	case found[1] != c.caller.Account || found[2] == "role/"+roleNotCopied:
		return amazon.Err(http.StatusForbidden, "AccessDenied", "User: "+c.caller.ARN+" is not authorized to perform: iam:PassRole on resource: "+role)
	}
	return nil
}

// canCopyTo looks at the bucket that gets the copies. The recordings say the same of one that is not there and of one without versions.
func (c *call) canCopyTo(source, arn string) error {
	found := copiedBucket.FindStringSubmatch(arn)
	switch {
	case found == nil:
		return wrongReplication("Bucket", arn, "Invalid bucket ARN")
	case found[1] == source:
		return badReplication("Destination bucket cannot be the same as the source bucket.")
	case platformCopies.MatchString(found[1]):
		return nil
	}
	if target := c.buckets[found[1]].Read(c.stale); target == nil || target.versioning != "Enabled" {
		return badReplication("Destination bucket must have versioning enabled.")
	}
	return nil
}

// valid holds the rules to what S3 asks of them, each by itself and together.
func (d *replicationConfiguration) valid() error {
	if len(d.Rules) > mostReplication {
		return badReplication("Number of rules in the replication configuration exceeds the allowed limit of %d", mostReplication)
	}
	first := slices.ContainsFunc(d.Rules, func(r replicationRule) bool { return r.Filter == nil })
	ids, priorities := map[string]bool{}, map[int]bool{}
	for i := range d.Rules {
		rule := &d.Rules[i]
		if err := rule.valid(first); err != nil {
			return err
		}
		if rule.ID == "" {
			rule.ID = cloud.RequestID()
		}
		if ids[rule.ID] {
			return wrongReplication("ID", rule.ID, "Rule Id must be unique")
		}
		ids[rule.ID] = true
		if rule.Priority == nil {
			continue
		}
		if *rule.Priority < 0 || *rule.Priority > 1<<31-1 {
			return badReplication("Priority must be between 0 and 2147483647.")
		}
		if priorities[*rule.Priority] {
			return badReplication("Found duplicate priority %d.", *rule.Priority)
		}
		priorities[*rule.Priority] = true
	}
	return nil
}

// valid holds a rule to one of the two versions of the schema: the first one has a prefix alone, and the second one a filter with all that comes with it.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/replication-add-config.html#replication-backward-compat-considerations
func (r *replicationRule) valid(first bool) error {
	const version = " for this version of Cross Region Replication configuration schema. Please refer to S3 Developer Guide for more information."
	switch {
	case !slices.Contains(replicationStates, r.Status) || r.Destination == nil || r.Destination.Bucket == "" || r.ExistingObjects != nil || (r.Prefix == nil) == (r.Filter == nil):
		return malformedXML()
	case len(r.ID) > 255:
		return wrongReplication("ID", r.ID, "Rule Id cannot be greater than 255")
	case first && r.Priority != nil:
		return badReplication("Priority cannot be used" + version)
	case first && r.DeleteMarkers != nil:
		return badReplication("DeleteMarkerReplication cannot be used" + version)
	case !first && r.Priority == nil:
		return badReplication("Priority must be specified" + version)
	case !first && r.DeleteMarkers == nil:
		return badReplication("DeleteMarkerReplication must be specified" + version)
	}
	tags, err := r.Filter.tags()
	if err != nil {
		return err
	}
	if r.DeleteMarkers != nil {
		switch {
		case !slices.Contains(replicationStates, r.DeleteMarkers.Status):
			return malformedXML()
		case r.DeleteMarkers.Status == "Enabled" && len(tags) > 0:
			return badReplication("Delete marker replication is not supported if any Tag filter is specified. Please refer to S3 Developer Guide for more information.")
		}
	}
	return r.Destination.valid(r.Source)
}

// tags returns the tags of a filter, which has one condition alone or several in an element of their own.
func (f *replicationFilter) tags() ([]s3Tag, error) {
	if f == nil {
		return nil, nil
	}
	var tags []s3Tag
	conditions := 0
	for _, set := range []bool{f.And != nil, f.Prefix != nil, f.Tag != nil} {
		if set {
			conditions++
		}
	}
	if f.Tag != nil {
		tags = []s3Tag{*f.Tag}
	}
	if f.And != nil {
		if tags = f.And.Tags; len(tags) == 0 || len(tags) == 1 && f.And.Prefix == nil {
			return nil, malformedXML()
		}
	}
	if conditions > 1 {
		return nil, malformedXML()
	}
	seen := map[string]bool{}
	for _, tag := range tags {
		if seen[tag.Key] {
			return nil, badReplication("Duplicate Tag Keys are not allowed.")
		}
		seen[tag.Key] = true
	}
	return tags, validTags(tags, "System tags cannot be added/updated by requester")
}

// valid holds a destination to what S3 asks of it beside the objects that a rule chooses.
func (d *replicationDestination) valid(source *replicationSource) error {
	encrypted := source != nil && source.Encrypted != nil
	switch {
	case source != nil && source.Encrypted == nil && source.Modifications == nil:
		return badReplication("SourceSelectionCriteria cannot be empty.")
	case encrypted && !slices.Contains(replicationStates, source.Encrypted.Status), source != nil && source.Modifications != nil && !slices.Contains(replicationStates, source.Modifications.Status),
		!slices.Contains(copyStorage, d.StorageClass), d.Owner != nil && d.Owner.Owner != "Destination":
		return malformedXML()
	case d.Owner != nil && d.Account == "":
		return badReplication("Account must be specified if the Owner in AccessControlTranslation has a value")
	case d.Encryption != nil && !encrypted:
		return badReplication("SseKmsEncryptedObjects must be specified if EncryptionConfiguration is present.")
	case encrypted && (d.Encryption == nil || d.Encryption.Key == nil):
		return badReplication("ReplicaKmsKeyID must be specified if SseKmsEncryptedObjects tag is present.")
	case encrypted && !copyKey.MatchString(*d.Encryption.Key):
		return wrongReplication("ReplicaKmsKeyID", *d.Encryption.Key, "Invalid ReplicaKmsKeyID ARN.")
	}
	return d.validMetrics()
}

// validMetrics holds Replication Time Control to its 15 minutes, and to metrics.
func (d *replicationDestination) validMetrics() error {
	isFifteen := func(m *replicationMinutes) bool { return m != nil && m.Minutes != nil && *m.Minutes == 15 }
	timed := d.Time != nil && d.Time.Status == "Enabled"
	switch {
	case d.Metrics != nil && !slices.Contains(replicationStates, d.Metrics.Status), d.Time != nil && (!slices.Contains(replicationStates, d.Time.Status) || d.Time.Time == nil):
		return malformedXML()
	case d.Time != nil && d.Metrics == nil:
		return badReplication("Replication destination must contain both ReplicationTime and Metrics or neither.")
	case d.Time != nil && !isFifteen(d.Time.Time):
		return wrongReplication("ReplicationTime", "", "Invalid time minute value")
	case timed && !isFifteen(d.Metrics.EventThreshold):
		return wrongReplication("ReplicationMetrics", "", "Invalid event threshold minute value")
	case !timed && d.Metrics != nil && d.Metrics.EventThreshold != nil:
		return wrongReplication("Metrics", "", "Metrics cannot contain an event threshold when ReplicationTime is not specified or Disabled")
	}
	return nil
}
