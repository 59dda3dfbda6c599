package localcloud

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

	"github.com/mooring-dev/mooring/test/localcloud/check"
)

// gcpTest is a cloud with the real clients of one project.
type gcpTest struct {
	*Cloud
	clock   *check.Clock
	storage *storage.Client
	sql     *sqladmin.Service
	raw     *http.Client // carries the access token
}

func startGCP(t *testing.T, opts Options) *gcpTest {
	t.Helper()
	g := &gcpTest{clock: &check.Clock{At: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)}}
	opts.Now, opts.ListenersOnly, opts.Dir = g.clock.Now, true, t.TempDir()
	cloud, err := Start(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cloud.Close(); err != nil {
			t.Error(err)
		}
	})
	g.Cloud = cloud
	g.storage, g.sql, g.raw = g.clients(t, "acme")
	return g
}

// clients returns the real clients of a project, which do not retry.
func (g *gcpTest) clients(t *testing.T, project string) (*storage.Client, *sqladmin.Service, *http.Client) {
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
	return buckets, sql, g.scoped(t, project, sqladmin.CloudPlatformScope)
}

// scoped returns a client whose access token has one scope.
func (g *gcpTest) scoped(t *testing.T, project, scope string) *http.Client {
	t.Helper()
	config, err := google.JWTConfigFromJSON(g.GCPKey(project), scope)
	if err != nil {
		t.Fatal(err)
	}
	return config.Client(context.Background())
}

// send sends raw JSON and returns the error that the answer is, decoding it into out otherwise.
func (g *gcpTest) send(t *testing.T, method, path, body string, out any) error {
	t.Helper()
	request, err := http.NewRequest(method, g.GCPEndpoint()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := g.raw.Do(request)
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

// wantGCP checks which error a call got: status 0 means none, reason "" means any.
func wantGCP(t *testing.T, err error, status int, reason string) {
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
