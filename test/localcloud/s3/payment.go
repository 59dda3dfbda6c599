package s3

import (
	"encoding/xml"
	"slices"
)

// payers are who can pay for requests.
var payers = []string{"BucketOwner", "Requester"}

type requestPayment struct {
	XMLName   xml.Name `xml:"RequestPaymentConfiguration"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	Payer     string
}

// paymentDocument says who pays for requests: the owner, unless told otherwise. The calls here are all the owner's, of whom S3 asks for no
// consent. No recording shows a call, nor the refusal of another value.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketRequestPayment.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketRequestPayment.html
var paymentDocument = &document[requestPayment]{
	sub: "requestPayment", noun: "BucketRequestPayment",
	get: func(b *s3Bucket) *requestPayment { return &requestPayment{Namespace: namespace, Payer: b.payer} },
	check: func(_ *call, _ *s3Bucket, asked *requestPayment) error {
		if !slices.Contains(payers, asked.Payer) {
			return malformedXML()
		}
		return nil
	},
	put: func(_ *call, b *s3Bucket, asked *requestPayment) { b.payer = asked.Payer },
}
