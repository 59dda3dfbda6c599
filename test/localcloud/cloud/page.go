package cloud

import (
	"encoding/base64"
	"strings"
)

// What the recordings do not show of lists: a page that is not the last one, a token and its refusal, a list by a filter, and, of
// Cloud Storage and Cloud SQL, any list of buckets or instances. There the stand-ins do what the clouds' documentation says, refuse every
// token that they did not give out, and use the error that the service has for a bad value:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListBuckets.html
// https://docs.aws.amazon.com/AmazonRDS/latest/APIReference/API_DescribeDBInstances.html
// https://cloud.google.com/storage/docs/json_api/v1/buckets/list
// https://cloud.google.com/sql/docs/postgres/admin-api/rest/v1/instances/list

// SetPageLimit makes pages of lists of buckets and instances have at most n entries, whatever the caller asks for, as every cloud
// may; 0 for the clouds' own limits.
func (c *Shared) SetPageLimit(n int) { c.pageLimit.Store(int64(n)) }

// PageOfAtMost returns how many entries a page has that was to have size entries.
func (c *Shared) PageOfAtMost(size int) int {
	if limit := int(c.pageLimit.Load()); limit > 0 {
		return min(size, limit)
	}
	return size
}

// PageToken returns a token that says what the page after it begins with or after.
func PageToken(at string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(pagePrefix + at))
}

// pagePrefix begins what a token says.
const pagePrefix = "page:"

// ReadPageToken returns what a token says; false if it is none of ours.
func ReadPageToken(token string) (at string, ours bool) {
	raw, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(string(raw), pagePrefix)
}
