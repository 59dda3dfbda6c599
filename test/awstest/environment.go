package awstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	awssdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The accounts that the local cloud knows, and the region of most tests.
const (
	Account = "111111111111"
	Other   = "222222222222"
	Region  = "eu-central-1"
)

// An Environment is a local cloud with a session of the driver in it, and clients for what others do.
type Environment struct {
	*localcloud.Cloud
	T       *testing.T
	Clock   *Clock
	Now     func() time.Time // the driver's clock; nil for that of the machine
	Session driver.Session
	S3      *s3.Client
	RDS     *rds.Client
}

// New starts a local cloud that ends with the test, and opens a session of Account in Region.
func New(t *testing.T, options localcloud.Options) *Environment {
	t.Helper()
	return NewIn(t, Region, options)
}

// NewIn is New in another region.
func NewIn(t *testing.T, region string, options localcloud.Options) *Environment {
	t.Helper()
	c := NewClock()
	options.Now, options.ListenersOnly = c.Now, true
	cloud, err := localcloud.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &Environment{Cloud: cloud, T: t, Clock: c}
	w.Session = w.Open(Account, region)
	w.S3, w.RDS = w.Clients(Account, region)
	return w
}

// Open opens a session of an account in a region.
func (w *Environment) Open(account, region string) driver.Session {
	w.T.Helper()
	conn, err := aws.New(aws.Options{Endpoint: w.AWSEndpoint(), Now: w.Now}).Open(w.T.Context(), driver.Opening{
		Config:      driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: region}}, Location: region},
		Credentials: w.Keys(account),
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return conn
}

// Keys returns the static credentials of an account, as a Secret holds them.
func (w *Environment) Keys(account string) map[string][]byte {
	id, secret := w.AWSKeys(account)
	return map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte(id), v1alpha1.SecretKeyAWSSecretAccessKey: []byte(secret)}
}

// Clients returns clients with which a test does what others do behind our back.
func (w *Environment) Clients(account, region string) (*s3.Client, *rds.Client) {
	id, secret := w.AWSKeys(account)
	cfg := awssdk.Config{
		Region: region, Credentials: credentials.NewStaticCredentialsProvider(id, secret, ""),
		BaseEndpoint: awssdk.String(w.AWSEndpoint()), HTTPClient: &http.Client{Transport: wholeBodies{http.DefaultTransport}},
	}
	return s3.NewFromConfig(cfg, func(o *s3.Options) { o.UsePathStyle = true }), rds.NewFromConfig(cfg)
}

// wholeBodies sends each body as a whole that the SDK can't close: the SDK may close a body while it is sent, whereupon the transport drops the
// connection, the answer is lost, and the SDK repeats a write that was made (https://github.com/aws/aws-sdk-go-v2/issues/2737).
type wholeBodies struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (b wholeBodies) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil || r.Body == http.NoBody {
		return b.base.RoundTrip(r)
	}
	content, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	whole := r.Clone(r.Context())
	whole.Body = io.NopCloser(bytes.NewReader(content))
	return b.base.RoundTrip(whole)
}

// Writes counts the writes that reached the cloud since the ledger was reset.
func (w *Environment) Writes() int {
	return w.Ledger.Count(localcloud.Filter{Write: localcloud.Writes})
}

// Operations lists the calls since the ledger was reset.
func (w *Environment) Operations() []string {
	var names []string
	for _, c := range w.Ledger.Calls(localcloud.Filter{}) {
		names = append(names, c.Operation)
	}
	return names
}

// Mark is that of the objects of most tests.
var Mark = driver.Mark{Cluster: "c1", Namespace: "shop", Name: "orders", UID: "u1"}

// Do calls the SDK for what others do, which must succeed.
func Do[I, O, Opt any](t testing.TB, call func(context.Context, *I, ...func(*Opt)) (*O, error), in *I) *O {
	t.Helper()
	out, err := call(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// WantCode demands an error of a code.
func WantCode(t *testing.T, err error, want driver.Code) {
	t.Helper()
	if err == nil || driver.CodeOf(err) != want {
		t.Errorf("error %v has code %v, want %v", err, driver.CodeOf(err), want)
	}
}

// BucketOf returns a request about a bucket of the test's own.
func BucketOf(name string, spec v1alpha1.BucketParameters) table.Request[v1alpha1.BucketParameters] {
	return table.Request[v1alpha1.BucketParameters]{Request: driver.Request{Name: name, Location: Region, Mark: Mark}, Spec: spec}
}

// password is that of the administrators of databases.
const password = "Correct-Horse-1"

// DatabaseOf returns a request about a small PostgreSQL server, with whatever else the test declares.
func DatabaseOf(name string, edit func(*v1alpha1.DatabaseParameters)) table.Request[v1alpha1.DatabaseParameters] {
	spec := v1alpha1.DatabaseParameters{
		Engine:  new(v1alpha1.EnginePostgres),
		Version: new("16.4"),
		Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))},
		AWS:     &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")},
		Backup:  &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))},
		Tags:    map[string]v1alpha1.TagValue{"team": "shop"},
	}
	if edit != nil {
		edit(&spec)
	}
	return table.Request[v1alpha1.DatabaseParameters]{Request: driver.Request{Name: name, Location: Region, Mark: Mark}, Login: driver.Login{Password: password}, Spec: spec}
}
