package rds_test

import (
	"testing"
	"time"

	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

var askForLag = localcloud.Filter{Service: "cloudwatch", Operation: "GetMetricData"}

// follow makes a primary and a read replica of it, by a session that has the cloud's clock.
func (w *environment) follow() (primary, replica request) {
	w.T.Helper()
	w.Session = w.openByClock()
	primary = awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&primary)
	replica = follower("shop-reports", primary, nil)
	w.replicate(&replica)
	w.Clock.Advance(time.Hour)
	return primary, replica
}

// lag observes a replica, which works, and returns its lag.
func (w *environment) lag(req request) *time.Duration {
	w.T.Helper()
	req.NotBefore = w.Clock.Now()
	o := w.database(req)
	if o.State != driver.Ready || !o.Available || o.Replication.GetFollows() == nil || len(o.Unreadable) > 0 {
		w.T.Fatalf("the replica is %v, available: %t, and follows %+v; unreadable: %v", o.State, o.Available, o.Replication.GetFollows(), o.Unreadable)
	}
	return o.Replication.GetFollows().Lag
}

func (w *environment) wantLag(when string, req request, want time.Duration) {
	w.T.Helper()
	if got := w.lag(req); got == nil || *got != want {
		w.T.Errorf("%s it lags by %v, want %s", when, got, want)
	}
}

// The lag of a read replica costs one call of each observation. Of others nobody asks for it.
func TestLagOfReplica(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	primary, replica := w.follow()
	asked := func(of string) int {
		f := askForLag
		f.Resource = of
		return len(w.Ledger.Calls(f))
	}
	before := asked(replica.Name)
	w.wantLag("up to date", replica, 0)
	w.SetRDSReplicaLag(awstest.Account, awstest.Region, replica.Name, 4000, 3940)
	w.wantLag("behind", replica, 3940*time.Second)
	if n := asked(replica.Name) - before; n != 2 {
		t.Errorf("two observations asked %d times for the lag", n)
	}
	w.database(primary)
	going := replica
	going.Deletion = &driver.Deletion{}
	w.database(going)
	if n := asked(""); n != asked(replica.Name) || n != before+2 {
		t.Errorf("CloudWatch was asked %d times, %d times of the replica; want it asked of a replica that stays alone", n, asked(replica.Name))
	}
	w.promote(&replica)
	before = asked("")
	w.database(replica)
	if n := asked("") - before; n != 0 {
		t.Errorf("CloudWatch was asked %d times about a server that was promoted", n)
	}
}

// A replica that repeats nothing, or of which CloudWatch has no recent value, has no lag that is known.
func TestLagThatIsNotKnown(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	_, replica := w.follow()
	w.SetRDSReplicaLag(awstest.Account, awstest.Region, replica.Name, -1)
	if got := w.lag(replica); got != nil {
		t.Errorf("a replica that repeats nothing lags by %s", *got)
	}
}

// An observation succeeds where CloudWatch refuses, fails, or does not answer, and leaves it alone for a while.
func TestLagIsOptional(t *testing.T) {
	for name, tt := range map[string]struct {
		fault localcloud.FaultKind
		pause time.Duration
	}{
		"denied": {localcloud.Denied, time.Hour}, "throttled": {localcloud.Throttled, time.Minute},
		"failing": {localcloud.ServerError, time.Minute}, "cut": {localcloud.ResponseLost, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			_, replica := w.follow()
			lift := w.Faults.Add(localcloud.Fault{Filter: askForLag, Kind: tt.fault})
			before := len(w.Ledger.Calls(askForLag))
			for range 3 {
				if got := w.lag(replica); got != nil {
					t.Errorf("it lags by %s", *got)
				}
			}
			lift()
			w.Clock.Advance(tt.pause - time.Second)
			w.lag(replica)
			if n := len(w.Ledger.Calls(askForLag)) - before; n != 1 {
				t.Errorf("CloudWatch was asked %d times within %s", n, tt.pause)
			}
			w.Clock.Advance(time.Second)
			w.wantLag("later", replica, 0)
		})
	}
}
