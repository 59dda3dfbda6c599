package rds_test

import (
	"strings"
	"testing"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/awstest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// RDS refuses a backup window that overlaps the maintenance window. What to do comes first, and what else changes is changed.
func TestBackupsDuringMaintenance(t *testing.T) {
	w := newEnvironment(t, localcloud.Options{Durations: slow})
	req := awstest.DatabaseOf("shop-orders", nil)
	w.createDatabase(&req)
	req.Spec.Backup, req.Spec.DeletionProtection = &v1alpha1.DatabaseBackup{StartTime: new("05:00")}, new(true)
	result, err := drivertest.Databases(w.Session).Update(t.Context(), req, driver.Edit{Changes: w.database(req).Changes})
	if err != nil || len(result.Failed) != 1 || result.Failed[0].Field != "backup.startTime" {
		t.Fatalf("%v, failed %v", err, result.Failed)
	}
	refusal := result.Failed[0].Err
	if driver.CodeOf(refusal) != driver.Invalid || !strings.Contains(refusal.Error(), "set spec.backup.startTime") || !strings.Contains(refusal.Error(), "sun:05:10-sun:05:40") {
		t.Errorf("the refusal is %v", refusal)
	}
	if left := driver.Names(w.database(req).Changes); len(left) != 1 || left[0] != "backup.startTime" {
		t.Errorf("what differs still is %v", left)
	}
}
