package aws_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// reached returns the requests that reached the cloud, as they are to be told.
func (r *reach) reached(t *testing.T) (calls []driver.Call) {
	t.Helper()
	for _, c := range r.Ledger.Calls(localcloud.Filter{}) {
		if c.Status != 0 && c.RequestID == "" {
			t.Errorf("the cloud named no request id: %+v", c)
		}
		calls = append(calls, driver.Call{
			Service: c.Service, Operation: c.Operation, Status: c.Status, RequestID: c.RequestID, Failed: c.Status == 0 || c.Status >= 300,
		})
	}
	return calls
}

// Every request is told, once, by who asks for it: through the lives of a bucket and a database, with whatever identity.
func TestCallsAreTold(t *testing.T) {
	for name, tc := range map[string]struct {
		config func(*reach) driver.Opening
		steps  []string
	}{
		"keys": {func(r *reach) driver.Opening {
			return driver.Opening{Config: driver.Config{Location: awstest.Region}, Credentials: r.Keys(awstest.Account)}
		}, nil},
		"a role":       {(*reach).assuming, []string{"AssumeRole"}},
		"web identity": {(*reach).web, []string{"AssumeRoleWithWebIdentity"}},
		"a web identity, then a role": {func(r *reach) driver.Opening {
			cfg := r.web()
			cfg.Chain.AssumeRoles = []v1alpha1.AssumeRole{{RoleARN: roleTwo, ExternalID: "agreed"}}
			return cfg
		}, []string{"AssumeRoleWithWebIdentity", "AssumeRole"}},
		"ambient": {func(r *reach) driver.Opening { irsa(r.T, r); return ambient() }, []string{"AssumeRoleWithWebIdentity"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReachWith(t, localcloud.Options{InstanceQuota: -1}), &drivertest.Witness{}
			cfg := tc.config(r)
			cfg.Host = w.Host(cfg.Host)
			r.Session = r.openConfig(cfg)
			if _, err := r.Session.Identity(drivertest.Caller(t)); err != nil {
				t.Fatal(err)
			}
			r.lead(t)
			for _, step := range tc.steps {
				if r.Ledger.Count(localcloud.Filter{Operation: step}) == 0 {
					t.Errorf("no step %s", step)
				}
			}
			w.Verify(t, r.reached(t), map[driver.Code]int{driver.NotFound: 4}) // looked for before, and after
		})
	}
}

// lead leads a bucket and a database through a life.
func (r *reach) lead(t *testing.T) {
	t.Helper()
	bucket := awstest.BucketOf("shop-told", v1alpha1.BucketParameters{
		Versioning: new(v1alpha1.VersioningEnabled), PublicAccess: new(v1alpha1.PublicAccessBlocked), Tags: map[string]v1alpha1.TagValue{"team": "a"},
	})
	database := awstest.DatabaseOf("shop-told", nil)
	live(t, r, drivertest.Buckets(r.Session), bucket, func(req *table.Request[v1alpha1.BucketParameters]) {
		req.Spec.Versioning = new(v1alpha1.VersioningSuspended)
	})
	live(t, r, drivertest.Databases(r.Session), database, func(req *table.Request[v1alpha1.DatabaseParameters]) { req.Spec.Backup.RetentionDays = new(int32(9)) })
}

// live leads one object through a life: it is looked for, made, changed, deleted, and looked for again.
func live[S any](t *testing.T, r *reach, x table.External[S], req table.Request[S], edit func(*table.Request[S])) {
	t.Helper()
	look := func() []driver.Change {
		seen, err := x.Observe(drivertest.Caller(t), req)
		if err != nil {
			t.Fatal(err)
		}
		return seen.Changes
	}
	must := func(done driver.Result, err error) {
		t.Helper()
		if err != nil || len(done.Failed) > 0 {
			t.Fatal(err, done.Failed)
		}
	}
	look()
	must(x.Create(drivertest.Caller(t), req))
	for range 3 { // until all is as wanted
		if changes := look(); len(changes) > 0 {
			must(x.Update(drivertest.Caller(t), req, driver.Edit{Changes: changes}))
		}
	}
	edit(&req)
	changes := look()
	if len(changes) == 0 {
		t.Fatal("nothing to change")
	}
	must(x.Update(drivertest.Caller(t), req, driver.Edit{Changes: changes}))
	look()
	req.Deletion = &driver.Deletion{}
	must(x.Delete(drivertest.Caller(t), req))
	look()
}

