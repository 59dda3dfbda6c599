package recordings

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// gone is RDS's answer about an instance that is not there.
var gone = rdsAnswer{Call: "DescribeDBInstances", Status: http.StatusNotFound,
	Response: map[string]any{"Error": map[string]any{"Code": "DBInstanceNotFound", "Message": "DBInstance not found.", "Type": "Sender"}}}

// ofGroup lets the driver make the recorded calls that are about parameter groups, tags of what an ARN names, and snapshots. It reports whether the call is one of them.
func (r *instanceReplay) ofGroup(a rdsAnswer) bool {
	r.Helper()
	switch a.Call {
	case "DescribeDBParameters":
		r.parameters(a)
	case "ListTagsForResource":
		r.groupOf(a, recordedGroup)
	case "DescribeDBParameterGroups":
		for _, group := range objects(a.Response["DBParameterGroups"]) {
			r.groupOf(tagsAnswer(map[string]string{}), group)
		}
	case "DeleteDBParameterGroup":
		r.withoutGroup(a)
	case "DeleteDBSnapshot":
		name := stringAt(a.Response, "DBSnapshot", "DBSnapshotIdentifier")
		r.took()
		_, err := table.Of[v1alpha1.DatabaseSnapshotParameters](r.open("us-east-1"), "DatabaseSnapshot").Delete(r.Context(), table.Request[v1alpha1.DatabaseSnapshotParameters]{Request: driver.Request{Name: name, Location: "us-east-1"}})
		if err != nil || !slices.Contains(r.took(), a.Call) {
			r.Errorf("delete of snapshot %s: %v", name, err)
		}
	default:
		return false
	}
	return true
}

// parameters serves a page of parameters as all that somebody set in the group of an instance.
func (r *instanceReplay) parameters(a rdsAnswer) {
	r.Helper()
	page := maps.Clone(a.Response)
	delete(page, "Marker") // the next page is an answer of its own
	r.recorded(rdsAnswer{Call: a.Call, Status: a.Status, Response: page})
	r.present(map[string]any{"DBInstanceIdentifier": "recorded", "DBInstanceStatus": "available", "Engine": "postgres", "EngineVersion": "16.4", "DBInstanceArn": "arn:aws:rds:us-east-1:123456789012:db:recorded",
		"DBParameterGroups": []any{map[string]any{"DBParameterGroupName": "recorded", "ParameterApplyStatus": "in-sync"}}})
	want := map[string]v1alpha1.ParameterValue{}
	for _, p := range objects(a.Response["Parameters"]) {
		if value, set := p["ParameterValue"].(string); set {
			want[stringAt(p, "ParameterName")] = v1alpha1.ParameterValue(value)
		}
	}
	req := databaseRequest{Request: driver.Request{Name: "recorded", Location: "us-east-1"}, Spec: v1alpha1.DatabaseParameters{Parameters: map[string]v1alpha1.ParameterValue{}}}
	seen, err := drivertest.Databases(r.open("us-east-1")).Observe(r.Context(), req)
	var mirror v1alpha1.DatabaseParameters
	if err != nil || json.Unmarshal(seen.Mirror, &mirror) != nil || !maps.Equal(mirror.Parameters, want) {
		r.Errorf("%s %d: parameters %v, want %v, error %v", a.Call, a.N, mirror.Parameters, want, err)
	}
}

// recordedGroup is a group of no recording.
var recordedGroup = map[string]any{"DBParameterGroupName": "recorded", "DBParameterGroupFamily": "mysql8.0", "Description": "recorded", "DBParameterGroupArn": "arn:aws:rds:us-east-1:123456789012:pg:recorded"}

func tagsAnswer(tags map[string]string) rdsAnswer {
	list := []any{}
	for _, k := range slices.Sorted(maps.Keys(tags)) {
		list = append(list, map[string]any{"Key": k, "Value": tags[k]})
	}
	return rdsAnswer{Call: "ListTagsForResource", Status: http.StatusOK, Response: map[string]any{"TagList": list}}
}

// left is what a deletion of an instance that is gone looks for: a group of its own.
func (r *instanceReplay) left() databaseRequest {
	r.recorded(gone)
	mark := driver.Mark{Cluster: "cluster", Namespace: "shop", Name: "orders", UID: "uid"}
	return databaseRequest{Request: driver.Request{Name: "gone", Location: "us-east-1", Mark: mark, Deletion: &driver.Deletion{}, Applied: driver.Applied{"parameters": nil}}}
}

// groupOf serves a group and its tags: without our mark it is somebody else's, and with the mark beside the recorded tags it is ours.
func (r *instanceReplay) groupOf(tags rdsAnswer, group map[string]any) {
	r.Helper()
	req := r.left()
	r.recorded(rdsAnswer{Call: "DescribeDBParameterGroups", Status: http.StatusOK, Response: map[string]any{"DBParameterGroups": []any{group}}})
	all := tagList(tags.Response)
	for _, ours := range []bool{false, true} {
		if r.recorded(tags); ours {
			maps.Copy(all, req.Mark.Labels())
			r.recorded(tagsAnswer(all))
		}
		r.took()
		seen, err := drivertest.Databases(r.open("us-east-1")).Observe(r.Context(), req)
		if there := seen.State == driver.Ready; err != nil || there != ours || !slices.Contains(r.took(), "ListTagsForResource") {
			r.Errorf("a group with the tags %v, of which our mark is one: %t; observed %v, error %v", all, ours, seen.State, err)
		}
	}
}

// withoutGroup deletes a group of ours.
func (r *instanceReplay) withoutGroup(a rdsAnswer) {
	r.Helper()
	req := r.left()
	r.recorded(rdsAnswer{Call: "DescribeDBParameterGroups", Status: http.StatusOK, Response: map[string]any{"DBParameterGroups": []any{recordedGroup}}})
	r.recorded(tagsAnswer(req.Mark.Labels()))
	r.recorded(a)
	r.took()
	if _, err := drivertest.Databases(r.open("us-east-1")).Delete(r.Context(), req); err != nil || !slices.Contains(r.took(), a.Call) {
		r.Errorf("%s: %v", strings.ToLower(a.Call), err)
	}
}
