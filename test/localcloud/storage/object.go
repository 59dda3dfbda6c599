package storage

import (
	"bytes"
	"cmp"
	"crypto/md5"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/google"
)

// A gcsObject is one generation of an object.
type gcsObject struct {
	storage.Object
	content []byte
	created time.Time // or when its last event-based hold was released
	live    bool
}

func (s *Service) insertObject(r *google.Request) (any, error) {
	b, state, err := s.find(r, "storage.objects.create")
	if err != nil {
		return nil, err
	}
	meta, content, err := parseUpload(r)
	if err != nil {
		return nil, err
	}
	if name := r.URL.Query().Get("name"); name != "" {
		meta.Name = name
	}
	if meta.Name == "" {
		return nil, google.Err(http.StatusBadRequest, "required", "Required")
	}
	old := b.live(meta.Name)
	if err := checkGeneration(r, old); err != nil {
		return nil, err
	}
	if err := b.replaceable(r, state, old); err != nil {
		return nil, err
	}
	s.uploads = max(s.uploads+1, r.Now.UnixMicro())
	o := &gcsObject{Object: *meta, content: content, created: r.Now, live: true}
	sum, crc := md5.Sum(content), binary.BigEndian.AppendUint32(nil, crc32.Checksum(content, crc32.MakeTable(crc32.Castagnoli)))
	o.Kind, o.Bucket, o.Generation, o.Metageneration = "storage#object", r.PathValue("bucket"), s.uploads, 1
	o.Id = o.Bucket + "/" + o.Name + "/" + strconv.FormatInt(o.Generation, 10)
	o.Size, o.Etag = uint64(len(content)), gcsETag(o.Generation)
	o.Md5Hash, o.Crc32c = base64.StdEncoding.EncodeToString(sum[:]), base64.StdEncoding.EncodeToString(crc)
	o.TimeCreated, o.Updated, o.TimeStorageClassUpdated = gcsTime(r.Now), gcsTime(r.Now), gcsTime(r.Now)
	if o.StorageClass == "" {
		o.StorageClass, _ = state.resource["storageClass"].(string)
	}
	if hold := google.Typed[storage.Bucket](state.resource).DefaultEventBasedHold; hold {
		o.EventBasedHold = true
	}
	if state.hierarchical() {
		b.plant(r, meta.Name)
	}
	b.retire(r, state, old)
	b.objects = append(b.objects, o)
	slices.SortFunc(b.objects, func(x, y *gcsObject) int {
		return cmp.Or(strings.Compare(x.Name, y.Name), cmp.Compare(x.Generation, y.Generation))
	})
	return &o.Object, nil
}

// parseUpload reads an upload of the kinds "media" and "multipart".
func parseUpload(r *google.Request) (*storage.Object, []byte, error) {
	switch kind := r.URL.Query().Get("uploadType"); kind {
	case "media":
		return &storage.Object{ContentType: r.Header.Get("Content-Type")}, r.Body, nil
	case "multipart":
		_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil {
			return nil, nil, google.Err(http.StatusBadRequest, "badContent", "Malformed multipart body.")
		}
		parts := multipart.NewReader(bytes.NewReader(r.Body), parameters["boundary"])
		var raw [2][]byte
		contentType := ""
		for i := range raw {
			part, err := parts.NextPart()
			if err != nil {
				return nil, nil, google.Err(http.StatusBadRequest, "badContent", "Malformed multipart body.")
			}
			if raw[i], err = io.ReadAll(part); err != nil {
				return nil, nil, google.Err(http.StatusBadRequest, "badContent", "Malformed multipart body.")
			}
			contentType = part.Header.Get("Content-Type")
		}
		_, meta, err := google.ParseResource[storage.Object](raw[0])
		if err != nil {
			return nil, nil, err
		}
		meta.ContentType = cmp.Or(meta.ContentType, contentType)
		return meta, raw[1], nil
	default:
		return nil, nil, google.Err(http.StatusBadRequest, "badRequest", "Upload type "+kind+" is not served here.")
	}
}

func (b *gcsBucket) live(name string) *gcsObject {
	for _, o := range b.objects {
		if o.Name == name && o.live {
			return o
		}
	}
	return nil
}

