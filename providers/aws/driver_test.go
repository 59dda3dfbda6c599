package aws_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

func TestOpen(t *testing.T) {
	good := func() map[string][]byte {
		return map[string][]byte{
			v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIAEXAMPLE"), v1alpha1.SecretKeyAWSSecretAccessKey: []byte("canary/secret"),
		}
	}
	for name, tc := range map[string]struct {
		location string
		edit     func(map[string][]byte)
		ok       bool
	}{
		"good":               {"eu-central-1", func(map[string][]byte) {}, true},
		"with session token": {"us-gov-west-1", func(c map[string][]byte) { c[v1alpha1.SecretKeyAWSSessionToken] = []byte("t") }, true},
		"no region":          {"", func(map[string][]byte) {}, false},
		"unknown region":     {"mars-north-1", func(map[string][]byte) {}, false},
		"a host as region":   {"x.evil.example", func(map[string][]byte) {}, false},
		"multi-region":       {"eu", func(map[string][]byte) {}, false},
		"no access key":      {"eu-central-1", func(c map[string][]byte) { delete(c, v1alpha1.SecretKeyAWSAccessKeyID) }, false},
		"no secret":          {"eu-central-1", func(c map[string][]byte) { c[v1alpha1.SecretKeyAWSSecretAccessKey] = nil }, false},
		"line break":         {"eu-central-1", func(c map[string][]byte) { c[v1alpha1.SecretKeyAWSSecretAccessKey] = []byte("canary/secret\n") }, false},
		"a profile":          {"eu-central-1", func(c map[string][]byte) { c["AWS_PROFILE"] = []byte("x") }, false},
		"a program":          {"eu-central-1", func(c map[string][]byte) { c["credential_process"] = []byte("/bin/sh") }, false},
		"empty Secret":       {"eu-central-1", func(c map[string][]byte) { clear(c) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			credentials := good()
			tc.edit(credentials)
			conn, err := aws.New(aws.Options{}).Open(t.Context(), driver.Opening{Config: driver.Config{Location: tc.location}, Credentials: credentials})
			if tc.ok {
				if err != nil || conn == nil {
					t.Errorf("open: %v", err)
				}
				return
			}
			want := driver.Invalid
			if tc.location != "eu-central-1" {
				want = driver.NotFound
			}
			awstest.WantCode(t, err, want)
			if err != nil && strings.Contains(err.Error(), "canary") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestIdentity(t *testing.T) {
	w := awstest.New(t, localcloud.Options{})
	if got, err := w.Session.Identity(t.Context()); err != nil || got != awstest.Account {
		t.Errorf("identity %q, %v", got, err)
	}
	// Once the account is known, S3 is told whose bucket is expected.
	req := awstest.BucketOf("shop-expected", v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)})
	_, err := drivertest.Buckets(w.Session).Create(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	w.RevokeAWSKeys(awstest.Account)
	_, err = w.Session.Identity(t.Context())
	awstest.WantCode(t, err, driver.Denied)
	_, err = drivertest.Buckets(w.Session).Observe(t.Context(), req)
	awstest.WantCode(t, err, driver.Denied)
}

// A region that looks like one and does not exist has no hosts. That is for a person to mend, and all else that can go
// wrong with a name is not.
func TestUnknownRegion(t *testing.T) {
	noSuchHost := net.DNSError{Err: "no such host", IsNotFound: true}
	for name, tc := range map[string]struct {
		region, endpoint string
		failed           net.DNSError
		want             driver.Code
	}{
		"no such host":                       {"eu-central-9", "", noSuchHost, driver.Invalid},
		"no such host, of a region there is": {"eu-central-1", "", noSuchHost, driver.Unavailable},
		"no such host, of the oldest region": {"us-east-1", "", noSuchHost, driver.Unavailable},
		"no such host of a custom endpoint":  {"eu-central-9", "http://eu-central-9.cloud.example", noSuchHost, driver.Unavailable},
		"no such proxy":                      {"eu-central-9", "", net.DNSError{Err: "no such host", Name: "proxy.example", IsNotFound: true}, driver.Unavailable},
		"a time-out":                         {"eu-central-9", "", net.DNSError{Err: "i/o timeout", IsTimeout: true}, driver.Unavailable},
		"SERVFAIL":                           {"eu-central-9", "", net.DNSError{Err: "server misbehaving", IsTemporary: true}, driver.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			client := &http.Client{Transport: resolver(tc.failed)}
			conn, err := aws.New(aws.Options{HTTPClient: client}).Open(t.Context(), driver.Opening{
				Config: driver.Config{Location: tc.region, Endpoint: tc.endpoint},
				Credentials: map[string][]byte{
					v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIAEXAMPLE"), v1alpha1.SecretKeyAWSSecretAccessKey: []byte("canary/secret"),
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			_, identity := conn.Identity(t.Context())
			database, bucket := awstest.DatabaseOf("shop-nowhere", nil), awstest.BucketOf("shop-nowhere", v1alpha1.BucketParameters{})
			database.Location, bucket.Location = tc.region, tc.region
			_, databases := drivertest.Databases(conn).Observe(t.Context(), database)
			_, buckets := drivertest.Buckets(conn).Observe(t.Context(), bucket)
			for _, err := range []error{identity, databases, buckets} {
				awstest.WantCode(t, err, tc.want)
				if asked := strings.HasSuffix(err.Error(), "is there a region "+tc.region+"?"); asked != (tc.want == driver.Invalid) {
					t.Errorf("%q", err)
				}
			}
		})
	}
}

// A resolver is a transport that finds no host: each call fails as it says.
type resolver net.DNSError

func (r resolver) RoundTrip(req *http.Request) (*http.Response, error) {
	failed := net.DNSError(r)
	if failed.Name == "" {
		failed.Name = req.URL.Hostname()
	}
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &failed}
}

// Throttling is not retried away: the caller has to know.
func TestThrottlingSurfaces(t *testing.T) {
	w := awstest.New(t, localcloud.Options{})
	w.Faults.Add(localcloud.Fault{Kind: localcloud.Throttled})
	_, err := drivertest.Buckets(w.Session).Observe(t.Context(), awstest.BucketOf("shop-throttled", v1alpha1.BucketParameters{}))
	awstest.WantCode(t, err, driver.Throttled)
	_, err = drivertest.Databases(w.Session).Observe(t.Context(), awstest.DatabaseOf("shop-throttled", nil))
	awstest.WantCode(t, err, driver.Throttled)
	if calls := w.Operations(); len(calls) != 2 {
		t.Errorf("calls %v, want each once", calls)
	}
}

// A cloud that hangs is given up at the deadline, the caller's or the driver's own.
func TestHang(t *testing.T) {
	w := awstest.New(t, localcloud.Options{})
	w.Faults.Add(localcloud.Fault{Kind: localcloud.Hang})
	id, secret := w.AWSKeys(awstest.Account)
	after := func(timeout time.Duration) driver.Session {
		conn, err := aws.New(aws.Options{Endpoint: w.AWSEndpoint(), CallTimeout: timeout}).Open(t.Context(), driver.Opening{
			Config:      driver.Config{Location: awstest.Region},
			Credentials: map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte(id), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret)},
		})
		if err != nil {
			t.Fatal(err)
		}
		return conn
	}
	_, err := drivertest.Databases(after(100*time.Millisecond)).Observe(t.Context(), awstest.DatabaseOf("shop-hang", nil))
	awstest.WantCode(t, err, driver.Unavailable)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = drivertest.Buckets(after(time.Hour)).Observe(ctx, awstest.BucketOf("shop-hang", v1alpha1.BucketParameters{}))
	awstest.WantCode(t, err, driver.Unavailable)
}

// Messages do not change from one try to the next, whatever goes wrong.
func TestMessagesAreStable(t *testing.T) {
	w := awstest.New(t, localcloud.Options{})
	for _, kind := range []localcloud.FaultKind{
		localcloud.Denied, localcloud.Throttled, localcloud.ServerError, localcloud.RequestLost, localcloud.Conflict,
	} {
		t.Run(string(kind), func(t *testing.T) {
			defer w.Faults.Add(localcloud.Fault{Kind: kind})()
			for name, observe := range map[string]func() error{
				"bucket": func() error {
					_, err := drivertest.Buckets(w.Session).Observe(t.Context(), awstest.BucketOf("shop-stable", v1alpha1.BucketParameters{}))
					return err
				},
				"database": func() error {
					_, err := drivertest.Databases(w.Session).Observe(t.Context(), awstest.DatabaseOf("shop-stable", nil))
					return err
				},
			} {
				one, two := observe(), observe()
				if one == nil || two == nil || one.Error() != two.Error() {
					t.Errorf("%s: %v, then %v", name, one, two)
				}
			}
		})
	}
	conn, err := aws.New(aws.Options{Endpoint: "http://127.0.0.1:1"}).Open(t.Context(), driver.Opening{Config: driver.Config{Location: awstest.Region}, Credentials: w.Keys(awstest.Account)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = conn.Identity(t.Context())
	awstest.WantCode(t, err, driver.Unavailable)
}
