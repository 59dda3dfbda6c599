package s3

import (
	"cmp"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// An s3Object is one version of an object, or a delete marker.
type s3Object struct {
	key      string
	version  string // "null" for those of a bucket without versioning
	marker   bool
	body     []byte
	etag     string
	modified time.Time
	lock     wormLock
	header   http.Header // the caller's own, given back with it
}

// An objectStore holds a bucket's objects in all their versions, and its open multipart uploads.
type objectStore struct {
	versions map[string][]*s3Object // by key, the newest first
	uploads  map[string]s3Upload
	count    int
}

func newObjectStore() *objectStore {
	return &objectStore{versions: map[string][]*s3Object{}, uploads: map[string]s3Upload{}}
}

func (s *objectStore) empty() bool { return len(s.versions) == 0 && len(s.uploads) == 0 }

// nextID numbers versions and uploads.
func (s *objectStore) nextID() string {
	s.count++
	return fmt.Sprintf("%08d%s", s.count, amazon.Base32ID([]byte(cloud.RequestID()), 24))
}

// put adds a version on top. Without versioning, and while it is suspended, it takes the place of the version null.
func (s *objectStore) put(o *s3Object, versioning string) {
	if o.version = s.nextID(); versioning != "Enabled" {
		o.version = "null"
		s.remove(o.key, "null")
	}
	s.versions[o.key] = slices.Insert(s.versions[o.key], 0, o)
}

func (s *objectStore) remove(key, version string) *s3Object {
	all := s.versions[key]
	i := slices.IndexFunc(all, func(o *s3Object) bool { return o.version == version })
	if i < 0 {
		return nil
	}
	gone := all[i]
	if s.versions[key] = slices.Delete(slices.Clone(all), i, i+1); len(s.versions[key]) == 0 {
		delete(s.versions, key)
	}
	return gone
}

// get returns a version, or the newest for "".
func (s *objectStore) get(key, version string) *s3Object {
	for _, o := range s.versions[key] {
		if version == "" || o.version == version {
			return o
		}
	}
	return nil
}

// locked reports whether Object Lock keeps a version. A deletion without a version removes none.
func (s *objectStore) locked(key, version string, now time.Time) bool {
	if version == "" {
		return false
	}
	o := s.get(key, version)
	return o != nil && o.lock.keeps(now)
}

// delete removes a version for good; without one it leaves a delete marker, in a bucket that ever had versions.
func (s *objectStore) delete(key, version, versioning string, now time.Time) *s3Object {
	switch {
	case version != "":
		return s.remove(key, version)
	case versioning == "":
		s.remove(key, "null")
		return nil
	}
	marker := &s3Object{key: key, marker: true, modified: now}
	s.put(marker, versioning)
	return marker
}

// all returns every version, ordered by key and the newest first.
func (s *objectStore) all() []*s3Object {
	var all []*s3Object
	for _, versions := range s.versions {
		all = append(all, versions...)
	}
	slices.SortStableFunc(all, func(a, b *s3Object) int { return cmp.Compare(a.key, b.key) })
	return all
}

// keptHeaders are given back with an object, beside those that begin with X-Amz-Meta-.
var keptHeaders = []string{
	"Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Language", "Content-Type", "X-Amz-Storage-Class",
	"X-Amz-Checksum-Crc32", "X-Amz-Checksum-Crc32c", "X-Amz-Checksum-Sha1", "X-Amz-Checksum-Sha256", "X-Amz-Checksum-Crc64nvme",
}

func (c *call) putObject() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if len(c.key) > 1024 {
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "KeyTooLongError", "Your key is too long")
	}
	lock, err := c.newLock(b)
	if err != nil {
		return cloud.Reply{}, err
	}
	sum := md5.Sum(c.body)
	o := &s3Object{
		lock: lock, key: c.key, body: c.body, etag: strconv.Quote(hex.EncodeToString(sum[:])),
		modified: c.now.UTC().Truncate(time.Second), header: http.Header{},
	}
	for name, values := range c.r.Header {
		if strings.HasPrefix(name, "X-Amz-Meta-") || slices.Contains(keptHeaders, name) {
			o.header[name] = values
		}
	}
	if o.header.Get("Content-Encoding") == "aws-chunked" {
		o.header.Del("Content-Encoding") // it was the framing's
	}
	o.header.Set("X-Amz-Server-Side-Encryption", b.encryption.ApplyServerSideEncryptionByDefault.SSEAlgorithm)
	b.objects.put(o, b.versioning)
	answer := c.ok(nil)
	answer.Header.Set("ETag", o.etag)
	answer.Header.Set("X-Amz-Server-Side-Encryption", o.header.Get("X-Amz-Server-Side-Encryption"))
	if b.versioning == "Enabled" { // while versioning is suspended S3 names the version of a deletion, not of an upload
		b.tellVersion(answer.Header, o)
	}
	return answer, nil
}

