package rds_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// A server that does not start with its parameters is restarted once they are corrected, also if the first restart gets lost, and nobody is asked for that.
// Nothing is sent meanwhile that RDS refuses then.
func TestDatabaseUnfit(t *testing.T) {
	for name, corrected := range map[string]parameters{"another value": {"shared_buffers": "16384"}, "none": {}, "a dynamic one beside": {"shared_buffers": "16384", "work_mem": "64"}} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-unfit", withParameters(parameters{"work_mem": "4096"}))
			w.createDatabase(&req)
			w.settle(&req)
			req.Spec.Parameters = parameters{"shared_buffers": "262144", "work_mem": "4096"} // 2 GiB, and the class has 1 GiB
			w.updateDatabase(req, w.database(req).Changes...)
			w.Clock.Advance(time.Hour)
			req.Spec.Backup.RetentionDays = new(int32(9))
			seen := w.database(req)
			if seen.State != driver.Ready || seen.Available || !strings.Contains(seen.Problem, "incompatible-parameters") {
				t.Fatalf("%+v", seen)
			}
			wantRestart := func() {
				t.Helper()
				if seen = w.database(req); len(seen.Changes) != 1 || seen.Changes[0].Field != "parameters" || seen.Changes[0].Effect != driver.Online {
					t.Fatalf("it changes %+v", seen.Changes)
				}
				req.Applied = seen.Applied
			}
			wantRestart()
			req.Spec.Parameters = corrected
			wantRestart()
			lift := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "RebootDBInstance"}, Kind: localcloud.ServerError})
			if result, err := drivertest.Databases(w.Session).Update(context.Background(), req, driver.Edit{Changes: seen.Changes}); err == nil && len(result.Failed) == 0 {
				t.Error("the restart that was refused is no error")
			}
			lift()
			wantRestart()
			w.Ledger.Reset()
			w.updateDatabase(req, seen.Changes...)
			if got := w.Operations(); !slices.Contains(got, "RebootDBInstance") || slices.Contains(got, "ModifyDBInstance") {
				t.Errorf("calls %q", got)
			}
			w.Clock.Advance(time.Hour)
			w.settle(&req)
			if seen := w.database(req); !seen.Available || seen.Problem != "" || len(seen.Changes) > 0 {
				t.Errorf("at the end: %+v", seen)
			}
		})
	}
}

// Where a stopped server finds no machine, another class is no advice.
func TestDatabaseStartsWithoutCapacity(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-start", nil)
	w.createDatabase(&req)
	req.Spec.PowerState = new(v1alpha1.PowerStateStopped)
	w.settle(&req)
	w.LimitRDS(awstest.Account, localcloud.RDSLimits{NoCapacity: []string{*req.Spec.AWS.InstanceClass}})
	req.Spec.PowerState = new(v1alpha1.PowerStateRunning)
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 {
		t.Fatalf("%v, failed %v", err, result.Failed)
	}
	awstest.WantCode(t, result.Failed[0].Err, driver.Capacity)
	if said := result.Failed[0].Err.Error(); strings.Contains(said, "choose another class") {
		t.Error(said)
	}
}
