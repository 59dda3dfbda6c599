package aws_test

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/fieldedit"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// The suites run side by side, each with a cloud of its own.
func TestConformance(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, harness(t))
}

// The driver passes the whole suite also where nothing but messages reaches it: even the endpoint comes with the config.
func TestConformanceEncoded(t *testing.T) {
	t.Parallel()
	h := harness(t)
	h.Driver = drivertest.Encoded(t, aws.New(aws.Options{CallTimeout: 2 * time.Minute}))
	drivertest.Run(t, h)
}

// The host records every request once, with its end, also when nothing but messages reaches the driver. So it is with keys and with a
// web identity, for whose tokens the host is asked too.
func TestRequestsAreRecordedEncoded(t *testing.T) {
	for name, config := range map[string]func(*reach) driver.Opening{
		"keys": func(r *reach) driver.Opening {
			return driver.Opening{Config: driver.Config{Location: awstest.Region}, Credentials: r.Keys(awstest.Account)}
		},
		"a role":       (*reach).assuming,
		"web identity": (*reach).web,
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReachWith(t, localcloud.Options{InstanceQuota: -1}), &drivertest.Witness{}
			cfg := config(r)
			cfg.Host = w.Host(cfg.Host)
			d := drivertest.Encoded(t, aws.New(aws.Options{Endpoint: r.AWSEndpoint(), Now: r.clock.Now}))
			session, err := d.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			r.Session = session
			if _, err := r.Session.Identity(drivertest.Caller(t)); err != nil {
				t.Fatal(err)
			}
			r.lead(t)
			w.Verify(t, r.reached(t), map[driver.Code]int{driver.NotFound: 4}) // looked for before, and after
		})
	}
}

// trials make what the suite tries of each kind. The file of each kind adds its own.
var trials []func(b *backdoor, region string) drivertest.Trial

func trialsOf(b *backdoor, region string) (all []drivertest.Trial) {
	for _, trial := range trials {
		all = append(all, trial(b, region))
	}
	return all
}

func harness(t *testing.T) drivertest.Harness { return harnessWith(t, trialsOf) }

// harnessOf has other fields of databases, and no other kind.
func harnessOf(t *testing.T, of func(region string) fieldedit.Kind[v1alpha1.DatabaseParameters]) drivertest.Harness {
	return harnessWith(t, func(b *backdoor, region string) []drivertest.Trial {
		kind := Instances(b, region)
		kind.Full, kind.Fields = of(region).Full, of(region).Fields
		if full := kind.Full(); *full.Engine != v1alpha1.EnginePostgres {
			parameters := kind.Cloud.Entries["parameters"]
			parameters.Other, parameters.Theirs = "slow_query_log", "1"
			kind.Cloud.Entries["parameters"] = parameters
		}
		return []drivertest.Trial{kind}
	})
}

func harnessWith(t *testing.T, kinds func(b *backdoor, region string) []drivertest.Trial) drivertest.Harness {
	const region = "us-east-1" // where S3 is oddest
	w := awstest.NewIn(t, region, localcloud.Options{Durations: localcloud.Durations{
		Create: 8 * time.Minute, Modify: 4 * time.Minute, Delete: 4 * time.Minute, Snapshot: 6 * time.Minute,
		ModifyOnset: 20 * time.Second,
	}, InstanceQuota: -1})
	b := &backdoor{Environment: w}
	theirs := driver.Opening{Config: driver.Config{Location: region}, Credentials: w.Keys(awstest.Other)}
	nobodys := driver.Opening{Config: driver.Config{Location: region}, Credentials: w.Keys("333333333333")}
	_, secret := w.AWSKeys(awstest.Account)
	h := drivertest.Harness{
		Driver: aws.New(aws.Options{Endpoint: w.AWSEndpoint(), CallTimeout: 2 * time.Minute}), // longer than the suite's grace
		Config: driver.Opening{
			Config:      driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: region}}, Location: region},
			Credentials: w.Keys(awstest.Account),
		},
		Account: awstest.Account,
		Other:   &theirs,
		Empty:   &nobodys,
		PageSize: func(n int) (lift func()) {
			w.SetPageLimit(n)
			return func() { w.SetPageLimit(0) }
		},
		Refused: map[string]driver.Opening{
			"no region":    {Credentials: w.Keys(awstest.Account)},
			"no keys":      {Config: driver.Config{Location: region}, Credentials: map[string][]byte{}},
			"a program":    {Config: driver.Config{Location: region}, Credentials: map[string][]byte{"credential_process": []byte("/bin/canary")}},
			"half the key": {Config: driver.Config{Location: region}, Credentials: map[string][]byte{v1alpha1.SecretKeyAWSAccessKeyID: []byte("AKIACANARY")}},
		},
		Secrets: []string{secret},
		Now:     w.Clock.Now,
		Finish:  func(testing.TB) { w.Clock.Advance(time.Hour) },
		Calls:   b.calls, Disrupted: w.Ledger.Disruptions,
		Fail:  b.fail,
		Kinds: kinds(b, region),
	}
	// The endpoint is in each config, so that a driver that gets nothing but messages finds it too.
	for _, with := range []*driver.Opening{&h.Config, h.Other, h.Empty} {
		with.Endpoint = w.AWSEndpoint()
	}
	return h
}

// A backdoor is how the suite reaches the cloud behind the driver's back. Its calls do not count.
type backdoor struct {
	*awstest.Environment
	own drivertest.Calls
}

func (b *backdoor) total() drivertest.Calls {
	return drivertest.Calls{
		Reads:  b.Ledger.Count(localcloud.Filter{Write: localcloud.Reads}),
		Writes: b.Ledger.Count(localcloud.Filter{Write: localcloud.Writes}),
	}
}

func (b *backdoor) calls() drivertest.Calls {
	all := b.total()
	return drivertest.Calls{Reads: all.Reads - b.own.Reads, Writes: all.Writes - b.own.Writes}
}

// uncounted begins work behind the driver's back; its result ends it.
func (b *backdoor) uncounted() (done func()) {
	before := b.total()
	return func() {
		after := b.total()
		b.own.Reads += after.Reads - before.Reads
		b.own.Writes += after.Writes - before.Writes
	}
}

func (b *backdoor) fail(f drivertest.Fault) (lift func()) {
	var lifts []func()
	add := func(side localcloud.Side) {
		lifts = append(lifts, b.Faults.Add(localcloud.Fault{
			Filter: localcloud.Filter{Write: side}, Kind: localcloud.FaultKind(f.Kind), Skip: f.Skip,
		}))
	}
	switch {
	case f.Reads && f.Writes:
		add(localcloud.Any)
	case f.Reads:
		add(localcloud.Reads)
	case f.Writes:
		add(localcloud.Writes)
	}
	return func() {
		for _, lift := range lifts {
			lift()
		}
		if f.Kind == drivertest.Hang {
			b.settleLedger()
		}
	}
}

// settleLedger waits until calls that hung are in the ledger: that is when the cloud notices that the caller has gone.
func (b *backdoor) settleLedger() {
	for end := time.Now().Add(5 * time.Minute); b.Faults.Hanging() > 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
}

// only makes one operation fail for one object.
func (b *backdoor) only(name, operation string) (lift func()) {
	if operation == "" {
		return nil
	}
	return b.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation, Resource: name}, Kind: localcloud.Denied})
}

// denied makes the calls of an operation fail whose bodies have a part; nil if no operation is named.
func (b *backdoor) denied(operation, body string) (lift func()) {
	if operation == "" {
		return nil
	}
	return b.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: operation}, Body: body, Kind: localcloud.Denied})
}