// tellVersion says which version an answer is about, if the bucket ever had versions.
func (b *s3Bucket) tellVersion(header http.Header, o *s3Object) {
	if b.versioning != "" {
		header.Set("X-Amz-Version-Id", o.version)
	}
	if o.marker {
		header.Set("X-Amz-Delete-Marker", "true")
	}
}

// getObject answers GetObject and HeadObject.
func (c *call) getObject() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	version := c.query.Get("versionId")
	o := b.objects.get(c.key, version)
	switch {
	case o == nil && version != "":
		return cloud.Reply{}, amazon.Err(http.StatusNotFound, "NoSuchVersion", "The specified version does not exist.")
	case o == nil:
		return cloud.Reply{}, amazon.Err(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
	case o.marker:
		e := amazon.Err(http.StatusNotFound, "NoSuchKey", "The specified key does not exist.")
		if version != "" {
			e = amazon.Err(http.StatusMethodNotAllowed, "MethodNotAllowed", "The specified method is not allowed against this resource.")
		}
		e.Header = http.Header{}
		b.tellVersion(e.Header, o)
		return cloud.Reply{}, e
	}
	answer := c.ok(nil)
	for name, values := range o.header {
		if !strings.HasPrefix(name, "X-Amz-Checksum-") || c.r.Header.Get("X-Amz-Checksum-Mode") == "ENABLED" {
			answer.Header[name] = values
		}
	}
	o.lock.tell(answer.Header)
	answer.Header.Set("ETag", o.etag)
	answer.Header.Set("Last-Modified", o.modified.Format(http.TimeFormat))
	answer.Header.Set("Content-Length", strconv.Itoa(len(o.body)))
	b.tellVersion(answer.Header, o)
	if c.r.Method == http.MethodGet {
		answer.Body = o.body
	}
	return answer, nil
}

func (c *call) deleteObject() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	answer := noContent()
	if b.objects.locked(c.key, c.query.Get("versionId"), c.now) {
		return cloud.Reply{}, lockedAway()
	}
	if o := b.objects.delete(c.key, c.query.Get("versionId"), b.versioning, c.now); o != nil {
		b.tellVersion(answer.Header, o)
	}
	return answer, nil
}

type deletion struct {
	Key       string
	VersionID string `xml:"VersionId,omitempty"`
}

type deleteRequest struct {
	XMLName   xml.Name   `xml:"Delete"`
	Namespace string     `xml:"xmlns,attr,omitempty"`
	Object    []deletion `xml:"Object"`
	Quiet     bool
}

type deleted struct {
	deletion
	DeleteMarker          bool   `xml:",omitempty"`
	DeleteMarkerVersionID string `xml:"DeleteMarkerVersionId,omitempty"`
}

type refusedDeletion struct {
	deletion
	Code    string
	Message string
}

// deleteObjects deletes up to 1000 versions at once. It insists on a digest of the request.
func (c *call) deleteObjects() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	digest := c.r.Header.Get("Content-Md5")
	for name := range c.r.Header {
		if strings.HasPrefix(name, "X-Amz-Checksum-") {
			digest = name
		}
	}
	if digest == "" {
		return cloud.Reply{}, amazon.Err(http.StatusBadRequest, "InvalidRequest", "Missing required header for this request: Content-MD5 OR x-amz-checksum-*")
	}
	var asked deleteRequest
	if err := c.parse(&asked); err != nil {
		return cloud.Reply{}, err
	}
	if len(asked.Object) == 0 || len(asked.Object) > 1000 {
		return cloud.Reply{}, malformedXML()
	}
	result := struct {
		XMLName xml.Name          `xml:"http://s3.amazonaws.com/doc/2006-03-01/ DeleteResult"`
		Deleted []deleted         `xml:"Deleted"`
		Errors  []refusedDeletion `xml:"Error"`
	}{}
	for _, one := range asked.Object {
		if b.objects.locked(one.Key, one.VersionID, c.now) {
			result.Errors = append(result.Errors, refusedDeletion{one, "AccessDenied", lockedAway().Message})
			continue
		}
		done := deleted{deletion: one}
		if o := b.objects.delete(one.Key, one.VersionID, b.versioning, c.now); o != nil && o.marker {
			done.DeleteMarker, done.DeleteMarkerVersionID = true, o.version
		}
		if !asked.Quiet {
			result.Deleted = append(result.Deleted, done)
		}
	}
	return c.ok(result), nil
}
