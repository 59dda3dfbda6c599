package s3

import (
	"encoding/xml"
	"slices"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// payers are who can pay for requests.
var payers = []string{"BucketOwner", "Requester"}

type requestPayment struct {
	XMLName   xml.Name `xml:"RequestPaymentConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	Payer     string
}

// getPayment says who pays for requests: the owner, unless told otherwise. No recording shows it.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketRequestPayment.html
func (c *s3Call) getPayment() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(requestPayment{Namespace: s3Namespace, Payer: b.payer}), nil
}

// putPayment says who pays. The calls here are all the owner's, of whom S3 asks for no consent. No recording shows it, nor the refusal of another
// value. https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketRequestPayment.html
func (c *s3Call) putPayment() (cloud.Reply, error) {
	var asked requestPayment
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if !slices.Contains(payers, asked.Payer) {
		return cloud.Reply{}, malformedXML()
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error { b.payer = asked.Payer; return nil })
}
