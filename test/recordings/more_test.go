package recordings

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// The answers of the folder more were recorded by people's test suites of other tools. Those who recorded them asked for other things than Mooring, so each answer
// is served alone: the driver observes it, and its mirror has to be a spec that shows no difference.

// A moreAnswer is an answer about a bucket or an instance of Google Cloud. Where the call was not recorded, the name of the file is all that there is of it.
type moreAnswer struct {
	exchange
	Raw string
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *moreAnswer) UnmarshalJSON(text []byte) error {
	var named struct{ Raw string }
	if err := json.Unmarshal(text, &named); err != nil {
		return err
	}
	a.Raw = named.Raw
	return a.exchange.UnmarshalJSON(text)
}

// ofProject is how the path of an instance begins, in whatever project.
var ofProject = regexp.MustCompile(`^/sql/v1beta4/projects/[^/]+/`)

// rawCall reads the name of a file: the method, and the name of an instance.
var rawCall = regexp.MustCompile(`^(get|patch|delete)-sql-v1beta4-projects-cloud-custodian-instances(-[a-z0-9-]+?)?(-backupRuns-\d+)?_\d+\.json$`)

// anInstance is what a change is made of where no answer of it was recorded.
var anInstance = json.RawMessage(`{"kind": "sql#instance", "name": "recorded", "region": "us-central1", "state": "RUNNABLE", "databaseVersion": "POSTGRES_16", "settings": {"kind": "sql#settings", "tier": "db-f1-micro"}}`)

// TestMoreDatabasesReplayed serves answers of Cloud SQL.
func TestMoreDatabasesReplayed(t *testing.T) {
	each(t, "more/cloudsql-custodian.json", replayed, func(t *testing.T, _ string, answers []moreAnswer) {
		for _, a := range answers {
			server, conn := newReplay(t)
			cloud := drivertest.Databases(conn)
			req := databaseRequest{Request: driver.Request{Name: "recorded", Location: "us-central1"}}
			switch named := rawCall.FindStringSubmatch(a.Raw); {
			case a.Raw == "":
				a.Path = ofProject.ReplaceAllString(a.Path, "/sql/v1beta4/projects/"+project+"/")
				req.Name = a.segments()[3]
				server.answer(a.exchange)
				moreDatabase(t, cloud, req, a)
			case named == nil:
				t.Errorf("no test for %s", a.Raw)
			case named[3] != "":
				// the driver deletes no backup: it keeps those of an instance that it deletes
			default:
				server.answer(exchange{Method: http.MethodGet, Path: "/sql/v1beta4/projects/" + project + "/instances/recorded", Status: http.StatusOK, Response: anInstance})
				server.answer(exchange{Method: strings.ToUpper(named[1]), Path: "/sql/v1beta4/projects/" + project + "/instances/recorded", Status: a.Status, Response: a.Response})
				moreCall(t, cloud, req, named[1], a)
			}
		}
	})
}

// moreDatabase observes an instance.
func moreDatabase(t *testing.T, cloud table.External[v1alpha1.DatabaseParameters], req databaseRequest, a moreAnswer) {
	t.Helper()
	req.Whole = true
	seen, err := cloud.Observe(t.Context(), req)
	if err != nil {
		t.Errorf("%s: %v", a.Path, err)
		return
	}
	have := object(t, a.Response)
	stopped := stringAt(have, "settings", "activationPolicy") == "NEVER"
	want := map[string]driver.State{"RUNNABLE": driver.Ready, "STOPPED": driver.Ready, "SUSPENDED": driver.Failed, "PENDING_CREATE": driver.Pending, "MAINTENANCE": driver.Pending, "FAILED": driver.Failed}[stringAt(have, "state")]
	if seen.State != want || seen.Stopped != stopped || seen.ID != stringAt(have, "createTime") || seen.Location != stringAt(have, "region") {
		t.Errorf("%s is %q, policy %q: observed %v, stopped %t, id %q, in %q", a.Path, stringAt(have, "state"), stringAt(have, "settings", "activationPolicy"), seen.State, seen.Stopped, seen.ID, seen.Location)
	}
	if seen.State != driver.Ready {
		return
	}
	wantSayable(t, ofGCP, "Database", seen, func(spec json.RawMessage) (driver.Observation, error) { return observeAs(t, cloud, req, spec) })
}

