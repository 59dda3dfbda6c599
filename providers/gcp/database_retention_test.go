package gcp_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/api/sqladmin/v1"

	"github.com/mooring-dev/mooring/apis/v1alpha1"
	"github.com/mooring-dev/mooring/providers/driver"
	"github.com/mooring-dev/mooring/providers/table"
	"github.com/mooring-dev/mooring/test/localcloud"
)

const (
	enterpriseTier = "db-custom-2-7680"
	plusTier       = "db-perf-optimized-N-2"
)

// logsOf shows how many backups and how many days of logs an instance keeps, and its edition.
func logsOf(in *sqladmin.DatabaseInstance) string {
	b := in.Settings.BackupConfiguration
	return fmt.Sprintf("%s enabled=%t backups=%d logs=%d", in.Settings.Edition, b.Enabled, b.BackupRetentionSettings.RetainedBackups, b.TransactionLogRetentionDays)
}

// Cloud SQL refuses fewer backups than days of transaction logs, keeps 14 days of logs in Enterprise Plus unless told otherwise, and takes
// at most 7 in Enterprise. So the days of logs go with the backups.
func TestLogsFollowBackups(t *testing.T) {
	retention := func(days int32) *v1alpha1.DatabaseBackup { return &v1alpha1.DatabaseBackup{RetentionDays: &days} }
	type step struct {
		tier   string
		backup *v1alpha1.DatabaseBackup
		byHand *sqladmin.BackupConfiguration // by somebody else, before it
		want   string
	}
	backups := func(keep, logs int64) *sqladmin.BackupConfiguration {
		return &sqladmin.BackupConfiguration{Enabled: true, TransactionLogRetentionDays: logs,
			BackupRetentionSettings: &sqladmin.BackupRetentionSettings{RetainedBackups: keep}}
	}
	for _, test := range []struct {
		name  string
		steps []step
	}{
		{"created in Plus with the samples' own retention", []step{{plusTier, retention(7), nil, "ENTERPRISE_PLUS enabled=true backups=7 logs=7"}}},
		{"created in Plus with one backup", []step{{plusTier, retention(1), nil, "ENTERPRISE_PLUS enabled=true backups=1 logs=1"}}},
		{"created in Plus with many", []step{{plusTier, retention(90), nil, "ENTERPRISE_PLUS enabled=true backups=90 logs=14"}}},
		{"created in Plus without", []step{{plusTier, retention(0), nil, "ENTERPRISE_PLUS enabled=false backups=15 logs=14"}}},
		{"created in Plus, nothing said", []step{{plusTier, nil, nil, "ENTERPRISE_PLUS enabled=true backups=15 logs=14"}}},
		{"created in Enterprise with few", []step{{enterpriseTier, retention(3), nil, "ENTERPRISE enabled=true backups=3 logs=3"}}},
		{"created in Enterprise with many", []step{{enterpriseTier, retention(30), nil, "ENTERPRISE enabled=true backups=30 logs=7"}}},
		{"fewer, then more, in Plus", []step{
			{plusTier, retention(30), nil, "ENTERPRISE_PLUS enabled=true backups=30 logs=14"},
			{plusTier, retention(7), nil, "ENTERPRISE_PLUS enabled=true backups=7 logs=7"},
			{plusTier, retention(10), nil, "ENTERPRISE_PLUS enabled=true backups=10 logs=10"},
			{plusTier, retention(30), nil, "ENTERPRISE_PLUS enabled=true backups=30 logs=14"},
		}},
		{"none on the way up", []step{
			{enterpriseTier, &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}, nil, "ENTERPRISE enabled=false backups=7 logs=7"},
			{plusTier, &v1alpha1.DatabaseBackup{RetentionDays: new(int32(0))}, nil, "ENTERPRISE_PLUS enabled=false backups=7 logs=7"},
		}},
		{"no recovery on the way up", []step{
			{enterpriseTier, &v1alpha1.DatabaseBackup{PointInTimeRecovery: new(false)}, nil, "ENTERPRISE enabled=false backups=7 logs=7"},
			{plusTier, &v1alpha1.DatabaseBackup{PointInTimeRecovery: new(false)}, nil, "ENTERPRISE_PLUS enabled=false backups=7 logs=7"},
		}},
		{"off and on in Plus", []step{
			{plusTier, nil, nil, "ENTERPRISE_PLUS enabled=true backups=15 logs=14"},
			{plusTier, retention(0), nil, "ENTERPRISE_PLUS enabled=false backups=15 logs=14"},
			{plusTier, retention(7), nil, "ENTERPRISE_PLUS enabled=true backups=7 logs=7"},
		}},
		{"up and down with the samples' own retention", []step{
			{enterpriseTier, retention(7), nil, "ENTERPRISE enabled=true backups=7 logs=7"},
			{plusTier, retention(7), nil, "ENTERPRISE_PLUS enabled=true backups=7 logs=7"},
			{enterpriseTier, retention(7), nil, "ENTERPRISE enabled=true backups=7 logs=7"},
		}},
		{"up and down, nothing said", []step{
			{enterpriseTier, nil, nil, "ENTERPRISE enabled=false backups=7 logs=7"},
			{plusTier, nil, nil, "ENTERPRISE_PLUS enabled=true backups=7 logs=7"},
			{enterpriseTier, nil, nil, "ENTERPRISE enabled=true backups=7 logs=7"},
		}},
		{"down from what Plus chose", []step{
			{plusTier, nil, nil, "ENTERPRISE_PLUS enabled=true backups=15 logs=14"},
			{enterpriseTier, nil, nil, "ENTERPRISE enabled=true backups=15 logs=7"},
		}},
		{"down with backups off", []step{
			{plusTier, retention(0), nil, "ENTERPRISE_PLUS enabled=false backups=15 logs=14"},
			{enterpriseTier, retention(0), nil, "ENTERPRISE enabled=false backups=15 logs=7"},
		}},
		{"up and more at once", []step{
			{enterpriseTier, retention(7), nil, "ENTERPRISE enabled=true backups=7 logs=7"},
			{plusTier, retention(30), nil, "ENTERPRISE_PLUS enabled=true backups=30 logs=14"},
			{enterpriseTier, retention(5), nil, "ENTERPRISE enabled=true backups=5 logs=5"},
		}},
		{"another tier of the edition", []step{
			{plusTier, retention(20), nil, "ENTERPRISE_PLUS enabled=true backups=20 logs=14"},
			{"db-perf-optimized-N-4", retention(20), backups(20, 18), "ENTERPRISE_PLUS enabled=true backups=20 logs=18"},
		}},
		{"days of logs that somebody chose stay as far as they can", []step{
			{plusTier, retention(30), nil, "ENTERPRISE_PLUS enabled=true backups=30 logs=14"},
			{plusTier, retention(35), backups(30, 2), "ENTERPRISE_PLUS enabled=true backups=35 logs=2"},
			{plusTier, retention(25), backups(35, 30), "ENTERPRISE_PLUS enabled=true backups=25 logs=25"},
			{enterpriseTier, retention(25), backups(25, 3), "ENTERPRISE enabled=true backups=25 logs=3"},
		}},
		{"more days of logs than the other edition takes", []step{
			{plusTier, retention(30), nil, "ENTERPRISE_PLUS enabled=true backups=30 logs=14"},
			{enterpriseTier, retention(25), backups(30, 20), "ENTERPRISE enabled=true backups=25 logs=7"},
		}},
	} {
		for _, engine := range []v1alpha1.Engine{v1alpha1.EnginePostgres, v1alpha1.EngineMySQL} {
			t.Run(fmt.Sprintf("%s of %s", test.name, engine), func(t *testing.T) {
				c := newCloud(t, localcloud.Durations{})
				req := newDatabase("logs", engine)
				var x table.External[v1alpha1.DatabaseParameters]
				for i, step := range test.steps {
					req.Spec.GCP.Tier, req.Spec.Backup = &step.tier, step.backup
					if i == 0 {
						x = c.made(t, &req)
					} else {
						if step.byHand != nil {
							c.patchInstance(t, req.Name, &sqladmin.DatabaseInstance{Settings: &sqladmin.Settings{BackupConfiguration: step.byHand}})
						}
						result, err := x.Update(t.Context(), req, driver.Edit{Changes: c.look(t, x, &req).Changes})
						if err != nil || len(result.Failed) > 0 {
							t.Fatalf("step %d: %v, failed %v", i, err, result.Failed)
						}
						c.settle(t)
					}
					if got := logsOf(c.instance(t, req.Name)); got != step.want {
						t.Errorf("step %d: %s, want %s", i, got, step.want)
					}
					if changes := c.look(t, x, &req).Changes; len(changes) > 0 {
						t.Errorf("step %d: still differs: %v", i, changes)
					}
				}
			})
		}
	}
}

