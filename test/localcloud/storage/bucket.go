package storage

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/test/localcloud/google"
)

func (s *Service) insertBucket(r *google.Request) (any, error) {
	asked, want, err := google.ParseResource[storage.Bucket](r.Body)
	if err == nil {
		asked, err = taken(asked)
	}
	if err != nil {
		return nil, err
	}
	if err := checkProject(r, "storage.buckets.create"); err != nil {
		return nil, err
	}
	if err := validBucketName(want.Name); err != nil {
		return nil, err
	}
	b := s.buckets[want.Name]
	switch {
	case b == nil || b.now == nil:
	case b.owner == r.Caller:
		return nil, google.Err(http.StatusConflict, "conflict", "Your previous request to create the named bucket succeeded and you already own it.")
	default:
		return nil, google.Err(http.StatusConflict, "conflict", "The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.")
	}
	resource := newBucketResource(s.cloud.GCPEndpoint(), r, want.Name)
	google.Merge(resource, asked)
	if err := settleBucket(r, resource, nil); err != nil {
		return nil, err
	}
	s.created++
	b = &gcsBucket{owner: r.Caller, serial: s.created}
	b.commit(r, &gcsState{resource: resource, policy: defaultPolicy(r.Caller.ID, want.Name)})
	s.buckets[want.Name] = b
	return b.now.view(r), nil
}

// checkProject demands the caller's own project, by its id or its number.
func checkProject(r *google.Request, permission string) error {
	project := r.URL.Query().Get("project")
	switch {
	case project == "":
		return google.Err(http.StatusBadRequest, "required", "Required parameter: project")
	case project != r.Caller.ID && project != strconv.FormatUint(r.Caller.Number, 10):
		return google.Err(http.StatusForbidden, "forbidden", r.Caller.Email+" does not have "+permission+" access to the Google Cloud project.")
	}
	return nil
}

// newBucketResource is a bucket with nothing but what Cloud Storage sets by itself.
func newBucketResource(endpoint string, r *google.Request, name string) google.Object {
	created := gcsTime(r.Now)
	project := r.Caller.ID
	return google.Object{
		"kind": "storage#bucket", "id": name, "name": name, "selfLink": endpoint + "/storage/v1/b/" + name,
		"projectNumber": strconv.FormatUint(r.Caller.Number, 10), "timeCreated": created,
		"location": "US", "storageClass": "STANDARD", "generation": strconv.FormatInt(r.Now.UnixMicro(), 10),
		"iamConfiguration": google.Object{"publicAccessPrevention": "inherited", "uniformBucketLevelAccess": google.Object{"enabled": false}},
		"softDeletePolicy": google.Object{"retentionDurationSeconds": strconv.Itoa(7 * day), "effectiveTime": created},
		"owner":            google.Object{"entity": "project-owners-" + project},
		"acl": []any{
			google.Object{"kind": "storage#bucketAccessControl", "entity": "project-owners-" + project, "role": "OWNER"},
			google.Object{"kind": "storage#bucketAccessControl", "entity": "project-editors-" + project, "role": "OWNER"},
			google.Object{"kind": "storage#bucketAccessControl", "entity": "project-viewers-" + project, "role": "READER"},
		},
	}
}

// view is the resource in the projection that the request asks for. Who lacks storage.buckets.getIpFilter does not see the filter, which no recording shows.
// https://cloud.google.com/storage/docs/access-control/iam-permissions (storage.buckets.get)
func (st *gcsState) view(r *google.Request) google.Object {
	out := google.Cloned(st.resource)
	if r.URL.Query().Get("projection") != "full" {
		delete(out, "acl")
		delete(out, "defaultObjectAcl")
		delete(out, "owner")
	}
	if r.Caller.Caller.Blind {
		delete(out, "ipFilter")
	}
	return out
}

func (s *Service) getBucket(r *google.Request) (any, error) {
	_, state, err := s.findMatching(r, "storage.buckets.get")
	if err != nil {
		return nil, err
	}
	return state.view(r), nil
}

func (s *Service) listBuckets(r *google.Request) (any, error) {
	if err := checkProject(r, "storage.buckets.list"); err != nil {
		return nil, err
	}
	var names []string
	for _, name := range s.sortedNames(r) {
		if strings.HasPrefix(name, r.URL.Query().Get("prefix")) {
			names = append(names, name)
		}
	}
	page, next, err := google.PageOf(r, names, "maxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	out := google.Object{"kind": "storage#buckets"}
	var items []any
	for _, name := range page {
		items = append(items, s.buckets[name].state(r).view(r))
	}
	if items != nil {
		out["items"] = items
	}
	if next != "" {
		out["nextPageToken"] = next
	}
	return out, nil
}

func (s *Service) patchBucket(r *google.Request) (any, error) {
	b, state, err := s.findMatching(r, "storage.buckets.update")
	if err != nil {
		return nil, err
	}
	asked, _, err := google.ParseResource[storage.Bucket](r.Body)
	if err == nil {
		asked, err = taken(asked)
	}
	if err != nil {
		return nil, err
	}
	resource := google.Cloned(state.resource)
	google.Merge(resource, asked)
	if err := settleBucket(r, resource, state.resource); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(resource, state.resource) { // a patch that changes nothing counts for nothing
		return state.view(r), nil
	}
	b.commit(r, &gcsState{resource: resource, policy: state.policy})
	return b.now.view(r), nil
}

func (s *Service) deleteBucket(r *google.Request) (any, error) {
	b, _, err := s.findMatching(r, "storage.buckets.delete")
	if err != nil {
		return nil, err
	}
	if len(b.objects) > 0 || len(b.folders) > 0 || len(b.tree) > 0 {
		return nil, google.Err(http.StatusConflict, "conflict", "The bucket you tried to delete is not empty.")
	}
	s.keepDeleted(r, b)
	b.before, b.now = b.now, nil
	return nil, nil
}

func (s *Service) lockRetentionPolicy(r *google.Request) (any, error) {
	b, state, err := s.findMatching(r, "storage.buckets.update")
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Get("ifMetagenerationMatch") == "" {
		return nil, google.Err(http.StatusBadRequest, "required", "Required parameter: ifMetagenerationMatch")
	}
	resource := google.Cloned(state.resource)
	policy, ok := resource["retentionPolicy"].(google.Object)
	if !ok {
		return nil, google.Invalid("The bucket has no retention policy to lock.")
	}
	policy["isLocked"] = true
	b.commit(r, &gcsState{resource: resource, policy: state.policy})
	return b.now.view(r), nil
}

func (s *Service) getServiceAccount(r *google.Request) (any, error) {
	if r.PathValue("project") != r.Caller.ID {
		return nil, google.Err(http.StatusForbidden, "forbidden", r.Caller.Email+" does not have resourcemanager.projects.get access to the Google Cloud project.")
	}
	return google.Object{
		"kind":          "storage#serviceAccount",
		"email_address": fmt.Sprintf("service-%d@gs-project-accounts.iam.gserviceaccount.com", r.Caller.Number),
	}, nil
}