// moreCall lets the driver make a call whose answer was recorded without its request.
func moreCall(t *testing.T, cloud table.External[v1alpha1.DatabaseParameters], req databaseRequest, verb string, a moreAnswer) {
	t.Helper()
	operation := stringAt(object(t, a.Response), "name")
	var result driver.Result
	var err error
	switch verb {
	case "get":
		seen, err := cloud.Observe(t.Context(), req)
		absent := a.Status == http.StatusNotFound
		if (seen.State == driver.Absent) != absent || !absent && driver.CodeOf(err) != driver.Denied {
			t.Errorf("%s: observed %v, error %v of code %v", a.Raw, seen.State, err, driver.CodeOf(err))
		}
		return
	case "patch":
		req.Spec.DeletionProtection = new(true)
		result, err = cloud.Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "deletionProtection"}}})
	case "delete":
		result, err = cloud.Delete(t.Context(), req)
	}
	if err != nil || result.Operation != operation || len(result.Failed) > 0 {
		t.Errorf("%s: operation %q, want %q; failed %v, error %v", a.Raw, result.Operation, operation, result.Failed, err)
	}
}

// observeAs observes an object with another spec.
func observeAs[S any](t *testing.T, cloud table.External[S], req table.Request[S], spec json.RawMessage) (driver.Observation, error) {
	t.Helper()
	req.Spec = *new(S)
	if err := json.Unmarshal(spec, &req.Spec); err != nil {
		t.Fatal(err)
	}
	return cloud.Observe(t.Context(), req)
}

// TestMoreBucketsReplayed serves answers of Cloud Storage, the newest and those of 2019.
func TestMoreBucketsReplayed(t *testing.T) {
	for _, file := range []string{"more/gcs-custodian.json", "more/gcs-2019.json"} {
		each(t, file, replayed, func(t *testing.T, _ string, answers []moreAnswer) {
			for _, a := range answers {
				server, conn := newReplay(t)
				name := a.segments()[min(1, len(a.segments())-1)]
				bucket := exchange{Method: http.MethodGet, Path: "/storage/v1/b/" + name, Status: http.StatusOK, Response: json.RawMessage(`{"kind": "storage#bucket", "name": "` + name + `", "location": "US", "storageClass": "STANDARD", "iamConfiguration": {"uniformBucketLevelAccess": {"enabled": true}}}`)}
				for _, list := range []string{"iam", "notificationConfigs"} {
					server.answer(exchange{Method: http.MethodGet, Path: "/storage/v1/b/" + name + "/" + list, Status: http.StatusForbidden})
				}
				server.answer(bucket)
				switch call := bucketCall(a.exchange); call {
				case "buckets.insert", "buckets.patch", "buckets.get": // all answer with the bucket
					a.Method, a.Path = http.MethodGet, bucket.Path
				case "buckets.delete", "iam/testPermissions.get", "iam.update", "lockRetentionPolicy.insert", "notifications.insert", "notifications.delete":
					continue // their answers say nothing of the bucket
				case "iam.get", "notifications.get":
				default:
					t.Errorf("no test for %s", call)
				}
				server.answer(a.exchange)
				server.answer(exchange{Method: http.MethodGet, Path: "/storage/v1/b", Status: a.Status, Response: a.Response}) // by which the driver asks again where it may not see a bucket
				moreBucket(t, drivertest.Buckets(conn), bucketRequest{Request: driver.Request{Name: name, Location: "us-central1", Whole: true}}, a)
			}
		})
	}
}

