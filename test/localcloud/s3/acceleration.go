package s3

import (
	"encoding/xml"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

type accelerateConfiguration struct {
	XMLName   xml.Name `xml:"AccelerateConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	Status    string   `xml:"Status,omitempty"`
}

// canAccelerate refuses buckets with a dot in their names. No recording shows the refusal. Its words are those that people report, also of the
// call that reads. https://github.com/hashicorp/terraform-provider-aws/issues/25048
func (c *s3Call) canAccelerate() error {
	if strings.Contains(c.name, ".") {
		return amazon.Err(http.StatusBadRequest, "InvalidRequest", "S3 Transfer Acceleration is not supported for buckets with periods (.) in their names")
	}
	return nil
}

// getAcceleration has no status of a bucket that never was accelerated.
func (c *s3Call) getAcceleration() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if err := c.canAccelerate(); err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(accelerateConfiguration{Namespace: s3Namespace, Status: b.acceleration}), nil
}

func (c *s3Call) putAcceleration() (cloud.Reply, error) {
	var asked accelerateConfiguration
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if asked.Status != "Enabled" && asked.Status != "Suspended" {
		return cloud.Reply{}, malformedXML()
	}
	if err := c.canAccelerate(); err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error { b.acceleration = asked.Status; return nil })
}