func TestFailedCallsAreTold(t *testing.T) {
	for name, tc := range map[string]struct {
		fault localcloud.Fault
		codes map[driver.Code]int
	}{
		"denied":    {localcloud.Fault{Kind: localcloud.Denied}, map[driver.Code]int{driver.Denied: 4}},
		"throttled": {localcloud.Fault{Kind: localcloud.Throttled}, map[driver.Code]int{driver.Throttled: 4}},
		// Reads are tried three times, writes once.
		"failing":       {localcloud.Fault{Kind: localcloud.ServerError}, map[driver.Code]int{driver.Unavailable: 8}},
		"answers lost":  {localcloud.Fault{Kind: localcloud.ResponseLost, Filter: localcloud.Filter{Write: localcloud.Writes}}, map[driver.Code]int{driver.Unavailable: 2, driver.NotFound: 2}},
		"requests lost": {localcloud.Fault{Kind: localcloud.RequestLost, Filter: localcloud.Filter{Write: localcloud.Writes}}, map[driver.Code]int{driver.Unavailable: 2, driver.NotFound: 2}},
		// What is asked for an identity that can't be had is never sent.
		"no identity": {localcloud.Fault{Kind: localcloud.Denied, Filter: localcloud.Filter{Service: "sts"}}, map[driver.Code]int{driver.Denied: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReach(t), &drivertest.Witness{}
			cfg := r.assuming()
			cfg.Host = w.Host(cfg.Host)
			conn := r.openConfig(cfg)
			if tc.fault.Service == "" {
				if _, err := conn.Identity(drivertest.Caller(t)); err != nil {
					t.Fatal(err)
				}
			}
			r.Faults.Add(tc.fault)
			bucket, database := awstest.BucketOf("shop-told", v1alpha1.BucketParameters{}), awstest.DatabaseOf("shop-told", nil)
			_, _ = drivertest.Buckets(conn).Observe(drivertest.Caller(t), bucket)
			_, _ = drivertest.Databases(conn).Observe(drivertest.Caller(t), database)
			_, inS3 := drivertest.Buckets(conn).Create(drivertest.Caller(t), bucket)
			_, inRDS := drivertest.Databases(conn).Create(drivertest.Caller(t), database)
			if inS3 == nil || inRDS == nil {
				t.Errorf("created: %v, %v", inS3, inRDS)
			}
			w.Verify(t, r.reached(t), tc.codes)
		})
	}
}

// A call that is given up is told as one without an answer.
func TestHangingCallsAreTold(t *testing.T) {
	r, w := newReach(t), &drivertest.Witness{}
	ctx, cancel := context.WithCancel(drivertest.Caller(t))
	conn := r.openConfig(driver.Opening{Config: driver.Config{Location: awstest.Region}, Credentials: r.Keys(awstest.Account), Host: w.Host(nil)})
	r.Faults.Add(localcloud.Fault{Kind: localcloud.Hang})
	go cancelOnceHanging(ctx, &r.Faults, cancel)
	_, err := drivertest.Databases(conn).Observe(ctx, awstest.DatabaseOf("shop-told", nil))
	awstest.WantCode(t, err, driver.Unavailable)
	want := driver.Call{Service: "rds", Operation: "DescribeDBInstances", Failed: true, Code: driver.Unavailable}
	if told := w.Told(); len(told) != 1 || told[0] != want {
		t.Errorf("told %+v, want %+v", told, want)
	}
}

// So is what is asked of the agent that hands a pod its identity. It has no name of its own.
func TestCallsToTheAgentAreTold(t *testing.T) {
	r, w := newReach(t), &drivertest.Witness{}
	podIdentity(t, r)
	cfg := ambient()
	cfg.Host = w.Host(cfg.Host)
	if _, err := r.openConfig(cfg).Identity(drivertest.Caller(t)); err != nil {
		t.Fatal(err)
	}
	if told := w.Told(); len(told) != 2 || told[0] != (driver.Call{Service: "metadata", Operation: "GetCredentials", Status: 200}) {
		t.Errorf("told %+v", told)
	}
}

// cancelOnceHanging cancels a context once a call hangs in the cloud.
func cancelOnceHanging(ctx context.Context, faults *localcloud.Faults, cancel context.CancelFunc) {
	for ctx.Err() == nil && faults.Hanging() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
}

// heldCalls is a transport that answers who the caller is, once that is released.
type heldCalls struct {
	sent     atomic.Int64
	released chan struct{}
}

func (h *heldCalls) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	h.sent.Add(1)
	<-h.released
	const body = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>` +
		`<Account>111111111111</Account></GetCallerIdentityResult></GetCallerIdentityResponse>`
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(strings.NewReader(body)),
	}, nil
}

// TestForbiddenInTime: who may forbid a request is asked when it is about to be sent, and not while it waits for its turn.
func TestForbiddenInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const atOnce = 64
		var forbidden atomic.Bool
		cloud := &heldCalls{released: make(chan struct{})}
		conn, err := aws.New(aws.Options{HTTPClient: &http.Client{Transport: cloud}}).Open(t.Context(), driver.Opening{
			Config: driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: awstest.Region}}, Location: awstest.Region},
			Credentials: map[string][]byte{
				v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIAEXAMPLE"), v1alpha1.SecretKeyAWSSecretAccessKey: []byte("canary/secret"),
			},
			Host: driver.HostFuncs{Calls: func(ctx context.Context, _, _ string) (context.Context, func(driver.Call)) {
				if forbidden.Load() {
					ended, cancel := context.WithCancel(ctx)
					cancel()
					return ended, func(driver.Call) {}
				}
				return ctx, func(driver.Call) {}
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var calls sync.WaitGroup
		for range atOnce {
			calls.Go(func() {
				if _, err := conn.Identity(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		late := make(chan error, 1)
		go func() { _, err := conn.Identity(t.Context()); late <- err }()
		synctest.Wait()
		if n := cloud.sent.Load(); n != atOnce {
			t.Errorf("%d requests are under way, want %d, and one that waits", n, atOnce)
		}
		forbidden.Store(true)
		close(cloud.released)
		if err := <-late; err == nil {
			t.Error("what waited was sent after it was forbidden")
		}
		calls.Wait()
		if n := cloud.sent.Load(); n != atOnce {
			t.Errorf("%d requests reached the cloud, want %d", n, atOnce)
		}
	})
}
