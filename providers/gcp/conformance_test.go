package gcp_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/gcp"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The suites run side by side, each with a cloud of its own.
func TestConformance(t *testing.T) {
	t.Parallel()
	t.Run("at once", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, harness(t, localcloud.Durations{}))
	})
	t.Run("taking time", func(t *testing.T) {
		t.Parallel()
		drivertest.Run(t, harness(t, localcloud.Durations{
			Create: 5 * time.Minute, Modify: time.Minute, Delete: 2 * time.Minute, Snapshot: 3 * time.Minute,
		}))
	})
}

// The driver passes the whole suite also where nothing but messages reaches it.
func TestConformanceEncoded(t *testing.T) {
	t.Parallel()
	h := harness(t, localcloud.Durations{Create: 5 * time.Minute, Modify: time.Minute, Delete: 2 * time.Minute, Snapshot: 3 * time.Minute})
	h.Driver = drivertest.Encoded(t, h.Driver)
	drivertest.Run(t, h)
}

// trials make what the suite tries of each kind. The file of each kind adds its own.
var trials []func(c *cloud) drivertest.Trial

func trialsOf(c *cloud) (all []drivertest.Trial) {
	for _, trial := range trials {
		all = append(all, trial(c))
	}
	return all
}

func harness(t *testing.T, durations localcloud.Durations) drivertest.Harness {
	return harnessWith(t, durations, trialsOf)
}

func harnessWith(t *testing.T, durations localcloud.Durations, kinds func(c *cloud) []drivertest.Trial) drivertest.Harness {
	c := newCloud(t, durations)
	ours, other, empty := c.config(project), c.config("somebody-else"), c.config("nobody-at-all")
	withKey := func(key string) driver.Opening {
		cfg := c.config(project)
		cfg.Credentials = map[string][]byte{v1alpha1.SecretKeyGCPCredentials: []byte(key)}
		return cfg
	}
	noProject := c.config(project)
	noProject.Account = v1alpha1.Account{AWS: &v1alpha1.AWSAccount{}}
	return drivertest.Harness{
		Driver: gcp.New(gcp.Options{
			Endpoint: c.GCPEndpoint(), Transport: c.sent, Now: c.clock.Now, CallTimeout: 2 * time.Minute, // longer than the suite's grace
		}),
		Config: ours, Account: project, Other: &other, Empty: &empty,
		PageSize: func(n int) (lift func()) {
			c.SetPageLimit(n)
			return func() { c.SetPageLimit(0) }
		},
		Refused: map[string]driver.Opening{
			"no key":                {Config: driver.Config{Account: ours.Account}, Credentials: map[string][]byte{}},
			"not JSON":              withKey("canary-1"),
			"a key that names URLs": withKey(`{"type":"external_account","token_url":"http://evil.invalid","credential_source":{"executable":{"command":"canary-2"}}}`),
			"a user's key":          withKey(`{"type":"authorized_user","refresh_token":"canary-3"}`),
			"a broken private key":  withKey(`{"type":"service_account","client_email":"a@b","private_key":"canary-4"}`),
			"no project":            noProject,
		},
		Secrets:   []string{string(ours.Credentials[v1alpha1.SecretKeyGCPCredentials]), "canary-"},
		Now:       c.clock.Now,
		Finish:    c.settle,
		Disrupted: c.Ledger.Disruptions,
		Calls: func() drivertest.Calls {
			return drivertest.Calls{Reads: c.count(localcloud.Reads), Writes: c.count(localcloud.Writes)}
		},
		Fail:  c.fail,
		Kinds: kinds(c),
	}
}

func (c *cloud) fail(f drivertest.Fault) (lift func()) {
	fault := localcloud.Fault{Skip: f.Skip, Kind: localcloud.FaultKind(f.Kind)}
	switch {
	case f.Reads && !f.Writes:
		fault.Write = localcloud.Reads
	case f.Writes && !f.Reads:
		fault.Write = localcloud.Writes
	}
	var lifts []func()
	for _, service := range []string{"storage", "sqladmin"} {
		fault.Service = service
		lifts = append(lifts, c.Faults.Add(fault))
	}
	return func() {
		for _, lift := range lifts {
			lift()
		}
	}
}

// denied makes the calls of an operation fail whose bodies have a parameter; nil if no operation or, of a patch, no parameter is named.
func (c *cloud) denied(operation, parameter string) (lift func()) {
	if operation == "" || parameter == "" && strings.HasSuffix(operation, ".patch") {
		return nil
	}
	if parameter != "" {
		parameter = `"` + parameter + `"`
	}
	return c.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation}, Body: parameter, Kind: localcloud.Denied})
}

// fill puts objects into a bucket, the last in two versions if the bucket keeps versions.
