package gcp_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// An upgradeCase is an instance with version 16 of which version 17 is wanted.
type upgradeCase struct {
	*cloud
	x   table.External[v1alpha1.DatabaseParameters]
	req databaseRequest
}

func wantUpgrade(t *testing.T, edit func(*v1alpha1.DatabaseParameters)) *upgradeCase {
	t.Helper()
	c := newCloud(t, slow)
	req := newDatabase("orders", v1alpha1.EnginePostgres)
	req.Spec.Version = new("16")
	x := c.made(t, &req)
	req.Spec.Version = new("17")
	if edit != nil {
		edit(&req.Spec)
	}
	c.forget()
	return &upgradeCase{c, x, req}
}

// update sends what differs, lets the cloud finish, and returns the calls, in their order, and what waits.
func (u *upgradeCase) update(t testing.TB) (calls []string, waits []string) {
	t.Helper()
	changes := u.look(t, u.x, &u.req).Changes
	before := len(u.writes("sqladmin"))
	result, err := u.x.Update(t.Context(), u.req, driver.Edit{Changes: changes})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range result.Failed {
		if driver.CodeOf(f.Err) != driver.Busy {
			t.Errorf("%s failed: %v, want Busy", f.Field, f.Err)
		}
		waits = append(waits, f.Field)
	}
	if result.Operation != "" {
		u.req.Operation = result.Operation
	}
	u.settle(t)
	return u.writes("sqladmin")[before:], waits
}

func (u *upgradeCase) wantUpdate(t testing.TB, calls, waits string) {
	t.Helper()
	gotCalls, gotWaits := u.update(t)
	if fmt.Sprint(gotCalls) != calls || fmt.Sprint(gotWaits) != waits {
		t.Fatalf("an update made the calls %v, and %v wait; want %s and %s", gotCalls, gotWaits, calls, waits)
	}
}

const (
	checks   = "[instances.preCheckMajorVersionUpgrade]"
	upgrades = "[instances.patch]"
)

var inTheWay = &sqladmin.PreCheckResponse{MessageType: "ERROR", Message: "The extension pgrouting is in the way.", ActionsRequired: []string{"Drop it in shop."}}

// Before another major version Cloud SQL looks for what is in the way. If there is nothing, one more call changes the version, and all else with it.
func TestUpgradeIsCheckedFirst(t *testing.T) {
	u := wantUpgrade(t, func(p *v1alpha1.DatabaseParameters) { p.GCP.Tier = new("db-custom-2-7680") })
	u.SetSQLPreCheck(project, "orders", &sqladmin.PreCheckResponse{MessageType: "WARNING", Message: "There are 12000 tables."})
	changes := u.look(t, u.x, &u.req).Changes
	result, err := u.x.Update(t.Context(), u.req, driver.Edit{Changes: changes})
	if err != nil || len(result.Failed) != 2 || result.Operation == "" || driver.CodeOf(result.Failed[0].Err) != driver.Busy {
		t.Fatalf("%+v, %v; want an operation for which both changes wait", result, err)
	}
	u.req.Operation = result.Operation
	if seen := u.look(t, u.x, &u.req); seen.State != driver.Pending || !seen.Available || seen.Work.What != "looking for what is in the way of an upgrade" {
		t.Errorf("meanwhile it is %v (available %t), at work on %q", seen.State, seen.Available, seen.Work.What)
	}
	u.settle(t)
	seen := u.look(t, u.x, &u.req)
	if seen.State != driver.Ready || seen.Operation != u.req.Operation || seen.OperationError != nil || len(seen.Changes) != 2 || !strings.Contains(seen.Changes[0].Why, "Cloud SQL warns: There are 12000 tables") {
		t.Errorf("after the check: %v, operation %q, %v, %+v", seen.State, seen.Operation, seen.OperationError, seen.Changes)
	}
	u.wantUpdate(t, upgrades, "[]")
	if seen := u.look(t, u.x, &u.req); len(seen.Changes) > 0 || seen.Operation != "" || u.instance(t, "orders").DatabaseVersion != "POSTGRES_17" {
		t.Errorf("after the upgrade: %+v, operation %q", seen.Changes, seen.Operation)
	}
}

