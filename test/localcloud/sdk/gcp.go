package sdk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/storage"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// GCP is a cloud with the real clients of one project.
type GCP struct {
	*localcloud.Cloud
	Clock   *check.Clock
	Storage *storage.Client
	SQL     *sqladmin.Service
	Raw     *http.Client // carries the access token
}

// StartGCP starts a local cloud whose instances are bare listeners, with the clients of the project acme. Its clock is moved by hand.
func StartGCP(t *testing.T, opts localcloud.Options) *GCP {
	t.Helper()
	g := &GCP{Clock: &check.Clock{At: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}}
	opts.Now, opts.ListenersOnly, opts.Dir = g.Clock.Now, true, t.TempDir()
	cloud, err := localcloud.Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	g.Cloud = cloud
	g.Storage, g.SQL, g.Raw = g.Clients(t, "acme")
	return g
}

// Clients returns the real clients of a project, which do not retry.
func (g *GCP) Clients(t *testing.T, project string) (*storage.Client, *sqladmin.Service, *http.Client) {
	t.Helper()
	ctx := context.Background()
	key := g.GCPKey(project)
	buckets, err := storage.NewClient(ctx, option.WithEndpoint(g.GCPEndpoint()+"/storage/v1/"), option.WithAuthCredentialsJSON(option.ServiceAccount, key))
	if err != nil {
		t.Fatal(err)
	}
	buckets.SetRetry(storage.WithPolicy(storage.RetryNever))
	t.Cleanup(func() { _ = buckets.Close() })
	sql, err := sqladmin.NewService(ctx, option.WithEndpoint(g.GCPEndpoint()), option.WithAuthCredentialsJSON(option.ServiceAccount, key))
	if err != nil {
		t.Fatal(err)
	}
	return buckets, sql, g.Scoped(t, project, sqladmin.CloudPlatformScope)
}

// Scoped returns a client whose access token has one scope.
func (g *GCP) Scoped(t *testing.T, project, scope string) *http.Client {
	t.Helper()
	config, err := google.JWTConfigFromJSON(g.GCPKey(project), scope)
	if err != nil {
		t.Fatal(err)
	}
	return config.Client(context.Background())
}

// Send sends raw JSON and returns the error that the answer is, decoding it into out otherwise.
func (g *GCP) Send(t *testing.T, method, path, body string, out any) error {
	t.Helper()
	request, err := http.NewRequest(method, g.GCPEndpoint()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := g.Raw.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if err := googleapi.CheckResponse(response); err != nil {
		return err
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(out)
}

// WantGCP checks which error a call got: status 0 means none, reason "" means any.
func WantGCP(t *testing.T, err error, status int, reason string) {
	t.Helper()
	var e *googleapi.Error
	switch {
	case status == 0 && err == nil:
	case status == 0:
		t.Fatalf("got %v, want no error", err)
	case !errors.As(err, &e) || e.Code != status:
		t.Fatalf("got %v, want status %d", err, status)
	case reason != "" && (len(e.Errors) == 0 || e.Errors[0].Reason != reason):
		t.Fatalf("got %+v, want reason %q", e.Errors, reason)
	}
}

// Create creates an instance and lets it become RUNNABLE.
func (g *GCP) Create(t *testing.T, in *sqladmin.DatabaseInstance) {
	t.Helper()
	if _, err := g.SQL.Instances.Insert("acme", in).Do(); err != nil {
		t.Fatal(err)
	}
	g.Clock.Advance(g.Options.Durations.Create)
}

// Orders returns the instance orders as it is.
func (g *GCP) Orders(t *testing.T) *sqladmin.DatabaseInstance {
	t.Helper()
	in, err := g.SQL.Instances.Get("acme", "orders").Do()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// Orders is what a new instance is like in most tests.
func Orders() *sqladmin.DatabaseInstance {
	return &sqladmin.DatabaseInstance{
		Name: "orders", Region: "europe-west1", DatabaseVersion: "POSTGRES_16", RootPassword: "s3cret",
		Settings: &sqladmin.Settings{Tier: "db-f1-micro", Edition: "ENTERPRISE", UserLabels: map[string]string{"team": "shop"}},
	}
}

// DoneIn returns what waits until an operation of Cloud SQL has ended well.
func DoneIn(t *testing.T, cloud *localcloud.Cloud, sql *sqladmin.Service) func(op *sqladmin.Operation, err error) {
	return func(op *sqladmin.Operation, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		AwaitWork(t, cloud, op.Name)
		if op, err = sql.Operations.Get("acme", op.Name).Do(); err != nil || op.Status != "DONE" || op.Error != nil {
			t.Fatalf("operation is %+v, %v", op, err)
		}
	}
}

// CreateBucket creates a bucket that must succeed.
func (g *GCP) CreateBucket(t *testing.T, name string, attrs *storage.BucketAttrs) *storage.BucketHandle {
	t.Helper()
	b := g.Storage.Bucket(name)
	if err := b.Create(context.Background(), "acme", attrs); err != nil {
		t.Fatal(err)
	}
	return b
}

// Recoverable is an instance with point-in-time recovery.
func Recoverable() *sqladmin.DatabaseInstance {
	in := Orders()
	in.Settings.BackupConfiguration = &sqladmin.BackupConfiguration{Enabled: true, PointInTimeRecoveryEnabled: true, TransactionLogRetentionDays: 2}
	return in
}

// ReplicaOf is a valid request to create a replica, changed by edits.
func ReplicaOf(primary, name string, edits ...func(*sqladmin.DatabaseInstance)) *sqladmin.DatabaseInstance {
	in := &sqladmin.DatabaseInstance{
		Name: name, MasterInstanceName: primary, InstanceType: "READ_REPLICA_INSTANCE", Settings: &sqladmin.Settings{Tier: "db-f1-micro"},
	}
	for _, edit := range edits {
		edit(in)
	}
	return in
}

// AwaitWork waits until the database server has done its part of an operation of Cloud SQL.
func AwaitWork(t *testing.T, cloud *localcloud.Cloud, operation string) {
	t.Helper()
	check.Receive(t, "the server's part of operation "+operation, cloud.SQLWork("acme", operation))
}
