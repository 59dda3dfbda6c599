package recordings

import (
	"encoding/json"
	"fmt"
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
				if stringAt(instance, "DBInstanceStatus") != "" && !setAside(uncreated, name+"/"+stringAt(instance, "Engine")) {
					r.created(instance)
					compared++
				}
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
	var form url.Values
	answer := rdsAnswer{Call: "CreateDBInstance", Status: http.StatusOK, Response: map[string]any{"DBInstance": instance}}
	r.answer("CreateDBInstance", awsAnswer{status: http.StatusOK, body: answer.document(), note: func(body []byte) { form, _ = url.ParseQuery(string(body)) }})
	var found []difference
	if _, err := cloud.Create(r.Context(), req); err != nil {
		found = append(found, difference{"refused", nil, err.Error()})
	}
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
	for _, left := range judge(knownOfSentInstances, r.title+"/"+stringAt(instance, "Engine"), found) {
		r.Errorf("%s/%s %s: %v", r.title, stringAt(instance, "Engine"), req.Name, left)
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
