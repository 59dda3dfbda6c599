package s3

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"hash/crc32"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

const namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

// Service is Amazon S3: names of buckets are global to it.
type Service struct {
	cloud *cloud.Shared
	// bucketQuota is how many buckets an account may have.
	bucketQuota int

	mu      sync.Mutex
	buckets map[string]*cloud.Past[s3Bucket]
	owned   map[string]int // buckets by account
	writes  uint64
	// lags is how long it takes until a block of public access that is lifted is lifted everywhere, by account.
	lags map[string]time.Duration
	// deleted are the unique ids of IAM identities that were deleted, by ARN.
	deleted map[string]string
}

// New returns S3 without buckets.
func New(c *cloud.Shared) *Service {
	return &Service{cloud: c, bucketQuota: 10000, buckets: map[string]*cloud.Past[s3Bucket]{}, lags: map[string]time.Duration{}, deleted: map[string]string{}, owned: map[string]int{}}
}

// A call is one call to S3.
type call struct {
	*Service
	caller amazon.Caller
	r      *http.Request
	query  url.Values
	name   string // of the bucket
	key    string // of the object
	op     operation
	body   []byte
	stale  bool
	now    time.Time
}

// Identify distinguishes path style from virtual-host style: a host of several labels that is no IP address begins with the bucket.
func (s *Service) Identify(caller amazon.Caller, r *http.Request, body []byte) (traffic.Call, cloud.Service) {
	path := strings.TrimPrefix(r.URL.Path, "/")
	bucket, key, _ := strings.Cut(path, "/")
	if name := virtualBucket(r.Host); name != "" {
		bucket, key = name, path
	}
	c := &call{Service: s, caller: caller, r: r, query: r.URL.Query(), name: bucket, key: key, body: body}
	c.op = findOperation(r.Method, c.query, bucket, key)
	if name, is := controlled(r); is {
		bucket = name
		c.name, c.key, c.op = name, "", controlRoutes[r.Method]
	}
	return traffic.Call{
		Service: "s3", Operation: c.op.name, Resource: bucket,
		Write: r.Method != http.MethodGet && r.Method != http.MethodHead,
	}, c
}

func virtualBucket(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	name, rest, _ := strings.Cut(host, ".")
	if rest == "" || net.ParseIP(host) != nil {
		return ""
	}
	return name
}

// Act implements cloud.Service.
func (c *call) Act(_ *traffic.Call, r *http.Request, _ []byte, injected traffic.Fault) cloud.Reply {
	c.stale, c.now = injected.Kind == traffic.Stale, c.cloud.Options.Now()
	answer, err := c.perform()
	if err != nil {
		return c.Write(amazon.AsError(err), r)
	}
	return answer
}

