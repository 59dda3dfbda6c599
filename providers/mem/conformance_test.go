package mem_test

import (
	"maps"
	"sync"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/mem"
)

const (
	account = driver.AccountID("111111111111")
	region  = "eu-central-1"
)

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)} }

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

// canaryPassword is the administrator's password of all databases that the suite makes.
const canaryPassword = "canary-7f3a"

func TestConformance(t *testing.T) {
	t.Run("at once", func(t *testing.T) { drivertest.Run(t, harness(mem.Options{})) })
	t.Run("through a pipe", func(t *testing.T) {
		h := harness(mem.Options{CreateFor: 5 * time.Minute, ModifyFor: time.Minute, DeleteFor: 2 * time.Minute, SnapshotFor: 3 * time.Minute})
		h.Driver = drivertest.ThroughPipe(t, h.Driver)
		drivertest.Run(t, h)
	})
	t.Run("taking time", func(t *testing.T) {
		drivertest.Run(t, harness(mem.Options{CreateFor: 5 * time.Minute, ModifyFor: time.Minute, DeleteFor: 2 * time.Minute, SnapshotFor: 3 * time.Minute}))
	})
}

func harness(opts mem.Options) drivertest.Harness {
	c := newClock()
	opts.Now = c.Now
	cloud := mem.New(opts)
	other := mem.Config("222222222222", region)
	empty := mem.Config("333333333333", region)
	ours := mem.Config(account, region)
	return drivertest.Harness{
		Driver: cloud.Driver(), Config: ours, Account: account, Other: &other,
		Refused: map[string]driver.Opening{
			"no keys": {Config: driver.Config{Account: ours.Account, Location: region}, Credentials: map[string][]byte{}},
			"a key of Google's that names a URL": {
				Config:      driver.Config{Account: v1alpha1.Account{GCP: &v1alpha1.GCPAccount{Project: "a-project"}}},
				Credentials: map[string][]byte{"credentials.json": []byte(`{"type":"external_account","token_url":"http://evil.invalid"}`)},
			},
		},
		Empty:    &empty,
		PageSize: func(n int) (lift func()) { return mem.LimitPages(cloud, n) },
		Secrets:  []string{string(ours.Credentials["AWS_SECRET_ACCESS_KEY"])},
		Now:      c.Now,
		Settle:   func(testing.TB) { c.advance(time.Hour) },
		Calls: func() drivertest.Calls {
			return drivertest.Calls{Reads: cloud.Count(mem.Filter{Access: mem.Reads}), Writes: cloud.Count(mem.Filter{Access: mem.Writes})}
		},
		Fail:      func(f drivertest.Fault) (lift func()) { return cloud.Fail(faultOf(f)) },
		Patience:  100 * time.Millisecond,
		Buckets:   bucketKind(cloud).PlainFields("forceDestroy"),
		Databases: databaseKind(cloud).PlainFields(),
	}
}

func faultOf(f drivertest.Fault) mem.Fault {
	out := mem.Fault{Skip: f.Skip}
	switch {
	case f.Reads && !f.Writes:
		out.Access = mem.Reads
	case f.Writes && !f.Reads:
		out.Access = mem.Writes
	}
	switch f.Kind {
	case drivertest.Denied:
		out.Kind, out.Code = mem.Refused, driver.Denied
	case drivertest.Throttled:
		out.Kind, out.Code = mem.Refused, driver.Throttled
	case drivertest.ServerError:
		out.Kind, out.Code = mem.Refused, driver.Unavailable
	case drivertest.Hang:
		out.Kind = mem.Hang
	case drivertest.ResponseLost:
		out.Kind = mem.ResponseLost
	case drivertest.FailLate:
		out.Kind = mem.FailLate
	}
	return out
}

