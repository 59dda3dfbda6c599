package mem_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
	"github.com/mooring-dev/mooring/providers/table"
)

type (
	bucketRequest   = table.Request[v1alpha1.BucketParameters]
	databaseRequest = table.Request[v1alpha1.DatabaseParameters]
)

func open(t testing.TB, cloud *mem.Cloud) driver.Session {
	t.Helper()
	conn, err := cloud.Driver().Open(t.Context(), mem.Config(account, region))
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func orders() databaseRequest {
	return databaseRequest{
		Request: driver.Request{
			Name: "orders",
		},
		Login: driver.Login{Password: "canary-7f3a"},
		Spec: v1alpha1.DatabaseParameters{
			Engine: new(v1alpha1.EnginePostgres), Version: new("16"), Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))},
		},
	}
}

// A database goes through the states that the cloud takes time for, by the clock alone.
func TestDatabaseTakesItsTime(t *testing.T) {
	c := newClock()
	cloud := mem.New(mem.Options{Now: c.Now, CreateFor: 5 * time.Minute, ModifyFor: time.Minute, DeleteFor: 2 * time.Minute, SnapshotFor: 10 * time.Minute})
	databases, req := drivertest.Databases(open(t, cloud)), orders()
	type seen struct {
		State        driver.State
		Available    bool
		Snapshot     driver.State
		Changes      []string
		Asked, Shown int32 // the disk that the cloud was asked for, and the one that the mirror shows
	}
	look := func() seen {
		t.Helper()
		obs, err := databases.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		s := seen{State: obs.State, Available: obs.Available, Snapshot: obs.Backup.GetFinalSnapshot()}
		if len(obs.Changes) > 0 {
			s.Changes = driver.Names(obs.Changes)
		}
		if d, ok := mem.Databases(cloud).Get(account, "orders"); ok {
			s.Asked = *d.Spec.Storage.SizeGiB
		}
		if obs.Mirror != nil {
			s.Shown = sizeOf(t, obs)
		}
		return s
	}
	step := func(name string, wait time.Duration, act func() error, want seen) {
		t.Helper()
		if act != nil {
			if err := act(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		c.advance(wait)
		if diff := cmp.Diff(want, look()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	create := func() error { _, err := databases.Create(t.Context(), req); return err }
	grow := func() error {
		req.Spec.Storage = &v1alpha1.DatabaseStorage{SizeGiB: new(int32(80))}
		_, err := databases.Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "storage.sizeGiB"}}})
		return err
	}
	remove := func() error {
		req.Deletion = &driver.Deletion{Snapshot: "orders-final"}
		_, err := databases.Delete(t.Context(), req)
		return err
	}
	step("nothing yet", 0, nil, seen{State: driver.Absent})
	step("creating", 4*time.Minute, create, seen{State: driver.Pending, Asked: 50, Shown: 50})
	step("created", time.Minute, nil, seen{State: driver.Ready, Available: true, Asked: 50, Shown: 50})
	step("growing", 0, grow, seen{State: driver.Pending, Available: true, Asked: 80, Shown: 50})
	if err := grow(); driver.CodeOf(err) != driver.Busy {
		t.Errorf("a second update: got %v, want Busy", err)
	}
	step("grown", time.Minute, nil, seen{State: driver.Ready, Available: true, Asked: 80, Shown: 80})
	step("deleting", 0, remove, seen{State: driver.Deleting, Asked: 80, Shown: 80})
	step("gone, its snapshot is not done", 2*time.Minute, nil, seen{State: driver.Absent, Snapshot: driver.Pending})
	step("its snapshot is done", 8*time.Minute, nil, seen{State: driver.Absent, Snapshot: driver.Ready})
}

func sizeOf(t testing.TB, obs driver.Observation) int32 {
	t.Helper()
	var mirror v1alpha1.DatabaseParameters
	if err := json.Unmarshal(obs.Mirror, &mirror); err != nil {
		t.Fatalf("mirror %s: %v", obs.Mirror, err)
	}
	return *mirror.Storage.SizeGiB
}

