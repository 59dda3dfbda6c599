package localcloud

import (
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"google.golang.org/api/storage/v1"
)

// gcsOutputOnly are the members of a bucket that only Cloud Storage sets; in a request they are ignored.
var gcsOutputOnly = []string{
	"kind", "id", "selfLink", "projectNumber", "timeCreated", "updated", "etag", "metageneration",
	"locationType", "owner", "generation", "softDeleteTime", "hardDeleteTime", "satisfiesPZS", "satisfiesPZI",
}

func (s *gcsService) insertBucket(r *gcpRequest) (any, error) {
	asked, want, err := parseResource[storage.Bucket](r.body)
	if err != nil {
		return nil, err
	}
	project := r.URL.Query().Get("project")
	if project == "" {
		return nil, gcpErr(http.StatusBadRequest, "required", "Required parameter: project")
	}
	if project != r.caller.id && project != strconv.FormatUint(r.caller.number, 10) {
		return nil, gcpErr(http.StatusForbidden, "forbidden", r.caller.email+" does not have storage.buckets.create access to the Google Cloud project.")
	}
	if err := validBucketName(want.Name); err != nil {
		return nil, err
	}
	b := s.buckets[want.Name]
	switch {
	case b == nil || b.now == nil:
	case b.owner == r.caller:
		return nil, gcpErr(http.StatusConflict, "conflict", "Your previous request to create the named bucket succeeded and you already own it.")
	default:
		return nil, gcpErr(http.StatusConflict, "conflict", "The requested bucket name is not available. The bucket namespace is shared by all users of the system. Please select a different name and try again.")
	}
	resource := newBucketResource(s.cloud.GCPEndpoint(), r, want.Name)
	for _, k := range gcsOutputOnly {
		delete(asked, k)
	}
	merge(resource, asked)
	if err := settleBucket(r, resource, nil); err != nil {
		return nil, err
	}
	s.created++
	b = &gcsBucket{owner: r.caller, serial: s.created}
	b.commit(r, &gcsState{resource: resource, policy: defaultPolicy(r.caller.id, want.Name)})
	s.buckets[want.Name] = b
	return b.now.view(r), nil
}

// newBucketResource is a bucket with nothing but what Cloud Storage sets by itself.
func newBucketResource(endpoint string, r *gcpRequest, name string) jsonObject {
	created := gcsTime(r.now)
	project := r.caller.id
	return jsonObject{
		"kind": "storage#bucket", "id": name, "name": name, "selfLink": endpoint + "/storage/v1/b/" + name,
		"projectNumber": strconv.FormatUint(r.caller.number, 10), "timeCreated": created,
		"location": "US", "storageClass": "STANDARD", "generation": strconv.FormatInt(r.now.UnixMicro(), 10),
		"iamConfiguration": jsonObject{"publicAccessPrevention": "inherited", "uniformBucketLevelAccess": jsonObject{"enabled": false}},
		"softDeletePolicy": jsonObject{"retentionDurationSeconds": strconv.Itoa(7 * day), "effectiveTime": created},
		"owner":            jsonObject{"entity": "project-owners-" + project},
		"acl": []any{
			jsonObject{"kind": "storage#bucketAccessControl", "entity": "project-owners-" + project, "role": "OWNER"},
			jsonObject{"kind": "storage#bucketAccessControl", "entity": "project-editors-" + project, "role": "OWNER"},
			jsonObject{"kind": "storage#bucketAccessControl", "entity": "project-viewers-" + project, "role": "READER"},
		},
	}
}

// view is the resource in the projection that the request asks for. Who lacks storage.buckets.getIpFilter does not see the filter, which no recording shows.
// https://cloud.google.com/storage/docs/access-control/iam-permissions (storage.buckets.get)
func (st *gcsState) view(r *gcpRequest) jsonObject {
	out := cloned(st.resource)
	if r.URL.Query().Get("projection") != "full" {
		delete(out, "acl")
		delete(out, "defaultObjectAcl")
		delete(out, "owner")
	}
	if r.caller.caller.Blind {
		delete(out, "ipFilter")
	}
	return out
}

