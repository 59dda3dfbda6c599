package s3

import (
	"encoding/xml"
	"net/http"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
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

func (c *s3Call) getWebsite() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if b.website == nil {
		return cloud.Reply{}, c.missing("NoSuchWebsiteConfiguration", "The specified bucket does not have a website configuration")
	}
	site := *b.website
	site.Namespace = s3Namespace
	return c.ok(site), nil
}

// putWebsite replaces all of the web site. No recording shows the refusals, nor their words.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketWebsite.html
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_WebsiteConfiguration.html
func (c *s3Call) putWebsite() (cloud.Reply, error) {
	var asked websiteConfiguration
	if err := c.configuration(&asked); err != nil {
		return cloud.Reply{}, err
	}
	refuse := func(argument, why string) (cloud.Reply, error) {
		e := amazon.Err(http.StatusBadRequest, "InvalidArgument", why)
		e.Detail = [][2]string{{"ArgumentName", argument}}
		return cloud.Reply{}, e
	}
	switch redirect := asked.RedirectAllRequestsTo; {
	case redirect != nil && redirect.HostName == "", asked.ErrorDocument != nil && asked.ErrorDocument.Key == "":
		return cloud.Reply{}, malformedXML()
	case redirect != nil && (asked.IndexDocument != nil || asked.ErrorDocument != nil || asked.RoutingRules != nil):
		return refuse("RedirectAllRequestsTo", "RedirectAllRequestsTo cannot be provided in conjunction with other Routing Rules.")
	case redirect == nil && asked.IndexDocument == nil:
		return refuse("IndexDocument", "A value for IndexDocument Suffix must be provided if RedirectAllRequestsTo is empty")
	case redirect == nil && (asked.IndexDocument.Suffix == "" || strings.Contains(asked.IndexDocument.Suffix, "/")):
		return refuse("IndexDocument", "The IndexDocument Suffix is not well formed")
	case redirect != nil && !validProtocol(redirect.Protocol):
		return cloud.Reply{}, errWebsiteProtocol
	}
	if err := asked.RoutingRules.valid(); err != nil {
		return cloud.Reply{}, err
	}
	return c.ok(nil), c.change(func(b *s3Bucket) error { b.website = &asked; return nil })
}

func (c *s3Call) deleteWebsite() (cloud.Reply, error) {
	return noContent(), c.change(func(b *s3Bucket) error { b.website = nil; return nil })
}
