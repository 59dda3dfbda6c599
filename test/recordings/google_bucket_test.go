package recordings

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// TestBucketsReplayed serves the recordings of Cloud Storage to the driver.
func TestBucketsReplayed(t *testing.T) {
	each(t, "gcs.json", replayed, func(t *testing.T, _ string, steps []exchange) {
		server, conn := newReplay(t)
		req := table.Request[v1alpha1.BucketParameters]{Request: driver.Request{Location: "us-central1"}}
		for i, step := range steps {
			server.answer(step)
			where := step.Method + " " + step.Path
			if parts := step.segments(); len(parts) > 1 {
				req.Name = parts[1]
			}
			switch kind := bucketCall(step); kind {
			case "buckets.get":
				observeBucket(t, conn, &req, step)
			case "buckets.insert":
				req = table.Request[v1alpha1.BucketParameters]{Request: driver.Request{Name: stringAt(object(t, step.Request), "name"), Location: "us-central1"}}
				req.Spec = bucketSpec(object(t, step.Request), req.Spec)
				create := req
				if create.Spec.GCP != nil { // the driver writes a filter by a call of its own, which was not recorded
					create.Spec.GCP = create.Spec.GCP.DeepCopy()
					create.Spec.GCP.IPFilter = nil
				}
				if _, err := drivertest.Buckets(conn).Create(t.Context(), create); err != nil {
					t.Errorf("step %d: %s: %v", i, where, err)
				}
			case "buckets.patch":
				req.Spec = bucketSpec(object(t, step.Request), req.Spec)
				result, err := drivertest.Buckets(conn).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "tags"}}})
				if err != nil || len(result.Failed) > 0 {
					t.Errorf("step %d: %s: %v, failed %v", i, where, err, result.Failed)
				}
			case "buckets.delete":
				if _, err := drivertest.Buckets(conn).Delete(t.Context(), req); err != nil {
					t.Errorf("step %d: %s: %v", i, where, err)
				}
			case "objects.list", "notifications.insert", "notifications.get", "notifications.delete", "bucketAccessControls": // the driver reads none of these here
			default:
				t.Errorf("step %d: no test for %s %s", i, kind, where)
			}
		}
	})
}

// bucketCall names the call of Cloud Storage that was recorded.
func bucketCall(e exchange) string {
	parts := e.segments()
	verb := map[string]string{http.MethodGet: "get", http.MethodPatch: "patch", http.MethodDelete: "delete", http.MethodPost: "insert", http.MethodPut: "update"}[e.Method]
	switch {
	case len(parts) <= 2:
		return "buckets." + verb
	case parts[2] == "o" && len(parts) == 3:
		return "objects.list"
	case parts[2] == "notificationConfigs":
		return "notifications." + verb
	case parts[2] == "acl":
		return "bucketAccessControls"
	}
	return strings.Join(parts[2:], "/") + "." + verb
}

// bucketSpec is the specification that asks for what a request asks for, in so far as a Bucket can.
func bucketSpec(request map[string]any, before v1alpha1.BucketParameters) v1alpha1.BucketParameters {
	spec := before
	if location := stringAt(request, "location"); location != "" {
		spec.Location = new(strings.ToLower(location))
	}
	if enabled, ok := at(request, "versioning", "enabled").(bool); ok {
		spec.Versioning = new(v1alpha1.VersioningSuspended)
		if enabled {
			spec.Versioning = new(v1alpha1.VersioningEnabled)
		}
	}
	switch stringAt(request, "iamConfiguration", "publicAccessPrevention") {
	case "enforced":
		spec.PublicAccess = new(v1alpha1.PublicAccessBlocked)
	case "inherited":
		spec.PublicAccess = new(v1alpha1.PublicAccessAllowed)
	}
	if pays, ok := at(request, "billing", "requesterPays").(bool); ok {
		spec.RequesterPays = &pays
	}
	storageOnly(request, &spec)
	if rules, ok := at(request, "lifecycle", "rule").([]any); ok { // all delete objects by age, whether they are live or not
		spec.Lifecycle = []v1alpha1.LifecycleRule{}
		for _, r := range objects(rules) {
			age, _ := at(r, "condition", "age").(float64)
			spec.Lifecycle = append(spec.Lifecycle, v1alpha1.LifecycleRule{Name: "rule-1", ExpireAfterDays: new(int32(age)), AllVersions: new(true)})
		}
	}
	if labels := at(request, "labels"); labels != nil {
		spec.Tags = tags(labels)
	}
	return spec
}

func observeBucket(t *testing.T, conn driver.Session, req *table.Request[v1alpha1.BucketParameters], step exchange) {
	t.Helper()
	seen, err := drivertest.Buckets(conn).Observe(t.Context(), *req)
	if err != nil {
		t.Errorf("%s: %v", step.Path, err)
		return
	}
	if step.Status == http.StatusNotFound {
		if seen.State != driver.Absent {
			t.Errorf("%s: state is %v, want Absent", step.Path, seen.State)
		}
		return
	}
	have := object(t, step.Response)
	if seen.State != driver.Ready || !seen.Available || seen.Location != strings.ToLower(stringAt(have, "location")) || seen.ID == "" {
		t.Errorf("%s: observed %v, available %t, in %q, id %q", step.Path, seen.State, seen.Available, seen.Location, seen.ID)
	}
	if len(seen.Changes) > 0 || len(seen.Unreadable) > 0 {
		t.Errorf("%s: differs from the specification that asked for it: %v, unreadable %v", step.Path, seen.Changes, seen.Unreadable)
	}
	want := bucketSpec(have, v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningSuspended), PublicAccess: new(v1alpha1.PublicAccessAllowed), RequesterPays: new(false), GCP: plainStorage()})
	wantMirror(t, seen.Mirror, want)
	wantSayable(t, ofGCP, "Bucket", seen, func(spec json.RawMessage) (driver.Observation, error) {
		return observeAs(t, drivertest.Buckets(conn), *req, spec)
	})
	req.ID, req.Applied = seen.ID, seen.Applied
}
