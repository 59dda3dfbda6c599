package gcp_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"
	"google.golang.org/api/option"
	"google.golang.org/api/sqladmin/v1"
	"google.golang.org/api/storage/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	project  = "mooring-test"
	location = "europe-west3"
)

// clock stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// cloud is a local cloud whose clock the test holds, and a way in that the driver knows nothing of.
type cloud struct {
	*localcloud.Cloud
	clock   *clock
	sql     *sqladmin.Service
	storage *storage.Service
	sent    *counted
}

// counted is a transport that counts the calls it sends to the APIs.
type counted struct {
	http.Transport
	calls atomic.Int64
}

func (c *counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path != "/token" {
		c.calls.Add(1)
	}
	return c.Transport.RoundTrip(r)
}

func newCloud(t *testing.T, durations localcloud.Durations) *cloud {
	t.Helper()
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	local, err := localcloud.Start(localcloud.Options{Now: c.Now, Durations: durations, ListenersOnly: true, InstanceQuota: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := local.Close(); err != nil {
			t.Errorf("close the local cloud: %v", err)
		}
	})
	config, err := google.JWTConfigFromJSON(local.GCPKey(project), storage.CloudPlatformScope)
	if err != nil {
		t.Fatal(err)
	}
	sent := &counted{}
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, &http.Client{Transport: sent})
	client := option.WithHTTPClient(config.Client(ctx))
	out := &cloud{Cloud: local, clock: c, sent: sent}
	if out.sql, err = sqladmin.NewService(ctx, client, option.WithEndpoint(local.GCPEndpoint()+"/")); err != nil {
		t.Fatal(err)
	}
	if out.storage, err = storage.NewService(ctx, client, option.WithEndpoint(local.GCPEndpoint()+"/storage/v1/")); err != nil {
		t.Fatal(err)
	}
	return out
}

// settle lets the cloud finish what it is at.
func (c *cloud) settle(testing.TB) { c.clock.advance(time.Hour) }

func (c *cloud) config(project string) driver.Opening {
	return driver.Opening{
		Config:      driver.Config{Account: v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: project, Region: location}}, Location: location},
		Credentials: map[string][]byte{v1alpha1.SecretKeyGCPCredentials: c.GCPKey(project)},
	}
}

func (c *cloud) driver() driver.Driver {
	return gcp.New(gcp.Options{Endpoint: c.GCPEndpoint(), Transport: c.sent, Now: c.clock.Now})
}

func (c *cloud) open(t testing.TB) driver.Session {
	t.Helper()
	conn, err := c.driver().Open(t.Context(), c.config(project))
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return conn
}

// patchInstance changes an instance as somebody else would, and lets the operation end.
func (c *cloud) patchInstance(t testing.TB, name string, patch *sqladmin.DatabaseInstance) {
	t.Helper()
	op, err := c.sql.Instances.Patch(project, name, patch).Do()
	if err != nil {
		t.Fatalf("patch %s: %v", name, err)
	}
	c.end(t, op)
}

func (c *cloud) end(t testing.TB, op *sqladmin.Operation) {
	t.Helper()
	c.settle(t)
	op, err := c.sql.Operations.Get(project, op.Name).Do()
	if err != nil || op.Status != "DONE" || op.Error != nil {
		t.Fatalf("operation: %+v, %v", op, err)
	}
}

func (c *cloud) instance(t testing.TB, name string) *sqladmin.DatabaseInstance {
	t.Helper()
	in, err := c.sql.Instances.Get(project, name).Do()
	if err != nil {
		t.Fatalf("instance %s: %v", name, err)
	}
	return in
}

func (c *cloud) bucket(t testing.TB, name string) *storage.Bucket {
	t.Helper()
	b, err := c.storage.Buckets.Get(name).UserProject(project).Do()
	if err != nil {
		t.Fatalf("bucket %s: %v", name, err)
	}
	return b
}

func (c *cloud) patchBucket(t testing.TB, name string, patch *storage.Bucket) {
	t.Helper()
	if _, err := c.storage.Buckets.Patch(name, patch).UserProject(project).Do(); err != nil {
		t.Fatalf("patch %s: %v", name, err)
	}
}

// count counts the calls to the APIs that the cloud has seen. It waits for those on their way: one that hangs is
// entered when the cloud notices that its caller has given up.
func (c *cloud) count(side localcloud.Side) int {
	seen := func(side localcloud.Side) (n int) {
		for _, service := range []string{"storage", "sqladmin", "monitoring"} {
			n += c.Ledger.Count(localcloud.Filter{Service: service, Write: side})
		}
		return n
	}
	for range 60_000 {
		if seen(localcloud.Any) >= int(c.sent.calls.Load()) {
			return seen(side)
		}
		time.Sleep(time.Millisecond)
	}
	panic(fmt.Sprintf("%d calls were sent, and the cloud has seen %d for a minute; to forget calls, use forget", c.sent.calls.Load(), seen(localcloud.Any)))
}

// forget forgets the calls so far. It waits for those on their way.
func (c *cloud) forget() {
	c.count(localcloud.Any)
	c.sent.calls.Store(0)
	c.Ledger.Reset()
}

// writes returns the operations of a service that wrote and were accepted, in order.
func (c *cloud) writes(service string) []string {
	var names []string
	for _, call := range c.Ledger.Calls(localcloud.Filter{Service: service, Write: localcloud.Writes}) {
		if call.Status < http.StatusMultipleChoices {
			names = append(names, call.Operation)
		}
	}
	return names
}
