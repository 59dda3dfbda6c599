package s3

import (
	"encoding/xml"
	"net/http"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type corsRule struct {
	AllowedHeader []string `xml:"AllowedHeader"`
	AllowedMethod []string `xml:"AllowedMethod"`
	AllowedOrigin []string `xml:"AllowedOrigin"`
	ExposeHeader  []string `xml:"ExposeHeader"`
	ID            string   `xml:"ID,omitempty"`
	MaxAgeSeconds *int     `xml:"MaxAgeSeconds"`
}

type corsConfiguration struct {
	XMLName   xml.Name   `xml:"CORSConfiguration"`
	Namespace string     `xml:"xmlns,attr,omitempty"`
	Rule      []corsRule `xml:"CORSRule"`
}

var corsMethods = []string{"GET", "PUT", "HEAD", "POST", "DELETE"}

// corsDocument keeps rules as they were written, the upper case of headers too.
var corsDocument = &document[corsConfiguration]{
	sub: "cors", noun: "BucketCors",
	get: func(b *s3Bucket) *corsConfiguration {
		if len(b.cors) == 0 {
			return nil
		}
		return &corsConfiguration{Namespace: namespace, Rule: b.cors}
	},
	absent: absence{"NoSuchCORSConfiguration", "The CORS configuration does not exist"},
	check: func(_ *call, _ *s3Bucket, asked *corsConfiguration) error {
		if len(asked.Rule) == 0 || len(asked.Rule) > 100 {
			return malformedXML()
		}
		for _, rule := range asked.Rule {
			if err := validCORS(rule); err != nil {
				return err
			}
		}
		return nil
	},
	put:    func(_ *call, b *s3Bucket, asked *corsConfiguration) { b.cors = asked.Rule },
	remove: func(_ *call, b *s3Bucket) { b.cors = nil },
}

// validCORS holds a rule to S3's own rules. No recording shows the refusals, nor their words, which are those that people report.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
func validCORS(rule corsRule) error {
	if len(rule.AllowedMethod) == 0 || len(rule.AllowedOrigin) == 0 {
		return malformedXML()
	}
	refuse := func(why string) error { return amazon.Err(http.StatusBadRequest, "InvalidRequest", why) }
	for _, method := range rule.AllowedMethod {
		if !slices.Contains(corsMethods, method) {
			return refuse("Found unsupported HTTP method in CORS config. Unsupported method is " + method)
		}
	}
	for _, origin := range rule.AllowedOrigin {
		if strings.Count(origin, "*") > 1 {
			return refuse(`AllowedOrigin "` + origin + `" can not have more than one wildcard.`)
		}
	}
	for _, header := range rule.AllowedHeader {
		if strings.Count(header, "*") > 1 {
			return refuse(`AllowedHeader "` + header + `" can not have more than one wildcard.`)
		}
	}
	for _, header := range rule.ExposeHeader {
		if strings.Contains(header, "*") {
			return refuse(`ExposeHeader "` + header + `" contains wildcard. We currently do not support wildcard for ExposeHeader.`)
		}
	}
	return nil
}
