package s3

import (
	"encoding/xml"
	"net/http"
	"regexp"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
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

// loggingDocument has nothing of a bucket without logs: no recording shows it. The bucket that logs go to has to be there, of the same
// account and region. The recordings show the refusal of another region. No recording shows the others, whose words are those that people
// report, nor whether S3 looks at the policy of that bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLogging.html https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLogging.html
// https://github.com/zalando-stups/sevenseconds/issues/29
var loggingDocument = &document[bucketLoggingStatus]{
	sub: "logging", noun: "BucketLogging",
	get: func(b *s3Bucket) *bucketLoggingStatus {
		return &bucketLoggingStatus{Namespace: namespace, LoggingEnabled: b.logging}
	},
	check: func(c *call, b *s3Bucket, asked *bucketLoggingStatus) error {
		logs := asked.LoggingEnabled
		if logs == nil {
			return nil
		}
		if logs.TargetBucket == "" || logs.TargetPrefix == nil {
			return malformedXML()
		}
		return c.canLogTo(b, logs.TargetBucket)
	},
	put: func(_ *call, b *s3Bucket, asked *bucketLoggingStatus) { b.logging = asked.LoggingEnabled },
}

func (c *call) canLogTo(source *s3Bucket, name string) error {
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
