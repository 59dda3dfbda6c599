package rds_test

import (
	"sync"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/aws"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const askForVersions = "DescribeDBMajorEngineVersions"

// RDS is asked once a day for each engine, and once an hour as long as it refuses or does not answer. That is no error of an observation, and what it said last stays.
func TestDatabaseSupportIsAskedForOnceADay(t *testing.T) {
	for name, fault := range map[string]localcloud.FaultKind{"denied": localcloud.Denied, "failing": localcloud.ServerError} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{})
			w.Session = w.openByClock()
			postgres, other, maria := awstest.DatabaseOf("shop-orders", nil), awstest.DatabaseOf("shop-bills", nil), awstest.DatabaseOf("shop-wiki", nil)
			maria.Spec.Engine, maria.Spec.Version = new(v1alpha1.EngineMariaDB), new("11.4")
			all := []*request{&postgres, &other, &maria}
			lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: askForVersions}, Kind: fault})
			for _, req := range all {
				w.createDatabase(req)
			}
			before := 0
			asked := func() (since int) {
				all := len(w.Ledger.Calls(localcloud.Filter{Operation: askForVersions}))
				since, before = all-before, all
				return since
			}
			look := func() (seen []driver.Support) {
				for _, req := range all {
					req.NotBefore = w.Clock.Now()
					o := w.database(*req)
					if o.State != driver.Ready || len(o.Unreadable) > 0 || o.Support == nil || o.Support.CertificateExpires.IsZero() {
						t.Fatalf("%s is %v, with %v and %+v", req.Name, o.State, o.Unreadable, o.Support)
					}
					seen = append(seen, *o.Support)
				}
				return seen
			}
			w.Clock.Advance(2 * time.Hour)
			asked() // those before do not count
			for _, s := range look() {
				if !s.Unread || !s.StandardUntil.IsZero() || !s.ExtendedUntil.IsZero() || s.Version == "" {
					t.Errorf("while RDS does not answer: %+v", s)
				}
			}
			look()
			engines := map[localcloud.FaultKind]int{localcloud.Denied: 1, localcloud.ServerError: 2}[fault]
			if n := asked(); n != engines {
				t.Errorf("RDS was asked %d times within an hour, want %d", n, engines)
			}
			lift()
			look()
			if n := asked(); n != 0 {
				t.Errorf("within the hour after it failed RDS was asked %d times", n)
			}
			w.Clock.Advance(61 * time.Minute)
			for range 23 { // hours
				seen := look()
				for _, s := range seen {
					if s.Unread || s.StandardUntil.IsZero() || s.StandardUntil.Location() != time.UTC {
						t.Errorf("once RDS answers: %+v", s)
					}
				}
				if seen[0].ExtendedUntil.Before(seen[0].StandardUntil) || !seen[2].ExtendedUntil.IsZero() || seen[2].Version != "11.4" || seen[0].StandardUntil != seen[1].StandardUntil {
					t.Errorf("it says %+v", seen)
				}
				w.Clock.Advance(time.Hour)
			}
			if n := asked(); n != 2 {
				t.Errorf("in a day RDS was asked %d times for two engines", n)
			}
			w.Clock.Advance(2 * time.Hour)
			w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: askForVersions}, Kind: fault})
			for _, s := range look() {
				if !s.Unread || s.StandardUntil.IsZero() {
					t.Errorf("when RDS no longer answers: %+v", s)
				}
			}
		})
	}
}

// Where a person asks for the observation of one database and RDS answers, it is asked for the other engines too.
func TestDatabaseSupportOnceGrantedIsForAllEngines(t *testing.T) {
	for name, fault := range map[string]localcloud.FaultKind{"denied": localcloud.Denied, "failing": localcloud.ServerError} {
		w := newEnvironment(t, localcloud.Options{})
		w.Session = w.openByClock()
		postgres, maria := awstest.DatabaseOf("shop-orders", nil), awstest.DatabaseOf("shop-wiki", nil)
		maria.Spec.Engine, maria.Spec.Version = new(v1alpha1.EngineMariaDB), new("11.4")
		lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: askForVersions}, Kind: fault})
		for _, req := range []*request{&postgres, &maria} {
			w.createDatabase(req)
		}
		look := func(req request) *driver.Support {
			req.NotBefore = w.Clock.Now()
			return w.database(req).Support
		}
		w.Clock.Advance(2 * time.Hour)
		look(postgres)
		look(maria)
		lift()
		w.Clock.Advance(time.Minute)
		if s := look(maria); s == nil || !s.Unread {
			t.Errorf("%s: nobody asked, and RDS was: %+v", name, s)
		}
		postgres.AskedAt = w.Clock.Now()
		for _, req := range []request{postgres, maria} {
			if s := look(req); s == nil || s.Unread || s.StandardUntil.IsZero() {
				t.Errorf("%s: %s has %+v", name, req.Name, s)
			}
		}
	}
}

// Databases that are looked at at the same time make one call together.
func TestDatabaseSupportIsAskedForTogether(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{})
	w.Session = w.openByClock()
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	w.Clock.Advance(25 * time.Hour)
	req.NotBefore = w.Clock.Now()
	before := len(w.Ledger.Calls(localcloud.Filter{Operation: askForVersions}))
	var looks sync.WaitGroup
	for range 20 {
		looks.Go(func() { w.database(req) })
	}
	looks.Wait()
	if n := len(w.Ledger.Calls(localcloud.Filter{Operation: askForVersions})) - before; n != 1 {
		t.Errorf("RDS was asked %d times", n)
	}
}

// openByClock opens a session that has the cloud's clock.
func (w *environment) openByClock() driver.Session {
	w.T.Helper()
	conn, err := aws.New(aws.Options{Endpoint: w.AWSEndpoint(), Now: w.Clock.Now}).Open(w.T.Context(), driver.Opening{
		Config:      driver.Config{Account: v1alpha1.Account{AWS: &v1alpha1.AWSAccount{Region: awstest.Region}}, Location: awstest.Region},
		Credentials: w.Keys(awstest.Account),
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return conn
}
