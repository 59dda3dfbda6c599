package recordings

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// A mutated answer has another value in one leaf. Whatever the driver then reports has to be something else, or the leaf stands in a list with the reason
// why nobody needs to know.

// mutate calls visit with the path of each leaf of a value while the leaf has another value.
func mutate(at string, v any, visit func(path string)) {
	leaf := func(old any, set func(any), below string) {
		if _, inner := old.(map[string]any); inner {
			mutate(below, old, visit)
			return
		}
		if _, list := old.([]any); list {
			mutate(below, old, visit)
			return
		}
		if other := another(old); other != nil {
			set(other)
			visit(below)
			set(old)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			leaf(v[k], func(x any) { v[k] = x }, strings.TrimPrefix(at+"."+k, "."))
		}
	case []any:
		for i := range v {
			leaf(v[i], func(x any) { v[i] = x }, at+"[]")
		}
	}
}

// another returns another value of the same shape; nil for null.
func another(v any) any {
	switch v := v.(type) {
	case bool:
		return !v
	case float64:
		return v + 1
	case string:
		if when, err := time.Parse(time.RFC3339, v); err == nil {
			return when.Add(time.Hour).Format(time.RFC3339Nano)
		}
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return strconv.FormatInt(n+1, 10)
		}
		if other, known := others[v]; known {
			return other
		}
		if startOfWindow.MatchString(v) { // another hour
			return startOfWindow.ReplaceAllString(v, "${1}"+map[bool]string{true: "03", false: "04"}[startOfWindow.FindStringSubmatch(v)[2] == "04"]+"$3")
		}
		return v + "x"
	}
	return nil
}

// startOfWindow finds the hour at which a window of RDS begins.
var startOfWindow = regexp.MustCompile(`^([a-z]{3}:)?(\d\d)(:\d\d-)`)

// others are values that the clouds have, where a made-up one would count as none.
var others = map[string]string{
	"Enabled": "Disabled", "Disabled": "Enabled", "AES256": "aws:kms", "aws:kms": "AES256",
	"inherited": "enforced", "enforced": "inherited", "unspecified": "enforced",
	"REQUIRED": "NOT_REQUIRED", "NOT_REQUIRED": "REQUIRED", "CONNECTOR_ENFORCEMENT_UNSPECIFIED": "REQUIRED", "ALWAYS": "NEVER", "NEVER": "ALWAYS",
	"ALLOW_UNENCRYPTED_AND_ENCRYPTED": "ENCRYPTED_ONLY", "ENCRYPTED_ONLY": "TRUSTED_CLIENT_CERTIFICATE_REQUIRED", "TRUSTED_CLIENT_CERTIFICATE_REQUIRED": "ENCRYPTED_ONLY",
	"Suspended": "Enabled", "in-sync": "pending-reboot", "active": "removing", "replicating": "error",
}

// mutations are those of one sort of answers, and the reasons why some leaves need not be caught.
type mutations struct {
	*testing.T
	reasons        map[string]string
	leaves, caught int // of a file
	missed         map[string]int
	missedAt       map[string]bool // paths of leaves that were not caught in some answer of any file
	used           map[string]bool // patterns of reasons
	caughtAt       map[string]bool // paths of leaves that were caught in some answer
	elsewhere      map[string]bool // paths of which a reason says that they are
}

func newMutations(t *testing.T, reasons map[string]string) *mutations {
	return &mutations{T: t, reasons: reasons, missed: map[string]int{}, missedAt: map[string]bool{}, used: map[string]bool{}, caughtAt: map[string]bool{}, elsewhere: map[string]bool{}}
}

// each mutates the leaves of an answer. serve makes it the answer, and report is all that the driver says.
func (m *mutations) each(answer any, serve func(), report func() string) {
	serve()
	report() // by which the spec becomes the mirror
	before := report()
	if again := report(); again != before {
		m.Errorf("the driver reports another thing each time:\n%s\n%s", before, again)
		return
	}
	mutate("", answer, func(path string) {
		serve()
		m.leaves++
		if report() != before {
			m.caught++
			m.caughtAt[path] = true
			return
		}
		m.missed[path]++
		m.missedAt[path] = true
	})
}

