package storage

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"time"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/cloud"
	"github.com/mooring-dev/mooring/test/localcloud/google"
	"github.com/mooring-dev/mooring/test/localcloud/traffic"
)

// Service is Cloud Storage, JSON API.
type Service struct {
	cloud   *cloud.Shared
	g       *google.Endpoint
	buckets map[string]*gcsBucket // one name space for everybody; deleted ones stay, for stale reads
	created int
	uploads int64 // the generation of the newest object
	deleted []*gcsDeleted
	// gone are the unique ids of identities that were deleted, by their names as members of policies.
	gone map[string]string
}

// A gcsBucket is a bucket as it is, and as it was before the last write.
type gcsBucket struct {
	owner   *google.Project
	serial  int // in the order of creation
	now     *gcsState
	before  *gcsState
	objects []*gcsObject             // by name, then generation
	folders []*storage.ManagedFolder // by name
	tree    []*storage.Folder        // of a hierarchical namespace, by name

	notifications []*storage.Notification // the oldest first
	notified      int                     // how many were ever made
}

// A gcsState is what writes to a bucket change; nil where there is no bucket.
type gcsState struct {
	resource google.Object
	policy   *storage.Policy
}

var errNoBucket = google.Err(http.StatusNotFound, "notFound", "The specified bucket does not exist.")

// New adds Cloud Storage, without buckets, to the endpoint.
func New(c *cloud.Shared, g *google.Endpoint) *Service {
	s := &Service{cloud: c, g: g, buckets: map[string]*gcsBucket{}, gone: map[string]string{}}
	g.Faults["storage"] = gcsFaults
	s.route(g)
	return s
}

// gcsFaults is the error that Cloud Storage has words of its own for.
func gcsFaults(kind traffic.FaultKind, call traffic.Call) *google.Error {
	if kind == traffic.Conflict && (call.Operation == "buckets.insert" || call.Operation == "buckets.delete") {
		return google.Err(http.StatusConflict, "conflict", "A conditional request failed due to a concurrent change.")
	}
	return nil
}

func (s *Service) route(g *google.Endpoint) {
	for _, r := range []struct {
		pattern, operation, resource string
		do                           func(*google.Request) (any, error)
	}{
		{"POST /storage/v1/b", "buckets.insert", "name", s.insertBucket},
		{"GET /storage/v1/b", "buckets.list", "", s.listBuckets},
		{"GET /storage/v1/b/{bucket}", "buckets.get", "bucket", s.getBucket},
		{"PATCH /storage/v1/b/{bucket}", "buckets.patch", "bucket", s.patchBucket},
		{"DELETE /storage/v1/b/{bucket}", "buckets.delete", "bucket", s.deleteBucket},
		{"POST /storage/v1/b/{bucket}/restore", "buckets.restore", "bucket", s.restoreBucket},
		{"POST /storage/v1/b/{bucket}/lockRetentionPolicy", "buckets.lockRetentionPolicy", "bucket", s.lockRetentionPolicy},
		{"GET /storage/v1/b/{bucket}/iam", "buckets.getIamPolicy", "bucket", s.getIAMPolicy},
		{"PUT /storage/v1/b/{bucket}/iam", "buckets.setIamPolicy", "bucket", s.setIAMPolicy},
		{"GET /storage/v1/b/{bucket}/iam/testPermissions", "buckets.testIamPermissions", "bucket", s.testIAMPermissions},
		{"GET /storage/v1/projects/{project}/serviceAccount", "projects.serviceAccount.get", "", s.getServiceAccount},
		{"POST /storage/v1/b/{bucket}/notificationConfigs", "notifications.insert", "bucket", s.insertNotification},
		{"GET /storage/v1/b/{bucket}/notificationConfigs", "notifications.list", "bucket", s.listNotifications},
		{"GET /storage/v1/b/{bucket}/notificationConfigs/{notification}", "notifications.get", "bucket", s.getNotification},
		{"DELETE /storage/v1/b/{bucket}/notificationConfigs/{notification}", "notifications.delete", "bucket", s.deleteNotification},
		{"POST /upload/storage/v1/b/{bucket}/o", "objects.insert", "bucket", s.insertObject},
		{"GET /storage/v1/b/{bucket}/o", "objects.list", "bucket", s.listObjects},
		{"GET /storage/v1/b/{bucket}/o/{object}", "objects.get", "bucket", s.getObject},
		{"PATCH /storage/v1/b/{bucket}/o/{object}", "objects.patch", "bucket", s.patchObject},
		{"DELETE /storage/v1/b/{bucket}/o/{object}", "objects.delete", "bucket", s.deleteObject},
		{"POST /storage/v1/b/{bucket}/folders", "folders.insert", "bucket", s.insertTreeFolder},
		{"GET /storage/v1/b/{bucket}/folders", "folders.list", "bucket", s.listTreeFolders},
		{"DELETE /storage/v1/b/{bucket}/folders/{folder}", "folders.delete", "bucket", s.deleteTreeFolder},
		{"POST /storage/v1/b/{bucket}/managedFolders", "managedFolders.insert", "bucket", s.insertFolder},
		{"GET /storage/v1/b/{bucket}/managedFolders", "managedFolders.list", "bucket", s.listFolders},
		{"DELETE /storage/v1/b/{bucket}/managedFolders/{folder}", "managedFolders.delete", "bucket", s.deleteFolder},
	} {
		g.Handle(r.pattern, google.Route{Service: "storage", Operation: r.operation, Resource: r.resource, Do: r.do})
	}
}

