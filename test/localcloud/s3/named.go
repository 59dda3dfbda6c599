package s3

import (
	"encoding/xml"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// A namedConfiguration is one of those of which a bucket may have many, told by their ids.
type namedConfiguration interface {
	id() string
	valid(c *call) error
}

// A namedSort is a sort of such configurations. The calls are the same for each.
type namedSort struct {
	noun  string // in the names of the calls
	root  string // of a list
	blank func() namedConfiguration
	// mismatched is the refusal of a document with another id than the call.
	mismatched func() error
	put        func() cloud.Reply // the answer to a call that sets one
}

// namedSorts are all sorts, by what calls name them by in the query.
var namedSorts = map[string]namedSort{
	"analytics":           {"Analytics", "ListBucketAnalyticsConfigurationResult", func() namedConfiguration { return &analyticsConfiguration{} }, malformedID, noContent},
	"inventory":           {"Inventory", "ListInventoryConfigurationsResult", func() namedConfiguration { return &inventoryConfiguration{} }, idMismatch, noContent},
	"intelligent-tiering": {"IntelligentTiering", "ListBucketIntelligentTieringConfigurationsOutput", func() namedConfiguration { return &tieringConfiguration{} }, malformedID, okReply},
	"metrics":             {"Metrics", "ListMetricsConfigurationsResult", func() namedConfiguration { return &metricsConfiguration{} }, malformedID, noContent},
}

func init() {
	for sub, s := range namedSorts {
		name := "Bucket" + s.noun + "Configuration"
		routes["bucket GET "+sub] = operation{name: "List" + name + "s", do: s.list(sub), params: []string{"continuation-token"}}
		routes["bucket GET "+sub+" id"] = operation{name: "Get" + name, do: s.get(sub), params: []string{"id"}}
		routes["bucket PUT "+sub] = operation{name: "Put" + name, do: s.set(sub), params: []string{"id"}}
		routes["bucket DELETE "+sub] = operation{name: "Delete" + name, do: s.remove(sub), params: []string{"id"}}
	}
}

// malformedID refuses an id as analytics do. The recordings show that of analytics and of inventories, and no other.
func malformedID() error { return malformedXML() }

// okReply answers with 200, as the reference of the call has it. No recording shows it.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketIntelligentTieringConfiguration.html
func okReply() cloud.Reply { return cloud.Reply{Status: http.StatusOK, Header: newHeader()} }

const (
	namedPerPage = 100
	namedLimit   = 1000
)

// namedID is what an id may be. No recording shows the refusal.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_MetricsConfiguration.html
var namedID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// list has the configurations in the order of their ids, as the recordings show them.
func (s namedSort) list(sub string) func(*call) (cloud.Reply, error) {
	return func(c *call) (cloud.Reply, error) {
		b, err := c.bucket()
		if err != nil {
			return cloud.Reply{}, err
		}
		token := c.query.Get("continuation-token")
		after, ours := cloud.ReadPageToken(token)
		if c.query.Has("continuation-token") && !ours {
			return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidArgument", "The continuation token provided is incorrect")
		}
		page := struct {
			XMLName               xml.Name
			ContinuationToken     string `xml:",omitempty"`
			IsTruncated           bool
			NextContinuationToken string               `xml:",omitempty"`
			Found                 []namedConfiguration // each has the name of its element
		}{XMLName: xml.Name{Space: namespace, Local: s.root}, ContinuationToken: token}
		for _, id := range slices.Sorted(maps.Keys(b.named[sub])) {
			if id <= after {
				continue
			}
			if len(page.Found) == c.cloud.PageOfAtMost(namedPerPage) {
				page.IsTruncated, page.NextContinuationToken = true, cloud.PageToken(page.Found[len(page.Found)-1].id())
				break
			}
			page.Found = append(page.Found, b.named[sub][id])
		}
		return c.ok(page), nil
	}
}

func (s namedSort) get(sub string) func(*call) (cloud.Reply, error) {
	return func(c *call) (cloud.Reply, error) {
		b, err := c.bucket()
		if err != nil {
			return cloud.Reply{}, err
		}
		found, ok := b.named[sub][c.query.Get("id")]
		if !ok {
			return cloud.Reply{}, noSuchConfiguration()
		}
		return c.ok(found), nil
	}
}

func noSuchConfiguration() error {
	return amazon.Err(http.StatusNotFound, "NoSuchConfiguration", "The specified configuration does not exist.")
}

// set replaces the one of that id, or adds it.
func (s namedSort) set(sub string) func(*call) (cloud.Reply, error) {
	return func(c *call) (cloud.Reply, error) {
		asked, id := s.blank(), c.query.Get("id")
		if err := c.configuration(asked); err != nil {
			return cloud.Reply{}, err
		}
		if asked.id() != id {
			return cloud.Reply{}, s.mismatched()
		}
		if !namedID.MatchString(id) {
			return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidConfigurationId", "The specified configuration id is invalid.")
		}
		if err := asked.valid(c); err != nil {
			return cloud.Reply{}, err
		}
		return s.put(), c.changeNamed(sub, func(all map[string]namedConfiguration) error {
			if all[id] = asked; len(all) > namedLimit {
				return amazon.Err(http.StatusBadRequest, "TooManyConfigurations", "You are attempting to create a new configuration but have already reached the 1,000-configuration limit.")
			}
			return nil
		})
	}
}

func (s namedSort) remove(sub string) func(*call) (cloud.Reply, error) {
	return func(c *call) (cloud.Reply, error) {
		return noContent(), c.changeNamed(sub, func(all map[string]namedConfiguration) error {
			if _, ok := all[c.query.Get("id")]; !ok {
				return noSuchConfiguration()
			}
			delete(all, c.query.Get("id"))
			return nil
		})
	}
}

// changeNamed stores a bucket with changed configurations of a sort.
func (c *call) changeNamed(sub string, how func(map[string]namedConfiguration) error) error {
	return c.change(func(b *s3Bucket) error {
		named, all := map[string]map[string]namedConfiguration{}, map[string]namedConfiguration{}
		maps.Copy(named, b.named)
		maps.Copy(all, b.named[sub])
		b.named, named[sub] = named, all
		return how(all)
	})
}

// A namedFilter says which objects a configuration is about: by one condition, or by several in And.
type namedFilter struct {
	AccessPoint *string   `xml:"AccessPointArn"`
	And         *namedAnd `xml:"And"`
	Prefix      *string   `xml:"Prefix"`
	Tag         *s3Tag    `xml:"Tag"`
}

type namedAnd struct {
	AccessPoint *string `xml:"AccessPointArn"`
	Prefix      *string `xml:"Prefix"`
	Tags        []s3Tag `xml:"Tag"`
}

// valid holds a filter to the schema: one condition alone, and two or more in And. The recordings show one by a prefix alone.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_MetricsAndOperator.html
func (f *namedFilter) valid() error {
	if f == nil {
		return nil
	}
	conditions, tags := 0, []s3Tag(nil)
	for _, set := range []bool{f.AccessPoint != nil, f.And != nil, f.Prefix != nil, f.Tag != nil} {
		if set {
			conditions++
		}
	}
	if conditions != 1 {
		return malformedXML()
	}
	if f.Tag != nil {
		tags = []s3Tag{*f.Tag}
	}
	if f.And != nil {
		if tags = f.And.Tags; len(tags) < 2 && (len(tags) == 0 || f.And.Prefix == nil && f.And.AccessPoint == nil) && (f.And.Prefix == nil || f.And.AccessPoint == nil) {
			return malformedXML()
		}
	}
	return validTags(tags, "System tags cannot be used in a filter")
}

func (f *namedFilter) accessPoint() *string {
	if f.And != nil {
		return f.And.AccessPoint
	}
	return f.AccessPoint
}

type metricsConfiguration struct {
	XMLName   xml.Name     `xml:"MetricsConfiguration"`
	Namespace string       `xml:"xmlns,attr,omitempty"`
	Filter    *namedFilter `xml:"Filter"`
	ID        string       `xml:"Id"`
}

func (m *metricsConfiguration) id() string { return m.ID }

// valid wants an access point of the bucket's region. No recording shows what S3 says of one that is not there, or of another bucket.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/metrics-configurations-filter.html
func (m *metricsConfiguration) valid(c *call) error {
	if err := m.Filter.valid(); err != nil || m.Filter == nil {
		return err
	}
	if at := m.Filter.accessPoint(); at != nil && !strings.HasPrefix(*at, "arn:aws:s3:"+c.caller.Region+":") {
		return amazon.Err(http.StatusBadRequest, "InvalidArgument", "Invalid Access Point ARN")
	}
	return nil
}
