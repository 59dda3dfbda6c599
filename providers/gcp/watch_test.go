package gcp_test

import (
	"context"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// steps are what the ledger calls the steps to an identity.
var steps = map[string][2]string{"token": {"oauth2", "token"}, "exchange": {"sts", "token"}}

// reached returns the requests that reached the cloud, as they are to be told.
func (r *reach) reached(t *testing.T) (calls []driver.Call) {
	t.Helper()
	for _, c := range r.Ledger.Calls(localcloud.Filter{}) {
		if c.Service == "storage" && c.Status != 0 && c.RequestID == "" {
			t.Errorf("the cloud named no request id: %+v", c)
		}
		if step, ok := steps[c.Operation]; ok {
			c.Service, c.Operation = step[0], step[1]
		}
		calls = append(calls, driver.Call{
			Service: c.Service, Operation: c.Operation, Status: c.Status, RequestID: c.RequestID, Failed: c.Status == 0 || c.Status >= 300,
		})
	}
	return calls
}

// Every request is told, once, by who asks for it: through the lives of a bucket and a database, with whatever identity.
func TestCallsAreTold(t *testing.T) {
	for name, config := range map[string]func(*reach) driver.Opening{
		"a key": (*reach).key, "web identity": (*reach).web, "ambient": ambient,
		"a key, acting as another": acting((*reach).key), "a web identity, acting as another": acting((*reach).web),
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReach(t), &drivertest.Witness{}
			cfg := config(r)
			cfg.Host = w.Host(cfg.Host)
			conn := r.openConfig(cfg)
			if _, err := conn.Identity(drivertest.Caller(t)); err != nil {
				t.Fatal(err)
			}
			bucket := bucketRequest{
				Request: driver.Request{
					Name:     "shop-told",
					Location: location,
					Mark:     driver.Mark{Cluster: "c", Namespace: "shop", Name: "told", UID: "u"},
				},
				Spec: v1alpha1.BucketParameters{Tags: map[string]v1alpha1.TagValue{"team": "shop"}},
			}
			live(t, r, drivertest.Buckets(conn), bucket, func(req *bucketRequest) { req.Spec.Versioning = new(v1alpha1.VersioningEnabled) })
			live(t, r, drivertest.Databases(conn), newDatabase("shop-told", v1alpha1.EnginePostgres), func(req *databaseRequest) {
				req.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(9))}
			})
			w.Verify(t, r.reached(t), map[driver.Code]int{driver.NotFound: 4}) // looked for before, and after
		})
	}
}

// live leads one object through a life: it is looked for, made, changed, deleted, and looked for again.
func live[S any](t *testing.T, r *reach, x table.External[S], req table.Request[S], edit func(*table.Request[S])) {
	t.Helper()
	look := func() driver.Observation {
		t.Helper()
		seen, err := x.Observe(drivertest.Caller(t), req)
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	must := func(done driver.Result, err error) {
		t.Helper()
		if err != nil || len(done.Failed) > 0 {
			t.Fatal(err, done.Failed)
		}
		r.settle(t)
		if done.Operation != "" {
			req.Operation = done.Operation
		}
	}
	look()
	must(x.Create(drivertest.Caller(t), req))
	for range 3 { // until all is as wanted
		seen := look()
		req.ID, req.Applied = seen.ID, seen.Applied
		if len(seen.Changes) > 0 {
			must(x.Update(drivertest.Caller(t), req, driver.Edit{Changes: seen.Changes}))
		}
	}
	edit(&req)
	changes := look().Changes
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
		"denied":        {localcloud.Fault{Kind: localcloud.Denied}, map[driver.Code]int{driver.Denied: 4}},
		"throttled":     {localcloud.Fault{Kind: localcloud.Throttled}, map[driver.Code]int{driver.Throttled: 4}},
		"failing":       {localcloud.Fault{Kind: localcloud.ServerError}, map[driver.Code]int{driver.Unavailable: 4}},
		"answers lost":  {localcloud.Fault{Kind: localcloud.ResponseLost, Filter: localcloud.Filter{Write: localcloud.Writes}}, map[driver.Code]int{driver.Unavailable: 2, driver.NotFound: 2}},
		"requests lost": {localcloud.Fault{Kind: localcloud.RequestLost, Filter: localcloud.Filter{Write: localcloud.Writes}}, map[driver.Code]int{driver.Unavailable: 2, driver.NotFound: 2}},
		// What is asked for an identity that can't be had is never sent.
		"no identity":          {localcloud.Fault{Kind: localcloud.Denied, Filter: localcloud.Filter{Operation: "generateAccessToken"}}, map[driver.Code]int{driver.Denied: 4}},
		"no token":             {localcloud.Fault{Kind: localcloud.Throttled, Filter: localcloud.Filter{Operation: "exchange"}}, map[driver.Code]int{driver.Throttled: 4}},
		"a token that expired": {localcloud.Fault{Kind: "expired"}, map[driver.Code]int{driver.Denied: 1, driver.NotFound: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReach(t), &drivertest.Witness{}
			cfg := acting((*reach).web)(r)
			cfg.Host = w.Host(cfg.Host)
			conn := r.openConfig(cfg)
			if tc.fault.Operation == "" {
				if _, err := conn.Identity(drivertest.Caller(t)); err != nil {
					t.Fatal(err)
				}
			}
			if tc.fault.Kind == "expired" {
				r.ExpireGCPTokens()
			} else {
				r.Faults.Add(tc.fault)
			}
			bucket, database := bucketRequest{Request: driver.Request{Name: "shop-told", Location: location}}, newDatabase("shop-told", v1alpha1.EnginePostgres)
			_, _ = drivertest.Buckets(conn).Observe(drivertest.Caller(t), bucket)
			_, _ = drivertest.Databases(conn).Observe(drivertest.Caller(t), database)
			_, inStorage := drivertest.Buckets(conn).Create(drivertest.Caller(t), bucket)
			_, inSQL := drivertest.Databases(conn).Create(drivertest.Caller(t), database)
			if all := tc.fault.Kind != "expired"; (inStorage != nil) != all || (inSQL != nil) != all {
				t.Errorf("created: %v, %v", inStorage, inSQL)
			}
			w.Verify(t, r.reached(t), tc.codes)
		})
	}
}

// A call that is given up is told as one without an answer.
func TestHangingCallsAreTold(t *testing.T) {
	r, w := newReach(t), &drivertest.Witness{}
	cfg := r.key()
	cfg.Host = w.Host(cfg.Host)
	conn := r.openConfig(cfg)
	if _, err := conn.Identity(drivertest.Caller(t)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(drivertest.Caller(t))
	r.Faults.Add(localcloud.Fault{Kind: localcloud.Hang})
	go func() {
		for ctx.Err() == nil && r.Faults.Hanging() == 0 {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	if _, err := drivertest.Databases(conn).Observe(ctx, newDatabase("shop-told", v1alpha1.EnginePostgres)); driver.CodeOf(err) != driver.Unavailable {
		t.Errorf("got %v", err)
	}
	want := driver.Call{Service: "sqladmin", Operation: "instances.get", Failed: true, Code: driver.Unavailable}
	if told := w.Told(); len(told) != 2 || told[1] != want {
		t.Errorf("told %+v, want %+v", told, want)
	}
}
