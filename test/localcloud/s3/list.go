package s3

import (
	"encoding/base64"
	"encoding/xml"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

type commonPrefix struct{ Prefix string }

// An s3Page is a page of a list: entries, and the prefixes that stand for those behind a delimiter.
type s3Page struct {
	entries  []*s3Object
	prefixes []commonPrefix
	more     bool
	lastKey  string // or prefix
	lastID   string
}

// page cuts a page out of what comes after a position.
func (c *call) page(all []*s3Object, limit int, after func(*s3Object) bool) s3Page {
	var p s3Page
	prefix, delimiter := c.query.Get("prefix"), c.query.Get("delimiter")
	for _, o := range all {
		rest, ok := strings.CutPrefix(o.key, prefix)
		if !ok || !after(o) {
			continue
		}
		group := ""
		if i := strings.Index(rest, delimiter); delimiter != "" && i >= 0 {
			group = prefix + rest[:i+len(delimiter)]
		}
		if group != "" && group == p.lastKey {
			continue
		}
		if len(p.entries)+len(p.prefixes) == limit {
			p.more = limit > 0
			break
		}
		if group != "" {
			p.prefixes, p.lastKey, p.lastID = append(p.prefixes, commonPrefix{c.encoded(group)}), group, ""
			continue
		}
		p.entries, p.lastKey, p.lastID = append(p.entries, o), o.key, o.version
	}
	return p
}

// beyond reports whether a key comes after a marker, which may be a prefix that stands for all behind it.
func (c *call) beyond(key, marker string) bool {
	delimiter := c.query.Get("delimiter")
	if delimiter != "" && strings.HasSuffix(marker, delimiter) && strings.HasPrefix(key, marker) {
		return false
	}
	return key > marker
}

// encoded writes a key the way the caller asked for.
func (c *call) encoded(key string) string {
	if c.query.Get("encoding-type") != "url" {
		return key
	}
	return strings.ReplaceAll(url.QueryEscape(key), "+", "%20")
}

type listedObject struct {
	Key          string
	LastModified string
	ETag         string
	Size         int
	StorageClass string
}

func (c *call) listed(o *s3Object) listedObject {
	class := o.header.Get("X-Amz-Storage-Class")
	if class == "" {
		class = "STANDARD"
	}
	return listedObject{c.encoded(o.key), isoTime(o.modified), o.etag, len(o.body), class}
}

func (c *call) listObjects() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	limit, err := c.limit("max-keys")
	if err != nil {
		return cloud.Reply{}, err
	}
	start, token := c.query.Get("start-after"), c.query.Get("continuation-token")
	if token != "" {
		decoded, err := base64.URLEncoding.DecodeString(token)
		if err != nil {
			return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidArgument", "The continuation token provided is incorrect")
		}
		start = string(decoded)
	}
	page := c.page(b.objects.all(), limit, func(o *s3Object) bool {
		return c.beyond(o.key, start) && b.objects.get(o.key, "") == o && !o.marker
	})
	result := struct {
		XMLName               xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListBucketResult"`
		Name                  string
		Prefix                string
		Delimiter             string `xml:",omitempty"`
		StartAfter            string `xml:",omitempty"`
		ContinuationToken     string `xml:",omitempty"`
		NextContinuationToken string `xml:",omitempty"`
		EncodingType          string `xml:",omitempty"`
		KeyCount              int
		MaxKeys               int
		IsTruncated           bool
		Contents              []listedObject
		CommonPrefixes        []commonPrefix
	}{
		Name: b.name, Prefix: c.encoded(c.query.Get("prefix")), Delimiter: c.encoded(c.query.Get("delimiter")),
		StartAfter: c.encoded(c.query.Get("start-after")), ContinuationToken: token, EncodingType: c.query.Get("encoding-type"),
		KeyCount: len(page.entries) + len(page.prefixes), MaxKeys: limit, IsTruncated: page.more, CommonPrefixes: page.prefixes,
	}
	if page.more {
		result.NextContinuationToken = encodeToken(page.lastKey)
	}
	for _, o := range page.entries {
		result.Contents = append(result.Contents, c.listed(o))
	}
	return c.ok(result), nil
}

type listedVersion struct {
	VersionID string `xml:"VersionId"`
	IsLatest  bool
	OwnerID   string `xml:"Owner>ID"`
	listedObject
}

type listedMarker struct {
	Key          string
	VersionID    string `xml:"VersionId"`
	IsLatest     bool
	LastModified string
	OwnerID      string `xml:"Owner>ID"`
}

func (c *call) listVersions() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	limit, err := c.limit("max-keys")
	if err != nil {
		return cloud.Reply{}, err
	}
	key, version := c.query.Get("key-marker"), c.query.Get("version-id-marker")
	if version != "" && key == "" {
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidArgument", "A version-id marker cannot be specified without a key marker.")
	}
	passed := false // the version that the markers name
	page := c.page(b.objects.all(), limit, func(o *s3Object) bool {
		if o.key == key && version != "" {
			if passed {
				return true
			}
			passed = o.version == version
			return false
		}
		return c.beyond(o.key, key)
	})
	result := struct {
		XMLName             xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListVersionsResult"`
		Name                string
		Prefix              string
		Delimiter           string `xml:",omitempty"`
		KeyMarker           string
		VersionIDMarker     string `xml:"VersionIdMarker"`
		NextKeyMarker       string `xml:",omitempty"`
		NextVersionIDMarker string `xml:"NextVersionIdMarker,omitempty"`
		EncodingType        string `xml:",omitempty"`
		MaxKeys             int
		IsTruncated         bool
		Version             []listedVersion
		DeleteMarker        []listedMarker
		CommonPrefixes      []commonPrefix
	}{
		Name: b.name, Prefix: c.encoded(c.query.Get("prefix")), Delimiter: c.encoded(c.query.Get("delimiter")), KeyMarker: c.encoded(key),
		VersionIDMarker: version, EncodingType: c.query.Get("encoding-type"), MaxKeys: limit, IsTruncated: page.more, CommonPrefixes: page.prefixes,
	}
	if page.more {
		result.NextKeyMarker, result.NextVersionIDMarker = c.encoded(page.lastKey), page.lastID
	}
	owner := canonicalUser(b.account)
	for _, o := range page.entries {
		latest := b.objects.get(o.key, "") == o
		if o.marker {
			result.DeleteMarker = append(result.DeleteMarker, listedMarker{c.encoded(o.key), o.version, latest, isoTime(o.modified), owner})
		} else {
			result.Version = append(result.Version, listedVersion{o.version, latest, owner, c.listed(o)})
		}
	}
	return c.ok(result), nil
}

// limit reads how many entries a page of a list may have: 1000 at most.
func (c *call) limit(parameter string) (int, error) {
	if !c.query.Has(parameter) {
		return 1000, nil
	}
	n, err := strconv.Atoi(c.query.Get(parameter))
	if err != nil || n < 0 {
		return 0, amazon.Err(http.StatusBadRequest, "InvalidArgument", "Provided "+parameter+" not an integer or within integer range")
	}
	return min(n, 1000), nil
}

func encodeToken(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) }
