package session

import (
	"maps"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
)

// SystemPrefix begins the keys of tags that AWS itself sets; nobody else can write them.
// https://docs.aws.amazon.com/tag-editor/latest/userguide/tagging.html
const SystemPrefix = "aws:"

// MostTags is how many tags S3 takes of a bucket, and RDS of an instance or a snapshot.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/CostAllocTagging.html
// https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_Tagging.html
const MostTags = 50

// OwnTags returns the tags that a spec can speak of: neither the mark's nor AWS's own.
func OwnTags(all map[string]string) map[string]string {
	out := driver.WithoutMark(all)
	maps.DeleteFunc(out, func(k, _ string) bool { return strings.HasPrefix(k, SystemPrefix) })
	return out
}

// WantTags returns the spec's tags, nil if it says nothing of them.
func WantTags(tags map[string]v1alpha1.TagValue) map[string]string {
	if tags == nil {
		return nil
	}
	out := make(map[string]string, len(tags))
	for k, v := range tags {
		out[k] = string(v)
	}
	return out
}
