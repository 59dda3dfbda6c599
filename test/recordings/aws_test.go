package recordings

import (
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
)

// An awsAnswer is a recorded answer as it goes over the wire.
type awsAnswer struct {
	status int
	header http.Header
	body   []byte
	note   func(body []byte) // is given the request; may be nil
}

// An awsReplay serves recorded answers of AWS, the newest for each call. A call of RDS is named by its action, one of S3
// as in s3Calls.
type awsReplay struct {
	t *testing.T
	*httptest.Server
	mu      sync.Mutex
	answers map[string]awsAnswer
	calls   []string
	denied  []string // calls that are refused where no answer is known
}

func newAWSReplay(t *testing.T) *awsReplay {
	r := &awsReplay{t: t, answers: map[string]awsAnswer{}}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// open returns a connection of the real driver to a region.
func (r *awsReplay) open(region string) driver.Session {
	r.t.Helper()
	conn, err := aws.New(aws.Options{Endpoint: r.URL}).Open(r.t.Context(), driver.Opening{
		Config:      driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: region}}, Location: region},
		Credentials: map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIARECORDED"), v1alpha1.SecretKeyAWSSecretAccessKey: []byte("recorded")},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return conn
}

// answer makes the answer to a call known.
func (r *awsReplay) answer(call string, a awsAnswer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[call] = a
}

// took returns the calls since it was last asked.
func (r *awsReplay) took() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	calls := r.calls
	r.calls = nil
	return calls
}

// ServeHTTP implements http.Handler.
func (r *awsReplay) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		r.t.Error(err)
	}
	if strings.HasSuffix(request.URL.Path, "/operation/GetMetricData") { // nobody recorded the lag of a replica: the driver does without where it can't be read
		w.WriteHeader(http.StatusForbidden)
		return
	}
	form, _ := url.ParseQuery(string(body))
	call := form.Get("Action")
	if call == "" {
		call = s3CallOf(request)
	}
	r.mu.Lock()
	a, ok := r.answers[call]
	r.calls = append(r.calls, call)
	r.mu.Unlock()
	if call == "DescribeDBMajorEngineVersions" { // of which there is no recording; and without its answer databases are the same but for dates
		a, ok = awsAnswer{status: http.StatusForbidden}, true
	}
	if !ok && slices.Contains(r.denied, call) {
		a, ok = awsAnswer{status: http.StatusForbidden, body: []byte("<Error><Code>AccessDenied</Code></Error>")}, true
	}
	if !ok {
		r.t.Errorf("the driver made the call %s, of which there is no recording", call)
		a = awsAnswer{status: http.StatusNotImplemented}
	}
	if a.note != nil {
		a.note(body)
	}
	maps.Copy(w.Header(), a.header)
	w.Header().Set("X-Amz-Request-Id", "recorded")
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body)
}

// s3Calls names the calls of S3 that the driver makes, by method and sub-resource.
var s3Calls = map[string]string{
	"GET": "ListBuckets", "PUT": "CreateBucket", "HEAD": "HeadBucket", "DELETE": "DeleteBucket",
	"GET tagging": "GetBucketTagging", "PUT tagging": "PutBucketTagging",
	"GET versioning": "GetBucketVersioning", "PUT versioning": "PutBucketVersioning",
	"GET encryption": "GetBucketEncryption", "PUT encryption": "PutBucketEncryption",
	"GET publicAccessBlock": "GetPublicAccessBlock", "PUT publicAccessBlock": "PutPublicAccessBlock",
	"GET ownershipControls": "GetBucketOwnershipControls", "PUT ownershipControls": "PutBucketOwnershipControls",
	"GET object-lock": "GetObjectLockConfiguration", "PUT object-lock": "PutObjectLockConfiguration",
	"GET policy": "GetBucketPolicy", "PUT policy": "PutBucketPolicy", "DELETE policy": "DeleteBucketPolicy",
	"GET logging": "GetBucketLogging", "PUT logging": "PutBucketLogging",
	"GET notification": "GetBucketNotificationConfiguration", "PUT notification": "PutBucketNotificationConfiguration",
	"GET replication": "GetBucketReplication", "PUT replication": "PutBucketReplication", "DELETE replication": "DeleteBucketReplication",
	"GET metrics": "ListBucketMetricsConfigurations", "PUT metrics": "PutBucketMetricsConfiguration", "DELETE metrics": "DeleteBucketMetricsConfiguration",
	"GET analytics": "ListBucketAnalyticsConfigurations", "PUT analytics": "PutBucketAnalyticsConfiguration", "DELETE analytics": "DeleteBucketAnalyticsConfiguration",
	"GET inventory": "ListBucketInventoryConfigurations", "PUT inventory": "PutBucketInventoryConfiguration", "DELETE inventory": "DeleteBucketInventoryConfiguration",
	"GET accelerate": "GetBucketAccelerateConfiguration", "PUT accelerate": "PutBucketAccelerateConfiguration",
	"GET requestPayment": "GetBucketRequestPayment", "PUT requestPayment": "PutBucketRequestPayment",
	"GET lifecycle": "GetBucketLifecycleConfiguration", "PUT lifecycle": "PutBucketLifecycleConfiguration", "DELETE lifecycle": "DeleteBucketLifecycle",
	"GET cors": "GetBucketCors", "PUT cors": "PutBucketCors", "DELETE cors": "DeleteBucketCors",
	"GET website": "GetBucketWebsite", "PUT website": "PutBucketWebsite", "DELETE website": "DeleteBucketWebsite",
	"GET intelligent-tiering": "ListBucketIntelligentTieringConfigurations",
	"GET uploads":             "ListMultipartUploads", "GET versions": "ListObjectVersions", "POST delete": "DeleteObjects",
}

// s3CallOf returns the name of a call of S3.
func s3CallOf(r *http.Request) string {
	for sub := range r.URL.Query() {
		if name, ok := s3Calls[r.Method+" "+sub]; ok {
			return name
		}
	}
	return s3Calls[r.Method]
}
