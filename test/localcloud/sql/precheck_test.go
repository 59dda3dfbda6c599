package sql_test

import (
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/test/localcloud"
	"github.com/mooring-dev/mooring/test/localcloud/check"
	"github.com/mooring-dev/mooring/test/localcloud/sdk"
)

// preCheckTo is a request to check an upgrade to a version.
func preCheckTo(version string) *sqladmin.InstancesPreCheckMajorVersionUpgradeRequest {
	return &sqladmin.InstancesPreCheckMajorVersionUpgradeRequest{PreCheckMajorVersionUpgradeContext: &sqladmin.PreCheckMajorVersionUpgradeContext{TargetDatabaseVersion: version}}
}

// TestSQLPreCheck: a check shows what it finds once it is done, changes nothing, and an upgrade fails of what is an error.
func TestSQLPreCheck(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{Durations: localcloud.Durations{Modify: time.Minute}})
	in := sdk.Orders()
	in.DatabaseVersion = "POSTGRES_16"
	g.Create(t, in)
	checked := func(version string) *sqladmin.Operation {
		t.Helper()
		op := check.Need(g.SQL.Instances.PreCheckMajorVersionUpgrade("acme", "orders", preCheckTo(version)).Do())(t)
		if op.Status != "PENDING" || op.OperationType != "PRE_CHECK_MAJOR_VERSION_UPGRADE" || op.PreCheckMajorVersionUpgradeContext.TargetDatabaseVersion != version ||
			op.PreCheckMajorVersionUpgradeContext.PreCheckResponse != nil {
			t.Errorf("the answer is %+v", op)
		}
		g.Clock.Advance(time.Minute)
		return check.Need(g.SQL.Operations.Get("acme", op.Name).Do())(t)
	}
	if op := checked("POSTGRES_17"); op.Status != "DONE" || op.Error != nil || op.PreCheckMajorVersionUpgradeContext.PreCheckResponse != nil {
		t.Errorf("without a finding: %+v", op)
	}
	finding := &sqladmin.PreCheckResponse{MessageType: "ERROR", Message: "An extension is in the way.", ActionsRequired: []string{"Drop it."}}
	if !g.SetSQLPreCheck("acme", "orders", finding) || g.SetSQLPreCheck("acme", "none", finding) {
		t.Error("which instance there is was not told")
	}
	op := checked("POSTGRES_18")
	if got := op.PreCheckMajorVersionUpgradeContext.PreCheckResponse; op.Status != "DONE" || op.Error != nil || len(got) != 1 || got[0].Message != finding.Message || got[0].MessageType != "ERROR" || len(got[0].ActionsRequired) != 1 {
		t.Errorf("with a finding: %+v", op)
	}
	if got := g.Orders(t); got.DatabaseVersion != "POSTGRES_16" || got.State != "RUNNABLE" {
		t.Errorf("after the checks: %+v", got)
	}
	upgrade := func() *sqladmin.Operation {
		t.Helper()
		op := check.Need(g.SQL.Instances.Patch("acme", "orders", &sqladmin.DatabaseInstance{DatabaseVersion: "POSTGRES_17"}).Do())(t)
		g.Clock.Advance(time.Minute)
		return check.Need(g.SQL.Operations.Get("acme", op.Name).Do())(t)
	}
	if op := upgrade(); op.Error == nil || g.Orders(t).DatabaseVersion != "POSTGRES_16" {
		t.Errorf("an upgrade with an error in its way: %+v", op)
	}
	g.SetSQLPreCheck("acme", "orders", &sqladmin.PreCheckResponse{MessageType: "WARNING", Message: "It takes long."})
	if op := upgrade(); op.Error != nil || g.Orders(t).DatabaseVersion != "POSTGRES_17" {
		t.Errorf("an upgrade with a warning: %+v", op)
	}
	g.Faults.Add(localcloud.Fault{Filter: localcloud.Filter{Operation: "instances.preCheckMajorVersionUpgrade"}, Kind: localcloud.FailLate, Times: 1})
	if op := checked("POSTGRES_18"); op.Error == nil || op.PreCheckMajorVersionUpgradeContext.PreCheckResponse != nil {
		t.Errorf("a check that fails: %+v", op)
	}
}

// TestSQLPreCheckRefusals are of checks that there can't be; a primary is checked, and finds its replicas.
func TestSQLPreCheckRefusals(t *testing.T) {
	g := sdk.StartGCP(t, localcloud.Options{})
	g.Create(t, sdk.Recoverable())
	check.Need(g.SQL.Instances.Insert("acme", sdk.ReplicaOf("orders", "copy")).Do())(t)
	version := g.Orders(t).DatabaseVersion
	for name, test := range map[string]struct {
		instance, body, reason string
		status                 int
	}{
		"no such instance": {"none", `{"preCheckMajorVersionUpgradeContext": {"targetDatabaseVersion": "POSTGRES_18"}}`, "instanceDoesNotExist", 404},
		"no context":       {"orders", `{}`, "invalid", 400},
		"no version":       {"orders", `{"preCheckMajorVersionUpgradeContext": {}}`, "invalid", 400},
		"its own version":  {"orders", `{"preCheckMajorVersionUpgradeContext": {"targetDatabaseVersion": "` + version + `"}}`, "invalid", 400},
		"earlier version":  {"orders", `{"preCheckMajorVersionUpgradeContext": {"targetDatabaseVersion": "POSTGRES_9_6"}}`, "invalid", 400},
		"another engine":   {"orders", `{"preCheckMajorVersionUpgradeContext": {"targetDatabaseVersion": "MYSQL_8_4"}}`, "invalid", 400},
		"a runtime":        {"orders", `{"preCheckMajorVersionUpgradeContext": {"targetDatabaseVersion": "POSTGRES_18", "maxRuntime": "60s"}}`, "invalid", 400},
		"a replica":        {"copy", `{"preCheckMajorVersionUpgradeContext": {"targetDatabaseVersion": "POSTGRES_18"}}`, "errorReadReplicaInvalidOperation", 400},
	} {
		t.Run(name, func(t *testing.T) {
			sdk.WantGCP(t, g.Send(t, "POST", "/v1/projects/acme/instances/"+test.instance+"/preCheckMajorVersionUpgrade", test.body, nil), test.status, test.reason)
		})
	}
	op := check.Need(g.SQL.Instances.PreCheckMajorVersionUpgrade("acme", "orders", preCheckTo("POSTGRES_18")).Do())(t)
	if got := check.Need(g.SQL.Operations.Get("acme", op.Name).Do())(t).PreCheckMajorVersionUpgradeContext.PreCheckResponse; len(got) != 1 || got[0].MessageType != "ERROR" {
		t.Errorf("a primary's check finds %+v", got)
	}
}