// What is in the way is told until somebody asks for another check: before that everything else is changed.
func TestUpgradeWithSomethingInItsWay(t *testing.T) {
	u := wantUpgrade(t, nil)
	u.SetSQLPreCheck(project, "orders", inTheWay)
	u.wantUpdate(t, checks, "[version]")
	for range 2 {
		seen := u.look(t, u.x, &u.req)
		if e := seen.OperationError; e == nil || e.Code != driver.Invalid || seen.Operation != u.req.Operation || !strings.Contains(e.Message, "upgrade to version 17, and found: The extension pgrouting is in the way: Drop it in shop;") {
			t.Fatalf("after the check: %v, operation %q", seen.OperationError, seen.Operation)
		}
		u.clock.advance(48 * time.Hour)
	}
	deleted := u.req
	deleted.Deletion = &driver.Deletion{}
	if seen := u.look(t, u.x, &deleted); seen.OperationError != nil || seen.Operation != "" {
		t.Errorf("while it is deleted: %v, operation %q", seen.OperationError, seen.Operation)
	}
	u.req.Spec.GCP.Tier = new("db-custom-2-7680")
	u.wantUpdate(t, "[instances.patch]", "[version]")
	if got := u.instance(t, "orders"); got.Settings.Tier != "db-custom-2-7680" || got.DatabaseVersion != "POSTGRES_16" {
		t.Errorf("the tier is %s, the version %s", got.Settings.Tier, got.DatabaseVersion)
	}
	u.wantUpdate(t, checks, "[version]")
	u.SetSQLPreCheck(project, "orders")
	u.wantUpdate(t, checks, "[version]")
	u.wantUpdate(t, upgrades, "[]")
	if got := u.instance(t, "orders").DatabaseVersion; got != "POSTGRES_17" {
		t.Errorf("the version is %s", got)
	}
}

// What a check says counts for the version that it was of, and if nothing was in the way for a day. Once nobody wants an upgrade, it is forgotten.
func TestUpgradeCheckGrowsOld(t *testing.T) {
	u := wantUpgrade(t, nil)
	u.wantUpdate(t, checks, "[version]")
	u.clock.advance(25 * time.Hour)
	u.wantUpdate(t, checks, "[version]")
	u.req.Spec.Version = new("18")
	if seen := u.look(t, u.x, &u.req); seen.Operation != "" {
		t.Error("a check of another version rests")
	}
	u.wantUpdate(t, checks, "[version]")
	u.req.Spec.Version = new("16")
	if seen := u.look(t, u.x, &u.req); seen.Operation != "" || len(seen.Changes) > 0 {
		t.Errorf("nobody wants an upgrade, and the operation is %q, the changes %+v", seen.Operation, seen.Changes)
	}
}

// Where Mooring may not have an instance checked, or Cloud SQL can't, the upgrade is begun: Cloud SQL checks in its course. A check that fails is told, and whoever asks again has
// the upgrade begun without it.
func TestUpgradeWithoutCheck(t *testing.T) {
	only := localcloud.Filter{Operation: "instances.preCheckMajorVersionUpgrade"}
	u := wantUpgrade(t, nil)
	u.Faults.Add(localcloud.Fault{Filter: only, Kind: localcloud.Denied})
	u.wantUpdate(t, upgrades, "[]")
	if got := u.instance(t, "orders").DatabaseVersion; got != "POSTGRES_17" {
		t.Errorf("without the right to check, the version is %s", got)
	}
	u = wantUpgrade(t, nil)
	u.Faults.Add(localcloud.Fault{Filter: only, Kind: localcloud.FailLate, Times: 1})
	u.wantUpdate(t, checks, "[version]")
	if seen := u.look(t, u.x, &u.req); seen.OperationError == nil || seen.Operation != u.req.Operation || !strings.Contains(seen.OperationError.Message, "could not look for what is in the way of the upgrade to version 17: ") {
		t.Errorf("a check that failed: %v, operation %q", seen.OperationError, seen.Operation)
	}
	u.wantUpdate(t, upgrades, "[]")
}