// state returns the bucket as the request is to see it; nil if it is to see none.
func (b *gcsBucket) state(r *google.Request) *gcsState {
	if r.Stale {
		return b.before
	}
	return b.now
}

// find returns a bucket that the caller may use, and its state.
func (s *Service) find(r *google.Request, permission string) (*gcsBucket, *gcsState, error) {
	name := r.PathValue("bucket")
	b := s.buckets[name]
	if b == nil || b.state(r) == nil {
		return nil, nil, errNoBucket
	}
	if err := checkPayer(r, b.state(r)); err != nil {
		return nil, nil, err
	}
	if b.owner != r.Caller {
		return nil, nil, google.Err(http.StatusForbidden, "forbidden", r.Caller.Email+" does not have "+permission+
			" access to the Google Cloud Storage bucket. Permission '"+permission+"' denied on resource (or it may not exist).")
	}
	if err := checkFilter(r, b.state(r)); err != nil {
		return nil, nil, err
	}
	return b, b.state(r), nil
}

// findMatching returns the same of a bucket that fulfils the request's preconditions.
func (s *Service) findMatching(r *google.Request, permission string) (*gcsBucket, *gcsState, error) {
	b, state, err := s.find(r, permission)
	if err == nil {
		err = checkMetageneration(r, state)
	}
	return b, state, err
}

// checkPayer demands a project that pays where requesters pay, whoever asks, and whether or not it is theirs: the caller here may not bill the project of the bucket without naming it, as only
// resourcemanager.projects.createBillingAssignment allows. No recording shows such a bucket. The words are those that people report.
// https://cloud.google.com/storage/docs/requester-pays#requirements https://github.com/googleapis/google-cloud-python/issues/4674
func checkPayer(r *google.Request, state *gcsState) error {
	named := r.URL.Query().Get("userProject")
	pays, _ := google.Member(google.Cloned(state.resource), "billing")["requesterPays"].(bool)
	switch {
	case named == "" && pays:
		return google.Err(http.StatusBadRequest, "required", "Bucket is requester pays bucket but no user project provided.")
	case named != "" && named != r.Caller.ID && named != strconv.FormatUint(r.Caller.Number, 10):
		return google.Err(http.StatusForbidden, "forbidden", r.Caller.Email+" does not have serviceusage.services.use access to the Google Cloud project.")
	}
	return nil
}

// checkMetageneration holds a request to its preconditions.
func checkMetageneration(r *google.Request, state *gcsState) error {
	have := state.metageneration()
	for parameter, wanted := range map[string]bool{"ifMetagenerationMatch": true, "ifMetagenerationNotMatch": false} {
		given := r.URL.Query().Get(parameter)
		if given == "" {
			continue
		}
		n, err := strconv.ParseInt(given, 10, 64)
		if err != nil {
			return google.Err(http.StatusBadRequest, "invalidParameter", "Invalid value for "+parameter+": "+given)
		}
		if (n == have) != wanted {
			return google.ErrConditionNotMet
		}
	}
	return nil
}

func (st *gcsState) metageneration() int64 {
	return google.Typed[storage.Bucket](st.resource).Metageneration
}

// commit makes next the bucket's state, one metageneration on.
func (b *gcsBucket) commit(r *google.Request, next *gcsState) {
	metageneration := int64(1)
	if b.now != nil {
		metageneration = b.now.metageneration() + 1
	}
	next.resource["metageneration"] = strconv.FormatInt(metageneration, 10)
	next.resource["etag"] = gcsETag(metageneration)
	next.resource["updated"] = gcsTime(r.Now)
	policy := *next.policy
	policy.Etag = gcsETag(metageneration)
	next.policy = &policy
	b.before, b.now = b.now, next
}

// gcsETag encodes a metageneration as Cloud Storage does: a protocol buffer with one varint.
func gcsETag(metageneration int64) string {
	raw := []byte{8}
	for n := uint64(metageneration); ; n >>= 7 {
		if n < 0x80 {
			raw = append(raw, byte(n))
			break
		}
		raw = append(raw, byte(n)|0x80)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

func gcsTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// sortedNames returns the buckets of the caller that the request is to see, by name. A stale list
// misses the newest bucket, whatever happened to it since.
func (s *Service) sortedNames(r *google.Request) []string {
	newest := ""
	var names []string
	for name, b := range s.buckets {
		if b.owner != r.Caller || b.state(r) == nil {
			continue
		}
		names = append(names, name)
		if b.now != nil && (newest == "" || b.serial > s.buckets[newest].serial) {
			newest = name
		}
	}
	slices.Sort(names)
	if r.Stale {
		names = slices.DeleteFunc(names, func(n string) bool { return n == newest })
	}
	return names
}
