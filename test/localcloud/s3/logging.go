package s3

import (
	"encoding/xml"
	"net/http"
	"regexp"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

type loggingGrant struct {
	Grantee    aclGrantee
	Permission string
}

type loggingGrants struct {
	Grant []loggingGrant
}

type loggingPartition struct {
	PartitionDateSource string `xml:",omitempty"`
}

type loggingFormat struct {
	PartitionedPrefix *loggingPartition
	SimplePrefix      *struct{}
}

type loggingEnabled struct {
	TargetBucket          string
	TargetGrants          *loggingGrants
	TargetObjectKeyFormat *loggingFormat
	TargetPrefix          *string
}

type bucketLoggingStatus struct {
	XMLName        xml.Name `xml:"BucketLoggingStatus"`
	Namespace      string   `xml:"xmlns,attr,omitempty"`
	LoggingEnabled *loggingEnabled
}

// UnmarshalXML implements xml.Unmarshaler: the type is in an attribute with a namespace.
func (g *aclGrantee) UnmarshalXML(decoder *xml.Decoder, start xml.StartElement) error {
	var read struct{ ID, URI string }
	if err := decoder.DecodeElement(&read, &start); err != nil {
		return err
	}
	g.ID, g.URI = read.ID, read.URI
	for _, a := range start.Attr {
		if a.Name.Local == "type" {
			g.XSI, g.Type = a.Name.Space, a.Value
		}
	}
	return nil
}

// platformLogs are the names of buckets that every account has in each region, for logs: whoever set it up made them.
var platformLogs = regexp.MustCompile(`^(?:access|audit)-logs-([a-z]{2}-[a-z]+-[0-9])$`)

// getLogging has nothing of a bucket without logs. No recording shows it. https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLogging.html
func (c *s3Call) getLogging() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(bucketLoggingStatus{Namespace: s3Namespace, LoggingEnabled: b.logging}), nil
}

// putLogging replaces all of it. The bucket that logs go to has to be there, of the same account and region. The recordings show the refusal of
// another region. No recording shows the others, whose words are those that people report, nor whether S3 looks at the policy of that bucket.
// https://github.com/zalando-stups/sevenseconds/issues/29
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLogging.html
func (c *s3Call) putLogging() (cloud.Reply, error) {
	var asked bucketLoggingStatus
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if logs := asked.LoggingEnabled; logs != nil {
		if logs.TargetBucket == "" || logs.TargetPrefix == nil {
			return cloud.Reply{}, malformedXML()
		}
		if err := c.canLogTo(logs.TargetBucket); err != nil {
			return cloud.Reply{}, err
		}
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error { b.logging = asked.LoggingEnabled; return nil })
}

func (c *s3Call) canLogTo(name string) error {
	source, err := c.bucket()
	if err != nil {
		return err
	}
	region := ""
	if names := platformLogs.FindStringSubmatch(name); names != nil {
		region = names[1]
	} else if target := c.buckets[name].Read(c.stale); target != nil {
		region = target.region
		if target.account != source.account {
			return invalidLogTarget(name, "The owner for the bucket to be logged and the target bucket must be the same.")
		}
	}
	switch region {
	case "":
		return invalidLogTarget(name, "The target bucket for logging does not exist")
	case source.region:
		return nil
	}
	e := amazon.Err(http.StatusForbidden, "CrossLocationLoggingProhibitted", "Cross S3 location logging not allowed. ")
	if source.region != "us-east-1" {
		e.Detail = append(e.Detail, [2]string{"SourceBucketLocation", source.region})
	}
	e.Detail = append(e.Detail, [2]string{"TargetBucketLocation", region})
	return e
}

func invalidLogTarget(name, why string) error {
	e := amazon.Err(http.StatusBadRequest, "InvalidTargetBucketForLogging", why)
	e.Detail = [][2]string{{"TargetBucket", name}}
	return e
}
