package s3

import (
	"encoding/xml"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
)

type s3Tag struct {
	Key   string
	Value string
}

// UnmarshalXML implements xml.Unmarshaler. A tag has both elements.
func (tag *s3Tag) UnmarshalXML(decoder *xml.Decoder, start xml.StartElement) error {
	var read struct{ Key, Value *string }
	if err := decoder.DecodeElement(&read, &start); err != nil {
		return err
	}
	if read.Key == nil || read.Value == nil {
		return malformedXML()
	}
	tag.Key, tag.Value = *read.Key, *read.Value
	return nil
}

type s3TagList struct {
	Tag []s3Tag
}

type tagging struct {
	XMLName   xml.Name   `xml:"Tagging"`
	Namespace string     `xml:"xmlns,attr,omitempty"`
	TagSet    *s3TagList `xml:"TagSet"`
}

// validTags holds tags to the rules. System tags can't be given by callers, and each call has its own words for that.
func validTags(tags []s3Tag, system string) error {
	seen := map[string]bool{}
	for _, tag := range tags {
		why, detail := "", [][2]string(nil)
		switch {
		case strings.HasPrefix(strings.ToLower(tag.Key), "aws:"):
			why = system
		case tag.Key == "" || utf8.RuneCountInString(tag.Key) > 128 || !amazon.TagText.MatchString(tag.Key):
			why, detail = "The TagKey you have provided is invalid", [][2]string{{"TagKey", tag.Key}}
		case utf8.RuneCountInString(tag.Value) > 256 || !amazon.TagText.MatchString(tag.Value):
			why, detail = "The TagValue you have provided is invalid", [][2]string{{"TagKey", tag.Key}, {"TagValue", tag.Value}}
		case seen[tag.Key]:
			why = "Cannot provide multiple Tags with the same key"
		case len(tags) > 50:
			why = "Bucket tag count cannot be greater than 50"
		}
		if why != "" {
			e := amazon.Err(http.StatusBadRequest, "InvalidTag", why)
			e.Detail = detail
			return e
		}
		seen[tag.Key] = true
	}
	return nil
}

// taggingDocument: an empty set leaves none, as a deletion does.
var taggingDocument = &document[tagging]{
	sub: "tagging", noun: "BucketTagging", puts: noContent,
	get: func(b *s3Bucket) *tagging {
		if len(b.tags) == 0 {
			return nil
		}
		return &tagging{Namespace: namespace, TagSet: &s3TagList{b.tags}}
	},
	absent: absence{"NoSuchTagSet", "The TagSet does not exist"},
	check: func(_ *call, b *s3Bucket, asked *tagging) error {
		if asked.TagSet == nil {
			return malformedXML()
		}
		if err := validTags(asked.TagSet.Tag, "System tags cannot be added/updated by requester"); err != nil {
			return err
		}
		return b.checkABAC()
	},
	put:       func(_ *call, b *s3Bucket, asked *tagging) { b.tags = asked.TagSet.Tag },
	remove:    func(_ *call, b *s3Bucket) { b.tags = nil },
	removable: (*s3Bucket).checkABAC,
}
