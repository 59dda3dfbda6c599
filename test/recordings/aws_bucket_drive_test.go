package recordings

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithymiddleware "github.com/aws/smithy-go/middleware"

	"github.com/mooring-dev/mooring/test/localcloud"
)

// recordedAccount is the account in the recordings of S3.
const recordedAccount = "111111111111"

// startLocal starts a local cloud that has no servers, by a clock that its caller moves.
func startLocal(t *testing.T, options localcloud.Options) *localcloud.Cloud {
	t.Helper()
	options.ListenersOnly, options.InstanceQuota = true, -1
	cloud, err := localcloud.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	return cloud
}

// An answerRecorder is a transport that remembers the newest answer.
type answerRecorder struct {
	status int
	body   []byte
}

// RoundTrip implements http.RoundTripper.
func (w *answerRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := readOnly{}.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	w.status = response.StatusCode
	if w.body, err = io.ReadAll(response.Body); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(w.body))
	return response, nil
}

// unchecked takes out the SDK's check of what it sends: recordings of refusals need what it would not send.
func unchecked(stack *smithymiddleware.Stack) error {
	if _, found := stack.Initialize.Get("OperationInputValidation"); found {
		_, err := stack.Initialize.Remove("OperationInputValidation")
		return err
	}
	return nil
}

// TestBucketsOfS3Driven makes the recorded calls of S3 to the stand-in, and compares the answers field by field.
func TestBucketsOfS3Driven(t *testing.T) {
	whole := each(t, "s3.json", driven, func(t *testing.T, title string, answers []s3Answer) {
		calls := s3Cases[title]
		if len(calls) == 0 {
			t.Skip("the stand-in knows none of these calls: see unknownToS3")
		}
		cloud := startLocal(t, localcloud.Options{})
		id, secret := cloud.AWSKeys(recordedAccount)
		seen := &answerRecorder{}
		for _, c := range calls {
			region := c.region
			if region == "" {
				region = "us-east-1"
			}
			client := s3.New(s3.Options{
				Region: region, BaseEndpoint: new(cloud.AWSEndpoint()), UsePathStyle: true, Retryer: awssdk.NopRetryer{}, HTTPClient: &http.Client{Transport: seen},
				Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""), APIOptions: []func(*smithymiddleware.Stack) error{unchecked},
			})
			if upload, ok := c.in.(*s3.PutObjectInput); ok {
				if _, err := upload.Body.(io.Seeker).Seek(0, io.SeekStart); err != nil { // an earlier run has read it
					t.Fatal(err)
				}
			}
			method := reflect.ValueOf(client).MethodByName(callName(c.in))
			results := method.Call([]reflect.Value{reflect.ValueOf(context.Context(t.Context())), reflect.ValueOf(c.in)})
			err, _ := reflect.TypeAssert[error](results[1])
			if c.step == "" {
				if err != nil {
					t.Fatalf("%s: %v", callName(c.in), err)
				}
				continue
			}
			i := slices.IndexFunc(answers, func(a s3Answer) bool { return a.Step == c.step })
			if i < 0 {
				continue // TestBucketsOfS3Replayed says so
			}
			found := []difference{{"status", answers[i].status(), seen.status}}
			if seen.status == answers[i].status() {
				found = compareS3(t, answers[i].Response, seen.answer(t, results[0].Interface(), err))
			}
			for _, left := range judge(knownOfS3, title+"/"+callName(c.in), found) {
				t.Errorf("%s: %v", c.step, left)
			}
		}
	})
	if whole {
		wantNoStale(t, knownOfS3)
	}
}

// answer returns an answer in the manner of the recordings.
func (w *answerRecorder) answer(t *testing.T, output any, err error) any {
	t.Helper()
	if err == nil {
		return plainJSON(t, output)
	}
	var failure struct {
		Elements []struct {
			XMLName xml.Name
			Text    string `xml:",chardata"`
		} `xml:",any"`
	}
	if len(w.body) == 0 { // as the Python SDK shows an answer without a body
		return map[string]any{"Error": map[string]any{"Code": fmt.Sprint(w.status), "Message": http.StatusText(w.status)}}
	}
	if err := xml.Unmarshal(w.body, &failure); err != nil {
		t.Fatalf("%s: %v", w.body, err)
	}
	fields := map[string]any{}
	for _, e := range failure.Elements {
		fields[e.XMLName.Local] = e.Text
	}
	return map[string]any{"Error": fields}
}

// compareS3 compares answers of S3. What stands between < and > in a recorded text stands for any text, and the ids of requests
// are not compared.
func compareS3(t *testing.T, recorded, answered any) []difference {
	t.Helper()
	left, right := map[string]any{}, map[string]any{}
	for k, v := range withoutUnset(recorded).(map[string]any) {
		if k != "ResponseMetadata" {
			left[k] = v
		}
	}
	maps.Copy(right, withPrefixes(withoutUnset(answered)).(map[string]any))
	for _, object := range []any{left["Error"], right["Error"]} {
		if fields, ok := object.(map[string]any); ok {
			delete(fields, "RequestId")
			delete(fields, "HostId")
		}
	}
	if text, ok := right["Policy"].(string); ok {
		var policy any
		if err := json.Unmarshal([]byte(text), &policy); err != nil {
			t.Fatal(err)
		}
		right["Policy"] = policy
	}
	return compare(left, filled(left, right), nil)
}

// withPrefixes says of filters with one condition that it is a prefix, as it is in all recordings: the SDK's structures have its value alone.
func withPrefixes(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for k, v := range value {
			if filter, is := v.(map[string]any); is && k == "Filter" && filter["Value"] != nil {
				v = map[string]any{"Prefix": filter["Value"]}
			}
			value[k] = withPrefixes(v)
		}
	case []any:
		for i, v := range value {
			value[i] = withPrefixes(v)
		}
	}
	return value
}

var placeholder = regexp.MustCompile(`<[^>]*>`)

// filled returns an answered value in which what matches a recorded text with placeholders is that text.
func filled(recorded, answered any) any {
	if text, ok := recorded.(string); ok && placeholder.FindString(text) == text && text != "" {
		return text // whatever it is
	}
	switch answered := answered.(type) {
	case map[string]any:
		fields, _ := recorded.(map[string]any)
		out := map[string]any{}
		for k, v := range answered {
			out[k] = filled(fields[k], v)
		}
		return out
	case []any:
		entries, _ := recorded.([]any)
		out := make([]any, len(answered))
		for i, v := range answered {
			if out[i] = v; i < len(entries) {
				out[i] = filled(entries[i], v)
			}
		}
		return out
	case string:
		if text, ok := recorded.(string); ok && standsFor(text, answered) {
			return text
		}
	}
	return answered
}

// standsFor reports whether a recorded text stands for an answered one.
func standsFor(recorded, answered string) bool {
	if recorded == "datetime" {
		_, err := time.Parse(time.RFC3339, answered)
		return err == nil
	}
	parts := placeholder.Split(recorded, -1)
	for i := range parts {
		parts[i] = regexp.QuoteMeta(parts[i])
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".+") + "$").MatchString(answered)
}