func bucketKind(cloud *mem.Cloud) *drivertest.Kind[v1alpha1.BucketParameters] {
	edit := func(t testing.TB, name string, change func(*mem.Bucket)) {
		t.Helper()
		if !mem.Buckets(cloud).Edit(account, name, change) {
			t.Fatalf("no bucket %q", name)
		}
	}
	fault := func(kind mem.FaultKind) func(testing.TB, string, string) func() {
		return func(_ testing.TB, name, field string) func() {
			return cloud.Fail(mem.Fault{Filter: mem.Filter{Name: name}, Kind: kind, Field: field, Code: driver.Denied})
		}
	}
	return &drivertest.Kind[v1alpha1.BucketParameters]{
		Full: func() v1alpha1.BucketParameters {
			return v1alpha1.BucketParameters{
				Location: new(region), Versioning: new(v1alpha1.VersioningEnabled), PublicAccess: new(v1alpha1.PublicAccessBlocked),
				Encryption: &v1alpha1.BucketEncryption{Key: new("key-1")},
				Tags:       map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
			}
		},
		Minimal: func() v1alpha1.BucketParameters { return v1alpha1.BucketParameters{} },
		Fields: []drivertest.Field{
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
			{Name: "versioning", To: "Suspended"},
			{Name: "publicAccess", To: "Allowed", Safe: "Blocked"},
			{Name: "encryption.key", To: "key-2"},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
		},
		Reads: 1, MinimalReads: 1,
		HasID: true, GlobalNames: true, Contents: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				edit(t, name, func(b *mem.Bucket) { drivertest.SetField(t, &b.Spec, field, value) })
			},
			Labels: func(t testing.TB, name string) (labels map[string]string) {
				edit(t, name, func(b *mem.Bucket) { labels = maps.Clone(b.Labels) })
				return labels
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				edit(t, name, func(b *mem.Bucket) { b.Labels = maps.Clone(labels) })
			},
			Remove: func(_ testing.TB, name string) { mem.Buckets(cloud).Remove(account, name) },
			Fill:   func(t testing.TB, name string) { edit(t, name, func(b *mem.Bucket) { b.Objects = 2500 }) },
			Hide:   fault(mem.Unreadable),
			Refuse: fault(mem.FieldRefused),
		},
	}
}

func databaseKind(cloud *mem.Cloud) *drivertest.Kind[v1alpha1.DatabaseParameters] {
	edit := func(t testing.TB, name string, change func(*mem.Database)) {
		t.Helper()
		if !mem.Databases(cloud).Edit(account, name, change) {
			t.Fatalf("no database %q", name)
		}
	}
	fault := func(kind mem.FaultKind) func(testing.TB, string, string) func() {
		return func(_ testing.TB, name, field string) func() {
			return cloud.Fail(mem.Fault{Filter: mem.Filter{Name: name}, Kind: kind, Field: field, Code: driver.Denied})
		}
	}
	return &drivertest.Kind[v1alpha1.DatabaseParameters]{
		Full: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{
				Location: new(region), Engine: new(v1alpha1.EnginePostgres), Version: new("16.3"),
				Storage: &v1alpha1.DatabaseStorage{SizeGiB: new(int32(50))}, DatabaseName: new("orders"),
				Backup: &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7))},
				Tags:   map[string]v1alpha1.TagValue{"team": "shop", "env": "test"},
				AWS:    &v1alpha1.DatabaseAWS{InstanceClass: new("db.t4g.micro")}, GCP: &v1alpha1.DatabaseGCP{Tier: new("db-f1-micro")},
			}
		},
		Minimal: func() v1alpha1.DatabaseParameters {
			return v1alpha1.DatabaseParameters{Engine: new(v1alpha1.EnginePostgres), Version: new("16")}
		},
		Login: driver.Login{Username: "boss", Password: canaryPassword},
		Fields: []drivertest.Field{
			{Name: "location", To: "eu-west-1", Effect: driver.Impossible},
			{Name: "engine", To: "mysql", Effect: driver.Impossible},
			{Name: "version", To: "17.1", Effect: driver.Interrupts, Drift: "16.1", Same: []any{"16.4"}},
			{Name: "storage.sizeGiB", To: 100, Drift: 20, Same: []any{80}},
			{Name: "databaseName", To: "bills", Effect: driver.Impossible},
			{Name: "backup.retentionDays", To: 14, DriftEffect: driver.LosesBackups},
			{Name: "tags", To: map[string]string{"team": "pay", "stage": "one"}},
			{Name: "aws.instanceClass", To: "db.m7g.large", Effect: driver.Restarts},
			{Name: "gcp.tier", To: "db-custom-2-7680", Effect: driver.Restarts},
		},
		Reads: 1, MinimalReads: 1,
		HasID: true, Snapshots: true,
		Cloud: drivertest.Backdoor{
			Edit: func(t testing.TB, name, field string, value any) {
				edit(t, name, func(d *mem.Database) { drivertest.SetField(t, &d.Spec, field, value) })
			},
			Labels: func(t testing.TB, name string) (labels map[string]string) {
				edit(t, name, func(d *mem.Database) { labels = maps.Clone(d.Labels) })
				return labels
			},
			Relabel: func(t testing.TB, name string, labels map[string]string) {
				edit(t, name, func(d *mem.Database) { d.Labels = maps.Clone(labels) })
			},
			Remove: func(_ testing.TB, name string) { mem.Databases(cloud).Remove(account, name) },
			Stop:   func(t testing.TB, name string) { edit(t, name, func(d *mem.Database) { d.Stopped = true }) },
			Password: func(t testing.TB, name string) (p string) {
				edit(t, name, func(d *mem.Database) { p = d.Password })
				return p
			},
			Hide:   fault(mem.Unreadable),
			Refuse: fault(mem.FieldRefused),
		},
	}
}