func TestFaults(t *testing.T) {
	cloud := mem.New(mem.Options{})
	buckets, req := drivertest.Buckets(open(t, cloud)), bucketRequest{Request: driver.Request{Name: "logs"}}
	state := func() driver.State {
		t.Helper()
		obs, err := buckets.Observe(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return obs.State
	}
	if _, err := buckets.Create(t.Context(), req); err != nil {
		t.Fatal(err)
	}

	cloud.Fail(mem.Fault{Filter: mem.Filter{Op: mem.OpObserve}, Kind: mem.Stale, Skip: 1, Times: 1})
	if got, want := []driver.State{state(), state(), state()}, []driver.State{driver.Ready, driver.Absent, driver.Ready}; !cmp.Equal(got, want) {
		t.Errorf("stale after one call, for one call: got %v, want %v", got, want)
	}

	until, hooked := make(chan struct{}), make(chan mem.Call, 1)
	cloud.Fail(mem.Fault{Filter: mem.Filter{Op: mem.OpDelete}, Kind: mem.Held, Until: until, Hook: func(c mem.Call) { hooked <- c }})
	ended := make(chan error)
	go func() { _, err := buckets.Delete(context.Background(), req); ended <- err }()
	if state() != driver.Ready { // others are not held up
		t.Error("a call that is held was carried out")
	}
	close(until)
	if err := <-ended; err != nil || state() != driver.Absent {
		t.Errorf("a call that was held: %v", err)
	}
	if c := <-hooked; c.Op != mem.OpDelete || !c.Write || c.Fault != mem.Held || c.Name != "logs" {
		t.Errorf("the hook saw %+v", c)
	}

	lift := cloud.Fail(mem.Fault{Filter: mem.Filter{Account: account, Access: mem.Writes, Kind: mem.KindBucket}, Kind: mem.Refused, Code: driver.Quota})
	if _, err := buckets.Create(t.Context(), req); driver.CodeOf(err) != driver.Quota {
		t.Errorf("got %v, want code Quota", err)
	}
	lift()
	cloud.Fail(mem.Fault{Kind: mem.RequestLost})
	if _, err := buckets.Create(t.Context(), req); driver.CodeOf(err) != driver.Unavailable {
		t.Errorf("got %v, want code Unavailable", err)
	}
	cloud.Heal()
	if state() != driver.Absent {
		t.Error("a lost request was carried out")
	}
}

func TestLedger(t *testing.T) {
	c := newClock()
	cloud := mem.New(mem.Options{Now: c.Now})
	conn, req := open(t, cloud), bucketRequest{Request: driver.Request{Name: "logs"}, Spec: v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}}
	_, _ = conn.Identity(t.Context())
	_, _ = drivertest.Buckets(conn).Create(t.Context(), req)
	_, _ = drivertest.Buckets(conn).Update(t.Context(), req, driver.Edit{Changes: []driver.Change{{Field: "versioning"}}})
	_, _ = drivertest.Buckets(conn).Do(t.Context(), req, driver.Command{Verb: driver.WriteMark})
	_, second := drivertest.Buckets(conn).Create(t.Context(), req)
	want := []mem.Call{
		{Time: c.Now(), Account: account, Op: mem.OpIdentity},
		{Time: c.Now(), Account: account, Op: mem.OpCreate, Kind: mem.KindBucket, Name: "logs", Write: true},
		{Time: c.Now(), Account: account, Op: mem.OpUpdate, Kind: mem.KindBucket, Name: "logs", Write: true, Fields: []string{"versioning"}},
		{Time: c.Now(), Account: account, Op: mem.OpUpdate, Kind: mem.KindBucket, Name: "logs", Write: true, Fields: []string{"mark"}},
		{Time: c.Now(), Account: account, Op: mem.OpCreate, Kind: mem.KindBucket, Name: "logs", Write: true, Err: second},
	}
	if diff := cmp.Diff(want, cloud.Calls(mem.Filter{}), cmp.Comparer(func(a, b error) bool { return a == b })); diff != "" { //nolint:errorlint // the very same error
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := cloud.Count(mem.Filter{Access: mem.Writes, Op: mem.OpCreate, Account: account}); got != 2 {
		t.Errorf("counted %d creations, want 2", got)
	}
	cloud.ResetCalls()
	if got := cloud.Count(mem.Filter{}); got != 0 {
		t.Errorf("%d calls in an empty ledger", got)
	}
}

// What is handed out is the caller's: to change it changes nothing in the cloud.
func TestCopies(t *testing.T) {
	cloud := mem.New(mem.Options{})
	b := mem.Bucket{Object: mem.Object{Account: account, Name: "logs", Labels: map[string]string{"owner": "us"}}}
	d := mem.Database{Object: mem.Object{Account: account, Name: "orders", Labels: map[string]string{"owner": "us"}}}
	mem.Buckets(cloud).Put(b)
	mem.Databases(cloud).Put(d)
	gotB, _ := mem.Buckets(cloud).Get(account, "logs")
	gotD, _ := mem.Databases(cloud).Get(account, "orders")
	for _, labels := range []map[string]string{b.Labels, d.Labels, gotB.Labels, gotD.Labels, mem.Buckets(cloud).All()[0].Labels, mem.Databases(cloud).All()[0].Labels} {
		labels["owner"] = "them"
	}
	gotB, _ = mem.Buckets(cloud).Get(account, "logs")
	gotD, _ = mem.Databases(cloud).Get(account, "orders")
	if gotB.Labels["owner"] != "us" || gotD.Labels["owner"] != "us" || gotB.ID == "" || gotD.ID == "" {
		t.Errorf("got %+v and %+v", gotB, gotD)
	}
	if _, ok := mem.Buckets(cloud).Get("222222222222", "logs"); ok || mem.Buckets(cloud).Edit("222222222222", "logs", nil) || mem.Buckets(cloud).Remove("222222222222", "logs") {
		t.Error("another account reached the bucket")
	}
}

func TestManyAtOnce(t *testing.T) {
	const objects, workers = 1_000, 8
	cloud := mem.New(mem.Options{})
	buckets := drivertest.Buckets(open(t, cloud))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < objects; i += workers {
				req := bucketRequest{Request: driver.Request{Name: fmt.Sprintf("b-%d", i)}, Spec: v1alpha1.BucketParameters{Versioning: new(v1alpha1.VersioningEnabled)}}
				_, created := buckets.Create(context.Background(), req)
				obs, observed := buckets.Observe(context.Background(), req)
				if created != nil || observed != nil || obs.State != driver.Ready || len(obs.Changes) != 0 {
					t.Errorf("%s: %v, %v, %+v", req.Name, created, observed, obs)
				}
			}
		})
	}
	wg.Wait()
	if got := len(mem.Buckets(cloud).All()); got != objects {
		t.Errorf("%d buckets, want %d", got, objects)
	}
}

