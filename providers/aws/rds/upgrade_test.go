package rds_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const regTypes = "fatal : pg_upgrade reported failure for check_for_reg_data_type_usage"

// RDS looks for what is in the way of a major version in the course of the upgrade, and an event alone says what it found. It is told until somebody asks for another try.
func TestUpgradeThatRDSRefuses(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	w.Now = w.Clock.Now
	w.Session = w.Open(awstest.Account, awstest.Region)
	req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.Backup.RetentionDays = new(int32(7)) })
	w.createDatabase(&req)
	if !w.SetRDSUpgradeObstacle(awstest.Account, awstest.Region, req.Name, regTypes) {
		t.Fatal("there is no instance")
	}
	req.Spec.Version = new("17")
	seen := w.database(req)
	if seen.OperationError != nil || w.asked("DescribeEvents") > 0 {
		t.Errorf("before the upgrade: %v, by the calls %v", seen.OperationError, w.Operations())
	}
	upgrade := func() {
		t.Helper()
		before := req.Operation
		result, err := w.attempts(&req, seen.Changes...)
		if err != nil || len(result.Failed) > 0 || result.Operation == "" || result.Operation == before {
			t.Fatalf("an upgrade is answered with %+v, %v; the operation before is %q", result, err, before)
		}
		req.Operation = result.Operation
		if seen := w.database(req); seen.State != driver.Pending || seen.OperationError != nil || seen.Operation != req.Operation {
			t.Errorf("during the upgrade: %v, operation %q, %v", seen.State, seen.Operation, seen.OperationError)
		}
		w.Clock.Advance(time.Hour)
	}
	upgrade()
	for range 2 {
		seen := w.database(req)
		if e := seen.OperationError; e == nil || e.Code != driver.Invalid || !strings.Contains(e.Message, regTypes+"; the log files of the instance with pg_upgrade in their names") ||
			seen.State != driver.Ready || len(seen.Changes) != 1 || seen.Operation != req.Operation {
			t.Fatalf("after an upgrade that was refused: %v, %+v", e, seen)
		}
	}
	denied := w.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "DescribeEvents"}, Kind: localcloud.Denied})
	if seen := w.database(req); seen.OperationError == nil || !strings.Contains(seen.OperationError.Message, "Mooring may not read them: that takes rds:DescribeEvents") || seen.Operation != req.Operation {
		t.Errorf("without the right to read events: %v, operation %q", seen.OperationError, seen.Operation)
	}
	denied()
	for name, edit := range map[string]func(*request){
		"while it is deleted":         func(r *request) { r.Deletion = &driver.Deletion{} },
		"another version is wanted":   func(r *request) { r.Spec.Version = new("16") },
		"nobody knows of the upgrade": func(r *request) { r.Operation = "" },
		"another operation":           func(r *request) { r.Operation = "upgrade-to-17" },
		"it was asked for since":      func(r *request) { r.Operation = fmt.Sprintf("upgrade-to-17-%d", w.Clock.Now().Unix()) },
		"a server beside is to come":  func(r *request) { r.Beside = true },
	} {
		other := req
		if edit(&other); w.database(other).OperationError != nil {
			t.Errorf("%s: what was refused is told", name)
		}
	}
	// RDS has not begun, or the read is old.
	justNow := req
	justNow.Operation = fmt.Sprintf("upgrade-to-17-%d", w.Clock.Now().Add(-2*time.Minute).Unix())
	if seen := w.database(justNow); seen.State != driver.Pending || !seen.Available || seen.Operation != justNow.Operation || seen.OperationError != nil {
		t.Errorf("right after it was asked for: %v, operation %q, %v", seen.State, seen.Operation, seen.OperationError)
	}
	// Whatever RDS keeps of events, what was refused stays refused.
	w.Clock.Advance(15 * 24 * time.Hour)
	if seen := w.database(req); seen.OperationError == nil || !strings.Contains(seen.OperationError.Message, "no longer do") || seen.Operation != req.Operation || !slices.Equal(seen.Applied["version"], []string{"16.4"}) {
		t.Errorf("after 15 days: %v, operation %q, applied is %q", seen.OperationError, seen.Operation, seen.Applied["version"])
	}
	upgrade()
	if seen := w.database(req); seen.OperationError == nil || !strings.Contains(seen.OperationError.Message, regTypes) || seen.Operation != req.Operation {
		t.Errorf("another upgrade that was refused: %v, the operation is %q", seen.OperationError, seen.Operation)
	}
	w.SetRDSUpgradeObstacle(awstest.Account, awstest.Region, req.Name, "")
	upgrade()
	if seen := w.database(req); seen.OperationError != nil || seen.Operation != "" || len(seen.Changes) > 0 {
		t.Errorf("after the upgrade: %v, %+v", seen.OperationError, seen.Changes)
	}
}