// Without backups the binary log of MySQL ends, which restarts the server: people are told before.
func TestNoBackupsRestartMySQLWithABinaryLog(t *testing.T) {
	c := newCloud(t, localcloud.Durations{})
	for name, tt := range map[string]struct {
		engine   v1alpha1.Engine
		recovers bool
		days     int32
		restarts bool
	}{
		"mysql":             {v1alpha1.EngineMySQL, true, 0, true},
		"mysql-fewer":       {v1alpha1.EngineMySQL, true, 3, false},
		"mysql-without-log": {v1alpha1.EngineMySQL, false, 0, false},
		"postgres":          {v1alpha1.EnginePostgres, true, 0, false},
	} {
		req := newDatabase("ends-"+name, tt.engine)
		req.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: new(int32(7)), PointInTimeRecovery: &tt.recovers}
		x := c.made(t, &req)
		req.Spec.Backup = &v1alpha1.DatabaseBackup{RetentionDays: &tt.days}
		changes := c.look(t, x, &req).Changes
		if len(changes) != 1 || changes[0].Effect != driver.LosesBackups || strings.Contains(changes[0].Why, "restarts") != tt.restarts {
			t.Errorf("%s: %+v, want one change that says whether the server restarts: %t", name, changes, tt.restarts)
		}
	}
}
