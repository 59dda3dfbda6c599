package s3

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// canonicalUser is the id that S3 gives an account.
func canonicalUser(account string) string {
	sum := sha256.Sum256([]byte(account))
	return hex.EncodeToString(sum[:])
}

// missing is the error of an aspect that is not set.
func (c *s3Call) missing(code, message string) *amazon.Error {
	return c.about(amazon.Err(http.StatusNotFound, code, message))
}

// configuration reads the body of a call that configures a bucket, which must be there: S3 looks for it first.
func (c *s3Call) configuration(v any) error {
	if _, err := c.bucket(); err != nil {
		return err
	}
	return c.parse(v)
}

func malformedXML() *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
}

// --- versioning

type versioningConfiguration struct {
	XMLName   xml.Name `xml:"VersioningConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	Status    string   `xml:"Status,omitempty"`
	MFADelete string   `xml:"MfaDelete,omitempty"`
}

func (c *s3Call) getVersioning() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(versioningConfiguration{Namespace: s3Namespace, Status: b.versioning}), nil
}

// putVersioning can suspend, but never return a bucket to the state before it first had versions.
func (c *s3Call) putVersioning() (cloud.Reply, error) {
	var asked versioningConfiguration
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if asked.MFADelete != "" {
		return cloud.Reply{}, notImplemented("MfaDelete")
	}
	switch asked.Status {
	case "Enabled", "Suspended":
	case "":
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "IllegalVersioningConfigurationException", "The Versioning element must be specified")
	default:
		return cloud.Reply{}, malformedXML()
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error {
		if b.objectLock && asked.Status == "Suspended" {
			return amazon.Err(http.StatusConflict, "InvalidBucketState",
				"An Object Lock configuration is present on this bucket, so the versioning state cannot be changed.")
		}
		if b.replication != nil && asked.Status == "Suspended" {
			return amazon.Err(http.StatusConflict, "InvalidBucketState",
				"A replication configuration is present on this bucket, so you cannot change the versioning state. To change the versioning state, first delete the replication configuration.")
		}
		b.versioning = asked.Status
		return nil
	})
}

// --- tags

type s3Tag struct {
	Key   string
	Value string
}

// UnmarshalXML implements xml.Unmarshaler. A tag has both elements.
func (tag *s3Tag) UnmarshalXML(decoder *xml.Decoder, start xml.StartElement) error {
	var read struct{ Key, Value *string }
	if err := decoder.DecodeElement(&read, &start); err != nil {
		return err
	}
	if read.Key == nil || read.Value == nil {
		return malformedXML()
	}
	tag.Key, tag.Value = *read.Key, *read.Value
	return nil
}

type s3TagList struct {
	Tag []s3Tag
}

type tagging struct {
	XMLName   xml.Name   `xml:"Tagging"`
	Namespace string     `xml:"xmlns,attr,omitempty"`
	TagSet    *s3TagList `xml:"TagSet"`
}

// validTags holds tags to the rules. System tags can't be given by callers, and each call has its own words for that.
func validTags(tags []s3Tag, system string) error {
	seen := map[string]bool{}
	for _, tag := range tags {
		why, detail := "", [][2]string(nil)
		switch {
		case strings.HasPrefix(strings.ToLower(tag.Key), "aws:"):
			why = system
		case tag.Key == "" || utf8.RuneCountInString(tag.Key) > 128 || !amazon.TagText.MatchString(tag.Key):
			why, detail = "The TagKey you have provided is invalid", [][2]string{{"TagKey", tag.Key}}
		case utf8.RuneCountInString(tag.Value) > 256 || !amazon.TagText.MatchString(tag.Value):
			why, detail = "The TagValue you have provided is invalid", [][2]string{{"TagKey", tag.Key}, {"TagValue", tag.Value}}
		case seen[tag.Key]:
			why = "Cannot provide multiple Tags with the same key"
		case len(tags) > 50:
			why = "Bucket tag count cannot be greater than 50"
		}
		if why != "" {
			e := amazon.Err(http.StatusBadRequest, "InvalidTag", why)
			e.Detail = detail
			return e
		}
		seen[tag.Key] = true
	}
	return nil
}

func (c *s3Call) getTagging() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if len(b.tags) == 0 {
		return cloud.Reply{}, c.missing("NoSuchTagSet", "The TagSet does not exist")
	}
	return c.ok(tagging{Namespace: s3Namespace, TagSet: &s3TagList{b.tags}}), nil
}

// putTagging replaces the whole set. An empty one leaves none, as DeleteBucketTagging does.
func (c *s3Call) putTagging() (cloud.Reply, error) {
	var asked tagging
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if asked.TagSet == nil {
		return cloud.Reply{}, malformedXML()
	}
	if err := validTags(asked.TagSet.Tag, "System tags cannot be added/updated by requester"); err != nil {
		return cloud.Reply{}, err
	}
	return noContent(), c.change(func(b *s3Bucket) error { b.tags = asked.TagSet.Tag; return b.checkABAC() })
}

func (c *s3Call) deleteTagging() (cloud.Reply, error) {
	return noContent(), c.change(func(b *s3Bucket) error { b.tags = nil; return b.checkABAC() })
}

// --- public access

type publicAccessBlock struct {
	BlockPublicAcls       bool
	IgnorePublicAcls      bool
	BlockPublicPolicy     bool
	RestrictPublicBuckets bool
}

type publicAccessBlockConfiguration struct {
	XMLName   xml.Name `xml:"PublicAccessBlockConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	publicAccessBlock
}

