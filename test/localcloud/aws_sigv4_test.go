package localcloud_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/amazon"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// A request that was changed after it was signed, or signed otherwise than S3 wants it, is refused.
func TestAWSSignature(t *testing.T) {
	cloud, _ := sdk.StartAWS(t, localcloud.Durations{})
	sdk.MakeBucket(t, sdk.S3(cloud, sdk.OwnAccount, "eu-west-1"), "signed")
	id, secret := cloud.AWSKeys(sdk.OwnAccount)
	const chunked = "5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n"
	trailing := func(r *http.Request) {
		r.Header.Set("Content-Encoding", "aws-chunked")
		r.Header.Set("X-Amz-Trailer", "x-amz-checksum-crc32")
		r.Header.Set("X-Amz-Decoded-Content-Length", "5")
	}
	versioning := func(r *http.Request) {
		r.URL.Path, r.URL.RawQuery = "/signed", "versioning"
		r.Header.Del("X-Amz-Meta-A")
	}
	const enabled = "<Status>Enabled</Status>"
	for name, test := range map[string]struct {
		body    string
		payload string // in place of the body's hash
		age     time.Duration
		before  func(*http.Request) // signing
		after   func(*http.Request)
		want    string
	}{
		"untouched":          {body: "hello"},
		"odd characters":     {body: "hello", before: func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "/signed/a b+c/ü!*'()", "" }},
		"without scheme":     {body: "hello", after: func(r *http.Request) { r.Header.Del("Authorization") }, want: "AccessDenied"},
		"other scheme":       {body: "hello", after: func(r *http.Request) { r.Header.Set("Authorization", "Basic eDp5") }, want: "AuthorizationHeaderMalformed"},
		"other path":         {body: "hello", after: func(r *http.Request) { r.URL.Path = "/signed/other" }, want: "SignatureDoesNotMatch"},
		"other query":        {body: "hello", after: func(r *http.Request) { r.URL.RawQuery = "tagging" }, want: "SignatureDoesNotMatch"},
		"other header":       {body: "hello", after: func(r *http.Request) { r.Header.Set("X-Amz-Meta-A", "2") }, want: "SignatureDoesNotMatch"},
		"unsigned header":    {body: "hello", after: func(r *http.Request) { r.Header.Set("X-Amz-Meta-B", "1") }, want: "AccessDenied"},
		"other body":         {body: "hello", after: func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("jello")) }, want: "XAmzContentSHA256Mismatch"},
		"unsigned body":      {body: "hello", payload: amazon.UnsignedPayload, after: func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader("jello")) }},
		"too old":            {body: "hello", age: 16 * time.Minute, want: "RequestTimeTooSkewed"},
		"digest":             {body: "hello", before: func(r *http.Request) { r.Header.Set("Content-Md5", "XUFAKrxLKna5cZ2REBfFkg==") }},
		"wrong digest":       {body: "jello", before: func(r *http.Request) { r.Header.Set("Content-Md5", "XUFAKrxLKna5cZ2REBfFkg==") }, want: "BadDigest"},
		"trailer":            {body: chunked, payload: amazon.UnsignedTrailer, before: trailing},
		"trailer that lies":  {body: strings.Replace(chunked, "hello", "jello", 1), payload: amazon.UnsignedTrailer, before: trailing, want: "BadDigest"},
		"trailer cut off":    {body: chunked[:10], payload: amazon.UnsignedTrailer, before: trailing, want: "IncompleteBody"},
		"signed chunks":      {body: chunked, payload: "STREAMING-AWS4-HMAC-SHA256-PAYLOAD", want: "NotImplemented"},
		"unknown header":     {body: "hello", before: func(r *http.Request) { r.Header.Set("X-Amz-Tagging", "a=b") }, want: "NotImplemented"},
		"unknown parameter":  {body: "hello", before: func(r *http.Request) { r.URL.RawQuery = "what=1" }, want: "NotImplemented"},
		"document":           {body: "<VersioningConfiguration>" + enabled + "</VersioningConfiguration>", before: versioning},
		"unknown element":    {body: "<VersioningConfiguration>" + enabled + "<Extra/></VersioningConfiguration>", before: versioning, want: "MalformedXML"},
		"repeated element":   {body: "<VersioningConfiguration>" + enabled + enabled + "</VersioningConfiguration>", before: versioning, want: "MalformedXML"},
		"other document":     {body: "<Tagging/>", before: versioning, want: "MalformedXML"},
		"conditional header": {body: "hello", before: func(r *http.Request) { r.Header.Set("If-None-Match", "*") }, want: "NotImplemented"},
	} {
		t.Run(name, func(t *testing.T) {
			r := check.Need(http.NewRequest(http.MethodPut, cloud.AWSEndpoint()+"/signed/key", strings.NewReader(test.body)))(t)
			r.Header.Set("X-Amz-Meta-A", "1")
			payload := test.payload
			if payload == "" {
				sum := sha256.Sum256([]byte(test.body))
				payload = hex.EncodeToString(sum[:])
			}
			r.Header.Set("X-Amz-Content-Sha256", payload)
			if test.before != nil {
				test.before(r)
			}
			err := v4.NewSigner().SignHTTP(context.Background(), aws.Credentials{AccessKeyID: id, SecretAccessKey: secret}, r, payload,
				"s3", "eu-west-1", time.Now().Add(-test.age), func(o *v4.SignerOptions) { o.DisableURIPathEscaping = true })
			if err != nil {
				t.Fatal(err)
			}
			if test.after != nil {
				test.after(r)
			}
			response := check.Need(http.DefaultClient.Do(r))(t)
			defer response.Body.Close()
			var failure struct{ Code, Message string }
			if body := check.Need(io.ReadAll(response.Body))(t); len(body) > 0 {
				if err := xml.Unmarshal(body, &failure); err != nil {
					t.Fatalf("%v: %s", err, body)
				}
			}
			if failure.Code != test.want || (test.want == "") != (response.StatusCode == http.StatusOK) {
				t.Errorf("got %d %s (%s), want %q", response.StatusCode, failure.Code, failure.Message, test.want)
			}
		})
	}
}
