package recordings

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
)

// RDS was recorded without requests, so that what the driver sends is judged by its effect: each parameter of a creation has to be one that the recorded
// instance shows with that value, or the driver asks for something else than its mirror says.

// createdShowing names where an instance shows a parameter of CreateDBInstance that has another name there.
var createdShowing = map[string][]string{
	"DBParameterGroupName": {"DBParameterGroups", "DBParameterGroupName"}, "OptionGroupName": {"OptionGroupMemberships", "OptionGroupName"}, "DBSubnetGroupName": {"DBSubnetGroup", "DBSubnetGroupName"},
	"VpcSecurityGroupIds.VpcSecurityGroupId.N": {"VpcSecurityGroups", "VpcSecurityGroupId"}, "EnableCloudwatchLogsExports.member.N": {"EnabledCloudwatchLogsExports"},
	"Port": {"Endpoint", "Port"}, "EnableIAMDatabaseAuthentication": {"IAMDatabaseAuthenticationEnabled"},
	"EnablePerformanceInsights": {"PerformanceInsightsEnabled"},
}

// inList is the number of an entry of a list in the name of a parameter.
var inList = regexp.MustCompile(`\.\d+`)

// TestInstancesSent lets the driver create each recorded instance from its mirror.
func TestInstancesSent(t *testing.T) {
	whole := each(t, "rds.json", sent, func(t *testing.T, name string, answers []rdsAnswer) {
		r, compared := &instanceReplay{T: t, awsReplay: newAWSReplay(t), title: name}, 0
		for _, a := range answers {
			for _, instance := range append(objects(a.Response["DBInstances"]), objects([]any{a.Response["DBInstance"]})...) {
				if stringAt(instance, "DBInstanceStatus") == "" || setAside(uncreated, name+"/"+stringAt(instance, "Engine")) {
					continue
				}
				if a.Call == "ModifyDBInstance" {
					r.modified(answers, instance)
				}
				r.created(instance)
				compared++
			}
		}
		if compared == 0 {
			t.Skip("no instance that a Database can be")
		}
	})
	if whole {
		wantNoStale(t, knownOfSentInstances)
		wantNoStaleCalls(t, uncreated)
	}
}

// created lets the driver create an instance, and compares each parameter with what the instance shows.
func (r *instanceReplay) created(instance map[string]any) {
	r.Helper()
	r.present(instance)
	req := r.request(instance)
	cloud := drivertest.Databases(r.open(req.Location))
	seen, err := cloud.Observe(r.Context(), databaseRequest{Request: driver.Request{Name: req.Name, Location: req.Location, Whole: true}})
	if err != nil {
		r.Fatal(err)
	}
	if err := json.Unmarshal(wanted(r.T, seen.Mirror, json.RawMessage(`{}`)), &req.Spec); err != nil {
		r.Fatal(err)
	}
	if zone := req.Spec.AWS.AvailabilityZone; zone != nil && (instance["MultiAZ"] == true || !strings.HasPrefix(*zone, req.Location)) {
		req.Spec.AWS.AvailabilityZone = nil // RDS chose it, or those who recorded it moved the instance to another region
	}
	req.Mark = driver.Mark{Cluster: "recorded", Namespace: "recorded", Name: "recorded", UID: "recorded"}
	form := r.formOf("CreateDBInstance", instance)
	var found []difference
	if _, err := cloud.Create(r.Context(), req); err != nil {
		found = append(found, difference{"refused", nil, err.Error()})
	}
	r.shows("", instance, *form, found)
}

// formOf answers a call with an instance, and returns where the call's form will be.
func (r *instanceReplay) formOf(call string, instance map[string]any) *url.Values {
	form := &url.Values{}
	answer := rdsAnswer{Call: call, Status: http.StatusOK, Response: map[string]any{"DBInstance": instance}}
	r.answer(call, awsAnswer{status: http.StatusOK, body: answer.document(), note: func(body []byte) { *form, _ = url.ParseQuery(string(body)) }})
	return form
}

// modified lets the driver make a change that was recorded: from an instance as it was to what it was asked to become. The answers are not in the order of
// their time, so what was before is the first answer about the instance that differs.
func (r *instanceReplay) modified(answers []rdsAnswer, after map[string]any) {
	r.Helper()
	req := r.request(after)
	cloud := drivertest.Databases(r.open(req.Location))
	var seen driver.Observation
	for _, a := range answers {
		for _, before := range objects(a.Response["DBInstances"]) {
			if len(seen.Changes) > 0 || stringAt(before, "DBInstanceIdentifier") != req.Name {
				continue
			}
			r.present(before)
			var err error
			if seen, err = cloud.Observe(r.Context(), req); err != nil {
				r.Fatal(err)
			}
		}
	}
	form := r.formOf("ModifyDBInstance", after)
	result, err := cloud.Update(r.Context(), req, driver.Edit{Changes: seen.Changes})
	var found []difference
	for _, failed := range result.Failed {
		found = append(found, difference{"refused " + failed.Field, nil, failed.Err.Error()})
	}
	if err != nil || len(seen.Changes) == 0 {
		found = append(found, difference{"refused", nil, fmt.Sprint(err, ", changes ", seen.Changes)})
	}
	asked := maps.Clone(after)
	if waiting, ok := after["PendingModifiedValues"].(map[string]any); ok {
		maps.Copy(asked, waiting)
	}
	r.shows("modified ", asked, *form, found)
}

// shows demands that an instance shows each parameter of a form.
func (r *instanceReplay) shows(what string, instance map[string]any, form url.Values, found []difference) {
	r.Helper()
	for name := range form {
		plain := inList.ReplaceAllString(name, ".N")
		if key, ok := strings.CutSuffix(name, ".Value"); ok {
			if tag := form.Get(key + ".Key"); tagList(instance)[tag] != form.Get(name) {
				found = append(found, difference{"Tags." + tag, tagList(instance)[tag], form.Get(name)})
			}
			continue
		}
		if plain == "Tags.Tag.N.Key" {
			continue
		}
		where, renamed := createdShowing[plain]
		if !renamed {
			where = []string{plain}
		}
		if shown := shownAt(instance, where); !showsParameter(shown, plain, form.Get(name)) {
			found = append(found, difference{plain, strings.Join(shown, ", "), form.Get(name)})
		}
	}
	for _, left := range judge(knownOfSentInstances, r.title+"/"+what+stringAt(instance, "Engine"), found) {
		r.Errorf("%s/%s%s: %v", r.title, what, stringAt(instance, "Engine"), left)
	}
}

// showsParameter reports whether one of the shown values is that of a parameter. What is not shown is false or 0. Of a window the beginning counts: a spec has no
// end, and the driver asks for the shortest window.
func showsParameter(shown []string, name, value string) bool {
	if strings.HasSuffix(name, "Window") {
		begin, _, _ := strings.Cut(value, "-")
		return slices.ContainsFunc(shown, func(s string) bool { return strings.HasPrefix(s, begin+"-") })
	}
	return slices.Contains(shown, value) || shown == nil && (value == "false" || value == "0")
}

// shownAt returns the values at a path, of all entries where there is a list.
func shownAt(v any, where []string) (shown []string) {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		for _, entry := range v {
			shown = append(shown, shownAt(entry, where)...)
		}
		return shown
	case map[string]any:
		if len(where) == 0 {
			return nil
		}
		return shownAt(v[where[0]], where[1:])
	}
	return []string{fmt.Sprint(v)}
}