// moreBucket observes a bucket of Cloud Storage.
func moreBucket(t *testing.T, cloud table.External[v1alpha1.BucketParameters], req bucketRequest, a moreAnswer) {
	t.Helper()
	seen, err := cloud.Observe(t.Context(), req)
	switch {
	case a.Status == http.StatusNotFound:
		if err != nil || seen.State != driver.Absent {
			t.Errorf("%s: observed %v, error %v", a.Path, seen.State, err)
		}
		return
	case a.Status >= http.StatusBadRequest:
		if want := map[int]driver.Code{http.StatusForbidden: driver.Denied, http.StatusBadRequest: driver.Invalid}[a.Status]; driver.CodeOf(err) != want {
			t.Errorf("%s: status %d is classified as %v: %v", a.Path, a.Status, driver.CodeOf(err), err)
		}
		return
	case err != nil || seen.State != driver.Ready:
		t.Errorf("%s: observed %v, error %v", a.Path, seen.State, err)
		return
	}
	wantSayable(t, ofGCP, "Bucket", seen, func(spec json.RawMessage) (driver.Observation, error) { return observeAs(t, cloud, req, spec) })
}

// accounts gives the accounts that were replaced by hand as many digits as AWS has.
var accounts = strings.NewReplacer("1112223334445", "111222333444")

// A moreS3Answer is one document of S3 as it goes over the wire.
type moreS3Answer struct {
	Call, Body string
	N, Status  int
}

// bucketInPolicy finds of which bucket a policy is.
var bucketInPolicy = regexp.MustCompile(`arn:aws:s3:::([a-z0-9.-]+)`)

// regionOfFunction finds where the function is that gets events of a bucket.
var regionOfFunction = regexp.MustCompile(`arn:aws:lambda:([a-z0-9-]+):`)

// TestMoreBucketsOfS3Replayed serves documents of S3, each as that of a bucket of which nothing else may be read.
func TestMoreBucketsOfS3Replayed(t *testing.T) {
	each(t, "more/s3-custodian.json", replayed, func(t *testing.T, _ string, answers []moreS3Answer) {
		for _, a := range answers {
			r := newAWSReplay(t)
			r.denied = slices.Collect(maps.Values(s3Calls))
			r.answer("GetBucketTagging", awsAnswer{status: http.StatusNotFound, body: []byte("<Error><Code>NoSuchTagSet</Code></Error>")})
			r.answer(a.Call, awsAnswer{status: a.Status, body: []byte(accounts.Replace(a.Body))})
			req := bucketRequest{Request: driver.Request{Name: "recorded-bucket", Location: "us-east-1", Whole: true}}
			if found := bucketInPolicy.FindStringSubmatch(a.Body); a.Call == "GetBucketPolicy" && found != nil {
				req.Name = found[1]
			}
			if found := regionOfFunction.FindStringSubmatch(a.Body); found != nil { // which is that of the bucket
				req.Location = found[1]
			}
			cloud := drivertest.Buckets(r.open(req.Location))
			seen, err := cloud.Observe(t.Context(), req)
			switch {
			case a.Call == "GetBucketTagging" && strings.Contains(a.Body, "NoSuchBucket"):
				if err != nil || seen.State != driver.Absent {
					t.Errorf("%s %d: observed %v, error %v", a.Call, a.N, seen.State, err)
				}
				continue
			case err != nil || seen.State != driver.Ready:
				t.Errorf("%s %d: observed %v, error %v", a.Call, a.N, seen.State, err)
				continue
			}
			if !slices.Contains(r.took(), a.Call) {
				t.Errorf("the driver did not call %s", a.Call)
			}
			wantSayable(t, ofAWS, "Bucket", seen, func(spec json.RawMessage) (driver.Observation, error) { return observeAs(t, cloud, req, spec) })
		}
	})
}