// replaceable refuses to touch an object that a retention policy or a hold keeps.
func (b *gcsBucket) replaceable(r *google.Request, state *gcsState, o *gcsObject) error {
	if o == nil {
		return nil
	}
	if o.TemporaryHold || o.EventBasedHold {
		return google.Err(http.StatusForbidden, "objectUnderActiveHold", "Object '"+o.Id+"' is under active hold and cannot be deleted, overwritten or archived until hold is removed.")
	}
	if until := o.retainedUntil(state); r.Now.Before(until) {
		return google.Err(http.StatusForbidden, "retentionPolicyNotMet", "Object '"+o.Id+"' is subject to bucket's retention policy and cannot be deleted, overwritten or archived until "+gcsTime(until))
	}
	return nil
}

// retire makes the live generation noncurrent, or drops it if the bucket keeps no versions.
func (b *gcsBucket) retire(r *google.Request, state *gcsState, o *gcsObject) {
	if o == nil {
		return
	}
	if versioning := google.Typed[storage.Bucket](state.resource).Versioning; versioning != nil && versioning.Enabled {
		o.live, o.TimeDeleted = false, gcsTime(r.Now)
		return
	}
	b.objects = slices.DeleteFunc(b.objects, func(x *gcsObject) bool { return x == o })
}

func checkGeneration(r *google.Request, o *gcsObject) error {
	given := r.URL.Query().Get("ifGenerationMatch")
	if given == "" {
		return nil
	}
	have := int64(0)
	if o != nil {
		have = o.Generation
	}
	if given != strconv.FormatInt(have, 10) {
		return google.ErrConditionNotMet
	}
	return nil
}

// findObject returns an object of a bucket that the caller may use, and both.
func (s *Service) findObject(r *google.Request, permission string) (*gcsBucket, *gcsState, *gcsObject, error) {
	b, state, err := s.find(r, permission)
	if err != nil {
		return nil, nil, nil, err
	}
	o, err := b.object(r)
	if err == nil {
		err = checkGeneration(r, o)
	}
	return b, state, o, err
}

// object returns the generation that a request names, the live one if it names none.
func (b *gcsBucket) object(r *google.Request) (*gcsObject, error) {
	name, generation := r.PathValue("object"), r.URL.Query().Get("generation")
	for _, o := range b.objects {
		if o.Name == name && (generation == "" && o.live || generation == strconv.FormatInt(o.Generation, 10)) {
			return o, nil
		}
	}
	return nil, google.Err(http.StatusNotFound, "notFound", "No such object: "+r.PathValue("bucket")+"/"+name)
}

func (s *Service) getObject(r *google.Request) (any, error) {
	_, state, o, err := s.findObject(r, "storage.objects.get")
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Get("alt") == "media" {
		return cloud.Reply{Status: http.StatusOK, Header: http.Header{
			"Content-Type": {o.ContentType}, "X-Goog-Generation": {strconv.FormatInt(o.Generation, 10)},
			"X-Goog-Metageneration": {strconv.FormatInt(o.Metageneration, 10)}, "X-Goog-Hash": {"crc32c=" + o.Crc32c, "md5=" + o.Md5Hash},
		}, Body: o.content}, nil
	}
	return o.view(state), nil
}

func (s *Service) deleteObject(r *google.Request) (any, error) {
	b, state, o, err := s.findObject(r, "storage.objects.delete")
	if err != nil {
		return nil, err
	}
	if err := b.replaceable(r, state, o); err != nil {
		return nil, err
	}
	if r.URL.Query().Get("generation") != "" {
		b.objects = slices.DeleteFunc(b.objects, func(x *gcsObject) bool { return x == o })
	} else {
		b.retire(r, state, o)
	}
	return nil, nil
}

func (s *Service) listObjects(r *google.Request) (any, error) {
	b, state, err := s.find(r, "storage.objects.list")
	if err != nil {
		return nil, err
	}
	query := r.URL.Query()
	if query.Get("delimiter") != "" {
		return nil, google.Err(http.StatusBadRequest, "invalidParameter", "delimiter is not served here.")
	}
	var found []*storage.Object
	newest := int64(0)
	for _, o := range b.objects {
		newest = max(newest, o.Generation)
		if strings.HasPrefix(o.Name, query.Get("prefix")) && (o.live || query.Get("versions") == "true") {
			found = append(found, o.view(state))
		}
	}
	if r.Stale {
		found = slices.DeleteFunc(found, func(o *storage.Object) bool { return o.Generation == newest })
	}
	page, next, err := google.PageOf(r, found, "maxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	return &storage.Objects{Kind: "storage#objects", Items: page, NextPageToken: next}, nil
}
