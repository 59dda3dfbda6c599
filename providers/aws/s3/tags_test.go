package s3_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
)

// A bucket that CloudFormation made has tags of AWS's own. Some versions of S3 refuse them in a new set, others refuse a
// set without them; neither keeps our tags from being written, and theirs are never lost.
func TestBucketSystemTags(t *testing.T) {
	const system = "aws:cloudformation:stack-name"
	for name, wantsThem := range map[string]bool{"refused when sent": false, "demanded when there": true} {
		t.Run(name, func(t *testing.T) {
			var put []string
			s3 := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					_, _ = fmt.Fprintf(w, "<Tagging><TagSet><Tag><Key>%s</Key><Value>net</Value></Tag></TagSet></Tagging>", system)
					return
				}
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), system) != wantsThem {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, "<Error><Code>InvalidTag</Code><Message>System tags</Message></Error>")
					return
				}
				put = append(put, string(body))
			}))
			defer s3.Close()
			conn, err := aws.New(aws.Options{Endpoint: s3.URL}).Open(t.Context(), driver.Opening{
				Config: driver.Config{Location: awstest.Region},
				Credentials: map[string][]byte{
					v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIAEXAMPLE"), v1alpha1.SecretKeyAWSSecretAccessKey: []byte("secret"),
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			req := awstest.BucketOf("shop-stack", v1alpha1.BucketParameters{})
			seen, err := drivertest.Buckets(conn).Observe(t.Context(), req)
			if err != nil || strings.Contains(string(seen.Mirror), system) {
				t.Fatalf("mirror %s (%v) shows what no spec can say", seen.Mirror, err)
			}
			result, err := drivertest.Buckets(conn).Do(t.Context(), req, driver.Command{Verb: driver.WriteMark})
			if err != nil || len(result.Failed) > 0 || len(put) != 1 || !strings.Contains(put[0], driver.LabelUID) {
				t.Errorf("update: %v, failed %v, put %v", err, result.Failed, put)
			}
		})
	}
}

func TestAmbientCredentials(t *testing.T) {
	seen := make(chan string, 10)
	sts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Get("Authorization")
		_, _ = io.WriteString(w, `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>`+
			`<Account>111111111111</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`)
	}))
	defer sts.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "AKIAAMBIENT")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	conn, err := aws.New(aws.Options{Endpoint: sts.URL}).Open(t.Context(), driver.Opening{Config: driver.Config{Location: awstest.Region, Ambient: true}})
	if err != nil || len(seen) != 0 {
		t.Fatalf("open: %v, %d calls", err, len(seen))
	}
	if id, err := conn.Identity(t.Context()); err != nil || id != awstest.Account {
		t.Errorf("identity %q, %v", id, err)
	}
	if by := <-seen; !strings.Contains(by, "AKIAAMBIENT") {
		t.Errorf("signed by %q", by)
	}
}