// judge demands a reason for each leaf of a file that was not caught, and notes which reasons are needed.
func (m *mutations) judge(file string) {
	m.Helper()
	if m.leaves == 0 {
		m.Fatalf("%s: nothing was mutated", file)
	}
	for _, path := range slices.Sorted(maps.Keys(m.missed)) {
		reason := false
		for pattern, why := range m.reasons {
			if matches([]string{pattern}, path) {
				m.used[pattern], reason = true, true
				m.elsewhere[path] = m.elsewhere[path] || strings.HasPrefix(why, ofSeveral) || strings.HasPrefix(why, unlikeAny)
			}
		}
		if !reason {
			m.Errorf("%s: another %s changes nothing that the driver reports (%d times)", file, path, m.missed[path])
		}
	}
	m.Logf("%s: %d of %d leaves caught", file, m.caught, m.leaves)
	m.leaves, m.caught, m.missed = 0, 0, map[string]int{}
}

// finish logs how many paths of leaves are caught in no answer. It fails for reasons that explain nothing any more, and for those that say of a leaf that it is caught in other answers if it is in none.
func (m *mutations) finish() {
	m.Helper()
	nowhere := 0
	for path := range m.missedAt {
		if !m.caughtAt[path] {
			nowhere++
		}
	}
	m.Logf("%d of %d paths are caught in no answer", nowhere, len(m.caughtAt)+nowhere)
	for pattern := range m.reasons {
		if !m.used[pattern] {
			m.Errorf("%s is caught, or nowhere: take it out of the list", pattern)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(m.elsewhere)) {
		if m.elsewhere[path] && !m.caughtAt[path] {
			m.Errorf("%s is caught in no answer: say why nobody needs to know of it", path)
		}
	}
}

// recordedIn returns the answers of a file of recordings, in order of its cases.
func recordedIn[S any](t *testing.T, file string) (all []S) {
	t.Helper()
	cases := casesOf[S](t, file)
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		all = append(all, cases[name]...)
	}
	return all
}

// reportOf is all that a driver says of an object against the spec that its mirror was at first.
func reportOf[S any](t *testing.T, cloud table.External[S], req table.Request[S]) func() string {
	var spec json.RawMessage
	return func() string {
		with := req
		if spec != nil {
			if err := json.Unmarshal(spec, &with.Spec); err != nil {
				t.Fatal(err)
			}
		}
		seen, err := cloud.Observe(t.Context(), with)
		if spec == nil {
			if spec = seen.Mirror; spec == nil {
				spec = json.RawMessage(`{}`)
			}
		}
		seen.Read = ""
		text, failed := json.Marshal(seen)
		return fmt.Sprint(string(text), err, failed)
	}
}

// TestMutatedBuckets mutates the buckets of Cloud Storage.
func TestMutatedBuckets(t *testing.T) {
	m := newMutations(t, missedOfStorage)
	for _, file := range []string{"gcs.json", "more/gcs-custodian.json", "more/gcs-2019.json"} {
		once := map[string]bool{}
		server, conn := newReplay(t)
		for _, a := range recordedIn[moreAnswer](t, file) {
			if bucketCall(a.exchange) != "buckets.get" || a.Status != http.StatusOK || len(a.segments()) < 2 || once[string(a.Response)] {
				continue
			}
			once[string(a.Response)] = true
			name, answer := a.segments()[1], object(t, a.Response)
			for _, list := range []string{"iam", "notificationConfigs"} {
				server.answer(exchange{Method: http.MethodGet, Path: "/storage/v1/b/" + name + "/" + list, Status: http.StatusForbidden})
			}
			m.each(answer, func() {
				text, _ := json.Marshal(answer)
				server.answer(exchange{Method: http.MethodGet, Path: "/storage/v1/b/" + name, Status: http.StatusOK, Response: text})
			}, reportOf(t, drivertest.Buckets(conn), bucketRequest{Request: driver.Request{Name: name, Location: "us-central1"}}))
		}
		m.judge(file)
	}
	m.finish()
}

// TestMutatedDatabases mutates the instances of Cloud SQL.
func TestMutatedDatabases(t *testing.T) {
	m := newMutations(t, missedOfSQL)
	for _, file := range []string{"cloudsql.json", "more/cloudsql-custodian.json"} {
		once := map[string]bool{}
		server, conn := newReplay(t)
		for _, a := range recordedIn[moreAnswer](t, file) {
			if a.Raw != "" || a.Method != http.MethodGet || a.Status != http.StatusOK {
				continue
			}
			a.Path = ofProject.ReplaceAllString(a.Path, "/sql/v1beta4/projects/"+project+"/")
			if databaseCall(a.exchange) != "instances.get" || once[string(a.Response)] {
				continue
			}
			once[string(a.Response)] = true
			name, answer := a.segments()[3], object(t, a.Response)
			m.each(answer, func() {
				text, _ := json.Marshal(answer)
				server.answer(exchange{Method: http.MethodGet, Path: a.Path, Status: http.StatusOK, Response: text})
			}, reportOf(t, drivertest.Databases(conn), databaseRequest{Request: driver.Request{Name: name, Location: "us-central1"}}))
		}
		m.judge(file)
	}
	m.finish()
}

