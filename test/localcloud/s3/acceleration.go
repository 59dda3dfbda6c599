package s3

import (
	"encoding/xml"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type accelerateConfiguration struct {
	XMLName   xml.Name `xml:"AccelerateConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	Status    string   `xml:"Status,omitempty"`
}

// canAccelerate refuses buckets with a dot in their names. No recording shows the refusal. Its words are those that people report, also of the
// call that reads. https://github.com/hashicorp/terraform-provider-aws/issues/25048
func canAccelerate(b *s3Bucket) error {
	if strings.Contains(b.name, ".") {
		return amazon.Err(http.StatusBadRequest, "InvalidRequest", "S3 Transfer Acceleration is not supported for buckets with periods (.) in their names")
	}
	return nil
}

// accelerationDocument has no status of a bucket that never was accelerated.
var accelerationDocument = &document[accelerateConfiguration]{
	sub: "accelerate", noun: "BucketAccelerateConfiguration", usable: canAccelerate,
	get: func(b *s3Bucket) *accelerateConfiguration {
		return &accelerateConfiguration{Namespace: namespace, Status: b.acceleration}
	},
	check: func(_ *call, _ *s3Bucket, asked *accelerateConfiguration) error {
		if asked.Status != "Enabled" && asked.Status != "Suspended" {
			return malformedXML()
		}
		return nil
	},
	put: func(_ *call, b *s3Bucket, asked *accelerateConfiguration) { b.acceleration = asked.Status },
}
