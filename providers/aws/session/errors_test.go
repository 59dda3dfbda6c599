package session_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/mooring-dev/mooring/providers/aws/rds"
	"github.com/mooring-dev/mooring/providers/aws/s3"
	"github.com/mooring-dev/mooring/providers/aws/session"
	"github.com/mooring-dev/mooring/providers/driver"
)

// errorCodes are those of the driver.
var errorCodes = session.Join(s3.Errors, rds.Errors)

// answered makes an error as the SDK does of a response.
func answered(status int, header http.Header, err error) error {
	return &smithy.OperationError{ServiceID: "S3", OperationName: "X", Err: &awshttp.ResponseError{
		RequestID: "REQ-1",
		ResponseError: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: status, Header: header}}, Err: err,
		},
	}}
}

func TestWrap(t *testing.T) {
	at := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	s := session.SessionAt("eu-central-1", func() time.Time { return at }, errorCodes)
	api := func(code string) error { return &smithy.GenericAPIError{Code: code, Message: "text"} }
	for name, tc := range map[string]struct {
		err   error
		want  driver.Code
		after time.Duration
	}{
		"a code":                     {answered(400, nil, api("InstanceQuotaExceeded")), driver.Quota, 0},
		"a code with Fault":          {answered(404, nil, api("DBInstanceNotFoundFault")), driver.NotFound, 0},
		"a code with Exception":      {answered(400, nil, api("ThrottlingException")), driver.Throttled, 0},
		"an unknown 400":             {answered(400, nil, api("SomethingNew")), driver.Invalid, 0},
		"an unknown 403":             {answered(403, nil, api("SomethingNew")), driver.Denied, 0},
		"an unknown 404":             {answered(404, nil, api("SomethingNew")), driver.Invalid, 0},
		"a proxy's 404":              {answered(404, nil, errors.New("not XML")), driver.Unavailable, 0},
		"a proxy's 400":              {answered(400, nil, api("UnknownError")), driver.Internal, 0},
		"a proxy's 407":              {answered(407, nil, api("UnknownError")), driver.Internal, 0},
		"a proxy's 409":              {answered(409, nil, api("UnknownError")), driver.Internal, 0},
		"an unknown 409":             {answered(409, nil, api("SomethingNew")), driver.Conflict, 0},
		"an unknown 503":             {answered(503, nil, errors.New("not XML")), driver.Unavailable, 0},
		"429 with seconds":           {answered(429, http.Header{"Retry-After": {"7"}}, errors.New("x")), driver.Throttled, 7 * time.Second},
		"503 with a date":            {answered(503, http.Header{"Retry-After": {at.Add(time.Minute).Format(http.TimeFormat)}}, api("SlowDown")), driver.Throttled, time.Minute},
		"a deadline":                 {fmt.Errorf("x: %w", context.DeadlineExceeded), driver.Unavailable, 0},
		"cancelled":                  {fmt.Errorf("x: %w", context.Canceled), driver.Unavailable, 0},
		"a broken connection":        {errors.New("read tcp 127.0.0.1:5->127.0.0.1:6: connection reset by peer"), driver.Unavailable, 0},
		"no credentials":             {errors.New("operation error S3: X, get identity: get credentials: failed to refresh"), driver.Denied, 0},
		"elsewhere, by the header":   {answered(301, http.Header{"X-Amz-Bucket-Region": {"eu-west-1"}}, api("PermanentRedirect")), driver.Conflict, 0},
		"elsewhere, by the text":     {answered(400, nil, &smithy.GenericAPIError{Code: "AuthorizationHeaderMalformed", Message: "the region 'a' is wrong; expecting 'eu-west-1'"}), driver.Conflict, 0},
		"a bad request in our own":   {answered(400, http.Header{"X-Amz-Bucket-Region": {"eu-central-1"}}, api("BadRequest")), driver.Invalid, 0},
		"a key that can't be used":   {answered(400, nil, api("KMSKeyNotAccessibleFault")), driver.Denied, 0},
		"busy with another":          {answered(409, nil, api("OperationAborted")), driver.Busy, 0},
		"not empty":                  {answered(409, nil, api("BucketNotEmpty")), driver.NotEmpty, 0},
		"an instance at work":        {answered(400, nil, api("InvalidDBInstanceState")), driver.Busy, 0},
		"the retry quota ran out":    {fmt.Errorf("failed to get rate limit token, retry quota exceeded: %w", answered(500, nil, api("InternalError"))), driver.Unavailable, 0},
		"AWS has no machine to give": {answered(400, nil, api("InsufficientDBInstanceCapacityFault")), driver.Capacity, 0},
	} {
		t.Run(name, func(t *testing.T) {
			got := session.Wrap(s, "Op", tc.err)
			if got.Code != tc.want || got.RetryAfter != tc.after {
				t.Errorf("code %v after %v, want %v after %v (%v)", got.Code, got.RetryAfter, tc.want, tc.after, got)
			}
			for _, unstable := range []string{"REQ-1", "127.0.0.1"} {
				if strings.Contains(got.Error(), unstable) {
					t.Errorf("%q is not stable", got)
				}
			}
			if strings.HasPrefix(name, "AWS has no capacity") && !strings.Contains(got.Error(), "choose another class, or wait") {
				t.Errorf("%q does not say what to do", got)
			}
			if strings.HasPrefix(name, "elsewhere") && !strings.Contains(got.Error(), "eu-west-1") {
				t.Errorf("%q does not say where", got)
			}
		})
	}
}