// TestMutatedInstances mutates the instances of RDS.
func TestMutatedInstances(t *testing.T) {
	m, once := newMutations(t, missedOfInstances), map[string]bool{}
	r := &instanceReplay{T: t, awsReplay: newAWSReplay(t)}
	for _, a := range recordedIn[rdsAnswer](t, "rds.json") {
		if a.Call != "DescribeDBInstances" || a.Status != http.StatusOK {
			continue
		}
		for _, instance := range objects(a.Response["DBInstances"]) {
			text, _ := json.Marshal(instance)
			if once[string(text)] {
				continue
			}
			once[string(text)] = true
			req := databaseRequest{Request: driver.Request{Name: stringAt(instance, "DBInstanceIdentifier"), Location: "us-east-1"}}
			if region := arnRegion(instance); region != "" {
				req.Location = region
			}
			m.each(instance, func() { r.present(instance) }, reportOf(t, drivertest.Databases(r.open(req.Location)), req))
		}
	}
	m.judge("rds.json")
	m.finish()
}

// deletes is what a forced deletion of a bucket deletes.
func (r *awsReplay) deletes(cloud table.External[v1alpha1.BucketParameters], req bucketRequest) string {
	var deleted []byte
	r.answer("DeleteBucket", awsAnswer{status: http.StatusConflict, body: []byte("<Error><Code>BucketNotEmpty</Code><Message>The bucket you tried to delete is not empty</Message></Error>")})
	r.answer("ListMultipartUploads", awsAnswer{status: http.StatusOK, body: []byte("<ListMultipartUploadsResult></ListMultipartUploadsResult>")})
	r.answer("DeleteObjects", awsAnswer{status: http.StatusOK, body: []byte("<DeleteResult></DeleteResult>"), note: func(body []byte) { deleted = append(deleted, body...) }})
	req.Deletion = &driver.Deletion{Force: true}
	result, err := cloud.Delete(r.t.Context(), req)
	return fmt.Sprint(string(deleted), result.Unfinished, err)
}

// TestMutatedBucketsOfS3 mutates the documents of S3.
func TestMutatedBucketsOfS3(t *testing.T) {
	m := newMutations(t, missedOfS3)
	r := newAWSReplay(t)
	cloud := drivertest.Buckets(r.open("us-east-1"))
	req := bucketRequest{Request: driver.Request{Name: "recorded-bucket", Location: "us-east-1", Whole: true}}
	document := func(call string, a s3Answer) {
		if !slices.Contains(slices.Collect(maps.Values(s3Calls)), call) || !strings.HasPrefix(call, "Get") && !strings.HasPrefix(call, "List") || a.status() != http.StatusOK {
			return
		}
		r.denied = slices.Collect(maps.Values(s3Calls))
		r.mu.Lock()
		clear(r.answers)
		r.mu.Unlock()
		r.answer("GetBucketTagging", awsAnswer{status: http.StatusNotFound, body: []byte("<Error><Code>NoSuchTagSet</Code></Error>")})
		recordedLifecycle(a.Response)
		answer, _ := a.Response.(map[string]any)
		metadata := answer["ResponseMetadata"] // which is the SDK's, and no part of the document
		delete(answer, "ResponseMetadata")
		report := reportOf(t, cloud, req)
		switch call {
		case "ListBuckets":
			report = func() string {
				page, err := cloud.List(t.Context(), driver.ListRequest{})
				text, failed := json.Marshal(page)
				return fmt.Sprint(string(text), err, failed)
			}
		case "ListObjectVersions":
			report = func() string { return r.deletes(cloud, req) }
		}
		m.each(answer, func() {
			served := s3Answer{Step: a.Step, Response: maps.Clone(answer)}
			served.Response.(map[string]any)["ResponseMetadata"] = metadata
			r.answer(call, served.wire(call))
		}, report)
	}
	cases := casesOf[s3Answer](t, "s3.json")
	for _, title := range slices.Sorted(maps.Keys(cases)) {
		for _, a := range cases[title] {
			if i := slices.IndexFunc(s3Cases[title], func(c s3Call) bool { return c.step == a.Step }); i >= 0 {
				document(callName(s3Cases[title][i].in), a)
			}
		}
	}
	m.judge("s3.json")
	m.finish()
}