func (c *call) perform() (cloud.Reply, error) {
	if c.op.do == nil {
		return cloud.Reply{}, notImplemented("the operation " + c.op.name)
	}
	if what := c.op.unknown(c.query, c.r.Header); what != "" {
		return cloud.Reply{}, notImplemented(what + " of " + c.op.name)
	}
	if err := c.checkDigests(); err != nil {
		return cloud.Reply{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.op.do(c)
}

func notImplemented(what string) *amazon.Error {
	return amazon.Err(http.StatusNotImplemented, "NotImplemented", "the local cloud does not implement "+what)
}

// Fail implements cloud.Service.
func (s *Service) Fail(fault traffic.Fault, call traffic.Call) cloud.Reply {
	of := &http.Request{URL: &url.URL{}}
	if call.Operation == "TagResource" || call.Operation == "UntagResource" {
		of.URL.Path = controlPath
	}
	switch fault.Kind {
	case traffic.Refused:
		return s.Write(amazon.Err(fault.Status, fault.Code, fault.Message), of)
	case traffic.Throttled:
		return s.Write(amazon.Err(http.StatusServiceUnavailable, "SlowDown", "Please reduce your request rate."), of)
	case traffic.Denied:
		return s.Write(accessDenied(), of)
	case traffic.Conflict:
		return s.Write(amazon.Err(http.StatusConflict, "OperationAborted",
			"A conflicting conditional operation is currently in progress against this resource. Please try again."), of)
	default:
		return s.Write(amazon.Err(http.StatusInternalServerError, "InternalError", "We encountered an internal error. Please try again."), of)
	}
}

func accessDenied() *amazon.Error {
	return amazon.Err(http.StatusForbidden, "AccessDenied", "Access Denied")
}

// Write renders an error. The answer to a HEAD has no body, so its caller sees the status alone.
func (s *Service) Write(e *amazon.Error, r *http.Request) cloud.Reply {
	answer := cloud.Reply{Status: e.Status, Header: newHeader(), Code: e.Code}
	maps.Copy(answer.Header, e.Header)
	if r != nil && r.Method == http.MethodHead {
		return answer
	}
	opens, closes := "<Error>", "</Error>"
	if r != nil && strings.HasPrefix(r.URL.Path, controlPath) {
		opens, closes = "<ErrorResponse><Error>", "</Error></ErrorResponse>"
	}
	out := bytes.NewBufferString(xml.Header + opens)
	element := func(name, value string) {
		fmt.Fprintf(out, "<%s>", name)
		_ = xml.EscapeText(out, []byte(value))
		fmt.Fprintf(out, "</%s>", name)
	}
	element("Code", e.Code)
	element("Message", e.Message)
	for _, d := range e.Detail {
		element(d[0], d[1])
	}
	element("RequestId", answer.Header.Get("X-Amz-Request-Id"))
	out.WriteString(closes)
	answer.Body = out.Bytes()
	answer.Header.Set("Content-Type", "application/xml")
	return answer
}

func newHeader() http.Header {
	return http.Header{"X-Amz-Request-Id": {cloud.RequestID()}, "X-Amz-Id-2": {cloud.RequestID()}, "Server": {"AmazonS3"}}
}

// ok answers with a document, or with nothing.
func (c *call) ok(document any) cloud.Reply {
	answer := cloud.Reply{Status: http.StatusOK, Header: newHeader()}
	if document == nil {
		return answer
	}
	body, err := xml.Marshal(document)
	if err != nil {
		return c.Write(amazon.AsError(err), c.r)
	}
	answer.Body = append([]byte(xml.Header), body...)
	answer.Header.Set("Content-Type", "application/xml")
	return answer
}

func noContent() cloud.Reply { return cloud.Reply{Status: http.StatusNoContent, Header: newHeader()} }

// checkDigests compares the body with the digests that came with it.
func (c *call) checkDigests() error {
	sum := func(digest []byte) string { return base64.StdEncoding.EncodeToString(digest) }
	of32 := func(table *crc32.Table) string {
		return sum(binary.BigEndian.AppendUint32(nil, crc32.Checksum(c.body, table)))
	}
	md5Sum, sha1Sum, sha256Sum := md5.Sum(c.body), sha1.Sum(c.body), sha256.Sum256(c.body)
	for name, want := range map[string]string{
		"Content-Md5":           sum(md5Sum[:]),
		"X-Amz-Checksum-Crc32":  of32(crc32.IEEETable),
		"X-Amz-Checksum-Crc32c": of32(crc32.MakeTable(crc32.Castagnoli)),
		"X-Amz-Checksum-Sha1":   sum(sha1Sum[:]),
		"X-Amz-Checksum-Sha256": sum(sha256Sum[:]),
	} {
		if got := c.r.Header.Get(name); got != "" && got != want {
			return amazon.Err(http.StatusBadRequest, "BadDigest", "The "+name+" you specified did not match what we received.")
		}
	}
	return nil
}

// parse reads the body into v, which must know every element in it.
func (c *call) parse(v any) error {
	malformed := amazon.Err(http.StatusBadRequest, "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
	if err := xml.Unmarshal(c.body, v); err != nil {
		return malformed
	}
	again, err := xml.Marshal(v)
	if err != nil {
		return malformed
	}
	known, given := countElements(again), countElements(c.body)
	for path, n := range given {
		if n > known[path] {
			return malformed // encoding/xml drops what it does not know and repeats of what it does
		}
	}
	return nil
}

// countElements counts the elements of a document by their path.
func countElements(document []byte) map[string]int {
	counts := map[string]int{}
	var path []string
	for decoder := xml.NewDecoder(bytes.NewReader(document)); ; {
		token, err := decoder.Token()
		if err != nil {
			return counts
		}
		switch t := token.(type) {
		case xml.StartElement:
			path = append(path, t.Name.Local)
			counts[strings.Join(path, "/")]++
		case xml.EndElement:
			path = path[:len(path)-1]
		}
	}
}

// Limit gives all accounts another number of buckets than the usual one.
func (s *Service) Limit(buckets int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bucketQuota = buckets
}

// Lag has S3 go on for so long to refuse public policies of an account's buckets where a block was lifted.
func (s *Service) Lag(account string, lag time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lags[account] = lag
}

// configuration reads the body of a call that configures a bucket, which must be there: S3 looks for it first.
func (c *call) configuration(v any) error {
	if _, err := c.bucket(); err != nil {
		return err
	}
	return c.parse(v)
}

func malformedXML() *amazon.Error {
	return amazon.Err(http.StatusBadRequest, "MalformedXML", "The XML you provided was not well-formed or did not validate against our published schema")
}
