package recordings

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithymiddleware "github.com/aws/smithy-go/middleware"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
)

// readsOf names the call that reads what another one writes.
func readsOf(call string) string {
	for write, read := range map[string]string{"Put": "Get", "Delete": "Get"} {
		rest, ok := strings.CutPrefix(call, write)
		if !ok {
			continue
		}
		for _, name := range []string{read + rest, read + rest + "Configuration", "List" + rest + "s"} {
			if slices.Contains(slices.Collect(maps.Values(s3Calls)), name) {
				return name
			}
		}
	}
	return ""
}

// TestBucketsOfS3Sent lets the driver make the changes of the recorded cases of S3, and compares its documents with those in s3Cases.
func TestBucketsOfS3Sent(t *testing.T) {
	whole := each(t, "s3.json", sent, func(t *testing.T, title string, answers []s3Answer) {
		compared := 0
		for i, c := range s3Cases[title] {
			call := callName(c.in)
			read := readsOf(call)
			after, _ := shownBy(title, answers, i+1, 1, read)
			before, certain := shownBy(title, answers, i-1, -1, read)
			if read == "" || after == nil || !certain || setAside(uncalledByBuckets, call) || recordedStatus(answers, c.step) >= http.StatusBadRequest {
				continue
			}
			s := &s3Sending{T: t, awsReplay: newAWSReplay(t), call: call, read: read}
			s.compare(title, c, before, *after)
			compared++
		}
		if compared == 0 {
			t.Skip("no answer shows what a call of this case has set")
		}
	})
	if whole {
		wantNoStale(t, knownOfSentS3)
	}
}

// recordedStatus returns the status of a recorded step; 200 of a call of which no answer was recorded.
func recordedStatus(answers []s3Answer, step string) int {
	if i := slices.IndexFunc(answers, func(a s3Answer) bool { return a.Step == step }); i >= 0 {
		return answers[i].status()
	}
	return http.StatusOK
}

// shownBy returns the nearest recorded answer of a read, from a call on and in one direction; nil if there is none. It is not certain if the same was written
// in between.
func shownBy(title string, answers []s3Answer, from, direction int, read string) (shown *s3Answer, certain bool) {
	for i := from; i >= 0 && i < len(s3Cases[title]); i += direction {
		c := s3Cases[title][i]
		name := callName(c.in)
		if readsOf(name) == read && recordedStatus(answers, c.step) < http.StatusBadRequest {
			return nil, false
		}
		at := slices.IndexFunc(answers, func(a s3Answer) bool { return a.Step == c.step })
		if name == read && at >= 0 && stringAt(answers[at].Response, "Error", "Code") != "NoSuchBucket" { // which is another bucket
			return withNames(answers[at]), true
		}
	}
	return nil, true
}

// askedNames are what stands in the answers in place of names that s3Cases gives.
var askedNames = strings.NewReplacer(`"Resource":"<resource:1>"`, `"Resource":"arn:aws:s3:::recorded-bucket/*"`, "arn:<partition>:s3:::<resource:1>", "arn:aws:s3:::"+reports, "<resource:1>", reports, "dest-bucket", "recorded-copies", `"role"`, `"`+copyRole+`"`,
	"<uuid:1>", kmsKey, "<SSEKMSKeyId:1>", kmsKey, "<bucket>", reports)

// withNames returns an answer with the names of s3Cases and of statements, and with when objects expire, which the recordings leave out.
func withNames(a s3Answer) *s3Answer {
	text, _ := json.Marshal(a.Response)
	plain := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(string(text))
	a.Response = nil
	_ = json.Unmarshal([]byte(askedNames.Replace(plain)), &a.Response)
	recordedLifecycle(a.Response)
	for _, statement := range objects(at(a.Response, "Policy", "Statement")) {
		statement["Sid"] = "Ours" // without a name no spec says it
	}
	return &a
}

// An s3Sending is one recorded change of a bucket of S3 on its way through the driver.
type s3Sending struct {
	*testing.T
	*awsReplay
	call, read string
}

// compare lets the driver make the change, and compares its document with that of the recorded call.
func (s *s3Sending) compare(title string, c s3Call, before *s3Answer, after s3Answer) {
	s.Helper()
	s.denied = slices.Collect(maps.Values(s3Calls))
	cloud := drivertest.Buckets(s.open("us-east-1"))
	req := bucketRequest{Request: driver.Request{Name: "recorded-bucket", Location: "us-east-1", Whole: true}}
	former := s.show(before)
	there := s.observe(cloud, req)
	if err := json.Unmarshal(wanted(s.T, there.Mirror, there.Mirror), &req.Spec); err != nil {
		s.Fatal(err)
	}
	req.Applied = s.observe(cloud, req).Applied
	req.Spec = v1alpha1.BucketParameters{}
	s.answer(s.read, after.wire(s.read))
	if err := json.Unmarshal(wanted(s.T, s.observe(cloud, req).Mirror, there.Mirror), &req.Spec); err != nil {
		s.Fatal(err)
	}
	if former != nil {
		s.answer(s.read, *former)
	}
	req.Whole = false
	seen := s.observe(cloud, req)
	for _, unread := range seen.Unreadable {
		s.Errorf("%s: %s: %v", s.call, unread.Field, unread.Err)
	}
	changes := seen.Changes
	var own []byte
	for _, call := range slices.Collect(maps.Values(s3Calls)) {
		if strings.HasPrefix(call, "Put") || strings.HasPrefix(call, "Delete") {
			s.answer(call, awsAnswer{status: http.StatusOK})
		}
	}
	s.answer(s.call, awsAnswer{status: http.StatusOK, note: func(body []byte) { own = body }})
	s.took()
	var found []difference
	if len(changes) > 0 {
		result, err := cloud.Update(s.Context(), req, driver.Edit{Changes: changes})
		for _, failed := range result.Failed {
			found = append(found, difference{"refused " + failed.Field, nil, failed.Err.Error()})
		}
		if err != nil {
			s.Errorf("%s: %v", s.call, err)
		}
	}
	calls := slices.DeleteFunc(s.took(), func(call string) bool { return !strings.HasPrefix(call, "Put") && !strings.HasPrefix(call, "Delete") })
	if !slices.Equal(calls, []string{s.call}) {
		found = append(found, difference{"calls", s.call, strings.Join(calls, ", ")})
	}
	p := requestPair{method: http.MethodPut, recorded: document(s.T, writtenBy(s.T, c)), sent: document(s.T, own)}
	for _, left := range judge(knownOfSentS3, title+"/"+s.call, append(found, p.differences()...)) {
		s.Errorf("%s/%s: %v", title, s.call, left)
	}
}

