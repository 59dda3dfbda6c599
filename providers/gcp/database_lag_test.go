package gcp_test

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

var askForLag = localcloud.Filter{Service: "monitoring", Operation: "timeSeries.list"}

// follow makes a primary and a read replica of it.
func (c *cloud) follow(t testing.TB) (x table.External[v1alpha1.DatabaseParameters], primary, replica databaseRequest) {
	t.Helper()
	primary = c.primary(t, v1alpha1.EnginePostgres, nil)
	replica = follower("reports", primary, nil)
	c.replicate(t, &replica)
	c.settle(t)
	return drivertest.Databases(c.open(t)), primary, replica
}

// lag observes a replica, which works, and returns its lag.
func (c *cloud) lag(t testing.TB, x table.External[v1alpha1.DatabaseParameters], req databaseRequest) *time.Duration {
	t.Helper()
	o := c.look(t, x, &req)
	if o.State != driver.Ready || !o.Available || o.Replication.GetFollows() == nil || len(o.Unreadable) > 0 {
		t.Fatalf("the replica is %v, available: %t, and follows %+v; unreadable: %v", o.State, o.Available, o.Replication.GetFollows(), o.Unreadable)
	}
	return o.Replication.GetFollows().Lag
}

// The lag of a read replica costs one call of each observation. Of others nobody asks for it.
func TestLagOfReplica(t *testing.T) {
	c := newCloud(t, slow)
	x, primary, replica := c.follow(t)
	asked := func(of string) int {
		f := askForLag
		f.Resource = of
		return len(c.Ledger.Calls(f))
	}
	before := asked(replica.Name)
	if got := c.lag(t, x, replica); got == nil || *got != 0 {
		t.Errorf("up to date it lags by %v", got)
	}
	c.SetSQLReplicaLag(project, replica.Name, 4000.5, 3940)
	if got := c.lag(t, x, replica); got == nil || *got != 4000500*time.Millisecond {
		t.Errorf("behind it lags by %v", got)
	}
	c.SetSQLReplicaLag(project, replica.Name, -1)
	if got := c.lag(t, x, replica); got != nil {
		t.Errorf("a replica that repeats nothing lags by %s", *got)
	}
	if n := asked(replica.Name) - before; n != 3 {
		t.Errorf("three observations asked %d times for the lag", n)
	}
	c.look(t, x, &primary)
	going := replica
	going.Deletion = &driver.Deletion{}
	c.look(t, x, &going)
	if n := asked(""); n != asked(replica.Name) || n != before+3 {
		t.Errorf("Cloud Monitoring was asked %d times, %d times of the replica; want it asked of a replica that stays alone", n, asked(replica.Name))
	}
	if result, err := x.Do(t.Context(), replica, promotes); err != nil || len(result.Failed) > 0 {
		t.Fatalf("promotion: %v, failed %v", err, result.Failed)
	}
	c.settle(t)
	before = asked("")
	if o := c.look(t, x, &replica); o.Replication.GetFollows() != nil || asked("") != before {
		t.Errorf("Cloud Monitoring was asked %d times about a server that was promoted, which follows %+v", asked("")-before, o.Replication.GetFollows())
	}
}

// An observation succeeds where Cloud Monitoring refuses, fails, or does not answer, and leaves it alone for a while.
func TestLagIsOptional(t *testing.T) {
	for name, tt := range map[string]struct {
		fault localcloud.FaultKind
		pause time.Duration
	}{
		"denied": {localcloud.Denied, time.Hour}, "throttled": {localcloud.Throttled, time.Minute},
		"failing": {localcloud.ServerError, time.Minute}, "cut": {localcloud.ResponseLost, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCloud(t, slow)
			x, _, replica := c.follow(t)
			lift := c.Faults.Add(localcloud.Fault{Filter: askForLag, Kind: tt.fault})
			for range 3 {
				if got := c.lag(t, x, replica); got != nil {
					t.Errorf("it lags by %s", *got)
				}
			}
			lift()
			before := len(c.Ledger.Calls(askForLag))
			c.clock.advance(tt.pause - time.Second)
			c.lag(t, x, replica)
			if n := len(c.Ledger.Calls(askForLag)) - before; n != 0 {
				t.Errorf("Cloud Monitoring was asked %d times again within %s", n, tt.pause)
			}
			c.clock.advance(time.Second)
			if got := c.lag(t, x, replica); got == nil || *got != 0 {
				t.Errorf("later it lags by %v", got)
			}
		})
	}
}
