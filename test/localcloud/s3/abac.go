package s3

import (
	"encoding/xml"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// controlPath is where the paths of the control API of S3 begin. Only its calls for the tags of buckets are served.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_control_TagResource.html
const controlPath = "/v20180820/tags/"

// controlled returns the name of the bucket that a call of the control API is about.
func controlled(r *http.Request) (bucket string, is bool) {
	path, is := strings.CutPrefix(r.URL.EscapedPath(), controlPath)
	arn, err := url.PathUnescape(path)
	bucket, _ = strings.CutPrefix(arn, "arn:aws:s3:::")
	return bucket, is && err == nil
}

var controlRoutes = map[string]operation{
	http.MethodPost:   {name: "TagResource", do: (*call).tagResource, headers: []string{"X-Amz-Account-Id"}},
	http.MethodDelete: {name: "UntagResource", do: (*call).untagResource, params: []string{"tagKeys"}, headers: []string{"X-Amz-Account-Id"}},
}

type abacStatus struct {
	XMLName   xml.Name `xml:"AbacStatus"`
	Namespace string   `xml:"xmlns,attr,omitempty"`
	Status    string   `xml:"Status,omitempty"`
}

var abacDocument = &document[abacStatus]{
	sub: "abac", noun: "BucketAbac",
	get: func(b *s3Bucket) *abacStatus {
		return &abacStatus{Namespace: namespace, Status: map[bool]string{true: "Enabled", false: "Disabled"}[b.abac]}
	},
	check: func(_ *call, _ *s3Bucket, asked *abacStatus) error {
		if asked.Status != "Enabled" && asked.Status != "Disabled" {
			return malformedXML()
		}
		return nil
	},
	put: func(_ *call, b *s3Bucket, asked *abacStatus) { b.abac = asked.Status == "Enabled" },
}

// checkABAC refuses to write tags of a bucket with attribute-based access control. No recording shows the code.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/buckets-tagging-enable-abac.html
func (b *s3Bucket) checkABAC() error {
	if !b.abac {
		return nil
	}
	return amazon.Err(http.StatusMethodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource.")
}

func (c *call) checkAccountHeader() error {
	if c.r.Header.Get("X-Amz-Account-Id") != c.caller.Account {
		return accessDenied()
	}
	return nil
}

// tagResource adds tags, and replaces the values of those that are there.
func (c *call) tagResource() (cloud.Reply, error) {
	var asked struct {
		XMLName xml.Name `xml:"TagResourceRequest"`
		Tags    struct {
			Tag []s3Tag `xml:"Tag"`
		} `xml:"Tags"`
	}
	if err := c.parse(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if err := c.checkAccountHeader(); err != nil {
		return cloud.Reply{}, err
	}
	return noContent(), c.change(func(b *s3Bucket) error {
		tags := slices.Clone(b.tags)
		for _, tag := range asked.Tags.Tag {
			if i := slices.IndexFunc(tags, func(t s3Tag) bool { return t.Key == tag.Key }); i >= 0 {
				tags[i] = tag
			} else {
				tags = append(tags, tag)
			}
		}
		b.tags = tags
		return validTags(tags, "System tags cannot be added/updated by requester")
	})
}

func (c *call) untagResource() (cloud.Reply, error) {
	if err := c.checkAccountHeader(); err != nil {
		return cloud.Reply{}, err
	}
	return noContent(), c.change(func(b *s3Bucket) error {
		b.tags = slices.DeleteFunc(slices.Clone(b.tags), func(t s3Tag) bool { return slices.Contains(c.query["tagKeys"], t.Key) })
		return nil
	})
}