// show makes an answer from before the change known: the recorded one, or what S3 answers of a new bucket.
func (s *s3Sending) show(before *s3Answer) *awsAnswer {
	a := newDocument(s.read)
	if before != nil {
		a = before.wire(s.read)
	}
	if s.read != "GetBucketTagging" {
		s.answer("GetBucketTagging", newDocument("GetBucketTagging"))
	}
	s.answer(s.read, a)
	return &a
}

// newDocument is what S3 answers of a new bucket.
func newDocument(read string) awsAnswer {
	codes := map[string]string{
		"GetBucketTagging": "NoSuchTagSet", "GetBucketPolicy": "NoSuchBucketPolicy", "GetBucketCors": "NoSuchCORSConfiguration", "GetBucketWebsite": "NoSuchWebsiteConfiguration",
		"GetBucketLifecycleConfiguration": "NoSuchLifecycleConfiguration", "GetBucketReplication": "ReplicationConfigurationNotFoundError", "GetPublicAccessBlock": "NoSuchPublicAccessBlockConfiguration",
		"GetBucketOwnershipControls": "OwnershipControlsNotFoundError", "GetObjectLockConfiguration": "ObjectLockConfigurationNotFoundError",
	}
	if code := codes[read]; code != "" {
		return awsAnswer{status: http.StatusNotFound, body: []byte("<Error><Code>" + code + "</Code></Error>")}
	}
	if read == "GetBucketEncryption" {
		return awsAnswer{status: http.StatusOK, body: []byte(newEncryption)}
	}
	empty := s3Answer{Response: map[string]any{"ResponseMetadata": map[string]any{"HTTPStatusCode": float64(http.StatusOK)}}}
	return empty.wire(read)
}

func (s *s3Sending) observe(cloud table.External[v1alpha1.BucketParameters], req bucketRequest) driver.Observation {
	s.Helper()
	seen, err := cloud.Observe(s.Context(), req)
	if err != nil || seen.State != driver.Ready {
		s.Errorf("%s: observed %v, error %v", s.call, seen.State, err)
	}
	return seen
}

// A bodyOnly transport keeps the body of a request, and sends nothing.
type bodyOnly struct{ body []byte }

var errNotSent = errors.New("the request is not sent")

// RoundTrip implements http.RoundTripper.
func (b *bodyOnly) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		b.body, _ = io.ReadAll(r.Body)
	}
	return nil, errNotSent
}

// writtenBy returns the document that a call of s3Cases sends.
func writtenBy(t *testing.T, c s3Call) []byte {
	t.Helper()
	wire := &bodyOnly{}
	client := s3.New(s3.Options{
		Region: "us-east-1", BaseEndpoint: new("http://recorded.invalid"), UsePathStyle: true, Retryer: awssdk.NopRetryer{}, HTTPClient: &http.Client{Transport: wire},
		Credentials: credentials.NewStaticCredentialsProvider("AKIARECORDED", "recorded", ""), APIOptions: []func(*smithymiddleware.Stack) error{unchecked},
	})
	results := reflect.ValueOf(client).MethodByName(callName(c.in)).Call([]reflect.Value{reflect.ValueOf(context.Context(t.Context())), reflect.ValueOf(c.in)})
	if err, _ := reflect.TypeAssert[error](results[1]); !errors.Is(err, errNotSent) {
		t.Fatalf("%s: %v", callName(c.in), err)
	}
	return wire.body
}

// document decodes the body of a call of S3, in XML or JSON, as values of JSON. Elements of one name are a list if there are several.
func document(t *testing.T, body []byte) any {
	t.Helper()
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	if body[0] == '{' {
		return any(object(t, body))
	}
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		if start, ok := token.(xml.StartElement); ok {
			return element(t, decoder, start)
		}
	}
}

// element decodes an element that has begun.
func element(t *testing.T, decoder *xml.Decoder, start xml.StartElement) any {
	t.Helper()
	children, inner := map[string]any{}, ""
	for {
		token, err := decoder.Token()
		if err != nil {
			t.Fatalf("%s: %v", start.Name.Local, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			value := element(t, decoder, token)
			switch former := children[token.Name.Local].(type) {
			case nil:
				children[token.Name.Local] = value
			case []any:
				children[token.Name.Local] = append(former, value)
			default:
				children[token.Name.Local] = []any{former, value}
			}
		case xml.CharData:
			inner += strings.TrimSpace(string(token))
		case xml.EndElement:
			if len(children) == 0 {
				return inner
			}
			return children
		}
	}
}