func (s *gcsService) getBucket(r *gcpRequest) (any, error) {
	_, state, err := s.find(r, "storage.buckets.get")
	if err != nil {
		return nil, err
	}
	if err := checkMetageneration(r, state); err != nil {
		return nil, err
	}
	return state.view(r), nil
}

func (s *gcsService) listBuckets(r *gcpRequest) (any, error) {
	project := r.URL.Query().Get("project")
	if project == "" {
		return nil, gcpErr(http.StatusBadRequest, "required", "Required parameter: project")
	}
	if project != r.caller.id && project != strconv.FormatUint(r.caller.number, 10) {
		return nil, gcpErr(http.StatusForbidden, "forbidden", r.caller.email+" does not have storage.buckets.list access to the Google Cloud project.")
	}
	var names []string
	for _, name := range s.sortedNames(r) {
		if strings.HasPrefix(name, r.URL.Query().Get("prefix")) {
			names = append(names, name)
		}
	}
	from, to, next, err := pageOf(r, len(names), "maxResults", 1000, 1000)
	if err != nil {
		return nil, err
	}
	out := jsonObject{"kind": "storage#buckets"}
	var items []any
	for _, name := range names[from:to] {
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

func (s *gcsService) patchBucket(r *gcpRequest) (any, error) {
	b, state, err := s.find(r, "storage.buckets.update")
	if err != nil {
		return nil, err
	}
	asked, _, err := parseResource[storage.Bucket](r.body)
	if err != nil {
		return nil, err
	}
	if err := checkMetageneration(r, state); err != nil {
		return nil, err
	}
	for _, k := range gcsOutputOnly {
		delete(asked, k)
	}
	resource := cloned(state.resource)
	merge(resource, asked)
	if err := settleBucket(r, resource, typed[storage.Bucket](state.resource)); err != nil {
		return nil, err
	}
	if reflect.DeepEqual(resource, state.resource) { // a patch that changes nothing counts for nothing
		return state.view(r), nil
	}
	b.commit(r, &gcsState{resource: resource, policy: state.policy})
	return b.now.view(r), nil
}

func (s *gcsService) deleteBucket(r *gcpRequest) (any, error) {
	b, state, err := s.find(r, "storage.buckets.delete")
	if err != nil {
		return nil, err
	}
	if err := checkMetageneration(r, state); err != nil {
		return nil, err
	}
	if len(b.objects) > 0 || len(b.folders) > 0 || len(b.tree) > 0 {
		return nil, gcpErr(http.StatusConflict, "conflict", "The bucket you tried to delete is not empty.")
	}
	s.keepDeleted(r, b)
	b.before, b.now = b.now, nil
	return nil, nil
}

func (s *gcsService) lockRetentionPolicy(r *gcpRequest) (any, error) {
	b, state, err := s.find(r, "storage.buckets.update")
	if err != nil {
		return nil, err
	}
	if r.URL.Query().Get("ifMetagenerationMatch") == "" {
		return nil, gcpErr(http.StatusBadRequest, "required", "Required parameter: ifMetagenerationMatch")
	}
	if err := checkMetageneration(r, state); err != nil {
		return nil, err
	}
	resource := cloned(state.resource)
	policy, ok := resource["retentionPolicy"].(jsonObject)
	if !ok {
		return nil, gcpInvalid("The bucket has no retention policy to lock.")
	}
	policy["isLocked"] = true
	b.commit(r, &gcsState{resource: resource, policy: state.policy})
	return b.now.view(r), nil
}

func (s *gcsService) getServiceAccount(r *gcpRequest) (any, error) {
	if r.PathValue("project") != r.caller.id {
		return nil, gcpErr(http.StatusForbidden, "forbidden", r.caller.email+" does not have resourcemanager.projects.get access to the Google Cloud project.")
	}
	return jsonObject{
		"kind":          "storage#serviceAccount",
		"email_address": fmt.Sprintf("service-%d@gs-project-accounts.iam.gserviceaccount.com", r.caller.number),
	}, nil
}
