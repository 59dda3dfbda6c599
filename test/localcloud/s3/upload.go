package s3

import (
	"cmp"
	"encoding/xml"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/cloud"
)

// An s3Upload is a multipart upload that nobody completed or aborted. There are no parts: uploads are here because a bucket
// that has one is not empty.
type s3Upload struct {
	id, key   string
	initiated time.Time
}

func (c *call) createUpload() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	if _, err := c.newLock(b); err != nil {
		return cloud.Reply{}, err
	}
	u := s3Upload{id: b.objects.nextID(), key: c.key, initiated: c.now}
	b.objects.uploads[u.id] = u
	return c.ok(struct {
		XMLName  xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ InitiateMultipartUploadResult"`
		Bucket   string
		Key      string
		UploadID string `xml:"UploadId"`
	}{Bucket: b.name, Key: u.key, UploadID: u.id}), nil
}

func (c *call) abortUpload() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	id := c.query.Get("uploadId")
	if b.objects.uploads[id].key != c.key {
		return cloud.Reply{}, amazon.Err(http.StatusNotFound, "NoSuchUpload", "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed.")
	}
	delete(b.objects.uploads, id)
	return noContent(), nil
}

type listedUpload struct {
	Key       string
	UploadID  string `xml:"UploadId"`
	Initiated string
}

func (c *call) listUploads() (cloud.Reply, error) {
	b, err := c.bucket()
	if err != nil {
		return cloud.Reply{}, err
	}
	limit, err := c.limit("max-uploads")
	if err != nil {
		return cloud.Reply{}, err
	}
	uploads := make([]s3Upload, 0, len(b.objects.uploads))
	for _, u := range b.objects.uploads {
		uploads = append(uploads, u)
	}
	slices.SortFunc(uploads, func(a, b s3Upload) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
	result := struct {
		XMLName            xml.Name `xml:"http://s3.amazonaws.com/doc/2006-03-01/ ListMultipartUploadsResult"`
		Bucket             string
		KeyMarker          string
		UploadIDMarker     string `xml:"UploadIdMarker"`
		NextKeyMarker      string `xml:",omitempty"`
		NextUploadIDMarker string `xml:"NextUploadIdMarker,omitempty"`
		MaxUploads         int
		IsTruncated        bool
		Upload             []listedUpload
	}{Bucket: b.name, KeyMarker: c.query.Get("key-marker"), UploadIDMarker: c.query.Get("upload-id-marker"), MaxUploads: limit}
	for _, u := range uploads {
		after := u.key > result.KeyMarker || (u.key == result.KeyMarker && result.UploadIDMarker != "" && u.id > result.UploadIDMarker)
		if !after || !strings.HasPrefix(u.key, c.query.Get("prefix")) {
			continue
		}
		if len(result.Upload) == limit {
			last := result.Upload[limit-1]
			result.IsTruncated, result.NextKeyMarker, result.NextUploadIDMarker = true, last.Key, last.UploadID
			break
		}
		result.Upload = append(result.Upload, listedUpload{u.key, u.id, isoTime(u.initiated)})
	}
	return c.ok(result), nil
}
