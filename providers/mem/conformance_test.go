package mem_test

import (
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
	t.Run("encoded", func(t *testing.T) {
		h := harness(mem.Options{CreateFor: 5 * time.Minute, ModifyFor: time.Minute, DeleteFor: 2 * time.Minute, SnapshotFor: 3 * time.Minute})
		h.Driver = drivertest.Encoded(t, h.Driver)
		drivertest.Run(t, h)
	})
	t.Run("taking time", func(t *testing.T) {
		drivertest.Run(t, harness(mem.Options{CreateFor: 5 * time.Minute, ModifyFor: time.Minute, DeleteFor: 2 * time.Minute, SnapshotFor: 3 * time.Minute}))
	})
}

// trials make what the suite tries of each kind. The file of each kind adds its own.
var trials []func(cloud *mem.Cloud) drivertest.Trial

func trialsOf(cloud *mem.Cloud) (all []drivertest.Trial) {
	for _, trial := range trials {
		all = append(all, trial(cloud))
	}
	return all
}

func harness(opts mem.Options) drivertest.Harness {
	h, _ := harnessOf(opts)
	return h
}

// harnessOf returns a harness, and the cloud behind it.
func harnessOf(opts mem.Options) (drivertest.Harness, *mem.Cloud) {
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
		Finish:   func(testing.TB) { c.advance(time.Hour) },
		Calls: func() drivertest.Calls {
			return drivertest.Calls{Reads: cloud.Count(mem.Filter{Access: mem.Reads}), Writes: cloud.Count(mem.Filter{Access: mem.Writes})}
		},
		Fail:     func(f drivertest.Fault) (lift func()) { return cloud.Fail(faultOf(f)) },
		Patience: 100 * time.Millisecond,
		Kinds:    trialsOf(cloud),
	}, cloud
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
	case drivertest.ServerError, drivertest.Page, drivertest.Blank, drivertest.ForeignXML, drivertest.ForeignJSON, drivertest.Cut: // no answers go over a wire
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
