package gcp_test

import (
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/drivertest"
	"github.com/mooring-dev/mooring/test/localcloud"
)

// recovery is what a spec says of backups: for how many days, or nothing if that is negative, and whether there is point-in-time recovery.
func recovery(days int32, recovers *bool) *v1alpha1.DatabaseBackup {
	b := &v1alpha1.DatabaseBackup{PointInTimeRecovery: recovers}
	if days >= 0 {
		b.RetentionDays = &days
	}
	return b
}

// Each engine recovers by a switch of its own. Backups come with recovery, and numbers that Cloud SQL takes together.
func TestPointInTimeRecovery(t *testing.T) {
	on, off := new(true), new(false)
	type step struct {
		backup *v1alpha1.DatabaseBackup
		tier   string
		byHand *sqladmin.BackupConfiguration // by somebody else, before it
		want   string
	}
	for name, steps := range map[string][]step{
		"created with it":          {{recovery(-1, on), enterpriseTier, nil, "recovers ENTERPRISE enabled=true backups=7 logs=7"}},
		"created with it and days": {{recovery(3, on), enterpriseTier, nil, "recovers ENTERPRISE enabled=true backups=3 logs=3"}},
		"created without it in Plus, which has it otherwise": {
			{recovery(10, off), plusTier, nil, "ENTERPRISE_PLUS enabled=true backups=10 logs=10"},
		},
		"created without a word in Plus": {{recovery(10, nil), plusTier, nil, "recovers ENTERPRISE_PLUS enabled=true backups=10 logs=10"}},
		"on, off and released": {
			{recovery(5, nil), enterpriseTier, nil, "ENTERPRISE enabled=true backups=5 logs=5"},
			{recovery(5, on), enterpriseTier, nil, "recovers ENTERPRISE enabled=true backups=5 logs=5"},
			{recovery(5, off), enterpriseTier, nil, "ENTERPRISE enabled=true backups=5 logs=5"},
			{recovery(5, on), enterpriseTier, nil, "recovers ENTERPRISE enabled=true backups=5 logs=5"},
			{recovery(5, nil), enterpriseTier, nil, "recovers ENTERPRISE enabled=true backups=5 logs=5"},
		},
		"on where backups were off with fewer of them than days of logs": {
			{nil, enterpriseTier, nil, "ENTERPRISE enabled=false backups=7 logs=7"},
			{recovery(-1, on), enterpriseTier, &sqladmin.BackupConfiguration{BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: 2}},
				"recovers ENTERPRISE enabled=true backups=2 logs=2"},
		},
		"off together with the backups": {
			{recovery(5, on), enterpriseTier, nil, "recovers ENTERPRISE enabled=true backups=5 logs=5"},
			{recovery(0, off), enterpriseTier, nil, "ENTERPRISE enabled=false backups=5 logs=5"},
		},
		"together with another edition": {
			{recovery(30, off), enterpriseTier, nil, "ENTERPRISE enabled=true backups=30 logs=7"},
			{recovery(30, on), plusTier, nil, "recovers ENTERPRISE_PLUS enabled=true backups=30 logs=14"},
		},
	} {
		for _, engine := range engines {
			t.Run(name+" of "+string(engine), func(t *testing.T) {
				c := newCloud(t, localcloud.Durations{})
				req := newDatabase("recovery", engine)
				x := drivertest.Databases(c.open(t))
				for i, step := range steps {
					req.Spec.Backup, req.Spec.GCP.Tier = step.backup, &step.tier
					if step.byHand != nil {
						c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{BackupConfiguration: step.byHand}})
					}
					if i == 0 {
						x = c.made(t, &req)
					} else if result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes}); err != nil || len(result.Failed) > 0 {
						t.Fatalf("step %d: %v, failed %v", i, err, result.Failed)
					}
					c.settle(t)
					in := c.instance(t, req.Name)
					got, b := logsOf(in), in.Settings.BackupConfiguration
					if recovers(in) {
						got = "recovers " + got
					}
					if mysql := engine == v1alpha1.EngineMySQL; got != step.want || mysql && b.PointInTimeRecoveryEnabled || !mysql && b.BinaryLogEnabled {
						t.Errorf("step %d: %s, want %s by the switch of the engine: %+v", i, got, step.want, b)
					}
					if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
						t.Errorf("step %d: still differs: %v", i, changes)
					}
				}
			})
		}
	}
}

// What Cloud SQL can't have together is refused by the names of both fields before any call, at creation and later.
func TestRecoveryThatCannotBe(t *testing.T) {
	two := new(v1alpha1.AvailabilityMultiZone)
	for name, test := range map[string]struct {
		backup *v1alpha1.DatabaseBackup
		zones  *v1alpha1.Availability
		other  string
	}{
		"without backups":      {recovery(0, new(true)), nil, "spec.backup.retentionDays"},
		"two zones without it": {recovery(7, new(false)), two, "spec.availability"},
	} {
		t.Run(name, func(t *testing.T) {
			refuses := func(err error) bool {
				return driver.CodeOf(err) == driver.Invalid && strings.Contains(err.Error(), "spec.backup.pointInTimeRecovery") && strings.Contains(err.Error(), test.other)
			}
			c := newCloud(t, localcloud.Durations{})
			req := newDatabase("recovery", v1alpha1.EnginePostgres)
			req.Spec.Backup, req.Spec.Availability = test.backup, test.zones
			if _, err := drivertest.Databases(c.open(t)).Create(t.Context(), req); !refuses(err) {
				t.Errorf("create: %v", err)
			}
			req.Spec.Backup = nil
			x := c.made(t, &req)
			req.Spec.Availability, req.Spec.Backup = nil, test.backup // what is there counts where the spec no longer says it
			if test.zones == nil {
				c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{BackupConfiguration: &sqladmin.BackupConfiguration{Enabled: true}}})
			}
			writes := len(c.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes}))
			result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
			if err == nil && len(result.Failed) == 0 {
				t.Fatal("it was accepted")
			}
			for _, failed := range result.Failed {
				if !refuses(failed.Err) {
					t.Errorf("%s: %v", failed.Field, failed.Err)
				}
			}
			if after := len(c.Ledger.Calls(localcloud.Filter{Write: localcloud.Writes})); after != writes || err != nil && !refuses(err) {
				t.Errorf("%v, and %d writes", err, after-writes)
			}
		})
	}
}
