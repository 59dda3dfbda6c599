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

// RDS recovers to any point in time exactly while it keeps backups: a spec that says otherwise, or that leaves the days of backups to others,
// is refused before any call.
func TestPointInTimeRecovery(t *testing.T) {
	for name, test := range map[string]struct {
		backup v1alpha1.DatabaseBackup
		says   string
	}{
		"with days":                {v1alpha1.DatabaseBackup{PointInTimeRecovery: new(true), RetentionDays: new(int32(7))}, ""},
		"neither":                  {v1alpha1.DatabaseBackup{PointInTimeRecovery: new(false), RetentionDays: new(int32(0))}, ""},
		"without a word of days":   {v1alpha1.DatabaseBackup{PointInTimeRecovery: new(true)}, "set spec.backup.retentionDays to 1 or more"},
		"without backups":          {v1alpha1.DatabaseBackup{PointInTimeRecovery: new(true), RetentionDays: new(int32(0))}, "set spec.backup.retentionDays to 1 or more"},
		"backups without recovery": {v1alpha1.DatabaseBackup{PointInTimeRecovery: new(false), RetentionDays: new(int32(7))}, "set spec.backup.retentionDays to 0"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newEnvironment(t, localcloud.Options{Durations: slow})
			req := awstest.DatabaseOf("shop-orders", func(p *v1alpha1.DatabaseParameters) { p.Backup = &test.backup })
			if test.says == "" {
				w.createDatabase(&req)
				return
			}
			_, err := drivertest.Databases(w.Session).Create(t.Context(), req)
			if err == nil || driver.CodeOf(err) != driver.Invalid || !strings.Contains(err.Error(), test.says) {
				t.Errorf("create: %v", err)
			}
			if calls := w.Operations(); len(calls) > 0 {
				t.Errorf("the calls %v were made", calls)
			}
		})
	}
}