// What {} declares as none is none after an update, too.
func TestEmptyEndsASetting(t *testing.T) {
	cloud := mem.New(mem.Options{})
	buckets := drivertest.Buckets(open(t, cloud))
	with, without := bucketRequest{Request: driver.Request{Name: "photos"}}, bucketRequest{Request: driver.Request{Name: "photos"}}
	with.Spec = v1alpha1.BucketParameters{
		Retention: &v1alpha1.BucketRetention{Days: new(int32(7))}, Website: &v1alpha1.BucketWebsite{IndexDocument: new("index.html")},
		Logging: &v1alpha1.BucketLogging{Bucket: new("logs")},
	}
	without.Spec = v1alpha1.BucketParameters{Retention: &v1alpha1.BucketRetention{}, Website: &v1alpha1.BucketWebsite{}, Logging: &v1alpha1.BucketLogging{}}
	if _, err := buckets.Create(t.Context(), with); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{3, 0} {
		have, err := buckets.Observe(t.Context(), without)
		if err != nil {
			t.Fatal(err)
		}
		if got := driver.Names(have.Changes); len(got) != want {
			t.Fatalf("%q are to change, want %d", got, want)
		}
		if want > 0 {
			if _, err := buckets.Update(t.Context(), without, driver.Edit{Changes: have.Changes}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
