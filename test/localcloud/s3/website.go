package s3

import (
	"encoding/xml"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type websiteIndex struct {
	Suffix string
}

type websiteError struct {
	Key string
}

type websiteRedirect struct {
	HostName string
	Protocol string `xml:",omitempty"`
}

type websiteConfiguration struct {
	XMLName               xml.Name         `xml:"WebsiteConfiguration"`
	Namespace             string           `xml:"xmlns,attr,omitempty"`
	ErrorDocument         *websiteError    `xml:"ErrorDocument"`
	IndexDocument         *websiteIndex    `xml:"IndexDocument"`
	RedirectAllRequestsTo *websiteRedirect `xml:"RedirectAllRequestsTo"`
	RoutingRules          *websiteRoutings `xml:"RoutingRules"`
}

// websiteDocument: no recording shows the refusals, nor their words.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_WebsiteConfiguration.html
var websiteDocument = &document[websiteConfiguration]{
	sub: "website", noun: "BucketWebsite",
	get: func(b *s3Bucket) *websiteConfiguration {
		if b.website == nil {
			return nil
		}
		site := *b.website
		site.Namespace = namespace
		return &site
	},
	absent: absence{"NoSuchWebsiteConfiguration", "The specified bucket does not have a website configuration"},
	check:  validWebsite,
	put:    func(_ *call, b *s3Bucket, asked *websiteConfiguration) { b.website = asked },
	remove: func(_ *call, b *s3Bucket) { b.website = nil },
}

func validWebsite(_ *call, _ *s3Bucket, asked *websiteConfiguration) error {
	refuse := func(argument, why string) error {
		e := amazon.Err(http.StatusBadRequest, "InvalidArgument", why)
		e.Detail = [][2]string{{"ArgumentName", argument}}
		return e
	}
	switch redirect := asked.RedirectAllRequestsTo; {
	case redirect != nil && redirect.HostName == "", asked.ErrorDocument != nil && asked.ErrorDocument.Key == "":
		return malformedXML()
	case redirect != nil && (asked.IndexDocument != nil || asked.ErrorDocument != nil || asked.RoutingRules != nil):
		return refuse("RedirectAllRequestsTo", "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.")
	case redirect == nil && asked.IndexDocument == nil:
		return refuse("IndexDocument", "A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty")
	case redirect == nil && (asked.IndexDocument.Suffix == "" || strings.Contains(asked.IndexDocument.Suffix, "/")):
		return refuse("IndexDocument", "The IndexDocument Suffix is not well formed")
	case redirect != nil && !validProtocol(redirect.Protocol):
		return errWebsiteProtocol
	}
	return asked.RoutingRules.valid()
}