// In a region that an account has not enabled AWS knows no credentials.
func TestRegionThatIsNotEnabled(t *testing.T) {
	for _, tt := range []struct {
		region, code string
		names        bool
	}{
		{"af-south-1", "InvalidClientTokenId", true},
		{"ap-southeast-7", "InvalidClientTokenId", true},
		{"eu-west-9", "InvalidClientTokenId", true}, // misspelt, or newer than this build
		{"me-south-1", "AuthFailure", true},
		{"eu-south-2", "UnrecognizedClientException", true},
		{"il-central-1", "InvalidToken", true},
		{"ap-east-1", "OptInRequired", true},
		{"af-south-1", "SignatureDoesNotMatch", false},
		{"af-south-1", "AccessDenied", false},
		{"eu-central-1", "InvalidClientTokenId", false},
		{"us-gov-west-1", "InvalidClientTokenId", false},
		{"cn-north-1", "InvalidClientTokenId", false},
	} {
		s := session.SessionAt(tt.region, time.Now, errorCodes)
		err := session.Wrap(s, "GetCallerIdentity", answered(403, nil, &smithy.GenericAPIError{Code: tt.code, Message: "The security token included in the request is invalid."}))
		if err.Code != driver.Denied || strings.Contains(err.Message, "enable-region --region-name "+tt.region) != tt.names {
			t.Errorf("%s in %s: %v %q", tt.code, tt.region, err.Code, err.Message)
		}
		if strings.Contains(err.Message, "AWS had no region of that name") != strings.HasSuffix(tt.region, "-9") {
			t.Errorf("%s in %s: %q", tt.code, tt.region, err.Message)
		}
	}
}

// What is looked up has lost its suffixes, so that a key with one would never be found.
func TestEveryCodeCanBeFound(t *testing.T) {
	for key, means := range errorCodes {
		if means.Code == driver.Internal {
			t.Errorf("the code %s means nothing", key)
		}
		if got := session.ErrorCode(&smithy.GenericAPIError{Code: key}); got != key {
			t.Errorf("the code %s is looked up as %s", key, got)
		}
	}
	for _, code := range []string{"ThrottledException", "EC2ThrottledException", "ThrottlingException", "Throttling"} {
		if got := session.CodeOf(errorCodes, session.ErrorCode(&smithy.GenericAPIError{Code: code}), 400); got != driver.Throttled {
			t.Errorf("%s is %v, want Throttled", code, got)
		}
	}
}

func TestPlain(t *testing.T) {
	for text, want := range map[string]string{
		"You are not authorized. Encoded authorization failure message: Zm9vYmFy": "You are not authorized.",
		"It failed (Request ID: abc-123)":                                         "It failed",
		"two\n  lines":                                                            "two lines",
	} {
		if got := session.Plain(text); got != want {
			t.Errorf("Plain(%q) = %q, want %q", text, got, want)
		}
	}
}