func (c *s3Call) getPublicAccessBlock() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if b.blocks == nil {
		return cloud.Reply{}, c.missing("NoSuchPublicAccessBlockConfiguration", "The public access block configuration was not found")
	}
	return c.ok(publicAccessBlockConfiguration{Namespace: s3Namespace, publicAccessBlock: *b.blocks}), nil
}

// putPublicAccessBlock replaces all four: one that is left out is off.
func (c *s3Call) putPublicAccessBlock() (cloud.Reply, error) {
	var asked publicAccessBlockConfiguration
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error { c.block(b, &asked.publicAccessBlock); return nil })
}

func (c *s3Call) deletePublicAccessBlock() (cloud.Reply, error) {
	return noContent(), c.change(func(b *s3Bucket) error { c.block(b, nil); return nil })
}

func (c *s3Call) block(b *s3Bucket, blocks *publicAccessBlock) {
	if b.blocks != nil && b.blocks.BlockPublicPolicy {
		b.unblocked = c.now.Add(c.lags[b.account])
	}
	b.blocks = blocks
}

// --- object ownership

type ownershipRule struct {
	ObjectOwnership string
}

type ownershipControls struct {
	XMLName   xml.Name        `xml:"OwnershipControls"`
	Namespace string          `xml:"xmlns,attr,omitempty"`
	Rule      []ownershipRule `xml:"Rule"`
}

func (c *s3Call) getOwnership() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if b.ownership == "" {
		return cloud.Reply{}, c.missing("OwnershipControlsNotFoundError", "The bucket ownership controls were not found")
	}
	return c.ok(ownershipControls{Namespace: s3Namespace, Rule: []ownershipRule{{b.ownership}}}), nil
}

func (c *s3Call) putOwnership() (cloud.Reply, error) {
	var asked ownershipControls
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if len(asked.Rule) != 1 || !slices.Contains(objectOwnerships, asked.Rule[0].ObjectOwnership) {
		return cloud.Reply{}, malformedXML()
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error {
		b.ownership = asked.Rule[0].ObjectOwnership
		if b.ownership == bucketOwnerEnforced && b.acl != "private" {
			return amazon.Err(http.StatusBadRequest, "InvalidBucketAclWithObjectOwnership", "Bucket cannot have ACLs set with ObjectOwnership's BucketOwnerEnforced setting")
		}
		return nil
	})
}

func (c *s3Call) deleteOwnership() (cloud.Reply, error) {
	return noContent(), c.change(func(b *s3Bucket) error { b.ownership = ""; return nil })
}
